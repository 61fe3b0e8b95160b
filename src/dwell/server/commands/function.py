"""FUNCTION FLUSH: delete all functions. Source: Redis FUNCTION FLUSH.

No function can be loaded yet, so none is left afterwards: the answer is true. It is here because
test suites and clients clear a server with it before they begin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dwell.client.replies import Status
from dwell.errors import UsageError
from dwell.server.registry import command

if TYPE_CHECKING:
    from dwell.client.replies import Reply
    from dwell.server.request import Request


@command("function|flush")
def function_flush(request: Request) -> Reply:
    """Answer OK: there are no functions."""
    options = request.options()
    if len(options) > 1 or not {"SYNC", "ASYNC"}.issuperset(options):
        raise UsageError("FUNCTION FLUSH only supports SYNC|ASYNC option")
    return Status("OK")
