"""GETSET key value."""

from __future__ import annotations

from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


def test_getset_replaces_and_answers_what_was_there(client: Client) -> None:
    assert client.call("GETSET", "k", "one") is None
    assert client.call("GETSET", "k", "two") == b"one"
    assert client.call("GET", "k") == b"two"


def test_getset_takes_the_lifetime_away(client: Client) -> None:
    """TTL-02."""
    client.call("SET", "k", "v", "EX", 100)
    assert client.call("GETSET", "k", "w") == b"v"
    assert client.call("TTL", "k") == -1
