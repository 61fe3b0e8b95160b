"""Whatever bytes come, in whatever pieces: Dwell answers them as redis-server does, byte for byte.

Left out is what is known to differ: a line feed is required after a carriage return, an inline line
has at most 64 KiB, a byte that cannot be printed is not repeated in an error.
"""

from __future__ import annotations

import itertools
import random
import re
import shutil
import socket
from typing import TYPE_CHECKING

import pytest

from tests.seeds import new_seed
from tests.servers import Server, needs_server

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [
    needs_server,
    pytest.mark.redis,
    pytest.mark.skipif(shutil.which("redis-server") is None, reason="redis-server is not here"),
]

STREAMS = 600
PIECES_MAX = 14
CUTS_MAX = 3
TIMEOUT_SECONDS = 20.0
MARKS = [b"*", b"$", b"-", b"+", b"0", b"1", b"2", b"3", b"00", b"-1"]
BLANKS = [b"\r\n", b"\r\n", b"\r\n", b"\n", b" "]
QUOTES = [b'"', b"'", b"\\", b"\\x41"]
LENGTHS = [b"536870913", b"1048577", b"4294967296", b"99999999999"]
NAMES = [b"PING", b"ping", b"ECHO", b"GET", b"SET", b"INCR", b"DEL", b"MULTI", b"EXEC", b"OBJECT"]
WHOLE = [
    b"*1\r\n$4\r\nPING\r\n",
    b"*2\r\n$4\r\nECHO\r\n$3\r\nabc\r\n",
    b"*3\r\n$3\r\nSET\r\n$1\r\na\r\n$2\r\n10\r\n",
    b"*0\r\n",
    b"*-1\r\n",
    b"GETRANGE a 0 -1\r\n",
    b"DISCARD\r\n",
    b"EXEC now\r\n",
    b"HELLO 3\r\n",
    b"RESET\r\n",
    b"QUIT\r\n",
]
HALVES = [b"$4\r\nPING\r\n", b"*3\r\n$3\r\nSET\r\n", b"$1\r\na\r\n", b"$3\r\nGET\r\n"]
PIECES = [*MARKS, *BLANKS, *QUOTES, *LENGTHS, *NAMES, *WHOLE, *HALVES]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Server]]:
    root = tmp_path_factory.mktemp("bytes")
    redis = Server(root / "redis", ["--save", ""], command=["redis-server"])
    with redis, Server(root / "dwell") as dwell:
        yield redis, dwell


def answers(server: Server, parts: list[bytes]) -> bytes:
    """Send the parts and an end, and return all that comes back."""
    received = bytearray()
    with socket.create_connection(server.address, TIMEOUT_SECONDS) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            for part in parts:
                connection.sendall(part)
            connection.shutdown(socket.SHUT_WR)
            while data := connection.recv(65536):
                received += data
        except TimeoutError:
            raise
        except OSError:
            # A server that closes with bytes unread resets, and the rest of its reply may be lost.
            received += b"<reset>"
    return re.sub(rb"id\r\n:\d+", b"id", bytes(received))


def agree(one: bytes, other: bytes) -> bool:
    """Whether two answers are equal as far as they arrived."""
    if b"<reset>" not in one + other:
        return one == other
    one, other = one.removesuffix(b"<reset>"), other.removesuffix(b"<reset>")
    length = min(len(one), len(other))
    return one[:length] == other[:length]


def test_any_stream_of_bytes_is_answered_as_redis_answers_it(pair: tuple[Server, Server]) -> None:
    # INV-05
    choices = random.Random(new_seed())
    for _ in range(STREAMS):
        stream = b"".join(choices.choices(PIECES, k=choices.randint(1, PIECES_MAX)))
        places = choices.choices(range(len(stream) + 1), k=choices.randint(0, CUTS_MAX))
        cuts = [0, *sorted(places), len(stream)]
        parts = [stream[start:end] for start, end in itertools.pairwise(cuts)]
        for server in pair:
            answers(server, [b"FLUSHALL\r\n"])
        from_redis, from_dwell = (answers(server, parts) for server in pair)
        assert agree(from_redis, from_dwell), (parts, from_redis, from_dwell)
