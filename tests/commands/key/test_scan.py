"""SCAN cursor [MATCH pattern] [COUNT count] [TYPE type]."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.running import SYNTAX, WRONG_INTEGER, error_of, needs_dwell
from tests.resp import Client
from tests.servers import Server, needs_server

pytestmark = needs_server


def step(client: Client, cursor: int, *options: str | int) -> tuple[int, list[bytes]]:
    reply = client.call("SCAN", cursor, *options)
    assert isinstance(reply, list)
    following, keys = reply
    assert isinstance(following, bytes)
    assert isinstance(keys, list)
    return int(following), [key for key in keys if isinstance(key, bytes)]


def walk(client: Client, *options: str | int) -> list[bytes]:
    cursor, found = step(client, 0, *options)
    while cursor:
        cursor, keys = step(client, cursor, *options)
        found += keys
    return found


def fill(client: Client, count: int) -> set[bytes]:
    names = {b"%s:%d" % (b"user" if number % 2 else b"item", number) for number in range(count)}
    client.pipeline(("SET", name, 1) for name in names)
    client.pipeline(("EXPIRE", name, 100) for name in sorted(names)[::3])
    return names


@pytest.mark.parametrize("count", [1, 7, 10, 1000, 100_000])
def test_walk_tells_every_key(client: Client, count: int) -> None:
    names = fill(client, 500)
    assert set(walk(client, "COUNT", count)) == names


def test_empty_database_is_walked_in_one_step(client: Client) -> None:
    assert step(client, 0) == (0, [])


def test_match_and_type_filter_and_still_reach_the_end(client: Client) -> None:
    names = fill(client, 300)
    users = {name for name in names if name.startswith(b"user:")}
    assert set(walk(client, "MATCH", "user:*")) == users
    assert set(walk(client, "MATCH", "*:1?", "COUNT", 3)) == {
        name for name in names if len(name) == 7 and name[5:6] == b"1"
    }
    assert set(walk(client, "TYPE", "string")) == names
    assert walk(client, "type", "hash") == []
    assert walk(client, "MATCH", "absent*") == []


def test_keys_that_stay_are_told_although_most_are_deleted(client: Client) -> None:
    """KEY-01."""
    names = sorted(fill(client, 10_000))
    stay = set(names[::100])
    cursor, found = step(client, 0)
    for _ in range(19):
        cursor, keys = step(client, cursor)
        found += keys
    gone = [name for name in names if name not in stay]
    client.call("DEL", *gone)
    while cursor:
        cursor, keys = step(client, cursor)
        found += keys
    assert stay <= set(found)


def test_step_of_one_is_bounded_and_complete(client: Client) -> None:
    """KEY-03."""
    names = fill(client, 100)
    cursor, found = step(client, 0, "COUNT", 1)
    while cursor:
        cursor, keys = step(client, cursor, "COUNT", 1)
        assert len(keys) <= 20
        found += keys
    assert set(found) == names


def test_cursor_goes_on_at_another_connection(server: Server, client: Client) -> None:
    names = fill(client, 100)
    cursor, found = step(client, 0)
    with server.client() as other:
        while cursor:
            cursor, keys = step(other, cursor)
            found += keys
    assert set(found) == names


def test_keys_that_change_their_home_in_between_are_told(client: Client) -> None:
    """KEY-02."""
    names = sorted(fill(client, 400))
    cursor, found = step(client, 0)
    for round_ in range(100):
        command = ("PERSIST",) if round_ % 2 else ("EXPIRE", 100)
        client.pipeline((command[0], name, *command[1:]) for name in names[round_ % 4 :: 4])
        if not cursor:
            break
        cursor, keys = step(client, cursor)
        found += keys
    assert cursor == 0
    assert set(found) == set(names)


def test_database_that_is_emptied_in_between_ends_the_walk(client: Client) -> None:
    """KEY-02."""
    fill(client, 100)
    cursor, _ = step(client, 0)
    client.call("FLUSHDB")
    client.call("SET", "zebra", 1)
    rest = []
    while cursor:
        cursor, keys = step(client, cursor)
        rest += keys
    assert rest in ([], [b"zebra"])


@needs_dwell
def test_walk_that_a_restart_interrupts_is_still_complete(tmp_path: Path) -> None:
    with Server(tmp_path / "data") as server:
        with server.client() as before:
            names = fill(before, 100)
            cursor, found = step(before, 0)
        server.restart()
        with server.client() as after:
            while cursor:
                cursor, keys = step(after, cursor)
                found += keys
    assert set(found) == names


@needs_dwell
def test_unknown_cursor_begins_anew(client: Client) -> None:
    names = fill(client, 50)
    cursor, found = step(client, 12_345)
    while cursor:
        cursor, keys = step(client, cursor)
        found += keys
    assert sorted(found) == sorted(names)


def test_cursor_and_options_that_make_no_sense_are_refused(client: Client) -> None:
    for cursor in ("abc", "1x", " 1", "99999999999999999999999"):
        assert error_of(client, "SCAN", cursor) == "ERR invalid cursor"
    assert error_of(client, "SCAN", 0, "COUNT", 0) == SYNTAX
    assert error_of(client, "SCAN", 0, "COUNT", -5) == SYNTAX
    assert error_of(client, "SCAN", 0, "COUNT", "x") == WRONG_INTEGER
    for options in (["COUNT"], ["MATCH"], ["TYPE"], ["FOO", "bar"], ["FOO"]):
        assert error_of(client, "SCAN", 0, *options) == SYNTAX
