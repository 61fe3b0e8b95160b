"""RANDOMKEY."""

from __future__ import annotations

from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


def test_random_key_is_one_that_is_there(client: Client) -> None:
    assert client.call("RANDOMKEY") is None
    client.call("MSET", "a", 1, "b", 2)
    client.call("EXPIRE", "b", 100)
    found = {str(client.call("RANDOMKEY")) for _ in range(200)}
    assert found == {"b'a'", "b'b'"}
    client.call("DEL", "a", "b")
    assert client.call("RANDOMKEY") is None
