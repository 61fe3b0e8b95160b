"""SETRANGE key offset value."""

from __future__ import annotations

from tests.commands.running import INTEGER_MAX, WRONG_INTEGER, error_of, ttl_is_about
from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


def test_setrange_overwrites_and_fills_with_zeros(client: Client) -> None:
    assert client.call("SETRANGE", "k", 3, "abc") == 6
    assert client.call("GET", "k") == b"\0\0\0abc"
    assert client.call("SETRANGE", "k", 1, "XY") == 6
    assert client.call("GET", "k") == b"\0XYabc"
    assert client.call("SETRANGE", "k", 5, "long") == 9


def test_setrange_of_nothing_creates_nothing(client: Client) -> None:
    assert client.call("SETRANGE", "k", 100, "") == 0
    assert client.call("EXISTS", "k") == 0
    client.call("SET", "k", "abc")
    assert client.call("SETRANGE", "k", 100, "") == 3
    assert client.call("GET", "k") == b"abc"


def test_setrange_keeps_the_lifetime(client: Client) -> None:
    """TTL-02."""
    client.call("SET", "k", "abc", "EX", 100)
    assert client.call("SETRANGE", "k", 1, "X") == 3
    assert ttl_is_about(client, "k", 100)


def test_setrange_turns_a_counter_into_text(client: Client) -> None:
    client.call("INCRBY", "k", 1234)
    assert client.call("SETRANGE", "k", 1, "9") == 4
    assert client.call("GET", "k") == b"1934"


def test_setrange_far_beyond_the_end_makes_a_long_value(client: Client) -> None:
    client.call("SET", "k", "abc")
    assert client.call("SETRANGE", "k", 200_000, "end") == 200_003
    assert client.call("GET", "k") == b"abc" + b"\0" * 199_997 + b"end"
    assert client.call("SETRANGE", "k", 65_534, "seam") == 200_003
    assert client.call("GETRANGE", "k", 65_532, 65_539) == b"\0\0seam\0\0"


def test_setrange_beyond_the_longest_string_is_refused(client: Client) -> None:
    message = "ERR string exceeds maximum allowed size (proto-max-bulk-len)"
    for offset in (512 * 1024 * 1024, INTEGER_MAX):
        assert error_of(client, "SETRANGE", "k", offset, "a") == message
    assert error_of(client, "SETRANGE", "k", -1, "a") == "ERR offset is out of range"
    assert error_of(client, "SETRANGE", "k", "x", "a") == WRONG_INTEGER
    assert client.call("EXISTS", "k") == 0
