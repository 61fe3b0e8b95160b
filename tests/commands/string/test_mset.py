"""MSET key value [key value ...]."""

from __future__ import annotations

from tests.commands.running import error_of
from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


def test_mset_writes_all_and_the_last_of_equals_wins(client: Client) -> None:
    assert client.call("MSET", "a", "1", "b", "2", "a", "3") == "OK"
    assert client.call("MGET", "a", "b") == [b"3", b"2"]


def test_mset_takes_lifetimes_away(client: Client) -> None:
    """TTL-02."""
    client.call("SET", "a", "1", "EX", 100)
    client.call("MSET", "a", "2", "b", "3")
    assert client.call("TTL", "a") == -1


def test_mset_without_a_value_is_refused_and_writes_nothing(client: Client) -> None:
    message = "ERR wrong number of arguments for 'mset' command"
    assert error_of(client, "MSET", "a", "1", "b") == message
    assert client.call("DBSIZE") == 0
