"""COMMAND and its subcommands: what commands there are, for programs and for people.

Owns the forms in which Redis 7.0 tells these facts; the facts come from spec/commands.
Source: Redis COMMAND, COMMAND INFO, DOCS, LIST, COUNT, GETKEYS, GETKEYSANDFLAGS.
"""

from __future__ import annotations

from itertools import chain, repeat
from typing import TYPE_CHECKING, Final

from dwell.client.replies import Status
from dwell.errors import UsageError
from dwell.server.glob import matches
from dwell.server.registry import command
from dwell.server.reply_form import OrderedSet
from dwell.server.request import SYNTAX, text
from dwell.server.syntax import Node, parse_syntax

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dwell.client.replies import Reply
    from dwell.server.command_table import CommandFacts, CommandTable, Keys
    from dwell.server.request import Request

GROUPS: Final = {"key": "generic", "debug": "server", "function": "scripting"}
"""The families, and the commands, that Redis counts elsewhere."""


@command("command", is_readonly=True)
def command_all(request: Request) -> Reply:
    """Describe every command for programs."""
    commands = request.context.commands
    return [_info(each, commands) for each in commands]


@command("command|count", is_readonly=True)
def command_count(request: Request) -> Reply:
    """Count the commands."""
    return len(request.context.commands)


@command("command|info", is_readonly=True)
def command_info(request: Request) -> Reply:
    """Describe the named commands for programs, or all; null for an unknown one."""
    commands = request.context.commands
    if not request.arguments:
        return command_all(request)
    found = [commands.get(text(word).lower()) for word in request.arguments]
    return [None if each is None else _info(each, commands) for each in found]


@command("command|docs", is_readonly=True)
def command_docs(request: Request) -> Reply:
    """Describe the named commands for people, or all; unknown ones are left out."""
    commands = request.context.commands
    names = [text(word).lower() for word in request.arguments]
    found = [commands.get(name) for name in names] if names else list(commands)
    return {each.name: _docs(each, commands) for each in found if each is not None}


@command("command|list", is_readonly=True)
def command_list(request: Request) -> Reply:
    """List the names of the commands that pass the filter."""
    commands = request.context.commands
    match [text(word) for word in request.arguments]:
        case []:
            return [each.name for each in commands]
        case [by, kind, value] if by.upper() == "FILTERBY":
            return _filtered(commands, kind.upper(), value)
        case _:
            raise UsageError(SYNTAX)


def _filtered(commands: CommandTable, kind: str, value: str) -> Reply:
    """The names that pass one filter, subcommands included, as in Redis."""
    every = [found for each in commands for found in (each, *commands.subcommands(each.name))]
    match kind:
        case "MODULE":
            return []
        case "ACLCAT":
            return [each.name for each in every if value.lower() in each.categories]
        case "PATTERN":
            return [each.name for each in every if matches(value.lower(), each.name)]
        case _:
            raise UsageError(SYNTAX)


@command("command|getkeys", is_readonly=True)
def command_getkeys(request: Request) -> Reply:
    """Answer the arguments of a full command that are keys."""
    _, positions = _key_positions(request)
    return [request.arguments[position] for position in positions]


@command("command|getkeysandflags", is_readonly=True)
def command_getkeysandflags(request: Request) -> Reply:
    """Answer the keys of a full command and how each is used."""
    keys, positions = _key_positions(request)
    return [
        [request.arguments[position], OrderedSet(map(Status, _spelled(keys.access_at(index))))]
        for index, position in enumerate(positions)
    ]


def _key_positions(request: Request) -> tuple[Keys, range]:
    """Where the keys of the full command in the arguments are."""
    words = [text(word) for word in request.arguments]
    facts = request.context.commands.resolve(words)
    if facts is None:
        raise UsageError("Invalid command specified")
    if facts.keys is None:
        raise UsageError("The command has no key arguments")
    if not facts.accepts(len(words)):
        raise UsageError("Invalid number of arguments specified for command")
    return facts.keys, facts.keys.positions(len(words))


def _info(facts: CommandFacts, commands: CommandTable) -> Reply:
    """One command for programs: ten elements in Redis's order."""
    keys = facts.keys
    return [
        facts.name,
        facts.arity,
        OrderedSet(map(Status, facts.flags)),
        keys.first if keys else 0,
        keys.last if keys else 0,
        keys.step if keys else 0,
        OrderedSet(Status(f"@{category}") for category in facts.categories),
        list(facts.tips),
        _key_specs(keys),
        [_info(each, commands) for each in commands.subcommands(facts.name)],
    ]


def _key_specs(keys: Keys | None) -> list[Reply]:
    """Where keys are and how they are used; keys of different use are told one by one."""
    if keys is None:
        return []
    if len(keys.access) == 1:
        last = keys.last - keys.first if keys.last > 0 else keys.last
        return [_key_spec(keys.access_at(0), keys.first, last, keys.step)]
    return [
        _key_spec(keys.access_at(index), position, 0, keys.step)
        for index, position in enumerate(keys.positions(keys.last + 1))
    ]


def _key_spec(access: list[str], first: int, last: int, step: int) -> Reply:
    return {
        "flags": OrderedSet(map(Status, _spelled(access))),
        "begin_search": {"type": "index", "spec": {"index": first}},
        "find_keys": {
            "type": "range",
            "spec": {"lastkey": last, "keystep": step, "limit": 0},
        },
    }


def _spelled(access: list[str]) -> list[str]:
    """Redis writes the first flag, such as RW, in upper case and the others in lower case."""
    return [flag if flag in ("RO", "RW", "OW", "RM") else flag.lower() for flag in access]


def _docs(facts: CommandFacts, commands: CommandTable) -> Reply:
    """One command for people."""
    told: dict[Reply, Reply] = {
        "summary": facts.summary,
        "since": facts.since,
        "group": GROUPS.get(facts.name.partition("|")[0]) or GROUPS.get(facts.family, facts.family),
        "complexity": facts.complexity,
    }
    if facts.deprecated:
        told["doc_flags"] = OrderedSet([Status("deprecated")])
        told["deprecated_since"] = facts.deprecated["since"]
        told["replaced_by"] = facts.deprecated["use"]
    subcommands = commands.subcommands(facts.name)
    if subcommands:
        told["subcommands"] = {each.name: _docs(each, commands) for each in subcommands}
    else:
        nodes = parse_syntax(facts.syntax, 1 + facts.name.count("|"))
        if nodes:
            specs_count = len(facts.keys.access) if facts.keys else 0
            spec_indexes = chain(range(specs_count), repeat(specs_count - 1))
            told["arguments"] = [_argument(node, spec_indexes) for node in nodes]
    return told


def _argument(node: Node, spec_indexes: Iterator[int]) -> Reply:
    """One argument of COMMAND DOCS; each key takes the index of the specification that finds it."""
    told: dict[Reply, Reply] = {"name": node.name, "type": node.type}
    if node.type == "key":
        told["key_spec_index"] = next(spec_indexes)
    if node.literal:
        told["token"] = node.literal
    flags = OrderedSet(
        Status(flag)
        for flag, is_set in (("optional", node.is_optional), ("multiple", node.is_multiple))
        if is_set
    )
    if flags:
        told["flags"] = flags
    if node.parts:
        told["arguments"] = [_argument(part, spec_indexes) for part in node.parts]
    return told
