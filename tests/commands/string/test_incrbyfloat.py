"""INCRBYFLOAT key increment."""

from __future__ import annotations

import pytest

from tests.commands.running import error_of, ttl_is_about
from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


@pytest.mark.parametrize(
    ("value", "increment", "expected"),
    [
        ("0.1", "0.2", b"0.3"),
        ("5.0e3", "2.0e2", b"5200"),
        ("10.50", "0.1", b"10.6"),
        ("3", "1.1", b"4.1"),
        ("1.5", "-1.5", b"0"),
        ("1", "-1.1", b"-0.1"),
        ("9223372036854775807", "1", b"9223372036854775808"),
        ("1000.1", "0", b"1000.09999999999999998"),
        ("1e25", "1", b"10000000000000000000000000"),
    ],
)
def test_sum_is_printed_as_redis_does(
    client: Client, value: str, increment: str, expected: bytes
) -> None:
    """NUM-02."""
    client.call("SET", "k", value)
    assert client.call("INCRBYFLOAT", "k", increment) == expected
    assert client.call("GET", "k") == expected


@pytest.mark.parametrize("text", ["nan", "abc", " 1", "1 ", "", "1e5000", "1e-5000", "1\0"])
def test_what_is_no_decimal_is_refused(client: Client, text: str) -> None:
    """NUM-02."""
    client.call("SET", "k", "1")
    assert error_of(client, "INCRBYFLOAT", "k", text) == "ERR value is not a valid float"
    client.call("SET", "other", text)
    assert error_of(client, "INCRBYFLOAT", "other", "1") == "ERR value is not a valid float"
    assert client.call("GET", "k") == b"1"


@pytest.mark.parametrize("text", ["inf", "+inf", "-Infinity"])
def test_infinity_is_refused(client: Client, text: str) -> None:
    """NUM-02."""
    message = "ERR increment would produce NaN or Infinity"
    assert error_of(client, "INCRBYFLOAT", "k", text) == message
    assert client.call("EXISTS", "k") == 0


def test_absent_key_counts_as_zero_and_a_lifetime_stays(client: Client) -> None:
    """TTL-02."""
    assert client.call("INCRBYFLOAT", "k", "1.5") == b"1.5"
    client.call("EXPIRE", "k", 100)
    assert client.call("INCRBYFLOAT", "k", "0.5") == b"2"
    assert ttl_is_about(client, "k", 100)
    assert client.call("INCR", "k") == 3
