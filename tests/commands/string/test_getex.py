"""GETEX key [EX | PX | EXAT | PXAT | PERSIST]."""

from __future__ import annotations

import pytest

from tests.commands.running import INTEGER_MAX, SYNTAX, WRONG_INTEGER, error_of, ttl_is_about
from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


def test_getex_without_an_option_changes_nothing(client: Client) -> None:
    client.call("SET", "k", "v", "EX", 100)
    assert client.call("GETEX", "k") == b"v"
    assert ttl_is_about(client, "k", 100)


def test_getex_sets_a_deadline_of_each_kind(client: Client) -> None:
    client.call("SET", "k", "v")
    assert client.call("GETEX", "k", "EX", 100) == b"v"
    assert ttl_is_about(client, "k", 100)
    assert client.call("GETEX", "k", "px", 200_000) == b"v"
    assert ttl_is_about(client, "k", 200)
    assert client.call("GETEX", "k", "EXAT", 33_177_117_420) == b"v"
    assert client.call("EXPIRETIME", "k") == 33_177_117_420
    assert client.call("GETEX", "k", "PXAT", 33_177_117_420_001) == b"v"
    assert client.call("PEXPIRETIME", "k") == 33_177_117_420_001


def test_getex_persist_takes_the_lifetime_away(client: Client) -> None:
    """TTL-02."""
    client.call("SET", "k", "v", "EX", 100)
    assert client.call("GETEX", "k", "PERSIST") == b"v"
    assert client.call("TTL", "k") == -1


def test_getex_with_a_past_moment_reads_once_more_and_deletes(client: Client) -> None:
    client.call("SET", "k", "v")
    assert client.call("GETEX", "k", "EXAT", 1) == b"v"
    assert client.call("EXISTS", "k") == 0


@pytest.mark.parametrize(
    "options",
    [
        ["EX"],
        ["FOO"],
        ["EX", "10", "PERSIST"],
        ["PERSIST", "PX", "10"],
        ["EX", "10", "PX", "10"],
        ["KEEPTTL"],
        ["NX"],
        ["GET"],
    ],
)
def test_getex_refuses_what_it_does_not_know(client: Client, options: list[str]) -> None:
    client.call("SET", "k", "v")
    assert error_of(client, "GETEX", "k", *options) == SYNTAX
    assert client.call("TTL", "k") == -1


def test_getex_asks_for_the_key_before_the_number(client: Client) -> None:
    assert client.call("GETEX", "absent", "EX", "abc") is None
    client.call("SET", "k", "v")
    assert error_of(client, "GETEX", "k", "EX", "abc") == WRONG_INTEGER
    message = "ERR invalid expire time in 'getex' command"
    for wrong in (0, -1, INTEGER_MAX):
        assert error_of(client, "GETEX", "k", "EX", wrong) == message
