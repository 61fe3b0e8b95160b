"""GETRANGE key start end, and SUBSTR, its first name."""

from __future__ import annotations

import random

import pytest

from tests.commands.running import WRONG_INTEGER, error_of
from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


@pytest.mark.parametrize("command", ["GETRANGE", "SUBSTR"])
@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (0, 3, b"This"),
        (-3, -1, b"ing"),
        (0, -1, b"This is a string"),
        (10, 100, b"string"),
        (5, 3, b""),
        (-1, -3, b""),
        (0, -100, b"T"),
        (-100, 0, b"T"),
        (100, 200, b""),
        (-(2**63), 2**63 - 1, b"This is a string"),
    ],
)
def test_offsets_are_cut_as_in_redis(
    client: Client, command: str, start: int, end: int, expected: bytes
) -> None:
    client.call("SET", "k", "This is a string")
    assert client.call(command, "k", start, end) == expected


def test_absent_key_and_empty_string_have_empty_ranges(client: Client) -> None:
    assert client.call("GETRANGE", "k", 0, -1) == b""
    client.call("SET", "k", "")
    assert client.call("GETRANGE", "k", 0, 0) == b""


def test_range_of_an_integer_is_that_of_its_digits(client: Client) -> None:
    client.call("INCRBY", "k", 1234)
    assert client.call("GETRANGE", "k", 1, 2) == b"23"


@pytest.mark.parametrize(("start", "end"), [("a", 1), (0, "1.5"), ("", 0), (2**63, 0)])
def test_offset_that_is_no_integer_is_refused(client: Client, start: str, end: str) -> None:
    assert error_of(client, "GETRANGE", "k", start, end) == WRONG_INTEGER


def test_range_of_a_long_value_crosses_its_pieces(client: Client) -> None:
    value = random.Random(1).randbytes(300_000)
    client.call("SET", "k", value)
    for start, end in [(0, 10), (65_530, 65_545), (65_536, 131_071), (131_000, 270_000)]:
        assert client.call("GETRANGE", "k", start, end) == value[start : end + 1]
    assert client.call("GETRANGE", "k", -5, -1) == value[-5:]
