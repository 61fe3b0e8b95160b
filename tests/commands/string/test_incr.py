"""INCR key and INCRBY key increment."""

from __future__ import annotations

import pytest

from tests.commands.running import INTEGER_MAX, WRONG_INTEGER, error_of, ttl_is_about
from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


def test_incr_adds_to_an_absent_key_as_to_zero(client: Client) -> None:
    assert client.call("INCR", "k") == 1
    assert client.call("INCRBY", "k", 20) == 21
    assert client.call("INCRBY", "k", -22) == -1
    assert client.call("GET", "k") == b"-1"
    assert client.call("TYPE", "k") == "string"


def test_incr_beyond_the_largest_is_refused_and_changes_nothing(client: Client) -> None:
    """NUM-01."""
    client.call("SET", "k", INTEGER_MAX, "EX", 100)
    for words in (("INCR", "k"), ("INCRBY", "k", 1), ("INCRBY", "k", INTEGER_MAX)):
        assert error_of(client, *words) == "ERR increment or decrement would overflow"
    assert client.call("GET", "k") == b"%d" % INTEGER_MAX
    assert ttl_is_about(client, "k", 100)


def test_every_digit_near_the_largest_is_right(client: Client) -> None:
    """NUM-03."""
    client.call("SET", "k", "9223372036854775806")
    assert client.call("INCR", "k") == 9223372036854775807
    assert client.call("GET", "k") == b"9223372036854775807"


@pytest.mark.parametrize(
    "text", [" 11", "11 ", "+5", "010", "-0", "1.0", "", "abc", "1_000", "9" * 20, "1" * 70_000]
)
def test_what_only_looks_like_an_integer_is_refused(client: Client, text: str) -> None:
    """NUM-02."""
    client.call("SET", "k", text)
    assert error_of(client, "INCR", "k") == WRONG_INTEGER
    assert client.call("GET", "k") == text.encode()
    client.call("SET", "k", "1")
    assert error_of(client, "INCRBY", "k", text) == WRONG_INTEGER


def test_incr_keeps_the_lifetime(client: Client) -> None:
    """TTL-02."""
    client.call("SET", "k", "1", "EX", 100)
    assert client.call("INCR", "k") == 2
    assert ttl_is_about(client, "k", 100)
