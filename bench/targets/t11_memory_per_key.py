"""T11: memory for each of a million small keys, with and without Dwell's ordered index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.harness.bulk import load_keys
from bench.harness.peers import redis, running
from bench.harness.report import Report

if TYPE_CHECKING:
    from bench.harness.bench import Bench
    from bench.harness.peers import Running
    from tests.resp import Word

KEYS = 1_000_000
VALUE_BYTES = 16
WITHOUT = "bytes a key, no ordered index"
WITH = "bytes a key, ordered index built"
PAGE = 10_000


def run(bench: Bench) -> Report:
    """Measure how much the process grows for each key."""
    report = Report("T11", "memory per key, 16-byte keys and values")
    count = bench.scale(KEYS)
    with (
        bench.scratch() as folder,
        running([redis(), bench.dwell("--save", "")], folder, report) as servers,
    ):
        for server in servers:
            empty = server.resident_bytes()
            load_keys(server, count, value_bytes=VALUE_BYTES)
            grown = (server.resident_bytes() - empty) / count
            report.add(WITHOUT, server.name, "bytes", grown)
            if server.name == "dwell":
                _walk(server)
                grown = (server.resident_bytes() - empty) / count
            report.add(WITH, server.name, "bytes", grown)
    report.expect_ratio(WITHOUT, "bytes", to="redis", at_most=0.7)
    report.expect_ratio(WITH, "bytes", to="redis", at_most=1.0)
    report.note("grown resident memory, so the hash table's slack and the allocator's are in it")
    return report


def _walk(server: Running) -> None:
    """Scan all keys in order, behind which the index is built."""
    with server.server.client(timeout_seconds=120) as client:
        cursor: object = b""
        while cursor is not None:
            assert isinstance(cursor, bytes)
            after: list[Word] = ["CURSOR", cursor] if cursor else []
            reply = client.call("DWELL.SCAN", "key:", "LIMIT", PAGE, "KEYSONLY", *after)
            assert isinstance(reply, list)
            cursor = reply[0]
