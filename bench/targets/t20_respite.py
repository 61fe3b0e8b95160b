"""T20: Respite's own benchmark, against Redis of equal durability.

Its command line is `redis-benchmark -q -c 10 -n 1000000 -r 100000 -d 64 -t get,set`; only the form
of the output differs here. Ten clients in one thread are the limit of it: in memory a server that
keeps nothing and does not sleep between requests shows how far they come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.harness.load import Load
from bench.harness.peers import bare, redis
from bench.harness.report import Report

if TYPE_CHECKING:
    from bench.harness.bench import Bench

REQUESTS = 1_000_000
CLIENTS = 10
# The mode, Redis's flags and Dwell's.
MODES = {
    "memory": (("--appendonly", "no"), ("--save", "")),
    "interval": (
        ("--appendonly", "yes", "--appendfsync", "everysec"),
        ("--placement", "disk", "--durability", "interval"),
    ),
    "always": (
        ("--appendonly", "yes", "--appendfsync", "always"),
        ("--placement", "disk", "--durability", "always"),
    ),
}
# An fsync takes a fifth of a millisecond or more: a million of them, ten at a time, is minutes.
REQUESTS_ALWAYS = 100_000


def run(bench: Bench) -> Report:
    """Measure GET and SET in each mode."""
    report = Report("T20", "Respite's benchmark: 10 clients, 64 bytes, three modes")
    for mode, (redis_flags, dwell_flags) in MODES.items():
        peers = [redis(*redis_flags), bench.dwell(*dwell_flags)]
        if mode == "memory":
            peers.append(bare(is_awake=True))
        requests = REQUESTS_ALWAYS if mode == "always" else REQUESTS
        loads = [Load(f"{test} {mode}", test, requests, clients=CLIENTS) for test in ("set", "get")]
        bench.compare(report, peers, loads, is_preloaded=True)
        for load in loads:
            report.expect_ratio(load.row, "rate", to="redis", at_least=1.1, ideal="bare")
            report.expect_ratio(load.row, "p50", to="redis", at_most=1)
            report.expect_ratio(load.row, "p99", to="redis", at_most=1)
    return report
