"""DECR key and DECRBY key decrement."""

from __future__ import annotations

from tests.commands.running import INTEGER_MIN, error_of, ttl_is_about
from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


def test_decr_subtracts_from_an_absent_key_as_from_zero(client: Client) -> None:
    assert client.call("DECR", "k") == -1
    assert client.call("DECRBY", "k", 9) == -10
    assert client.call("DECRBY", "k", -20) == 10
    assert client.call("GET", "k") == b"10"


def test_decr_below_the_smallest_is_refused_and_changes_nothing(client: Client) -> None:
    """NUM-01."""
    client.call("SET", "k", INTEGER_MIN, "EX", 100)
    assert error_of(client, "DECR", "k") == "ERR increment or decrement would overflow"
    assert client.call("GET", "k") == b"%d" % INTEGER_MIN
    assert ttl_is_about(client, "k", 100)


def test_decrby_of_the_smallest_has_no_positive_twin(client: Client) -> None:
    """NUM-01."""
    client.call("SET", "k", 7)
    assert error_of(client, "DECRBY", "k", INTEGER_MIN) == "ERR decrement would overflow"
    assert client.call("GET", "k") == b"7"
