"""T8: in one Python process, 100,000 keys, 128-byte values, beside dict, lmdb, sqlite3 and more.

Loops are list comprehensions over ready keys, so that Python's own part is the same for all, and
each round's answers are compared afterwards.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from bench.harness.bench import stopwatch
from bench.harness.report import Report
from bench.harness.stores import STORES

if TYPE_CHECKING:
    from pathlib import Path

    from bench.harness.bench import Bench
    from bench.harness.stores import Store

VALUE = b"x" * 128
BATCH = 1_000
PASSES = 5
WARM_UP = 10
WRITES = "batch of 1,000 writes"
READS = "batch of 1,000 reads"


def run(bench: Bench) -> Report:
    """Measure reading and writing one by one, and in batches."""
    report = Report("T8", "in process from Python, 128-byte values")
    stores = [store for store in STORES if _is_there(store, report)]
    for number in range(bench.rounds):
        for store in stores if number % 2 else reversed(stores):
            with bench.scratch() as folder:
                _measure(bench, report, store, folder)
    report.expect("read", "rate", of="dwell memory", at_least=2.5e6)
    report.expect("write", "rate", of="dwell memory", at_least=1.5e6)
    report.expect("write", "rate", of="dwell logged memory", at_least=400e3)
    report.expect("write", "rate", of="dwell disk", at_least=400e3)
    report.expect(WRITES, "rate", of="dwell memory", at_least=3e6)
    report.expect(READS, "rate", of="dwell memory", at_least=3e6)
    return report


def _is_there(store: type[Store], report: Report) -> bool:
    try:
        importlib.import_module(store.module)
    except ImportError:
        report.note(f"{store.name} is left out: {store.module} cannot be imported")
        return False
    return True


def _measure(bench: Bench, report: Report, kind: type[Store], folder: Path) -> None:
    count = bench.scale(kind.operations)
    keys = [b"key:%012d" % number for number in range(count)]
    store = kind(folder)
    try:
        with stopwatch() as elapsed:
            store.write_each(keys, VALUE)
        report.add("write", kind.name, "rate", count / elapsed[0])
        with stopwatch() as elapsed:
            for _ in range(PASSES):
                values = store.read_each(keys)
        report.add("read", kind.name, "rate", PASSES * count / elapsed[0])
        assert values.count(VALUE) == count, f"{kind.name} did not answer every read rightly"
        _measure_batches(report, store, keys)
    finally:
        store.close()


def _measure_batches(report: Report, store: Store, keys: list[bytes]) -> None:
    batches = [keys[start : start + BATCH] for start in range(0, len(keys), BATCH)]
    if store.write_batches(batches[:WARM_UP], VALUE):
        with stopwatch() as elapsed:
            for _ in range(PASSES):
                store.write_batches(batches, VALUE)
        report.add(WRITES, store.name, "rate", PASSES * len(keys) / elapsed[0])
    values: list[bytes | None] = []
    with stopwatch() as elapsed:
        for _ in range(PASSES):
            values = store.read_batches(batches)
    if values:
        report.add(READS, store.name, "rate", PASSES * len(keys) / elapsed[0])
        assert values.count(VALUE) == len(keys), f"{store.name} did not answer every read rightly"
