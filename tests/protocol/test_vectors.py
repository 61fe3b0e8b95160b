"""The client's parser against the golden bytes that the Rust codecs are held to (WIRE-01 to 03)."""

from __future__ import annotations

from typing import Any

import pytest

from dwell.client.resp import NEED_MORE, ReplyParser
from dwell.errors import UnavailableError
from tests.protocol.vectors import Stream, streams

LENIENT = (b"_x\r\n", b"=3\r\ntxt\r\n")
"""Malformed bytes that no server sends and this client reads as nothing and as an empty text."""

READ = [stream for stream in streams() if stream.sent not in LENIENT]


def read(pieces: list[bytes]) -> tuple[list[Any], bool]:
    """All replies in the pieces, and whether they broke off with an error."""
    parser = ReplyParser()
    replies = []
    for piece in pieces:
        parser.feed(piece)
        try:
            while (reply := parser.next()) is not NEED_MORE:
                replies.append(reply)
        except UnavailableError:
            return replies, True
    return replies, False


@pytest.mark.parametrize("stream", READ, ids=[stream.line[6:60] for stream in READ])
def test_replies_are_the_same_however_they_are_cut(stream: Stream) -> None:
    sent = stream.sent
    cuts = [[sent[:cut], sent[cut:]] for cut in range(len(sent) + 1)]
    cuts.append([sent[at : at + 1] for at in range(len(sent))])
    for pieces in cuts:
        replies, is_broken = read(pieces)
        assert (replies, is_broken) == (stream.replies, stream.is_broken)
        assert [type(reply) for reply in replies] == [type(reply) for reply in stream.replies]


def test_the_vectors_are_all_read() -> None:
    assert len(READ) > 30
