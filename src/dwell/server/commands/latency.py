"""LATENCY LATEST, HISTORY and RESET: slow events.

Recording is off (`latency-monitor-threshold 0`, the only value there is yet), and with it off these
answer what Redis answers: that nothing was recorded.
Source: Redis LATENCY LATEST, LATENCY HISTORY, LATENCY RESET.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dwell.server.registry import command

if TYPE_CHECKING:
    from dwell.client.replies import Reply
    from dwell.server.request import Request


@command("latency|latest", is_readonly=True)
def latency_latest(_request: Request) -> Reply:
    """Answer the events recorded: none."""
    return []


@command("latency|history", is_readonly=True)
def latency_history(_request: Request) -> Reply:
    """Answer the samples of an event: none."""
    return []


@command("latency|reset")
def latency_reset(_request: Request) -> Reply:
    """Answer how many events were reset: none."""
    return 0
