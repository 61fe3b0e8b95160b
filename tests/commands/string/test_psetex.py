"""PSETEX key milliseconds value."""

from __future__ import annotations

import time

from tests.commands.running import error_of, ttl_is_about
from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


def test_psetex_writes_with_a_lifetime_that_ends(client: Client) -> None:
    assert client.call("PSETEX", "k", 100_000, "v") == "OK"
    assert ttl_is_about(client, "k", 100)
    assert client.call("PSETEX", "k", 50, "v") == "OK"
    time.sleep(0.1)
    assert client.call("GET", "k") is None
    assert client.call("TTL", "k") == -2


def test_psetex_refuses_a_lifetime_that_is_not_positive(client: Client) -> None:
    """TTL-01."""
    client.call("SET", "k", "old")
    for wrong in (0, -5):
        message = "ERR invalid expire time in 'psetex' command"
        assert error_of(client, "PSETEX", "k", wrong, "v") == message
    assert client.call("GET", "k") == b"old"
