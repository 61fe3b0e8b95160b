"""Make docs/cli.md: every verb of the command line with its words, and the exit codes.

    python docs/generate_cli.py [--check]

Owns the form of the page and no fact in it. With --check nothing is written, and the exit code is 1
if the page is stale; tests/cli/test_page.py does the same.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

from dwell.cli import exits
from dwell.cli.parameters import Argument, Option, Parameter, parameters_of
from dwell.cli.verbs import VERBS

PAGE = Path(__file__).parent / "cli.md"
MADE = "<!-- Made of src/dwell/cli by `make docs`; change it there. -->"


def page() -> str:
    """The text of the page."""
    lines = ["# The command line", MADE, "", *_exit_codes(), "", *_server_options()]
    for words, place in VERBS.items():
        verb = place.load()
        lines += ["", f"## dwell {' '.join(words)}", "", *_told(verb)]
        own = [each for each in parameters_of(verb) if not _is_shared(each)]
        if own:
            lines += ["", "| | |", "|---|---|", *(_row(each) for each in own)]
        if len(own) < len(parameters_of(verb)):
            lines += ["", "Speaks to a server: the options above say to which."]
    return "\n".join([*lines, ""])


def _exit_codes() -> list[str]:
    """The table in the docstring of dwell.cli.exits."""
    told = (exits.__doc__ or "").splitlines()
    rows = [line.partition("  ")[::2] for line in told if line[:1].isdigit()]
    return [
        "| exit code | |",
        "|---|---|",
        *(f"| {code} | {text} |" for code, text in rows),
    ]


def _server_options() -> list[str]:
    """The options that all verbs share which speak to a server."""
    shared = [each for each in parameters_of(VERBS["get",].load()) if _is_shared(each)]
    return ["Verbs that speak to a server take:", "", "| | |", "|---|---|", *map(_row, shared)]


def _is_shared(parameter: Parameter) -> bool:
    return isinstance(parameter.fact, Option) and bool(parameter.fact.group)


def _told(verb: object) -> list[str]:
    """The docstring, its example as code."""
    return [
        f"    {line.removeprefix('Example:').strip()}" if line.startswith("Example:") else line
        for line in inspect.getdoc(verb).splitlines()  # type: ignore[union-attr]
    ]


def _row(parameter: Parameter) -> str:
    """One parameter as a row of a table."""
    fact = parameter.fact
    if isinstance(fact, Argument):
        shown = parameter.name + (" ..." if parameter.is_many else "")
        return f"| `{shown}` | {fact.help} |"
    value = "" if parameter.kind is bool else f" {parameter.kind.__name__.upper()}"
    notes = []
    if parameter.default not in (None, False):
        notes.append(f"default {parameter.default}")
    if fact.environment:
        notes.append(f"or {fact.environment}")
    note = f" ({'; '.join(notes)})" if notes else ""
    return f"| `{', '.join(fact.names)}{value}` | {fact.help}{note} |"


def main(arguments: list[str]) -> int:
    """Write the page if it is stale, or with --check only say so."""
    is_stale = not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page()
    if is_stale:
        sys.stdout.write(f"stale: docs/{PAGE.name}\n")
        if "--check" not in arguments:
            PAGE.write_text(page(), encoding="utf-8")
    return 1 if is_stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
