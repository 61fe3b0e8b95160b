"""The syntax line of a command as a tree of arguments, the form in which COMMAND DOCS tells it.

Owns the reading of the notation that spec/commands/README.md describes. The tree is made from the
line rather than written beside it, so that the two cannot differ.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from dwell.errors import UsageError

__all__ = ["Node", "parse_syntax"]

NodeType = Literal[
    "key", "string", "integer", "pattern", "unix-time", "pure-token", "oneof", "block"
]

_PART = re.compile(r"\[|\]|\||\.\.\.|[^\s\[\]|]+")
_TYPES: Final[dict[str, NodeType]] = {
    "pattern": "pattern",
    "unix-time-seconds": "unix-time",
    "unix-time-milliseconds": "unix-time",
    "seconds": "integer",
    "milliseconds": "integer",
    "cursor": "integer",
    "count": "integer",
    "limit": "integer",
    "index": "integer",
    "start": "integer",
    "end": "integer",
    "offset": "integer",
    "db": "integer",
    "destination-db": "integer",
    "client-id": "integer",
    "protover": "integer",
    "min-match-len": "integer",
    "increment": "integer",
    "decrement": "integer",
}
_KEYS: Final = frozenset({"key", "key1", "key2", "newkey", "source", "destination"})


@dataclass(slots=True)
class Node:
    """An argument, or several that belong together.

    Attributes:
        name: lower case, as the line names it.
        type: what it holds.
        literal: the word before it, or itself where the type is pure-token.
        is_optional: whether it may be left out.
        is_multiple: whether it may be repeated.
        parts: the choices of a oneof, the members of a block.
    """

    name: str
    type: NodeType
    literal: str = ""
    is_optional: bool = False
    is_multiple: bool = False
    parts: tuple[Node, ...] = ()


def parse_syntax(line: str, words_in_name: int) -> list[Node]:
    """Read a syntax line.

    Args:
        line: as in spec/commands, the name first.
        words_in_name: 1, or 2 for a subcommand.

    Raises:
        UsageError: brackets do not match.

    >>> [node.name for node in parse_syntax("SET key value [NX | XX] [EX seconds]", 1)]
    ['key', 'value', 'condition', 'seconds']
    """
    parts_left = _PART.findall(line)[words_in_name:]
    nodes, rest = _sequence(parts_left, is_inside=False)
    if rest:
        raise UsageError(f"brackets do not match: {line}", found=line)
    return nodes


def _sequence(parts_left: list[str], *, is_inside: bool) -> tuple[list[Node], list[str]]:
    """Read nodes up to the closing bracket, or to the end; alternatives become one node."""
    choices: list[list[Node]] = [[]]
    while parts_left and parts_left[0] != "]":
        part, *parts_left = parts_left
        if part == "|":
            choices.append([])
        elif part == "[":
            inner, parts_left = _sequence(parts_left, is_inside=True)
            if not parts_left:
                return choices[0], ["["]
            parts_left = parts_left[1:]
            _add_optional(choices[-1], inner)
        elif part == "...":
            choices[-1][-1].is_multiple = True
        else:
            node, parts_left = _word(part, parts_left)
            choices[-1].append(node)
    if not is_inside and parts_left:
        return choices[0], parts_left
    if len(choices) == 1:
        return choices[0], parts_left
    return _alternatives(choices), parts_left


def _word(part: str, parts_left: list[str]) -> tuple[Node, list[str]]:
    """Read a literal with its argument, a literal alone, or an argument."""
    if not _is_literal(part):
        return _argument(part), parts_left
    if (
        parts_left
        and parts_left[0] not in ("[", "]", "|", "...")
        and not _is_literal(parts_left[0])
    ):
        node = _argument(parts_left[0])
        node.literal = part
        node.name = part.lower() if node.type == "string" else parts_left[0]
        return node, parts_left[1:]
    return Node(part.lower(), "pure-token", part), parts_left


def _is_literal(part: str) -> bool:
    return part == part.upper() and any(letter.isalpha() for letter in part)


def _argument(name: str) -> Node:
    return Node(name, "key" if name in _KEYS else _TYPES.get(name, "string"))


def _add_optional(before: list[Node], inner: list[Node]) -> None:
    """Add what stood in brackets; `key [key ...]` means that the key may be repeated."""
    if inner and inner[-1].is_multiple and before:
        repeated = [node.name for node in inner]
        if [node.name for node in before[-len(repeated) :]] == repeated:
            _repeat(before, len(repeated))
            return
    node = inner[0] if len(inner) == 1 else Node("options", "block", parts=tuple(inner))
    node.is_optional = True
    before.append(node)


def _repeat(before: list[Node], count: int) -> None:
    """Mark the last nodes as repeatable, together."""
    if count == 1:
        before[-1].is_multiple = True
        return
    block = Node("data", "block", is_multiple=True, parts=tuple(before[-count:]))
    before[-count:] = [block]


def _alternatives(choices: list[list[Node]]) -> list[Node]:
    """Join alternatives: where the first follows other arguments, those stay before the choice."""
    before = choices[0][:-1]
    firsts = [choices[0][-1:], *choices[1:]]
    parts = tuple(
        choice[0] if len(choice) == 1 else Node("filters", "block", parts=tuple(choice))
        for choice in firsts
        if choice
    )
    is_condition = all(part.type == "pure-token" for part in parts)
    name = "condition" if is_condition else "choice"
    return [*before, Node(name, "oneof", parts=parts)]
