"""DWELL.SCAN prefix [LIMIT n] [CURSOR c] [REV] [KEYSONLY]."""

from __future__ import annotations

import pytest

from tests.commands.running import SYNTAX, WRONG_INTEGER, error_of, needs_dwell
from tests.resp import Client, Reply, Word
from tests.servers import needs_server

pytestmark = [needs_server, needs_dwell]


def page(client: Client, *words: Word) -> tuple[Reply, list[Reply]]:
    reply = client.call("DWELL.SCAN", *words)
    assert isinstance(reply, list)
    cursor, rows = reply
    assert isinstance(rows, list)
    return cursor, rows


def fill(client: Client, count: int) -> list[bytes]:
    names = [b"user:%04d" % number for number in range(count)]
    client.pipeline(("SET", name, number) for number, name in enumerate(names))
    client.pipeline(("EXPIRE", name, 100) for name in names[::3])
    client.call("MSET", "tool", 1, "zebra", 2)
    return names


def test_scan_gives_keys_and_values_in_order_over_both_homes(client: Client) -> None:
    names = fill(client, 10)
    cursor, rows = page(client, "user:")
    assert cursor is None
    assert rows[::2] == names
    assert rows[1::2] == [b"%d" % number for number in range(10)]


@pytest.mark.parametrize("is_reverse", [False, True])
def test_pages_follow_each_other_without_gap_or_repetition(
    client: Client, is_reverse: bool
) -> None:
    names = fill(client, 250)
    words: list[Word] = ["user:", "KEYSONLY", "LIMIT", 7, *(["REV"] if is_reverse else [])]
    cursor, found = page(client, *words)
    while cursor is not None:
        assert isinstance(cursor, bytes)
        cursor, rows = page(client, *words, "CURSOR", cursor)
        assert len(rows) <= 7
        found += rows
    assert found == (names[::-1] if is_reverse else names)


def test_cursor_outlives_the_key_that_it_names(client: Client) -> None:
    names = fill(client, 20)
    cursor, found = page(client, "user:", "KEYSONLY", "LIMIT", 5)
    assert isinstance(cursor, bytes)
    client.call("DEL", *names[:6])
    _, rest = page(client, "user:", "KEYSONLY", "CURSOR", cursor)
    assert found + rest == names[:5] + names[6:]


def test_long_value_and_any_bytes_come_whole(client: Client) -> None:
    client.call("MSET", b"\xff\x00", b"x" * 200_000, b"\xff\x01", "", b"\xfe", "no")
    assert page(client, b"\xff") == (None, [b"\xff\x00", b"x" * 200_000, b"\xff\x01", b""])
    assert page(client, "absent:") == (None, [])


def test_scan_refuses_what_makes_no_sense(client: Client) -> None:
    assert error_of(client, "DWELL.SCAN", "", "LIMIT", 0) == "ERR LIMIT must be positive"
    assert error_of(client, "DWELL.SCAN", "", "LIMIT", "x") == WRONG_INTEGER
    for options in (["LIMIT"], ["CURSOR"], ["FOO"]):
        assert error_of(client, "DWELL.SCAN", "", *options) == SYNTAX
