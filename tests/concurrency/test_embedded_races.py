"""The three races of TRIC+ inside one process: threads of Python on one open database (INV-01).

Here no socket and no event loop puts the calls in a row; only the engine's own lock does. The
samples are a tenth of those over sockets, since Python's threads take turns anyway.
"""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

from tests.concurrency.test_races import COMPARE_AND_DELETES, DELETIONS, OWN_READS
from tests.servers import needs_core

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = [needs_core, pytest.mark.slow]

PART = 10
CONTENDERS = 3
READERS = 2
CHUNK = 1_000
SWITCH_SECONDS = 1e-5


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Any]:
    """Open a database, and let threads take turns as often as Python can."""
    import dwell

    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        with dwell.open(tmp_path / "data") as opened:
            yield opened
    finally:
        sys.setswitchinterval(usual)


def lifetime(number: int) -> float | None:
    """Alternate between the homes."""
    return 1000.0 if number % 2 else None


def in_threads(count: int, work: Callable[[int], None]) -> list[threading.Thread]:
    threads = [
        threading.Thread(target=work, args=(number,), daemon=True) for number in range(count)
    ]
    for thread in threads:
        thread.start()
    return threads


def test_compare_and_delete_has_exactly_one_winner(database: Any) -> None:
    barrier = threading.Barrier(CONTENDERS)
    won: list[list[bool]] = [[] for _ in range(CONTENDERS)]

    for start in range(0, COMPARE_AND_DELETES // PART, CHUNK):
        keys = [b"cad:%d" % number for number in range(start, start + CHUNK)]
        for number, key in enumerate(keys):
            database.write(key, b"v", ttl=lifetime(number))
            assert database.read(key) == b"v"

        def contend(me: int, keys: list[bytes] = keys) -> None:
            barrier.wait(timeout=20)
            won[me] = [database.compare_and_delete(key, b"v") for key in keys]

        for thread in in_threads(CONTENDERS, contend):
            thread.join()
        wins = [sum(verdicts) for verdicts in zip(*won, strict=True)]
        assert wins == [1] * CHUNK, f"keys from {start} on: winners {sorted(set(wins))}"


def test_no_value_older_than_an_acknowledged_one_is_read(database: Any) -> None:
    keys = [b"own:%d" % number for number in range(16)]
    for key in keys:
        database.write(key, 0)
    stop = threading.Event()
    went_back: list[str] = []

    def watch(_: int) -> None:
        newest = dict.fromkeys(keys, 0)
        while not stop.is_set():
            for key in keys:
                seen = database.read(key)
                if seen < newest[key]:
                    went_back.append(f"{key!r}: {seen} after {newest[key]}")
                newest[key] = seen

    watchers = in_threads(READERS, watch)
    for number in range(1, OWN_READS // PART // len(keys) + 1):
        for key in keys:
            database.write(key, number, ttl=lifetime(number))
            assert database.read(key) == number
    stop.set()
    for watcher in watchers:
        watcher.join()
    assert not went_back


def test_deleted_key_never_comes_back(database: Any) -> None:
    attacked: list[bytes] = []
    stop = threading.Event()

    def read_what_is_being_deleted(_: int) -> None:
        while not stop.is_set():
            for key in attacked:
                database.read(key)

    readers = in_threads(READERS, read_what_is_being_deleted)
    for start in range(0, DELETIONS // PART, 100):
        attacked[:] = [b"del:%d" % number for number in range(start, start + 100)]
        for number, key in enumerate(attacked):
            database.write(key, b"v", ttl=lifetime(number))
        for key in attacked:
            assert database.delete(key)
            assert database.read(key) is None
    stop.set()
    for reader in readers:
        reader.join()
    assert database.count() == 0
    database.drain()
    assert list(database.scan(b"")) == []
