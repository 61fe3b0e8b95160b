"""DBSIZE, FLUSHDB and FLUSHALL."""

from __future__ import annotations

import pytest

from tests.commands.running import SYNTAX, error_of
from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


def test_dbsize_counts_the_keys_of_the_database(client: Client) -> None:
    assert client.call("DBSIZE") == 0
    client.call("MSET", "a", 1, "b", 2, "a", 3)
    client.call("EXPIRE", "b", 100)
    assert client.call("DBSIZE") == 2
    client.call("SELECT", 1)
    assert client.call("DBSIZE") == 0


@pytest.mark.parametrize("option", [[], ["SYNC"], ["async"]])
def test_flushdb_empties_one_database(client: Client, option: list[str]) -> None:
    client.call("MSET", "a", 1, "b", b"x" * 200_000)
    client.call("EXPIRE", "a", 100)
    client.call("SELECT", 1)
    client.call("SET", "c", 3)
    assert client.call("FLUSHDB", *option) == "OK"
    assert client.call("DBSIZE") == 0
    assert client.call("GET", "c") is None
    client.call("SELECT", 0)
    assert client.call("DBSIZE") == 2
    assert client.call("FLUSHDB", *option) == "OK"
    assert client.call("MGET", "a", "b") == [None, None]


@pytest.mark.parametrize("option", [[], ["SYNC"], ["ASYNC"]])
def test_flushall_empties_every_database(client: Client, option: list[str]) -> None:
    for database in (0, 1, 15):
        client.call("SELECT", database)
        client.call("SET", "k", 1)
    assert client.call("FLUSHALL", *option) == "OK"
    for database in (0, 1, 15):
        client.call("SELECT", database)
        assert client.call("DBSIZE") == 0


def test_key_written_after_a_flush_is_there(client: Client) -> None:
    client.call("SET", "k", "old", "EX", 100)
    client.call("FLUSHDB")
    client.call("SET", "k", "new")
    assert client.call("GET", "k") == b"new"
    assert client.call("TTL", "k") == -1
    assert client.call("DBSIZE") == 1


@pytest.mark.parametrize("command", ["FLUSHDB", "FLUSHALL"])
def test_other_words_are_refused(client: Client, command: str) -> None:
    client.call("SET", "k", 1)
    assert error_of(client, command, "FOO") == SYNTAX
    assert error_of(client, command, "SYNC", "ASYNC") == SYNTAX
    assert client.call("DBSIZE") == 1
