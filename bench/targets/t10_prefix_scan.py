"""T10: an ordered scan of a prefix with 100 matches among ever more keys, in either home.

Redis has no ordered keys: it is given KEYS, and a whole SCAN MATCH, which is what people do.
"""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING

from bench.harness.bulk import load_keys
from bench.harness.peers import redis, running
from bench.harness.report import Report

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.harness.bench import Bench
    from bench.harness.peers import Running
    from tests.resp import Client

MATCHES = 100
SIZES = (100_000, 1_000_000, 10_000_000)
REDIS_SIZES = (100_000, 1_000_000)
SCANS = 200
FIRST_SCANS = 2_000
SCAN_BY_KEYS = 5
SCAN_COUNT = 1_000


def run(bench: Bench) -> Report:
    """Measure the time of one scan at each size, in memory and on disk."""
    report = Report("T10", "ordered prefix scan, 100 matches among many keys")
    for size in SIZES[:2] if bench.is_quick else SIZES:
        count = bench.scale(size)
        for home, placement in (("memory", "memory"), ("disk", "disk")):
            _measure_dwell(bench, report, count, home, placement)
        if size in REDIS_SIZES:
            _measure_redis(bench, report, count)
    smallest, largest = (bench.scale(SIZES[0]), bench.scale(SIZES[1 if bench.is_quick else 2]))
    for home in ("memory", "disk"):
        _expect_growth(report, home, smallest, largest)
        row = _row(home, bench.scale(1_000_000))
        keys_row = _row("KEYS", bench.scale(1_000_000))
        _expect_gain(report, row, keys_row)
    return report


def _row(what: str, count: int) -> str:
    return f"{what}, {count:,} keys"


def _measure_dwell(bench: Bench, report: Report, count: int, home: str, placement: str) -> None:
    row = _row(home, count)
    with (
        bench.scratch() as folder,
        running([bench.dwell("--placement", placement)], folder, report) as servers,
    ):
        for server in servers:
            load_keys(server, count)
            with server.server.client(timeout_seconds=120) as client:
                first = [_time_scan(client, number, count) for number in range(FIRST_SCANS)]
                report.add(row, server.name, "max", max(first) * 1e3)
                for number in range(SCANS):
                    seconds = _time_scan(client, FIRST_SCANS + number, count)
                    report.add(row, server.name, "seconds", seconds)
    report.note(f"worst is of the first {FIRST_SCANS:,} scans, behind which the index is built")


def _time_scan(client: Client, number: int, count: int) -> float:
    group = number * 7919 % (count // MATCHES)
    start = time.perf_counter()
    reply = client.call("DWELL.SCAN", b"key:%010d" % group, "LIMIT", MATCHES)
    elapsed = time.perf_counter() - start
    assert isinstance(reply, list)
    rows = reply[1]
    assert isinstance(rows, list)
    assert rows[::2] == _members(group), f"wrong keys under group {group}"
    return elapsed


def _members(group: int) -> list[bytes]:
    return [b"key:%012d" % (group * MATCHES + member) for member in range(MATCHES)]


def _measure_redis(bench: Bench, report: Report, count: int) -> None:
    ways: dict[str, Callable[[Client, bytes], list[object]]] = {
        "KEYS": _by_keys,
        "SCAN MATCH": _by_scan,
    }
    with bench.scratch() as folder, running([redis()], folder, report) as servers:
        for server in servers:
            load_keys(server, count)
            for name, way in ways.items():
                _measure_way(report, server, _row(name, count), way, count)


def _measure_way(
    report: Report,
    server: Running,
    row: str,
    way: Callable[[Client, bytes], list[object]],
    count: int,
) -> None:
    with server.server.client(timeout_seconds=120) as client:
        for number in range(SCAN_BY_KEYS):
            group = number * 7919 % (count // MATCHES)
            start = time.perf_counter()
            found = way(client, b"key:%010d*" % group)
            report.add(row, server.name, "seconds", time.perf_counter() - start)
            assert set(found) == set(_members(group))


def _by_keys(client: Client, pattern: bytes) -> list[object]:
    reply = client.call("KEYS", pattern)
    assert isinstance(reply, list)
    return list(reply)


def _by_scan(client: Client, pattern: bytes) -> list[object]:
    found: list[object] = []
    cursor: object = b"0"
    while True:
        assert isinstance(cursor, bytes)
        reply = client.call("SCAN", cursor, "MATCH", pattern, "COUNT", SCAN_COUNT)
        assert isinstance(reply, list)
        cursor, keys = reply
        assert isinstance(keys, list)
        found += keys
        if cursor == b"0":
            return found


def _expect_growth(report: Report, home: str, smallest: int, largest: int) -> None:
    few = report.get(_row(home, smallest), "dwell", "seconds")
    many = report.get(_row(home, largest), "dwell", "seconds")
    if few is not None and many is not None:
        growth = statistics.median(many.values) / statistics.median(few.values)
        report.expect_value(
            f"{home}: time at {largest:,} / at {smallest:,} keys", growth, at_most=3
        )


def _expect_gain(report: Report, row: str, keys_row: str) -> None:
    scan = report.get(row, "dwell", "seconds")
    keys = report.get(keys_row, "redis", "seconds")
    if scan is not None and keys is not None:
        gain = keys.median / scan.median
        report.expect_value(f"{row}: time of KEYS / of DWELL.SCAN", gain, at_least=100)
