"""The syntax line of a command as a tree of arguments, the form in which COMMAND DOCS tells it.

Owns the reading of the notation that spec/commands/README.md describes. The tree is made from the
line rather than written beside it, so that the two cannot differ.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from dwell.errors import UsageError

__all__ = ["Node", "parse_syntax"]

NodeType = Literal[
    "key", "string", "integer", "double", "pattern", "unix-time", "pure-token", "oneof", "block"
]

_PART = re.compile(r"\[|\]|<|>|\||\.\.\.|[^\s\[\]<>|]+")
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
    "timeout": "integer",
    "version": "integer",
    "increment": "integer",
    "decrement": "integer",
}
_WITH_DOUBLES: Final = frozenset({"INCRBYFLOAT"})
"""Commands whose numbers need not be whole."""

_CHOICES: Final = {"nx": "condition", "seconds": "expiration"}
"""What Redis calls a choice, by its first alternative; others are named by all alternatives."""

_KEYS: Final = frozenset({"key", "key1", "key2", "newkey", "source", "destination"})


_CLOSING: Final = {"[": "]", "<": ">"}


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
    if line.split(maxsplit=1)[0] in _WITH_DOUBLES:
        for node in nodes:
            node.type = "double" if node.type == "integer" else node.type
    return nodes


def _sequence(parts_left: list[str], *, is_inside: bool) -> tuple[list[Node], list[str]]:
    """Read nodes up to the closing bracket, or to the end; alternatives become one node."""
    choices: list[list[Node]] = [[]]
    while parts_left and parts_left[0] not in ("]", ">"):
        part, *parts_left = parts_left
        if part == "|":
            choices.append([])
        elif part in ("[", "<"):
            inner, parts_left = _sequence(parts_left, is_inside=True)
            if not parts_left or parts_left[0] != _CLOSING[part]:
                return choices[0], [part]
            parts_left = parts_left[1:]
            add = _add_optional if part == "[" else _add_choice
            add(choices[-1], inner)
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
        and parts_left[0] not in ("[", "]", "<", ">", "|", "...")
        and not _is_literal(parts_left[0])
    ):
        node = _argument(parts_left[0])
        node.literal = part
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
    node = inner[0] if len(inner) == 1 else _block(inner)
    node.is_optional = True
    before.append(node)


def _add_choice(before: list[Node], inner: list[Node]) -> None:
    """Add what stood in angles, to which the literal before it belongs."""
    node = inner[0] if len(inner) == 1 else _block(inner)
    if before and before[-1].type == "pure-token":
        node.literal = before.pop().literal
    before.append(node)


def _block(parts: list[Node]) -> Node:
    """Join arguments; a literal before the first of them belongs to all, as in `AUTH user word`."""
    block = Node(_joined(parts), "block", parts=tuple(parts))
    if parts[0].literal and all(part.type == "string" and not part.is_optional for part in parts):
        block.literal, parts[0].literal = parts[0].literal, ""
    return block


def _joined(parts: Sequence[Node]) -> str:
    return "_".join(part.name for part in parts)


def _repeat(before: list[Node], count: int) -> None:
    """Mark the last nodes as repeatable, together."""
    if count == 1:
        before[-1].is_multiple = True
        return
    repeated = before[-count:]
    block = Node(_joined(repeated), "block", is_multiple=True, parts=tuple(repeated))
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
    name = _CHOICES.get(parts[0].name) or _joined(parts)
    return [*before, Node(name, "oneof", parts=parts)]
