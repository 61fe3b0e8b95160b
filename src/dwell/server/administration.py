"""The module that answers administration: takes requests from the event loop, sends back replies.

Owns the thread's loop and the threads of slow commands. A slow command gets a thread of its own, so
that DEBUG SLEEP of one client does not hold up INFO of another (INV-06); there are at most as many
as there are clients, since each client waits for its reply.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from dwell.client.replies import ErrorReply
from dwell.errors import UnavailableError
from dwell.server.dispatch import Prepared, prepare, run
from dwell.server.reply_form import NO_REPLY

if TYPE_CHECKING:
    from dwell.server.context import Context
    from dwell.server.native import NativeRequest, NativeServer
    from dwell.server.registry import Registry

__all__ = ["Administration"]

TAKE_TIMEOUT_MS: Final = 250


class Administration:
    """Answers the commands that are written in Python."""

    name = "administration"

    def __init__(self, context: Context, registry: Registry) -> None:
        self._context = context
        self._registry = registry

    def run(self, stop: threading.Event) -> None:
        """Answer requests until told to stop."""
        while not stop.is_set():
            try:
                server = self._context.server
            except UnavailableError:
                # The supervisor is starting another loop.
                stop.wait(TAKE_TIMEOUT_MS / 1000)
                continue
            native = server.take_admin_request(TAKE_TIMEOUT_MS)
            if native is not None:
                self.handle(native, server)

    def handle(self, native: NativeRequest, server: NativeServer) -> None:
        """Answer one request, at once or in a thread of its own.

        The answer goes to the loop that asked: another one may use the same number for another
        request.
        """
        prepared = prepare(native, self._context, self._registry)
        if isinstance(prepared, ErrorReply):
            server.answer(native.id, prepared)
        elif prepared.command.is_slow:
            threading.Thread(
                target=_run_and_answer,
                args=(prepared, native.id, server),
                name=f"dwell-{prepared.command.name}",
                daemon=True,
            ).start()
        else:
            _run_and_answer(prepared, native.id, server)


def _run_and_answer(prepared: Prepared, request_id: int, server: NativeServer) -> None:
    reply = run(prepared)
    if reply is not NO_REPLY:
        server.answer(request_id, reply)
