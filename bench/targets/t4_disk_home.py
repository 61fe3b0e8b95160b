"""T4: plain SET under the default placement, so to the disk, beside Redis with everysec.

Both hand a write to the operating system before the reply and fsync every second. Respite and Redka
are not in Debian or on PyPI and stay out; their published figures stand in the list of targets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.harness.load import Load
from bench.harness.peers import redis
from bench.harness.report import Report

if TYPE_CHECKING:
    from bench.harness.bench import Bench

REQUESTS = {1: 150_000, 16: 800_000, 64: 1_500_000}
RATE_RATIO = {1: 1.0, 16: 1.5, 64: 2.0}


def run(bench: Bench) -> Report:
    """Measure SET to the disk home at three depths of pipeline."""
    report = Report("T4", "SET to the disk home, interval, beside Redis everysec")
    report.note("respite and redka are left out: in neither Debian nor PyPI")
    peers = [
        redis("--appendonly", "yes", "--appendfsync", "everysec"),
        bench.dwell("--placement", "lifetime", "--durability", "interval"),
    ]
    loads = [
        Load(f"set P{depth}", "set", requests, pipeline=depth)
        for depth, requests in REQUESTS.items()
    ]
    bench.compare(report, peers, loads, is_preloaded=True)
    for load in loads:
        report.expect_ratio(load.row, "rate", to="redis", at_least=RATE_RATIO[load.pipeline])
    return report
