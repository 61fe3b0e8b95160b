"""MSETNX key value [key value ...]."""

from __future__ import annotations

from tests.commands.running import error_of
from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


def test_msetnx_writes_all_or_nothing(client: Client) -> None:
    assert client.call("MSETNX", "a", "1", "b", "2") == 1
    assert client.call("MSETNX", "c", "3", "b", "4") == 0
    assert client.call("MGET", "a", "b", "c") == [b"1", b"2", None]


def test_msetnx_of_equal_keys_keeps_the_last(client: Client) -> None:
    assert client.call("MSETNX", "a", "1", "a", "2") == 1
    assert client.call("GET", "a") == b"2"


def test_msetnx_without_a_value_is_refused(client: Client) -> None:
    message = "ERR wrong number of arguments for 'msetnx' command"
    assert error_of(client, "MSETNX", "a", "1", "b") == message
