"""SHUTDOWN: stop the server. Source: Redis SHUTDOWN.

What was acknowledged is on disk before the process ends, whichever form was used: NOSAVE skips
Redis's dump, and Dwell makes none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dwell.errors import UsageError
from dwell.server.registry import command
from dwell.server.reply_form import NO_REPLY

if TYPE_CHECKING:
    from dwell.client.replies import Reply
    from dwell.server.request import Request

OPTIONS = frozenset({"NOSAVE", "SAVE", "NOW", "FORCE", "ABORT"})


@command("shutdown")
def shutdown(request: Request) -> Reply:
    """Tell the server to stop; the client sees its connection close."""
    options = request.options()
    if not OPTIONS.issuperset(options) or {"SAVE", "NOSAVE"}.issubset(options):
        raise UsageError("syntax error")
    if "ABORT" in options:
        if len(options) > 1:
            raise UsageError("syntax error")
        raise UsageError("No shutdown in progress.")
    request.context.bus.publish("stop", reason="SHUTDOWN")
    return NO_REPLY
