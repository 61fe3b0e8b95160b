"""DELIFEQ key value and DELEX key [IFEQ value]."""

from __future__ import annotations

import pytest

from tests.commands.running import SYNTAX, error_of, needs_dwell
from tests.resp import Client
from tests.servers import needs_server

pytestmark = [needs_server, needs_dwell]


@pytest.mark.parametrize("words", [("DELIFEQ", "k"), ("DELEX", "k", "IFEQ")])
@pytest.mark.parametrize("value", [b"", b"token", b"x" * 200_000])
def test_key_is_deleted_only_while_it_equals(
    client: Client, words: tuple[str, ...], value: bytes
) -> None:
    client.call("SET", "k", value, "EX", 100)
    assert client.call(*words, value + b"!") == 0
    assert client.call("GET", "k") == value
    assert client.call(*words, value) == 1
    assert client.call("EXISTS", "k") == 0
    assert client.call(*words, value) == 0


def test_integer_equals_its_digits(client: Client) -> None:
    client.call("INCR", "k")
    assert client.call("DELIFEQ", "k", "01") == 0
    assert client.call("DELIFEQ", "k", "1") == 1


def test_other_condition_of_delex_is_refused(client: Client) -> None:
    client.call("SET", "k", "v")
    assert error_of(client, "DELEX", "k", "IFNE", "w") == SYNTAX
    assert client.call("GET", "k") == b"v"
