"""SETNX key value."""

from __future__ import annotations

from tests.commands.running import ttl_is_about
from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


def test_setnx_writes_only_an_absent_key(client: Client) -> None:
    assert client.call("SETNX", "k", "first") == 1
    assert client.call("SETNX", "k", "second") == 0
    assert client.call("GET", "k") == b"first"


def test_setnx_leaves_a_lifetime_alone_and_gives_none(client: Client) -> None:
    assert client.call("SETNX", "k", "v") == 1
    assert client.call("TTL", "k") == -1
    client.call("EXPIRE", "k", 100)
    assert client.call("SETNX", "k", "w") == 0
    assert ttl_is_about(client, "k", 100)
