"""SLOWLOG GET, LEN and RESET: the calls that took longer than `slowlog-log-slower-than`.

The event loop keeps them, bounded in number and in size and without passwords. The time is that
from reading a command to having its reply, so a wait for the disk or for the host is part of it.
Source: Redis SLOWLOG GET, SLOWLOG LEN, SLOWLOG RESET.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dwell.client.replies import Status
from dwell.errors import UsageError
from dwell.server.registry import command
from dwell.server.request import SYNTAX, parse_integer

if TYPE_CHECKING:
    from dwell.client.replies import Reply
    from dwell.server.native import Facts
    from dwell.server.request import Request

CALLS_TOLD: Final = 10
ALL: Final = -1
MICROSECONDS: Final = 1_000_000


@command("slowlog|get", is_readonly=True)
def slowlog_get(request: Request) -> Reply:
    """List the newest calls."""
    if len(request.arguments) > 1:
        raise UsageError(SYNTAX)
    count = parse_integer(request.arguments[0]) if request.arguments else CALLS_TOLD
    if count < ALL:
        raise UsageError("count should be greater than or equal to -1")
    calls = request.context.server.recorded()["slow_calls"]
    now_us = request.context.unix_us()
    return [_told(each, now_us) for each in (calls if count == ALL else calls[:count])]


def _told(call: Facts, now_us: int) -> Reply:
    """One call in Redis's order."""
    return [
        call["id"],
        (now_us - call["age_us"]) // MICROSECONDS,
        call["took_us"],
        list(call["words"]),
        str(call["addr"]),
        str(call["name"]),
    ]


@command("slowlog|len", is_readonly=True)
def slowlog_len(request: Request) -> Reply:
    """Count the calls that are kept."""
    return len(request.context.server.recorded()["slow_calls"])


@command("slowlog|reset")
def slowlog_reset(request: Request) -> Reply:
    """Forget them."""
    request.context.server.forget("slow_calls")
    return Status("OK")
