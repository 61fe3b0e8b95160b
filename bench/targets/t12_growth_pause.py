"""T12: the worst pause of a server while it grows to ten million keys.

One process fills the server, another sends PING again and again and keeps its slowest answers.
On a busy machine the kernel's own pauses are in them, which is why Redis stands beside.
"""

from __future__ import annotations

import multiprocessing
import time
from typing import TYPE_CHECKING

from bench.harness.bulk import load_keys
from bench.harness.peers import redis, running
from bench.harness.report import Report
from tests.resp import Client
from tests.servers import ServerFailedError

if TYPE_CHECKING:
    from multiprocessing.synchronize import Event

    from bench.harness.bench import Bench
    from bench.harness.peers import Running

KEYS = 10_000_000
ROW = "PING while growing"
PAUSE_SECONDS = 0.001
# Short pipelines: what a PING waits for is then the growth and not the pipeline before it.
CHUNK_KEYS = 100


def run(bench: Bench) -> Report:
    """Fill each server and watch it."""
    report = Report("T12", "worst pause while growing to ten million keys")
    for peer in (redis(), bench.dwell("--save", "")):
        with bench.scratch() as folder, running([peer], folder, report) as servers:
            for server in servers:
                _measure(bench, report, server)
    report.expect(ROW, "max", at_most=10)
    return report


def _measure(bench: Bench, report: Report, server: Running) -> None:
    context = multiprocessing.get_context("spawn")
    watching, stop, slowest = context.Event(), context.Event(), context.Queue()
    address = server.server.address
    watcher = context.Process(target=_watch, args=(address, watching, stop, slowest))
    watcher.start()
    try:
        if not watching.wait(timeout=60):
            raise ServerFailedError(f"{server.name} answered no PING within a minute")
        load_keys(server, bench.scale(KEYS), chunk_keys=CHUNK_KEYS)
    finally:
        stop.set()
    answers_ms: list[float] = slowest.get(timeout=60)
    watcher.join(timeout=10)
    report.add(ROW, server.name, "max", answers_ms[-1])
    report.add(ROW, server.name, "p99", answers_ms[int(len(answers_ms) * 0.99)])
    report.note(f"{server.name} answered {len(answers_ms):,} PINGs meanwhile")


def _watch(
    address: tuple[str, int],
    watching: Event,
    stop: Event,
    slowest: multiprocessing.Queue[list[float]],
) -> None:
    answers_ms = []
    with Client(address, timeout_seconds=120) as client:
        while not stop.is_set():
            start = time.perf_counter()
            client.call("PING")
            answers_ms.append((time.perf_counter() - start) * 1e3)
            watching.set()
            time.sleep(PAUSE_SECONDS)
    slowest.put(sorted(answers_ms))
