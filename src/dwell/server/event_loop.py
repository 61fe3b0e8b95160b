"""The module that keeps the native event loop running: listeners, connections, data commands.

Owns starting it, noticing that it died, and starting it again on the same engine. Everything that
happens inside the loop is Rust's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dwell.errors import InternalError, UnavailableError

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from dwell.server.bus import Bus
from dwell.server.native import NativeServer

__all__ = ["EventLoop"]

LOOK_EVERY_S: Final = 1.0


class EventLoop:
    """The native event loop as a supervised module.

    Args:
        start: starts a loop and returns it; raises if an address is taken.
        bus: hears as `notice` what the loop finds worth a line.
    """

    name = "event-loop"

    def __init__(self, start: Callable[[], NativeServer], bus: Bus) -> None:
        self._start = start
        self._bus = bus
        self._server: NativeServer | None = start()

    def server(self) -> NativeServer:
        """The running loop.

        Raises:
            UnavailableError: it is being restarted.
        """
        if self._server is None:
            raise UnavailableError("the event loop is being restarted")
        return self._server

    def run(self, stop: threading.Event) -> None:
        """Watch the loop until told to stop; raise when it dies."""
        if self._server is None:
            self._server = self._start()
        while not stop.wait(LOOK_EVERY_S):
            server = self.server()
            for notice in server.take_notices():
                self._bus.publish("notice", sentence=notice)
            facts = server.facts()
            if not facts.get("is_running", True):
                self._server = None
                raise InternalError(f"the event loop died: {facts.get('reason', 'no reason told')}")

    def stop(self) -> None:
        """Close every connection and socket; nothing is acknowledged after that."""
        server, self._server = self._server, None
        if server is not None:
            server.stop()
