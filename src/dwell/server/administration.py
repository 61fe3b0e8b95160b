"""The module that answers administration: takes requests from the event loop, sends back replies.

Owns the thread's loop and the threads of slow commands. A slow command gets a thread of its own, so
that DEBUG SLEEP of one client does not hold up INFO of another (INV-06); there are at most as many
as there are clients, since each client waits for its reply.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from dwell.client.replies import ErrorReply
from dwell.server.dispatch import Prepared, prepare, run
from dwell.server.reply_form import NO_REPLY

if TYPE_CHECKING:
    from dwell.client.replies import Reply
    from dwell.server.context import Context
    from dwell.server.native import NativeRequest
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
            native = self._context.server.take_admin_request(TAKE_TIMEOUT_MS)
            if native is not None:
                self.handle(native)

    def handle(self, native: NativeRequest) -> None:
        """Answer one request, at once or in a thread of its own."""
        prepared = prepare(native, self._context, self._registry)
        if isinstance(prepared, ErrorReply):
            self._answer(native.id, prepared)
        elif prepared.command.is_slow:
            threading.Thread(
                target=self._run_and_answer,
                args=(native.id, prepared),
                name=f"dwell-{prepared.command.name}",
                daemon=True,
            ).start()
        else:
            self._run_and_answer(native.id, prepared)

    def _run_and_answer(self, request_id: int, prepared: Prepared) -> None:
        self._answer(request_id, run(prepared))

    def _answer(self, request_id: int, reply: Reply) -> None:
        if reply is not NO_REPLY:
            self._context.server.answer(request_id, reply)
