"""From a request of the event loop to a reply: find the command, check it, run it, catch errors.

Owns the error lines that every command in Python shares. An exception of a command becomes its
reply, never the end of the thread that ran it (INV-05).
"""

from __future__ import annotations

import sys
import traceback
from typing import TYPE_CHECKING

from dwell.client.replies import ErrorReply
from dwell.errors import WIRE, Error
from dwell.server.request import Request, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dwell.client.replies import Reply
    from dwell.server.command_table import CommandTable
    from dwell.server.context import Context
    from dwell.server.native import NativeRequest
    from dwell.server.registry import PythonCommand, Registry

__all__ = ["Prepared", "prepare", "run", "unknown_command"]

NAME_SHOWN_CHARACTERS_MAX = 128


class Prepared:
    """A command together with its request, ready to run."""

    __slots__ = ("command", "request")

    def __init__(self, command: PythonCommand, request: Request) -> None:
        self.command = command
        self.request = request


def prepare(native: NativeRequest, context: Context, registry: Registry) -> Prepared | ErrorReply:
    """Find the command of a request and check its form; the error line if it cannot run."""
    words = [text(word) for word in native.args]
    facts = context.commands.resolve(words)
    if facts is None:
        return unknown_command(words, context.commands)
    if not facts.accepts(len(words)):
        return ErrorReply(f"ERR wrong number of arguments for '{facts.name}' command")
    command = registry.get(facts.name)
    if command is None:
        return ErrorReply(f"ERR internal no function for the command '{facts.name}'")
    if native.in_multi and "no_multi" in facts.flags:
        return ErrorReply(f"ERR Command not allowed inside a transaction: {facts.name}")
    named_words = 1 + facts.name.count("|")
    return Prepared(
        command,
        Request(
            words=native.args,
            arguments=native.args[named_words:],
            client=native.client,
            database=int(native.client["db"]),
            protocol=int(native.client["resp"]),
            is_in_multi=native.in_multi,
            context=context,
        ),
    )


def run(prepared: Prepared) -> Reply:
    """Run a command and return its reply, an error line if it raised."""
    try:
        return prepared.command.run(prepared.request)
    except Error as error:
        return ErrorReply(f"{WIRE[error.kind] or 'ERR'} {error}")
    except Exception as error:  # noqa: BLE001 whatever a command does, its client gets a reply
        traceback.print_exc(file=sys.stderr)
        return ErrorReply(f"ERR internal {type(error).__name__} in the command, see the log")


def unknown_command(words: Sequence[str], commands: CommandTable) -> ErrorReply:
    """The error line for a name that is not supported; clients look for its first words."""
    name = words[0][:NAME_SHOWN_CHARACTERS_MAX]
    container = commands.get(words[0].lower())
    if container is not None and len(words) > 1:
        return _unknown_subcommand(words, commands)
    family = commands.family_of_refused(words[0].lower())
    if family is not None:
        return ErrorReply(f"ERR unknown command '{name}', {family} commands are not supported yet")
    shown = ""
    for word in words[1:]:
        if len(shown) >= NAME_SHOWN_CHARACTERS_MAX:
            break
        shown += f"'{word[: NAME_SHOWN_CHARACTERS_MAX - len(shown)]}' "
    return ErrorReply(f"ERR unknown command '{name}', with args beginning with: {shown}")


def _unknown_subcommand(words: Sequence[str], commands: CommandTable) -> ErrorReply:
    container, subcommand = words[0], words[1][:NAME_SHOWN_CHARACTERS_MAX]
    family = commands.family_of_refused(f"{container.lower()}|{subcommand.lower()}")
    if family is not None:
        return ErrorReply(
            f"ERR unknown subcommand '{subcommand}' of '{container.lower()}',"
            f" {family} commands are not supported yet"
        )
    return ErrorReply(f"ERR unknown subcommand '{subcommand}'. Try {container.upper()} HELP.")
