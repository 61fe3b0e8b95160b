"""The reading of syntax lines and globs."""

from __future__ import annotations

import pytest

from dwell.errors import UsageError
from dwell.server.command_table import CommandTable
from dwell.server.glob import matches
from dwell.server.syntax import Node, parse_syntax

TABLE = CommandTable.load()
EVERY = [found for each in TABLE for found in (each, *TABLE.subcommands(each.name))]


def shape(node: Node) -> str:
    """A node in one short text."""
    inner = f"({' '.join(map(shape, node.parts))})" if node.parts else ""
    marks = "?" * node.is_optional + "*" * node.is_multiple
    literal = f"{node.literal}=" if node.literal and node.type != "pure-token" else ""
    return f"{literal}{node.name}{inner}{marks}"


@pytest.mark.parametrize(
    ("line", "shapes"),
    [
        ("GET key", "key"),
        ("DEL key [key ...]", "key*"),
        ("MSET key value [key value ...]", "key_value(key value)*"),
        ("SCAN cursor [MATCH pattern] [COUNT count]", "cursor MATCH=pattern? COUNT=count?"),
        (
            "SET key [NX | XX] [EX seconds | KEEPTTL]",
            "key condition(nx xx)? expiration(EX=seconds keepttl)?",
        ),
        ("HELLO [protover [SETNAME name]]", "protover_name(protover SETNAME=name?)?"),
        ("X [AUTH user word]", "AUTH=user_word(user word)?"),
        ("X ip:port | [ID client-id]", "ip:port_client-id(ip:port ID=client-id?)"),
        ("X [TYPE <A | B>] [ID id]", "TYPE=a_b(a b)? ID=id?"),
        ("INCRBYFLOAT key increment", "key increment"),
    ],
)
def test_line_becomes_a_tree(line: str, shapes: str) -> None:
    assert " ".join(map(shape, parse_syntax(line, 1))) == shapes


@pytest.mark.parametrize("line", ["SET key [NX", "SET key NX]", "SET <NX", "SET [NX>"])
def test_brackets_that_do_not_match_are_refused(line: str) -> None:
    with pytest.raises(UsageError):
        parse_syntax(line, 1)


@pytest.mark.parametrize("facts", EVERY, ids=lambda facts: str(facts.name))
def test_each_line_of_the_facts_can_be_read(facts: object) -> None:
    name, line = facts.name, facts.syntax  # type: ignore[attr-defined]
    parse_syntax(line, 1 + name.count("|"))


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("*", "", True),
        ("*", "abc", True),
        ("a*c", "abbbc", True),
        ("a*c", "abbb", False),
        ("a**c", "ac", True),
        ("h?llo", "hello", True),
        ("h?llo", "hllo", False),
        ("h[ae]llo", "hallo", True),
        ("h[^e]llo", "hello", False),
        ("h[a-c]llo", "hbllo", True),
        ("h[c-a]llo", "hbllo", True),
        ("h[a", "ha", True),
        ("\\*", "*", True),
        ("\\*", "a", False),
        ("a\\", "a\\", True),
        ("[\\]]", "]", True),
        ("a", "A", False),
        ("", "", True),
        ("", "a", False),
    ],
)
def test_glob_matches_as_in_redis(pattern: str, name: str, *, expected: bool) -> None:
    assert matches(pattern, name) is expected


def test_hostile_glob_takes_no_exponential_time() -> None:
    assert not matches("a*" * 200 + "b", "a" * 2000)
