"""SETEX key seconds value."""

from __future__ import annotations

from tests.commands.running import INTEGER_MAX, WRONG_INTEGER, error_of, ttl_is_about
from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


def test_setex_writes_with_a_lifetime(client: Client) -> None:
    assert client.call("SETEX", "k", 100, "v") == "OK"
    assert client.call("GET", "k") == b"v"
    assert ttl_is_about(client, "k", 100)


def test_setex_refuses_a_lifetime_that_is_not_positive_or_too_long(client: Client) -> None:
    """TTL-01."""
    client.call("SET", "k", "old")
    for wrong in (0, -5, INTEGER_MAX, INTEGER_MAX // 1000):
        message = "ERR invalid expire time in 'setex' command"
        assert error_of(client, "SETEX", "k", wrong, "v") == message
    assert error_of(client, "SETEX", "k", "1.5", "v") == WRONG_INTEGER
    assert client.call("GET", "k") == b"old"
