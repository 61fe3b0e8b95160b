"""Make everything that is made of spec/commands: the run-time facts, COMPAT.md, docs/commands.md.

    python docs/generate_commands.py [--check]

Owns the form of these files and no fact in them. With --check nothing is written, and the exit code
is 1 if one of them is stale; tests/tidy/test_commands.py does the same.
"""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SPEC = ROOT / "spec" / "commands"
TITLES = {
    "string": "Strings",
    "key": "Keys",
    "connection": "Connection",
    "transactions": "Transactions",
    "server": "Server",
    "debug": "Debugging",
    "dwell": "Dwell's own",
}
MADE = "<!-- Made of spec/commands by `make docs`; change it there. -->"
Families = dict[str, list[dict[str, Any]]]
Refused = dict[str, list[str]]


def read() -> tuple[Families, Refused]:
    """The families in the order of their titles, and the refused names by family."""
    families = {
        family: tomllib.loads((SPEC / f"{family}.toml").read_text(encoding="utf-8"))["command"]
        for family in TITLES
    }
    tables = tomllib.loads((SPEC / "refused.toml").read_text(encoding="utf-8"))
    return families, {family: table["refused"] for family, table in tables.items()}


def as_json(families: Families, refused: Refused) -> str:
    """The facts as the host reads them when it starts."""
    lines = [
        f"  {json.dumps(family)}: [\n    "
        + ",\n    ".join(json.dumps(each, sort_keys=True, ensure_ascii=False) for each in tables)
        + "\n  ]"
        for family, tables in families.items()
    ]
    names = [f"  {json.dumps(family)}: {json.dumps(each)}" for family, each in refused.items()]
    return (
        '{"families": {\n'
        + ",\n".join(lines)
        + '\n}, "refused": {\n'
        + ",\n".join(names)
        + "\n}}\n"
    )


def as_compat(families: Families, refused: Refused) -> str:
    """COMPAT.md: which of Redis's commands there are."""
    lines = [
        "# Which commands of Redis there are",
        MADE,
        "",
        "Measured against Redis 7.0. What is missing is refused by name: the reply begins with",
        "`ERR unknown command`, as clients expect, and says which family is not supported yet.",
        "",
        "| family | supported | not yet |",
        "|---|---|---|",
    ]
    names = {family: [each["name"] for each in tables] for family, tables in families.items()}
    for family in [*names, *sorted(refused.keys() - names.keys())]:
        title = TITLES.get(family, family)
        lines.append(f"| {title} | {_listed(names.get(family))} | {_listed(refused.get(family))} |")
    supported = sum(map(len, names.values()))
    missing = sum(map(len, refused.values()))
    lines += ["", f"Together {supported} supported, {missing} not yet; subcommands count.", ""]
    return "\n".join(lines)


def _listed(names: list[str] | None) -> str:
    return " ".join(f"`{name.upper().replace('|', ' ')}`" for name in names or []) or "-"


def as_page(families: Families) -> str:
    """docs/commands.md: every command, for people."""
    lines = ["# Commands", MADE, ""]
    lines += [f"- [{title}](#{_anchor(title)})" for title in TITLES.values()]
    for family, commands in families.items():
        lines += ["", f"## {TITLES[family]}"]
        for command in commands:
            lines += _entry(command)
    return "\n".join([*lines, ""])


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-").replace("'", "")


def _entry(command: dict[str, Any]) -> list[str]:
    """One command of the page."""
    facts = [f"Since {_since(command['since'])}", f"cost {command['complexity']}"]
    if command["reply"]:
        facts.append(f"replies {', '.join(command['reply'])}")
    if "no_multi" in command["flags"]:
        facts.append("not inside MULTI")
    lines = [
        "",
        f"### {command['name'].upper().replace('|', ' ')}",
        "",
        f"    {command['syntax']}",
        "",
        command["summary"],
        "",
        "; ".join(facts) + ".",
    ]
    if "deprecated" in command:
        old = command["deprecated"]
        lines[-1] += f" Deprecated since {old['since']}: use {old['use']}."
    return lines


def _since(version: str) -> str:
    return version if version.startswith("dwell") else f"Redis {version}"


def outputs() -> dict[Path, str]:
    """The path and text of everything that is made."""
    families, refused = read()
    return {
        ROOT / "src" / "dwell" / "server" / "command_facts.json": as_json(families, refused),
        ROOT / "COMPAT.md": as_compat(families, refused),
        ROOT / "docs" / "commands.md": as_page(families),
    }


def main(arguments: list[str]) -> int:
    """Write what is stale, or with --check only name it."""
    stale = [
        path
        for path, text in outputs().items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    for path in stale:
        sys.stdout.write(f"stale: {path.relative_to(ROOT)}\n")
        if "--check" not in arguments:
            path.write_text(outputs()[path], encoding="utf-8")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
