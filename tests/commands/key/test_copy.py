"""COPY source destination [DB n] [REPLACE]."""

from __future__ import annotations

from tests.commands.running import SYNTAX, WRONG_INTEGER, error_of, ttl_is_about
from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


def test_copy_carries_value_and_lifetime(client: Client) -> None:
    """TTL-02."""
    client.call("SET", "a", "v", "EX", 100)
    assert client.call("COPY", "a", "b") == 1
    assert client.call("MGET", "a", "b") == [b"v", b"v"]
    assert ttl_is_about(client, "b", 100)
    client.call("APPEND", "b", "!")
    assert client.call("MGET", "a", "b") == [b"v", b"v!"]


def test_copy_replaces_only_when_asked_and_drops_the_old_lifetime(client: Client) -> None:
    """TTL-02."""
    client.call("SET", "a", "new")
    client.call("SET", "b", "old", "EX", 100)
    assert client.call("COPY", "a", "b") == 0
    assert client.call("GET", "b") == b"old"
    assert client.call("COPY", "a", "b", "REPLACE") == 1
    assert client.call("GET", "b") == b"new"
    assert client.call("TTL", "b") == -1


def test_copy_reaches_another_database(client: Client) -> None:
    client.call("SET", "a", b"x" * 200_000)
    assert client.call("COPY", "a", "a", "DB", 3) == 1
    assert client.call("COPY", "a", "a", "DB", 3) == 0
    client.call("SELECT", 3)
    assert client.call("GET", "a") == b"x" * 200_000


def test_copy_without_a_source_answers_zero(client: Client) -> None:
    client.call("SET", "b", "v")
    assert client.call("COPY", "a", "b", "REPLACE") == 0
    assert client.call("GET", "b") == b"v"


def test_copy_refuses_what_makes_no_sense(client: Client) -> None:
    client.call("SET", "a", "v")
    same = "ERR source and destination objects are the same"
    assert error_of(client, "COPY", "a", "a") == same
    assert error_of(client, "COPY", "absent", "absent", "DB", 0) == same
    assert error_of(client, "COPY", "a", "b", "DB") == SYNTAX
    assert error_of(client, "COPY", "a", "b", "FOO") == SYNTAX
    assert error_of(client, "COPY", "a", "b", "DB", 99) == "ERR DB index is out of range"
    assert error_of(client, "COPY", "a", "b", "DB", "x") == WRONG_INTEGER
