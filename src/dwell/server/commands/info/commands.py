"""INFO commandstats, errorstats and latencystats: what was called, and how it went.

The event loop counts, its own commands and those of the host alike. `usec` is how long a command
kept the loop busy (of the host's: the host), the percentiles are how long it took from being read
to having its reply, so that a wait for the disk is seen. Calls of the same command that come
together are timed together, up to 64 of them, and count with their mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dwell.server.context import Context

PERCENTILES: Final = {"p50": 0.5, "p99": 0.99, "p99.9": 0.999}


def commandstats(context: Context) -> dict[str, object]:
    """Calls, time, refusals and failures by command."""
    counted: Mapping[str, Mapping[str, int]] = context.server.facts().get("commands", {})
    return {f"cmdstat_{name}": _line(**counts) for name, counts in sorted(counted.items())}


def _line(calls: int, nanoseconds: int, rejected: int, failed: int) -> str:
    microseconds = nanoseconds // 1000
    each = microseconds / calls if calls else 0.0
    return (
        f"calls={calls},usec={microseconds},usec_per_call={each:.2f},"
        f"rejected_calls={rejected},failed_calls={failed}"
    )


def errorstats(context: Context) -> dict[str, object]:
    """Error lines by their first word."""
    errors: Mapping[str, int] = context.server.facts().get("errors", {})
    return {f"errorstat_{code}": f"count={count}" for code, count in sorted(errors.items())}


def latencystats(context: Context) -> dict[str, object]:
    """Percentiles by command, in microseconds."""
    return {
        f"latency_percentiles_usec_{name}": ",".join(
            f"{label}={percentile_ns(buckets, share) / 1000:.3f}"
            for label, share in PERCENTILES.items()
        )
        for name, buckets in sorted(context.server.recorded()["latencies"].items())
    }


def percentile_ns(buckets: Sequence[tuple[int, int]], share: float) -> int:
    """The bound that so large a share of the calls did not pass.

    >>> percentile_ns([(100, 50), (200, 49), (9000, 1)], 0.99)
    200
    """
    wanted = share * sum(count for _, count in buckets)
    seen = 0
    for up_to_ns, count in buckets:
        seen += count
        if seen >= wanted:
            return up_to_ns
    return 0
