"""TIME: the server's clock. Source: Redis TIME."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dwell.server.registry import command

if TYPE_CHECKING:
    from dwell.client.replies import Reply
    from dwell.server.request import Request


@command("time", is_readonly=True)
def time(request: Request) -> Reply:
    """Answer Unix seconds and microseconds."""
    seconds, microseconds = divmod(request.context.unix_us(), 1_000_000)
    return [b"%d" % seconds, b"%d" % microseconds]
