"""GETDEL key."""

from __future__ import annotations

from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


def test_getdel_reads_and_deletes(client: Client) -> None:
    client.call("SET", "k", "v", "EX", 100)
    assert client.call("GETDEL", "k") == b"v"
    assert client.call("EXISTS", "k") == 0
    assert client.call("GETDEL", "k") is None


def test_getdel_gives_a_long_value_whole(client: Client) -> None:
    client.call("SET", "k", b"x" * 300_000)
    assert client.call("GETDEL", "k") == b"x" * 300_000
    assert client.call("GET", "k") is None
