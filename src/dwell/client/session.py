"""The conversation with one server, without its socket: what `Client` and `AsyncClient` share.

Owns what is sent first, which reply belongs to which command, and the moment from which a
connection must not be used again: a cancelled or timed-out exchange would give its late reply to
the next caller. Knows nothing of sockets, threads or event loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from dwell.client.replies import ErrorReply, Push, Reply, to_error
from dwell.client.resp import NEED_MORE, Argument, ReplyParser, encode_command
from dwell.errors import ClosedError, UnavailableError

__all__ = ["Address", "Command", "Session", "describe"]

Address: TypeAlias = tuple[str, int] | Path
"""Host and port, or the path of a Unix stream socket."""

Command: TypeAlias = Sequence[Argument]
"""A command with its arguments."""

RECEIVE_BYTES: Final = 256 * 1024


def describe(address: Address) -> str:
    """The address as a person writes it."""
    return str(address) if isinstance(address, Path) else f"{address[0]}:{address[1]}"


def to_unavailable(address: Address, failure: OSError) -> UnavailableError:
    """The error for a socket that failed."""
    reason = failure.strerror or str(failure) or type(failure).__name__
    return UnavailableError(
        f"no answer from the server: {describe(address)} ({reason})",
        hint="start one with `dwell server`, or name another with --host, --port or --socket",
    )


@dataclass(slots=True)
class Exchange:
    """Commands on their way and the replies that have come."""

    replies_due: int
    replies: list[Reply]


class Session:
    """Bytes to send for commands, replies from bytes received.

    Args:
        address: whom the messages name.
        password: what the server wants; empty sends none.
        username: a user of the server, `default` unless told.
        database: the number to select, 0 and up.
    """

    def __init__(
        self, address: Address, *, password: str = "", username: str = "default", database: int = 0
    ) -> None:
        self.address = address
        self._login = ("AUTH", username, password) if password else ()
        self._database = database
        self._parser = ReplyParser()
        self._exchange: Exchange | None = None
        self._is_usable = True

    def greeting(self) -> list[Command]:
        """The commands to send before any other."""
        commands: list[Command] = [("HELLO", 3, *self._login)]
        if self._database:
            commands.append(("SELECT", self._database))
        return commands

    def begin(self, commands: Sequence[Command]) -> bytes:
        """Start an exchange and return the bytes to send.

        Raises:
            ClosedError: an earlier exchange never ended, or the session was closed.
        """
        if not self._is_usable or self._exchange is not None:
            self._is_usable = False
            raise ClosedError(
                f"the connection was closed or left in the middle of a reply: "
                f"{describe(self.address)}",
                hint="open another",
            )
        data = b"".join(map(encode_command, commands))
        self._exchange = Exchange(len(commands), [])
        return data

    def take(self, data: bytes) -> list[Reply] | None:
        """Take received bytes; return the replies when all have come, until then None.

        Raises:
            UnavailableError: the server closed the connection, or does not speak RESP.
        """
        if not data:
            self._is_usable = False
            raise UnavailableError(
                f"the server closed the connection: {describe(self.address)}",
                hint="it may have stopped, or refused us; its own log says more",
            )
        self._parser.feed(data)
        return self.finished()

    def finished(self) -> list[Reply] | None:
        """The replies of the exchange if all have come, else None."""
        exchange = self._exchange
        if exchange is None:
            return None
        while len(exchange.replies) < exchange.replies_due:
            reply = self._parser.next()
            if reply is NEED_MORE:
                return None
            if not isinstance(reply, Push):
                exchange.replies.append(reply)  # type: ignore[arg-type]
        self._exchange = None
        return exchange.replies

    def close(self) -> None:
        """Refuse to be used from now on."""
        self._is_usable = False


def sole(replies: list[Reply]) -> Reply:
    """The reply to a single command.

    Raises:
        Error: the reply is an error line; the class says what to do about it.
    """
    reply = replies[-1]
    if isinstance(reply, ErrorReply):
        raise to_error(reply)
    return reply


def check_greeting(replies: list[Reply]) -> None:
    """Raise for the first error among the replies to the greeting."""
    for reply in replies:
        sole([reply])
