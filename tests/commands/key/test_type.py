"""TYPE key."""

from __future__ import annotations

from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


def test_every_scalar_is_a_string_and_nothing_is_none(client: Client) -> None:
    assert client.call("TYPE", "k") == "none"
    client.call("SET", "k", "v")
    assert client.call("TYPE", "k") == "string"
    client.call("INCR", "n")
    assert client.call("TYPE", "n") == "string"
