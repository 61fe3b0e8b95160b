"""LCS key1 key2 [LEN] [IDX] [MINMATCHLEN n] [WITHMATCHLEN]."""

from __future__ import annotations

from tests.commands.running import SYNTAX, WRONG_INTEGER, error_of
from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


A, B = "ohmytext", "mynewtext"


def fill(client: Client) -> None:
    client.call("MSET", "a", A, "b", B)


def test_lcs_answers_the_text_or_its_length(client: Client) -> None:
    fill(client)
    assert client.call("LCS", "a", "b") == b"mytext"
    assert client.call("LCS", "a", "b", "LEN") == 6


def test_lcs_tells_the_places_from_the_last(client: Client) -> None:
    fill(client)
    places = [[[4, 7], [5, 8]], [[2, 3], [0, 1]]]
    assert client.call("LCS", "a", "b", "IDX") == [b"matches", places, b"len", 6]
    long = [[[4, 7], [5, 8], 4]]
    reply = client.call("LCS", "a", "b", "idx", "MINMATCHLEN", 4, "WITHMATCHLEN")
    assert reply == [b"matches", long, b"len", 6]
    reply = client.call("LCS", "a", "b", "IDX", "MINMATCHLEN", -1)
    assert reply == [b"matches", places, b"len", 6]


def test_lcs_with_an_absent_key_is_empty(client: Client) -> None:
    fill(client)
    assert client.call("LCS", "a", "absent") == b""
    assert client.call("LCS", "absent", "b", "LEN") == 0
    assert client.call("LCS", "absent", "nor this", "IDX") == [b"matches", [], b"len", 0]


def test_lcs_refuses_options_that_contradict_or_are_unknown(client: Client) -> None:
    message = "ERR If you want both the length and indexes, please just use IDX."
    assert error_of(client, "LCS", "a", "b", "IDX", "LEN") == message
    assert error_of(client, "LCS", "a", "b", "FOO") == SYNTAX
    assert error_of(client, "LCS", "a", "b", "MINMATCHLEN") == SYNTAX
    assert error_of(client, "LCS", "a", "b", "MINMATCHLEN", "x") == WRONG_INTEGER


def test_lcs_is_bounded_and_at_the_bound_stops_nobody(client: Client) -> None:
    """INV-06."""
    client.call("MSET", "a", "ab" * 5_790, "b", "ba" * 5_790)
    assert client.call("LCS", "a", "b", "LEN") == 11_579
    client.call("MSET", "a", "a" * 12_000, "b", "b" * 12_000)
    message = "ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len"
    assert error_of(client, "LCS", "a", "b") == message
