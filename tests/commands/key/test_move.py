"""MOVE key db."""

from __future__ import annotations

from tests.commands.running import WRONG_INTEGER, error_of, ttl_is_about
from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


def test_move_carries_value_and_lifetime_to_another_database(client: Client) -> None:
    client.call("SET", "k", "v", "EX", 100)
    assert client.call("MOVE", "k", 5) == 1
    assert client.call("EXISTS", "k") == 0
    client.call("SELECT", 5)
    assert client.call("GET", "k") == b"v"
    assert ttl_is_about(client, "k", 100)


def test_move_does_not_replace_nor_find_what_is_absent(client: Client) -> None:
    client.call("SET", "k", "here")
    client.call("SELECT", 5)
    client.call("SET", "k", "there")
    assert client.call("MOVE", "k", 0) == 0
    assert client.call("MOVE", "absent", 0) == 0
    assert client.call("GET", "k") == b"there"


def test_move_refuses_what_is_no_other_database(client: Client) -> None:
    client.call("SET", "k", "v")
    same = "ERR source and destination objects are the same"
    assert error_of(client, "MOVE", "k", 0) == same
    assert error_of(client, "MOVE", "k", 99) == "ERR DB index is out of range"
    assert error_of(client, "MOVE", "k", -1) == "ERR DB index is out of range"
    assert error_of(client, "MOVE", "k", "x") == WRONG_INTEGER
    low, high = -(2**31), 2**31 - 1
    message = f"ERR value is out of range, value must between {low} and {high}"
    assert error_of(client, "MOVE", "k", 2**31) == message
    assert client.call("GET", "k") == b"v"
