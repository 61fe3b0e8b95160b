"""T3: fifty clients with pipelines, everything in memory: here the server is the limit.

The bare map server keeps values in one hash table and checks nothing: the ceiling.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.harness.load import Load
from bench.harness.peers import bare, redis
from bench.harness.report import Report

if TYPE_CHECKING:
    from bench.harness.bench import Bench

REQUESTS = {16: 1_000_000, 64: 2_000_000}
RATE_RATIO = {16: 1.6, 64: 2.0}
CPU_RATIO = 0.4


def run(bench: Bench) -> Report:
    """Measure SET and GET at two depths of pipeline."""
    report = Report("T3", "RESP, 50 clients, pipelined, everything in memory")
    peers = [
        redis(),
        bare(is_storing=True),
        bench.dwell("--save", ""),
    ]
    loads = [
        Load(f"{test} P{depth}", test, requests, pipeline=depth)
        for depth, requests in REQUESTS.items()
        for test in ("set", "get")
    ]
    bench.compare(report, peers, loads, is_preloaded=True)
    for load in loads:
        rate = RATE_RATIO[load.pipeline]
        report.expect_ratio(load.row, "rate", to="redis", at_least=rate, ideal="bare map")
        report.expect_ratio(load.row, "cpu", to="redis", at_most=CPU_RATIO, ideal="bare map")
    return report
