"""RENAME and RENAMENX key newkey."""

from __future__ import annotations

from tests.commands.running import error_of, ttl_is_about
from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


def test_rename_carries_the_lifetime_and_drops_that_of_the_target(client: Client) -> None:
    """TTL-02."""
    client.call("SET", "a", "v", "EX", 100)
    client.call("SET", "b", "w", "EX", 500)
    assert client.call("RENAME", "a", "b") == "OK"
    assert client.call("MGET", "a", "b") == [None, b"v"]
    assert ttl_is_about(client, "b", 100)
    client.call("SET", "c", "x")
    assert client.call("RENAME", "c", "b") == "OK"
    assert client.call("TTL", "b") == -1
    assert client.call("DBSIZE") == 1


def test_rename_of_a_long_value_loses_nothing(client: Client) -> None:
    client.call("SET", "a", b"x" * 300_000)
    assert client.call("RENAME", "a", "b") == "OK"
    assert client.call("GET", "b") == b"x" * 300_000
    assert client.call("EXISTS", "a") == 0


def test_renamenx_does_not_replace(client: Client) -> None:
    client.call("MSET", "a", "1", "b", "2")
    assert client.call("RENAMENX", "a", "b") == 0
    assert client.call("MGET", "a", "b") == [b"1", b"2"]
    assert client.call("RENAMENX", "a", "c") == 1
    assert client.call("MGET", "a", "c") == [None, b"1"]


def test_key_may_be_renamed_to_itself(client: Client) -> None:
    client.call("SET", "a", "v", "EX", 100)
    assert client.call("RENAME", "a", "a") == "OK"
    assert client.call("RENAMENX", "a", "a") == 0
    assert client.call("GET", "a") == b"v"
    assert ttl_is_about(client, "a", 100)


def test_absent_key_cannot_be_renamed(client: Client) -> None:
    for command in ("RENAME", "RENAMENX"):
        assert error_of(client, command, "absent", "b") == "ERR no such key"
        assert error_of(client, command, "absent", "absent") == "ERR no such key"
