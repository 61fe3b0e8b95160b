"""SAVE, BGSAVE and LASTSAVE: bring everything acknowledged to its place on disk.

In Dwell an acknowledged write is in the log already; a save drains it into the SQLite files, so
that the next start replays nothing. There is no dump file.
Source: Redis SAVE, BGSAVE, LASTSAVE.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from dwell.client.replies import Status
from dwell.errors import UsageError
from dwell.server.registry import command

if TYPE_CHECKING:
    from dwell.client.replies import Reply
    from dwell.server.context import Context
    from dwell.server.request import Request

IN_PROGRESS = "Background save already in progress"


@command("save", is_slow=True)
def save(request: Request) -> Reply:
    """Save, then answer."""
    context = request.context
    if not context.saving.acquire(blocking=False):
        raise UsageError(IN_PROGRESS)
    _save_and_release(context)
    if context.save_error:
        raise UsageError(f"the save failed: {context.save_error}")
    return Status("OK")


@command("bgsave")
def bgsave(request: Request) -> Reply:
    """Start a save and answer at once; LASTSAVE tells when it has ended."""
    if request.options() not in ([], ["SCHEDULE"]):
        raise UsageError("syntax error")
    context = request.context
    if not context.saving.acquire(blocking=False):
        raise UsageError(IN_PROGRESS)
    threading.Thread(
        target=_save_and_release, args=(context,), name="dwell-save", daemon=True
    ).start()
    return Status("Background saving started")


@command("lastsave", is_readonly=True)
def lastsave(request: Request) -> Reply:
    """Answer when the last successful save ended, or the server started."""
    return (request.context.saved_us or request.context.started_us) // 1_000_000


def _save_and_release(context: Context) -> None:
    """Save while holding `saving`, and let it go."""
    try:
        context.engine.save()
        context.saved_us = context.unix_us()
        context.save_error = ""
    except Exception as failure:  # noqa: BLE001 told by INFO and by SAVE's own reply
        context.save_error = str(failure)
    finally:
        context.saving.release()
