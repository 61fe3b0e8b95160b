"""LATENCY LATEST, HISTORY, RESET, DOCTOR, HISTOGRAM: where the server stalled, how long calls took.

A stall is a time of `latency-monitor-threshold` milliseconds and more in which the event loop was
busy with one thing: `command` is one command whose cost follows what it is asked for, and
`fast-command` is commands of constant cost, which stall only where the machine had something else
to do. What waits for disk or host stalls nobody; SLOWLOG has it.
Source: Redis LATENCY LATEST, HISTORY, RESET, DOCTOR, HISTOGRAM.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dwell.client.replies import Verbatim
from dwell.server.registry import command
from dwell.server.request import text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dwell.client.replies import Reply
    from dwell.server.native import Facts
    from dwell.server.request import Request

MILLISECOND_US: Final = 1000
SECOND_US: Final = 1_000_000
DISABLED: Final = (
    "Stalls are not recorded: latency-monitor-threshold is 0. CONFIG SET latency-monitor-threshold"
    " 100 records those of 100 milliseconds and more.\n"
)
CALM: Final = "No stall was recorded: nothing kept the server busy for {} milliseconds or more.\n"
ADVICE: Final = {
    "command": "SLOWLOG GET names the calls. A KEYS, or one command over very many keys, is better"
    " sent as a SCAN or in parts.",
    "fast-command": "Such commands are never slow by themselves: look for a machine that swaps,"
    " whose processor is taken by others, or whose clock is set.",
}
HISTOGRAM_DOUBLINGS: Final = range(10, 37)
"""The bounds of LATENCY HISTOGRAM as powers of two, in nanoseconds: Redis's own, of a microsecond
and up."""


@command("latency|latest", is_readonly=True)
def latency_latest(request: Request) -> Reply:
    """Tell the last stall and the longest one of each event."""
    now_us = request.context.unix_us()
    latest: list[Reply] = []
    for name, stalls in _recorded(request).items():
        age_us, took_us = stalls["last"][-1]
        longest_ms = stalls["longest_us"] // MILLISECOND_US
        latest.append([name, _second(now_us, age_us), took_us // MILLISECOND_US, longest_ms])
    return latest


@command("latency|history", is_readonly=True)
def latency_history(request: Request) -> Reply:
    """Tell the stalls of an event, the oldest first."""
    now_us = request.context.unix_us()
    stalls = _recorded(request).get(text(request.arguments[0]).lower(), {"last": ()})
    return [
        [_second(now_us, age_us), took_us // MILLISECOND_US] for age_us, took_us in stalls["last"]
    ]


@command("latency|reset")
def latency_reset(request: Request) -> Reply:
    """Forget the stalls of some events, or of all; answer how many events had any."""
    named = {text(word).lower() for word in request.arguments}
    found = [name for name in _recorded(request) if not named or name in named]
    for name in found:
        request.context.server.forget(name)
    return len(found)


@command("latency|doctor", is_readonly=True)
def latency_doctor(request: Request) -> Reply:
    """Say in words where the server stalled, and what may help."""
    threshold_ms = request.context.configuration.settings.stall_ms
    recorded = _recorded(request)
    if not recorded:
        return Verbatim("txt", CALM.format(threshold_ms) if threshold_ms else DISABLED)
    return Verbatim("txt", "\n".join(_finding(*each) for each in recorded.items()))


def _finding(name: str, stalls: Facts) -> str:
    """What there is to say about one event."""
    lengths: Sequence[int] = [took_us for _, took_us in stalls["last"]]
    mean_ms = sum(lengths) / len(lengths) / MILLISECOND_US
    longest_ms = stalls["longest_us"] / MILLISECOND_US
    return (
        f"{name}: the last {len(lengths)} stalls took {mean_ms:.0f} ms on average, the longest ever"
        f" {longest_ms:.0f} ms.\n  {ADVICE[name]}\n"
    )


@command("latency|histogram", is_readonly=True)
def latency_histogram(request: Request) -> Reply:
    """Tell how long the calls of commands took; containers mean their subcommands too."""
    wanted = [text(word).lower() for word in request.arguments]
    return {
        name: {
            "calls": sum(count for _, count in buckets),
            "histogram_usec": _cumulated(buckets),
        }
        for name, buckets in sorted(request.context.server.recorded()["latencies"].items())
        if not wanted or name in wanted or name.partition("|")[0] in wanted
    }


def _cumulated(buckets: Sequence[tuple[int, int]]) -> dict[Reply, Reply]:
    """How many calls took at most so many microseconds; bounds that add nothing are left out."""
    told: dict[Reply, Reply] = {}
    before = 0
    for doubling in HISTOGRAM_DOUBLINGS:
        count = sum(count for up_to_ns, count in buckets if up_to_ns <= 1 << doubling)
        if count > before:
            told[(1 << doubling) // 1000] = count
        before = count
    return told


def _recorded(request: Request) -> dict[str, Facts]:
    """The events that have stalls."""
    stalls = request.context.server.recorded()["stalls"]
    return {name: each for name, each in stalls.items() if each["last"]}


def _second(now_us: int, age_us: int) -> int:
    return (now_us - age_us) // SECOND_US
