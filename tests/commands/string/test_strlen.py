"""STRLEN key."""

from __future__ import annotations

from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


def test_strlen_counts_bytes_of_the_text(client: Client) -> None:
    assert client.call("STRLEN", "k") == 0
    client.call("SET", "k", "")
    assert client.call("STRLEN", "k") == 0
    client.call("SET", "k", "\u00e9")
    assert client.call("STRLEN", "k") == 2
    client.call("SET", "k", b"x" * 200_000)
    assert client.call("STRLEN", "k") == 200_000
    client.call("SET", "k", 99)
    client.call("INCR", "k")
    assert client.call("STRLEN", "k") == 3
