"""The verbs of the command line, by name.

Owns the table, its order, and loading a verb's function. A verb's module is imported when the verb
is called, since all of them together cost more time than most verbs take.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

__all__ = ["VERBS", "Place", "find"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a verb's function is.

    Attributes:
        module: below dwell.cli.
        function: its name there.
        takes_all: whether it reads its words itself, as `server` reads redis-server's flags.
    """

    module: str
    function: str
    takes_all: bool = False

    def load(self) -> Any:
        """The function."""
        return getattr(import_module(f"dwell.cli.{self.module}"), self.function)


VERBS: Final[dict[tuple[str, ...], Place]] = {
    ("server",): Place("server", "server", takes_all=True),
    ("status",): Place("status", "status"),
    ("get",): Place("get", "get"),
    ("set",): Place("set", "set_"),
    ("delete",): Place("delete", "delete"),
    ("compare-and-delete",): Place("compare_and_delete", "compare_and_delete"),
    ("ttl",): Place("ttl", "ttl"),
    ("expire",): Place("expire", "expire"),
    ("persist",): Place("persist", "persist"),
    ("scan",): Place("scan", "scan"),
    ("where",): Place("where", "where"),
    ("log", "inspect"): Place("log.inspect", "inspect"),
    ("log", "stats"): Place("log.stats", "stats"),
    ("log", "verify"): Place("log.verify", "verify"),
    ("log", "replay"): Place("log.replay", "replay"),
    ("bench",): Place("bench", "bench"),
    ("tour",): Place("tour", "tour"),
    ("version",): Place("version", "version"),
}


def find(words: Sequence[str]) -> tuple[Place, list[str]] | None:
    """The verb that words begin with, and the words after it; None where they name none."""
    if words[:1] == ["--version"]:  # what most other programs understand
        words = ["version", *words[1:]]
    for count in (1, 2):
        place = VERBS.get(tuple(words[:count]))
        if place is not None:
            return place, list(words[count:])
    return None
