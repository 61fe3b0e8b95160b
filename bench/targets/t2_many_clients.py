"""T2: fifty clients, each waiting for its reply: client and kernel are the limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.harness.load import Load
from bench.harness.peers import bare, redis
from bench.harness.report import Report

if TYPE_CHECKING:
    from bench.harness.bench import Bench

REQUESTS = 150_000


def run(bench: Bench) -> Report:
    """Measure SET and GET of fifty clients."""
    report = Report("T2", "RESP, 50 clients, no pipeline")
    loads = [Load(test, test, REQUESTS) for test in ("set", "get")]
    bench.compare(report, [redis(), bare(), bench.dwell("--save", "")], loads, is_preloaded=True)
    for load in loads:
        report.expect_ratio(load.row, "rate", to="bare", at_least=0.95)
        report.expect_ratio(load.row, "cpu", to="redis", at_most=0.8, ideal="bare")
    return report
