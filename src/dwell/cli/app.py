"""The verbs of the command line, by name, and the typer application made of them.

Owns the table and its order. Where the arguments name a verb, that one alone is imported: the
others would cost more time than most verbs take.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final

import typer

__all__ = ["VERBS", "make_app"]


@dataclass(frozen=True, slots=True)
class Verb:
    """Where a verb is: module and function below dwell.cli, and how its arguments are parsed."""

    module: str
    function: str
    settings: dict[str, Any] = field(default_factory=dict)


_PASS_ALL_ON: Final = {"ignore_unknown_options": True, "help_option_names": ["--help"]}

VERBS: Final[dict[str, Verb]] = {
    "server": Verb("server", "server", _PASS_ALL_ON),
    "status": Verb("status", "status"),
    "get": Verb("get", "get"),
    "set": Verb("set", "set_"),
    "delete": Verb("delete", "delete"),
    "compare-and-delete": Verb("compare_and_delete", "compare_and_delete"),
    "ttl": Verb("ttl", "ttl"),
    "expire": Verb("expire", "expire"),
    "persist": Verb("persist", "persist"),
    "scan": Verb("scan", "scan"),
    "where": Verb("where", "where"),
    "bench": Verb("bench", "bench"),
    "version": Verb("version", "version"),
}


def make_app(arguments: Sequence[str]) -> typer.Typer:
    """The application, with the verb that the arguments name or, where they name none, with all."""
    app = typer.Typer(
        name="dwell",
        help="Dwell: one database, and how long a value lives decides where it lives.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    app.callback()(_nothing)
    group: typer.Typer | None = None
    for name, verb in VERBS.items():
        first, _, second = name.partition(" ")
        if arguments and arguments[0] in _FIRST_WORDS and arguments[0] != first:
            continue
        function = getattr(import_module(f"dwell.cli.{verb.module}"), verb.function)
        if not second:
            app.command(first, context_settings=verb.settings)(function)
            continue
        if group is None:
            group = typer.Typer(help="Look into the log of an instance.", no_args_is_help=True)
            app.add_typer(group, name=first)
        group.command(second, context_settings=verb.settings)(function)
    return app


_FIRST_WORDS: Final = frozenset(name.partition(" ")[0] for name in VERBS)


def _nothing() -> None:
    """Keep the verbs verbs, even where there is a single one."""
