"""A setting as somebody wrote it, and the refusal of one that nobody knows."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from dwell.errors import UsageError

__all__ = ["Directive", "unknown"]


@dataclass(frozen=True, slots=True)
class Directive:
    """One setting as somebody wrote it.

    Attributes:
        name: the directive, in lower case.
        words: its arguments, unquoted.
        origin: where it stands, for messages: "redis.conf:12", "--port", "DWELL_PORT".
    """

    name: str
    words: tuple[str, ...]
    origin: str

    def word(self) -> str:
        """Return the only argument, or refuse the directive."""
        if len(self.words) != 1:
            # The number and not the words: one of them may be a password.
            count = len(self.words)
            raise UsageError(f"{self.origin} takes one argument, given: {count}", found=count)
        return self.words[0]


def unknown(what: str, name: str, known: Iterable[str]) -> UsageError:
    """Say that a name is unknown, and which one was perhaps meant."""
    bare = name.rsplit(maxsplit=1)[-1].removeprefix("--")
    near = difflib.get_close_matches(bare, known, n=1)
    return UsageError(
        f"unknown {what}: {name}", found=bare, hint=f"did you mean {near[0]}?" if near else None
    )
