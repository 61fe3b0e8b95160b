"""MGET key [key ...]."""

from __future__ import annotations

from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


def test_mget_answers_each_key_in_order(client: Client) -> None:
    client.call("MSET", "a", "1", "b", b"x" * 100_000)
    client.call("INCR", "c")
    assert client.call("MGET", "c", "b", "absent", "a", "a") == [
        b"1",
        b"x" * 100_000,
        None,
        b"1",
        b"1",
    ]
