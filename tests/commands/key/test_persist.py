"""PERSIST key."""

from __future__ import annotations

from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


def test_persist_takes_the_lifetime_away_once(client: Client) -> None:
    """TTL-02."""
    assert client.call("PERSIST", "k") == 0
    client.call("SET", "k", "v")
    assert client.call("PERSIST", "k") == 0
    client.call("EXPIRE", "k", 100)
    assert client.call("PERSIST", "k") == 1
    assert client.call("TTL", "k") == -1
    assert client.call("GET", "k") == b"v"


def test_key_moves_between_homes_without_a_stale_value(client: Client) -> None:
    """TTL-07, INV-01."""
    for round_ in range(20):
        assert client.call("SET", "k", round_, "EX", 60) == "OK"
        assert client.call("GET", "k") == b"%d" % round_
        assert client.call("PERSIST", "k") == 1
        assert client.call("GET", "k") == b"%d" % round_
        assert client.call("DBSIZE") == 1
