"""T13: how long a start takes: of a drained instance, and with a log to replay into memory.

Redis loads all it has before it answers. Times are from the start of the process to the first
answer about a key, so the interpreter's own start is in Dwell's.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bench.harness.bulk import load_keys
from bench.harness.peers import redis, running
from bench.harness.report import Report

if TYPE_CHECKING:
    from bench.harness.bench import Bench
    from bench.harness.peers import Running

KEYS = 10_000_000
REPLAYED_KEYS = 2_000_000
LIFETIME_SECONDS = 1_000_000
DRAINED = "start of a drained instance"
REPLAY = "start after a kill, all to replay"
EMPTY = "start of an empty instance"


def run(bench: Bench) -> Report:
    """Measure both kinds of start."""
    report = Report("T13", "start: drained, and replaying a log")
    count = bench.scale(KEYS)
    everysec = redis("--appendonly", "yes", "--appendfsync", "everysec")
    for peer in (everysec, bench.dwell("--placement", "disk")):
        with bench.scratch() as folder, running([peer], folder, report) as servers:
            for server in servers:
                report.add(EMPTY, server.name, "seconds", _restart(server, is_clean=True))
                load_keys(server, count)
                report.add(DRAINED, server.name, "seconds", _restart(server, is_clean=True))
    replayed = bench.scale(REPLAYED_KEYS)
    for peer in (everysec, bench.dwell("--placement", "lifetime")):
        with bench.scratch() as folder, running([peer], folder, report) as servers:
            for server in servers:
                load_keys(server, replayed, lifetime_seconds=LIFETIME_SECONDS)
                seconds = _restart(server, is_clean=False)
                report.add(REPLAY, server.name, "seconds", seconds)
                report.add(REPLAY, server.name, "rate", replayed / seconds)
    report.note(f"{count:,} keys on the drained instance, {replayed:,} to replay")
    report.expect(DRAINED, "seconds", at_most=1)
    report.expect(REPLAY, "rate", at_least=1e6)
    return report


def _restart(server: Running, *, is_clean: bool) -> float:
    """Stop or kill, start, and return the seconds until a key was asked about and answered."""
    if is_clean:
        server.server.stop(timeout_seconds=600)
    else:
        server.server.kill()
    start = time.perf_counter()
    server.server.start(timeout_seconds=600)
    with server.server.client(timeout_seconds=600) as client:
        client.call("GET", "key:000000000000")
    return time.perf_counter() - start
