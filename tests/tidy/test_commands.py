"""The command facts in spec/commands obey their own README, and what is made from them is fresh."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from dwell.server import commands as _registered
from dwell.server.registry import registry

assert _registered.__all__

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "spec" / "commands"


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


FLAGS = words("""
    write readonly denyoom admin pubsub noscript blocking loading stale skip_monitor skip_slowlog
    asking fast no_auth no_multi movablekeys no_mandatory_keys allow_busy no_async_loading
""")
CATEGORIES = words("""
    admin bitmap blocking connection dangerous fast geo hash hyperloglog keyspace list pubsub read
    scripting set slow sortedset stream string transaction write
""")
REPLIES = words("status bulk integer double null array map set verbatim none any")
ACCESS = words("RO RW OW RM ACCESS UPDATE INSERT DELETE VARIABLE_FLAGS INCOMPLETE")
REQUIRED = words("name summary syntax arity flags categories complexity since reply status where")
OPTIONAL = words("keys deprecated tips")


def families() -> dict[str, list[dict[str, Any]]]:
    """The commands of each family file."""
    files = (path for path in SPEC.glob("*.toml") if path.name != "refused.toml")
    return {path.stem: tomllib.loads(path.read_text())["command"] for path in sorted(files)}


def refused() -> dict[str, list[str]]:
    """The refused names of each family."""
    tables = tomllib.loads((SPEC / "refused.toml").read_text())
    return {family: table["refused"] for family, table in tables.items()}


COMMANDS = [command for commands in families().values() for command in commands]
BY_NAME = {command["name"]: command for command in COMMANDS}


def test_every_name_stands_once() -> None:
    names = [command["name"] for command in COMMANDS]
    names += [name for names_of_family in refused().values() for name in names_of_family]
    assert len(names) == len(set(names))


def test_entries_are_sorted_by_name() -> None:
    for commands in families().values():
        names = [command["name"] for command in commands]
        assert names == sorted(names)
    for names in refused().values():
        assert names == sorted(names)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: str(command["name"]))
def test_fields_are_those_of_the_readme(command: dict[str, Any]) -> None:
    assert command.keys() >= REQUIRED
    assert command.keys() <= REQUIRED | OPTIONAL
    assert set(command["flags"]) <= FLAGS
    assert set(command["categories"]) <= CATEGORIES
    assert set(command["reply"]) <= REPLIES
    assert command["status"] == "supported"
    assert command["where"] in ("rust", "python")
    assert command["arity"] not in (0, None)
    assert command["summary"].endswith(".")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: str(command["name"]))
def test_categories_agree_with_flags(command: dict[str, Any]) -> None:
    flags, categories = set(command["flags"]), set(command["categories"])
    assert ("fast" in categories) == ("fast" in flags)
    assert ("slow" in categories) == ("fast" not in flags)
    assert ("write" in categories) == ("write" in flags)
    assert "readonly" not in flags or "read" in categories
    assert not flags >= {"write", "readonly"}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: str(command["name"]))
def test_syntax_begins_with_the_name_and_agrees_with_the_arity(command: dict[str, Any]) -> None:
    words = command["name"].upper().split("|")
    assert command["syntax"].split()[: len(words)] == words
    syntax = command["syntax"]
    is_open = "[" in syntax or "subcommand" in syntax or "|" in syntax
    if command["arity"] < 0:
        assert is_open or command["arity"] == -1
    elif not is_open:
        assert len(syntax.split()) == command["arity"]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: str(command["name"]))
def test_key_positions_are_possible(command: dict[str, Any]) -> None:
    keys = command.get("keys")
    if keys is None:
        return
    assert keys["first"] >= 1
    assert keys["step"] >= 1
    assert keys["last"] < 0 or keys["last"] >= keys["first"]
    assert keys["first"] < abs(command["arity"])
    keys_count = (keys["last"] - keys["first"]) // keys["step"] + 1
    assert len(keys["access"]) in (1, keys_count)
    for access in keys["access"]:
        assert set(access.split()) <= ACCESS


def test_each_subcommand_has_its_container() -> None:
    known = BY_NAME.keys() | {name for names in refused().values() for name in names}
    for name in known:
        container, bar, _ = name.partition("|")
        assert not bar or container in known


def test_python_commands_stand_in_multi_exactly_if_they_only_read() -> None:
    for name in registry.names():
        command = registry.get(name)
        facts = BY_NAME.get(name)
        if command is None or facts is None:
            continue
        assert command.is_readonly == ("no_multi" not in facts["flags"]), name


def test_what_is_made_of_the_facts_is_fresh() -> None:
    generator = ROOT / "docs" / "generate_commands.py"
    run = subprocess.run(
        [sys.executable, generator, "--check"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, f"run `make docs`:\n{run.stdout}{run.stderr}"
