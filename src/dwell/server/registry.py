"""The commands written in Python, by name, and the decorator that adds one.

Owns the table from name to function. Built-in commands and those of users are added alike: the
facts of a built-in one stand in spec/commands, a user's are given here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from dwell.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from dwell.client.replies import Reply
    from dwell.server.request import Request

__all__ = ["PythonCommand", "Registry", "command", "registry"]

Run: TypeAlias = "Callable[[Request], Reply]"


@dataclass(frozen=True, slots=True)
class PythonCommand:
    """A command that the host runs.

    Attributes:
        name: lower case; a subcommand is `container|subcommand`.
        run: the function.
        arity: Redis's convention, None where spec/commands says it.
        summary: one sentence, None where spec/commands says it.
        is_readonly: whether it only reads, and so may stand inside MULTI.
        is_slow: whether it may take long; it then gets a thread of its own.
    """

    name: str
    run: Run
    arity: int | None = None
    summary: str | None = None
    is_readonly: bool = False
    is_slow: bool = False


class Registry:
    """Commands by name."""

    def __init__(self) -> None:
        self._commands: dict[str, PythonCommand] = {}

    def add(self, added: PythonCommand) -> None:
        """Add a command.

        Raises:
            UsageError: there is one of this name.
        """
        if added.name in self._commands:
            raise UsageError(f"there is a command of this name: {added.name}", found=added.name)
        self._commands[added.name] = added

    def get(self, name: str) -> PythonCommand | None:
        """The command of a name."""
        return self._commands.get(name)

    def users_own(self) -> list[PythonCommand]:
        """The commands that do not come with Dwell."""
        return [each for each in self._commands.values() if each.arity is not None]

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted(self._commands)


registry = Registry()
"""The commands of this process."""


def command(
    name: str,
    *,
    arity: int | None = None,
    summary: str | None = None,
    is_readonly: bool = False,
    is_slow: bool = False,
) -> Callable[[Run], Run]:
    """Make a function a command of the server.

    It runs in the host, without the engine's lock. Whatever it writes should be one conditional
    batch. Inside MULTI it is refused by name, which makes EXEC refuse all, unless it only reads:
    then it runs just before the batch, once EXEC has come, and sees what was acknowledged by then
    and nothing of the commands queued before it; its reply stands in its place. A key that it reads
    and that is watched has not changed when the batch begins (docs/decisions/0013).

    Args:
        name: how clients call it; case does not matter.
        arity: how many words it has with its name; -n is at least n. Needed unless the command is
            one of Dwell's own.
        summary: one sentence for COMMAND DOCS. Needed with `arity`.
        is_readonly: whether it only reads. Dwell takes your word for it.
        is_slow: whether it may take longer than a few milliseconds; others are then not held up.

    Raises:
        UsageError: there is a command of this name.

    >>> @command("greet", arity=2, summary="Greet somebody.", is_readonly=True)
    ... def greet(request):
    ...     return b"hello " + request.arguments[0]
    """

    def register(run: Run) -> Run:
        registry.add(
            PythonCommand(
                name.lower(),
                run,
                arity=arity,
                summary=summary,
                is_readonly=is_readonly,
                is_slow=is_slow,
            )
        )
        return run

    return register
