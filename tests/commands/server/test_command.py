"""COMMAND and its subcommands, alone and beside Redis."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from dwell.client.connection import Client
from dwell.client.replies import ErrorReply, Reply, Status
from dwell.server.command_table import CommandFacts, CommandTable
from tests.commands.server.fakes import House
from tests.servers import Server

TABLE = CommandTable.load()
EVERY = [found for each in TABLE for found in (each, *TABLE.subcommands(each.name))]

# What a fact of Dwell's differs in from Redis 7.0.15, each for a reason.
EXTRA_FLAGS = {"no_multi"}
"""Most commands in Python that change something are refused inside MULTI (DESIGN 10)."""


def test_count_is_the_number_of_commands_without_subcommands(house: House) -> None:
    told = house.call("COMMAND")
    assert isinstance(told, list)
    assert house.call("COMMAND", "COUNT") == len(told) == len(TABLE)


def test_info_of_an_unknown_name_is_null(house: House) -> None:
    told = house.call("COMMAND", "INFO", "get", "nope", "lpush")
    assert isinstance(told, list)
    assert [each is None for each in told] == [False, True, True]


def test_docs_leave_unknown_names_out(house: House) -> None:
    told = house.call("COMMAND", "DOCS", "GET", "nope")
    assert isinstance(told, dict)
    assert list(told) == ["get"]
    get: Any = told["get"]
    assert get["arguments"] == [{"name": "key", "type": "key", "key_spec_index": 0}]


@pytest.mark.parametrize(("name", "indexes"), [("copy", [0, 1]), ("lcs", [0, 0]), ("del", [0])])
def test_docs_tell_which_specification_finds_each_key(
    house: House, name: str, indexes: list[int]
) -> None:
    docs: Any = house.call("COMMAND", "DOCS", name)
    told = docs[name]["arguments"]
    assert [each["key_spec_index"] for each in told if each["type"] == "key"] == indexes


def test_every_command_of_the_table_can_be_told(house: House) -> None:
    told = house.call("COMMAND", "DOCS")
    assert isinstance(told, dict)
    assert len(told) == len(TABLE)


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        (("GET", "a"), [b"a"]),
        (("MSET", "a", "1", "b", "2"), [b"a", b"b"]),
        (("DEL", "a", "b", "c"), [b"a", b"b", b"c"]),
        (("OBJECT", "ENCODING", "a"), [b"a"]),
        (("LCS", "a", "b", "LEN"), [b"a", b"b"]),
    ],
)
def test_getkeys_finds_the_keys(house: House, words: tuple[str, ...], keys: list[bytes]) -> None:
    assert house.call("COMMAND", "GETKEYS", *words) == keys


def test_getkeysandflags_tells_how_each_key_is_used(house: House) -> None:
    assert house.call("COMMAND", "GETKEYSANDFLAGS", "RENAME", "a", "b") == [
        [b"a", {Status("RW"), Status("access"), Status("delete")}],
        [b"b", {Status("OW"), Status("update")}],
    ]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("GETKEYS", "foo", "a"), "ERR Invalid command specified"),
        (("GETKEYS", "ping", "a"), "ERR The command has no key arguments"),
        (("GETKEYS", "get", "a", "b"), "ERR Invalid number of arguments specified for command"),
        (("GETKEYS", "get"), "ERR wrong number of arguments for 'command|getkeys' command"),
        (("LIST", "FILTERBY", "foo", "bar"), "ERR syntax error"),
        (("LIST", "foo"), "ERR syntax error"),
        (("COUNT", "foo"), "ERR wrong number of arguments for 'command|count' command"),
        (("NOPE",), "ERR unknown subcommand 'NOPE'. Try COMMAND HELP."),
    ],
)
def test_mistake_is_answered_with_the_error_line_of_redis(
    house: House, redis: Server, words: tuple[str, ...], error: str
) -> None:
    assert house.call("COMMAND", *words) == ErrorReply(error)
    with Client(redis.address) as client:
        assert client.pipeline([("COMMAND", *words)]) == [ErrorReply(error)]


def test_list_filters_by_pattern_and_category(house: House) -> None:
    assert house.call("COMMAND", "LIST", "FILTERBY", "PATTERN", "getd*") == ["getdel"]
    told = house.call("COMMAND", "LIST", "FILTERBY", "ACLCAT", "transaction")
    assert told == ["discard", "exec", "multi", "unwatch", "watch"]


@pytest.fixture(scope="module")
def facts_of_redis(redis: Server) -> dict[str, list[Any]]:
    """COMMAND of redis-server, by name, subcommands included."""
    with Client(redis.address) as client:
        told: Any = client.execute("COMMAND")
    every = [found for each in told for found in (each, *each[9])]
    return {each[0].decode(): each for each in every}


@pytest.mark.parametrize("facts", EVERY, ids=lambda facts: str(facts.name))
def test_facts_are_those_of_redis(
    facts: CommandFacts, house: House, facts_of_redis: dict[str, list[Any]]
) -> None:
    theirs = facts_of_redis.get(facts.name)
    if theirs is None:
        assert not facts.since.startswith(("1", "2", "3", "4", "5", "6", "7.0")) or (
            facts.name.startswith("debug|")
        )
        return
    container, _, subcommand = facts.name.partition("|")
    told: Any = house.call("COMMAND", "INFO", container)
    ours = told[0]
    if subcommand:
        ours = next(each for each in ours[9] if each[0] == facts.name)
    assert ours[1] == theirs[1], "arity"
    assert _words(ours[2]) - EXTRA_FLAGS == _words(theirs[2]) - EXTRA_FLAGS
    assert ours[3:6] == theirs[3:6], "key positions"
    assert _words(ours[6]) == _words(theirs[6])
    without_notes: list[Reply] = [
        {name: value for name, value in each.items() if name != b"notes"} for each in theirs[8]
    ]
    assert _plain(ours[8]) == _plain(without_notes), "key specifications"


def _words(told: Iterable[Status]) -> set[str]:
    return {each.text for each in told}


def _plain(told: Reply) -> Any:
    """A reply with all kinds of text as text, and sets in order."""
    if isinstance(told, list):
        return [_plain(each) for each in told]
    if isinstance(told, set | frozenset):
        return sorted(_plain(each) for each in told)
    if isinstance(told, dict):
        return {_plain(name): _plain(each) for name, each in told.items()}
    if isinstance(told, Status):
        return told.text
    return told.decode() if isinstance(told, bytes) else told
