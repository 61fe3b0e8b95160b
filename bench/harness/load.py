"""Puts load on a server with redis-benchmark and reads back what it measured."""

from __future__ import annotations

import csv
import dataclasses
import io
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.harness.peers import Running
    from bench.harness.report import Report

KEYS = 100_000
VALUE_BYTES = 64
PRELOAD_COMMANDS = 1_000
LOAD_TIMEOUT_SECONDS = 600


@dataclasses.dataclass(frozen=True)
class Load:
    """One kind of load; `command` replaces redis-benchmark's own test of that name."""

    row: str
    test: str
    requests: int
    clients: int = 50
    pipeline: int = 1
    keys: int = KEYS
    value_bytes: int = VALUE_BYTES
    is_unix: bool = False
    command: tuple[str, ...] = ()

    def words(self, running: Running) -> list[str]:
        """Return redis-benchmark's command line for a server."""
        host, port = running.server.address
        place = ["-s", running.socket_path] if self.is_unix else ["-h", host, "-p", str(port)]
        words = ["redis-benchmark", *place, "-c", str(self.clients), "-n", str(self.requests)]
        words += ["-P", str(self.pipeline), "-r", str(self.keys), "-d", str(self.value_bytes)]
        # -e: an error reply ends the run instead of counting as an answer.
        words += ["-e", "--csv"]
        return [*words, *self.command] if self.command else [*words, "-t", self.test]


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What redis-benchmark saw."""

    rate: float
    p50_ms: float
    p99_ms: float
    max_ms: float


class LoadFailedError(Exception):
    """redis-benchmark got an error reply or broke off."""


def put_load(load: Load, running: Running) -> Outcome:
    """Run redis-benchmark once."""
    words = load.words(running)
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, check=False, timeout=LOAD_TIMEOUT_SECONDS
        )
    except subprocess.TimeoutExpired as error:
        raise LoadFailedError(f"no end after {LOAD_TIMEOUT_SECONDS} s: {error.cmd}") from error
    rows = [row for row in csv.DictReader(_table(done.stdout)) if row.get("rps")]
    if done.returncode != 0 or len(rows) != 1 or "Error from server" in done.stdout + done.stderr:
        raise LoadFailedError(f"{' '.join(words)}: {done.stdout}{done.stderr}")
    row = rows[0]
    return Outcome(
        float(row["rps"]),
        float(row["p50_latency_ms"]),
        float(row["p99_latency_ms"]),
        float(row["max_latency_ms"]),
    )


def _table(output: str) -> io.StringIO:
    """Return the output from the table's head on: warnings may stand before it."""
    return io.StringIO(output[max(output.find('"test"'), 0) :])


def preload(running: Running, *, keys: int = KEYS, value_bytes: int = VALUE_BYTES) -> None:
    """Write every key that redis-benchmark may ask for, so that each GET is a hit."""
    value = b"x" * value_bytes
    with running.server.client(timeout_seconds=120) as client:
        for start in range(0, keys, PRELOAD_COMMANDS):
            numbers = range(start, min(start + PRELOAD_COMMANDS, keys))
            replies = client.pipeline([b"SET", key_name(number), value] for number in numbers)
            if replies != ["OK"] * len(numbers):
                raise LoadFailedError(f"{running.name}: preloading was answered by {replies[:3]}")


def key_name(number: int) -> bytes:
    """Return the key that redis-benchmark makes of a random number."""
    return b"key:%012d" % number


def hit_ratio(running: Running, *, keys: int = KEYS) -> float:
    """Return the part of redis-benchmark's keys that are there, which is its GETs' hit ratio."""
    found = 0
    with running.server.client(timeout_seconds=120) as client:
        for start in range(0, keys, PRELOAD_COMMANDS):
            numbers = range(start, min(start + PRELOAD_COMMANDS, keys))
            values: Sequence[object] = client.pipeline([b"GET", key_name(each)] for each in numbers)
            found += sum(isinstance(value, bytes) for value in values)
    return found / keys


def note_hits(report: Report, peers: Sequence[Running]) -> None:
    """Write the hit ratio of each peer into the report."""
    for peer in peers:
        report.note(f"hit ratio of GET at {peer.name}: {hit_ratio(peer):.3f}")
