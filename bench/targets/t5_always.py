"""T5: durability always: every reply waits for an fsync, which all that wait share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.harness.load import Load
from bench.harness.peers import redis
from bench.harness.report import Report

if TYPE_CHECKING:
    from bench.harness.bench import Bench

# The row, its clients, its pipeline, its requests, and the ratio to reach.
ROWS = [
    ("set c1", 1, 1, 8_000, 1.0),
    ("set c50", 50, 1, 60_000, 1.2),
    ("set c50 P16", 50, 16, 500_000, 1.3),
]


def run(bench: Bench) -> Report:
    """Measure SET with an fsync before each reply."""
    report = Report("T5", "SET, durability always")
    peers = [
        redis("--appendonly", "yes", "--appendfsync", "always"),
        bench.dwell("--placement", "lifetime", "--durability", "always"),
    ]
    loads = [
        Load(row, "set", requests, clients=clients, pipeline=pipeline)
        for row, clients, pipeline, requests, _ in ROWS
    ]
    bench.compare(report, peers, loads, is_preloaded=True)
    for row, *_, ratio in ROWS:
        report.expect_ratio(row, "rate", to="redis", at_least=ratio)
    return report
