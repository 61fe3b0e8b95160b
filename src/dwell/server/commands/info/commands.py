"""INFO commandstats, errorstats and latencystats: what was called, and how it went."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dwell.server.context import Context


def commandstats(context: Context) -> dict[str, object]:
    """Calls, time, refusals and failures by command, of the event loop and of the host."""
    told: dict[str, object] = {}
    by_loop = context.command_counts()
    for name, counts in sorted(by_loop.items()):
        told[f"cmdstat_{name}"] = _line(
            counts["calls"],
            counts["nanoseconds"] // 1000,
            counts["rejected"],
            counts["failed"],
        )
    own = context.counters
    for name, calls in sorted(own.calls.items()):
        rejected = by_loop.get(name, {}).get("rejected", 0)
        line = _line(calls, own.microseconds[name], rejected, own.failures[name])
        told[f"cmdstat_{name}"] = line
    return told


def _line(calls: int, microseconds: int, rejected: int, failed: int) -> str:
    each = microseconds / calls if calls else 0.0
    return (
        f"calls={calls},usec={microseconds},usec_per_call={each:.2f},"
        f"rejected_calls={rejected},failed_calls={failed}"
    )


def errorstats(context: Context) -> dict[str, object]:
    """Error lines by their first word."""
    errors: Mapping[str, int] = context.server.facts().get("errors", {})
    return {f"errorstat_{code}": f"count={count}" for code, count in sorted(errors.items())}


def latencystats(_context: Context) -> dict[str, object]:
    """Percentiles by command: not recorded yet, so none are told."""
    return {}
