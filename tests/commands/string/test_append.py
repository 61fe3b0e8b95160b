"""APPEND key value."""

from __future__ import annotations

from tests.commands.running import ttl_is_about
from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


def test_append_adds_to_the_end_and_answers_the_length(client: Client) -> None:
    assert client.call("APPEND", "k", "Hello ") == 6
    assert client.call("APPEND", "k", "World") == 11
    assert client.call("GET", "k") == b"Hello World"


def test_append_of_nothing_creates_an_empty_string(client: Client) -> None:
    assert client.call("APPEND", "k", "") == 0
    assert client.call("EXISTS", "k") == 1
    assert client.call("GET", "k") == b""


def test_append_keeps_the_lifetime(client: Client) -> None:
    """TTL-02."""
    client.call("SET", "k", "a", "EX", 100)
    assert client.call("APPEND", "k", "b") == 2
    assert ttl_is_about(client, "k", 100)


def test_append_turns_a_counter_into_text(client: Client) -> None:
    client.call("INCRBY", "k", 12)
    assert client.call("APPEND", "k", "3") == 3
    assert client.call("INCR", "k") == 124


def test_append_makes_a_value_long_piece_by_piece(client: Client) -> None:
    piece = bytes(range(256)) * 100
    for count in range(1, 8):
        assert client.call("APPEND", "k", piece) == len(piece) * count
    assert client.call("GET", "k") == piece * 7
