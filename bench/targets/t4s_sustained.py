"""T4s: T4 for minutes, over ten million keys, after the bound for dirty memory is reached.

Then the drain into SQLite is the ceiling, writers are slowed one by one, and the question is how
evenly: the worst reply of each slice counts, and the bytes that reach the disk for each SET.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bench.harness.load import Load, put_load
from bench.harness.peers import running
from bench.harness.report import Report

if TYPE_CHECKING:
    from bench.harness.bench import Bench
    from bench.harness.peers import Running

KEYS = 10_000_000
SLICE_REQUESTS = 200_000
CLIENTS = 8
PIPELINE = 16
FILL_SECONDS_MAX = 180.0
SUSTAINED_SECONDS = 120.0
# Writers are delayed from half of the bound on, so the bound itself may never be touched.
FULL_PART = 0.5


def run(bench: Bench) -> Report:
    """Fill until writers are slowed, then measure slice by slice."""
    report = Report("T4s", "SET to the disk home, sustained over ten million keys")
    load = Load("set sustained", "set", SLICE_REQUESTS, CLIENTS, PIPELINE, keys=KEYS)
    with (
        bench.scratch() as folder,
        running([bench.dwell("--durability", "interval")], folder, report) as servers,
    ):
        for server in servers:
            report.note_command(load.words(server))
            _fill(bench, report, server, load)
            _sustain(bench, report, server, load)
    report.expect("set sustained", "rate", at_least=60_000)
    report.expect("set sustained", "max", at_most=100)
    return report


def _fill(bench: Bench, report: Report, server: Running, load: Load) -> None:
    start = time.monotonic()
    limit_seconds = 5.0 if bench.is_quick else FILL_SECONDS_MAX
    while _dirty_part(server) < FULL_PART:
        if time.monotonic() - start > limit_seconds:
            report.note(f"dirty memory was {_dirty_part(server):.0%} full after the time to fill")
            return
        put_load(load, server)
    report.note(f"dirty memory was half full after {time.monotonic() - start:.0f} s")


def _dirty_part(server: Running) -> float:
    """Return how full the memory for dirty keys is, from 0 to 1."""
    with server.server.client(timeout_seconds=60) as client:
        text = client.call("INFO", "persistence")
    assert isinstance(text, bytes)
    fields = dict(line.split(b":", 1) for line in text.splitlines() if b":" in line)
    bound = int(fields.get(b"dwell_dirty_bytes_max", 0))
    return int(fields.get(b"dwell_dirty_bytes", 0)) / bound if bound else 1.0


def _sustain(bench: Bench, report: Report, server: Running, load: Load) -> None:
    seconds = 5.0 if bench.is_quick else SUSTAINED_SECONDS
    start, written, requests, worst_ms = time.monotonic(), server.written_bytes(), 0, 0.0
    while time.monotonic() - start < seconds:
        before = time.monotonic()
        outcome = put_load(load, server)
        requests += load.requests
        worst_ms = max(worst_ms, outcome.max_ms)
        report.add(
            "set sustained", server.name, "rate", load.requests / (time.monotonic() - before)
        )
    report.add("set sustained", server.name, "max", worst_ms)
    per_set = (server.written_bytes() - written) / max(requests, 1)
    report.add("set sustained", server.name, "bytes", per_set)
    report.note("bytes are what reached the disk for each SET of a 16-byte key and 64 bytes")
