"""T1: one client that waits for each reply, over TCP and Unix sockets.

Here the kernel and the client take most of the time; the bare server shows how much. The rows with
a lifetime and 128 bytes are TRIC+'s own discipline, with its percentiles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.harness.load import Load
from bench.harness.peers import bare, redis
from bench.harness.report import Report

if TYPE_CHECKING:
    from bench.harness.bench import Bench

REQUESTS = 50_000
IN_MEMORY = ("--save", "")
LIFETIME_VALUE = "x" * 128


def run(bench: Bench) -> Report:
    """Measure SET and GET of one client."""
    report = Report("T1", "RESP, one client, no pipeline")
    peers = [redis(), bare(), bench.dwell(*IN_MEMORY)]
    loads = [
        Load(f"{test} {'unix' if is_unix else 'tcp'}", test, REQUESTS, clients=1, is_unix=is_unix)
        for is_unix in (False, True)
        for test in ("set", "get")
    ]
    bench.compare(report, peers, loads, is_preloaded=True)
    lifetime = ("SET", "key:__rand_int__", LIFETIME_VALUE, "EX", "900")
    loads_of_tric = [
        Load("set 128 B EX 900 tcp", "set", REQUESTS, clients=1, command=lifetime, value_bytes=128),
        Load("get 128 B tcp", "get", REQUESTS, clients=1, value_bytes=128),
    ]
    bench.compare(report, peers, loads_of_tric, is_preloaded=True)
    for load in loads:
        report.expect_ratio(load.row, "rate", to="bare", at_least=0.95)
        report.expect_ratio(load.row, "cpu", to="redis", at_most=0.8, ideal="bare")
    for load in loads_of_tric:
        report.expect_ratio(load.row, "p50", to="redis", at_most=1)
        report.expect_ratio(load.row, "p99", to="redis", at_most=1)
    return report
