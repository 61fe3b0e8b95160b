"""`Client`: one connection whose calls block. Its twin is dwell.client.async_connection.

Owns the socket and its time limit. Every line that is not about waiting belongs in
dwell.client.session, so that a fault is mended once for both twins.
"""

from __future__ import annotations

import socket
from pathlib import Path
from typing import TYPE_CHECKING, Self

from dwell.client.session import (
    RECEIVE_BYTES,
    Address,
    Command,
    Session,
    check_greeting,
    sole,
    to_unavailable,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from dwell.client.replies import Reply
    from dwell.client.resp import Argument

__all__ = ["Client"]


class Client:
    """One connection to a server that speaks RESP3; not for two threads at once.

    Args:
        address: host and port, or the path of a Unix stream socket.
        password: what the server wants; empty sends none.
        username: a user of the server.
        database: the number to select, 0 and up.
        timeout_s: seconds to wait for the socket at a time; None waits for ever.

    Raises:
        UnavailableError: nobody answers there, or not in RESP3.
        RefusedError: the password is missing or wrong.
    """

    def __init__(
        self,
        address: Address,
        *,
        password: str = "",
        username: str = "default",
        database: int = 0,
        timeout_s: float | None = 30,
    ) -> None:
        self._session = Session(address, password=password, username=username, database=database)
        try:
            self._socket = _connect(address, timeout_s)
        except OSError as failure:
            raise to_unavailable(address, failure) from None
        try:
            check_greeting(self.pipeline(self._session.greeting()))
        except BaseException:
            self.close()
            raise

    def execute(self, *words: Argument) -> Reply:
        """Send one command and return its reply; an error line is raised.

        Cost: one round trip.
        """
        return sole(self.pipeline([words]))

    def pipeline(self, commands: Iterable[Command]) -> list[Reply]:
        """Send several commands at once and return their replies, error lines among them.

        Cost: one round trip.
        """
        sent = list(commands)
        try:
            self._socket.sendall(self._session.begin(sent))
            replies = self._session.finished()
            while replies is None:
                replies = self._session.take(self._socket.recv(RECEIVE_BYTES))
        except OSError as failure:
            self.close()
            raise to_unavailable(self._session.address, failure) from None
        except BaseException:
            self.close()
            raise
        return replies

    def close(self) -> None:
        """Close the connection; closing twice is fine."""
        self._session.close()
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _connect(address: Address, timeout_s: float | None) -> socket.socket:
    """A connected socket."""
    if not isinstance(address, Path):
        connected = socket.create_connection(address, timeout_s)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connected
    connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connected.settimeout(timeout_s)
    try:
        connected.connect(str(address))
    except OSError:
        connected.close()
        raise
    return connected
