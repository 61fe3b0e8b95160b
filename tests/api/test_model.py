"""The whole API against a dictionary with a clock: any sequence of calls, the same answers.

The clock is manual, so that lifetimes end exactly where the model says. The database is closed and
opened again, drained and flushed in between, which must not be noticed by anything but time.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import dwell
from dwell import _core

# Thousands of fsyncs that prove nothing here: where there is a disk in memory, it is used.
SCRATCH = "/dev/shm" if Path("/dev/shm").is_dir() else None

START_MS = 1_800_000_000_000

keys = st.sampled_from([b"", b"a", b"a:1", b"a:2", b"b", b"b\xff", b"\xff\xff", "zoë".encode()])
prefixes = st.sampled_from([b"", b"a", b"a:", b"b\xff", b"\xff", b"x"])


class Long(int):
    """The length of a long string, which prints shorter than the string."""

    def plain(self) -> bytes:
        return bytes(range(256)) * (self // 256)


values: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.integers(-3, 3),
    st.floats(allow_nan=False),
    st.binary(max_size=20),
    st.sampled_from([b"7", b"-7", Long(70_000), Long(200_000)]),
    st.builds(dwell.Point, st.just(1.0), st.floats(-9, 9)),
)
lifetimes_ms = st.one_of(st.none(), st.sampled_from([1, 500, 60_000, 10**9]))

Row = tuple[Any, int | None]
"""A value, and the moment of its end in milliseconds of the model's clock."""


# An integer's one text: neither sign nor zeros that it does not need.
INTEGER = re.compile(rb"0|-?[1-9][0-9]*")


def plain(value: Any) -> Any:
    """The value that a strategy means."""
    return value.plain() if isinstance(value, Long) else value


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal in kind and content, as the API defines it."""
    return type(one) is type(other) and repr(one) == repr(other)


class Model(RuleBasedStateMachine):
    """A database and a dictionary, kept in step."""

    placement: ClassVar[str] = "lifetime"
    is_stored: ClassVar[bool] = True
    has_threads: ClassVar[bool] = True

    def __init__(self) -> None:
        super().__init__()
        self.directory = Path(tempfile.mkdtemp(prefix="dwell-model-", dir=SCRATCH))
        self.clock = _core.ManualClock(START_MS)
        self.now_ms = 0
        self.rows: dict[bytes, Row] = {}
        self.versions: dict[bytes, int] = {}
        self.db = self.open()

    def open(self) -> dwell.Database:
        place = str(self.directory / "db") if self.is_stored else None
        chosen: dict[str, object] = {"background": self.has_threads}
        if self.is_stored:
            chosen["placement"] = self.placement
        return dwell.Database(place, chosen, clock=self.clock)

    def teardown(self) -> None:
        self.db.close()
        shutil.rmtree(self.directory)

    # The model.

    def live(self) -> dict[bytes, Row]:
        return {
            key: row for key, row in self.rows.items() if row[1] is None or row[1] > self.now_ms
        }

    def value(self, key: bytes) -> Any:
        return self.live().get(key, (None, None))[0]

    def left_s(self, key: bytes) -> float | None:
        row = self.live().get(key)
        if row is None:
            return None
        return math.inf if row[1] is None else (row[1] - self.now_ms) / 1000

    def put(self, key: bytes, value: Any, ttl_ms: int | None) -> None:
        self.rows[key] = (value, None if ttl_ms is None else self.now_ms + ttl_ms)

    def add(self, key: bytes, by: int) -> int | None:
        """The sum, or None where the API must refuse."""
        value = self.live().get(key, (0, None))[0]
        if isinstance(value, bytes) and INTEGER.fullmatch(value):
            value = int(value)
        if type(value) is not int or not -(2**63) <= value + by < 2**63:
            return None
        self.rows[key] = (value + by, self.live().get(key, (0, None))[1])
        return value + by

    # The calls.

    @rule(key=keys, value=values, ttl_ms=lifetimes_ms)
    def write(self, key: bytes, value: Any, ttl_ms: int | None) -> None:
        value = plain(value)
        self.db.write(key, value, ttl=None if ttl_ms is None else ttl_ms / 1000)
        self.put(key, value, ttl_ms)

    @rule(key=keys, value=values, ttl_ms=st.integers(-1000, 100_000))
    def write_until(self, key: bytes, value: Any, ttl_ms: int) -> None:
        value = plain(value)
        moment_ms = START_MS + self.now_ms + ttl_ms
        self.db.write(key, value, expires_at=moment_ms / 1000)
        self.put(key, value, ttl_ms)

    @rule(key=keys)
    def read(self, key: bytes) -> None:
        assert same(self.db.read(key), self.value(key))
        assert self.db.exists(key) == (key in self.live())

    @rule(key=keys)
    def delete(self, key: bytes) -> None:
        assert self.db.delete(key) == (key in self.live())
        self.rows.pop(key, None)

    @rule(key=keys, by=st.sampled_from([1, -1, 5, 2**62]))
    def increment(self, key: bytes, by: int) -> None:
        expected = self.add(key, by)
        if expected is None:
            with pytest.raises((dwell.WrongTypeError, dwell.UsageError)):
                self.db.increment(key, by)
        else:
            assert self.db.increment(key, by) == expected

    @rule(key=keys, value=values, other=values, guess=st.booleans(), ttl_ms=lifetimes_ms)
    def compare_and_set(
        self, key: bytes, value: Any, other: Any, guess: bool, ttl_ms: int | None
    ) -> None:
        expected = self.value(key) if guess else plain(other)
        value = plain(value)
        wins = self.db.compare_and_set(
            key, expected, value, ttl=None if ttl_ms is None else ttl_ms / 1000
        )
        assert wins == same(expected, self.value(key))
        if wins:
            self.put(key, value, ttl_ms)

    @rule(key=keys, other=values, guess=st.booleans())
    def compare_and_delete(self, key: bytes, other: Any, guess: bool) -> None:
        expected = self.value(key) if guess else plain(other)
        wins = self.db.compare_and_delete(key, expected)
        assert wins == (key in self.live() and same(expected, self.value(key)))
        if wins:
            del self.rows[key]

    @rule(key=keys)
    def ttl(self, key: bytes) -> None:
        assert self.db.ttl(key) == self.left_s(key)

    @rule(key=keys, ttl_ms=st.integers(-5, 100_000))
    def expire(self, key: bytes, ttl_ms: int) -> None:
        assert self.db.expire(key, ttl_ms / 1000) == (key in self.live())
        if key in self.live():
            self.put(key, self.value(key), ttl_ms)

    @rule(key=keys)
    def persist(self, key: bytes) -> None:
        row = self.live().get(key)
        assert self.db.persist(key) == (row is not None and row[1] is not None)
        if row is not None:
            self.rows[key] = (row[0], None)

    @rule(
        prefix=prefixes,
        after=st.one_of(st.none(), keys),
        limit=st.one_of(st.none(), st.integers(0, 9)),
        reverse=st.booleans(),
    )
    def scan(self, prefix: bytes, after: bytes | None, limit: int | None, reverse: bool) -> None:
        found = [
            (key, row[0])
            for key, row in sorted(self.live().items(), reverse=reverse)
            if key.startswith(prefix)
            and (after is None or (key < after if reverse else key > after))
        ][:limit]
        rows = list(self.db.scan(prefix, after=after, limit=limit, reverse=reverse))
        assert [key for key, _ in rows] == [key for key, _ in found]
        assert all(same(one[1], other[1]) for one, other in zip(rows, found, strict=True))
        only = self.db.scan(prefix, after=after, limit=limit, reverse=reverse, keys_only=True)
        assert list(only) == [key for key, _ in found]

    @rule(
        steps=st.lists(
            st.tuples(st.sampled_from(["write", "read", "delete", "add"]), keys, values),
            max_size=6,
        ),
        atomic=st.booleans(),
        expected=st.one_of(st.none(), st.tuples(keys, st.booleans())),
    )
    def batch(
        self, steps: list[tuple[str, bytes, Any]], atomic: bool, expected: tuple[bytes, bool] | None
    ) -> None:
        before = dict(self.rows)
        batch = self.db.batch(atomic=atomic)
        is_met = True
        if expected is not None:
            key, is_absent = expected
            is_met = is_absent == (key not in self.live())
            if is_absent:
                batch.expect(key, absent=True)
            else:
                batch.expect(key, version=self.db.version(key) or 1)
        answers = [self.step(batch, *step) for step in steps] if is_met else []
        if not is_met:
            for step in steps:
                self.step(batch, *step)
            self.rows = before
            with pytest.raises(dwell.ConflictError):
                batch.execute()
        elif atomic and REFUSED in answers:
            self.rows = before
            with pytest.raises(dwell.Error):
                batch.execute()
        else:
            results = batch.execute(raise_errors=False)
            for result, answer in zip(results, answers, strict=True):
                refused = isinstance(result, dwell.Error)
                assert refused if answer is REFUSED else same(result, answer)

    def step(self, batch: dwell.Batch, what: str, key: bytes, value: Any) -> Any:
        """Do one query on the model, collect it, and give the answer that is due."""
        value = plain(value)
        if what == "write":
            batch.write(key, value)
            self.put(key, value, None)
            return None
        if what == "read":
            batch.read(key)
            return self.value(key)
        if what == "delete":
            batch.delete(key)
            was_there = key in self.live()
            self.rows.pop(key, None)
            return was_there
        batch.increment(key, 2)
        answer = self.add(key, 2)
        return REFUSED if answer is None else answer

    @rule()
    def clear(self) -> None:
        self.db.clear()
        self.rows.clear()

    @rule(ms=st.sampled_from([1, 499, 500, 60_000, 10**8]))
    def let_time_pass(self, ms: int) -> None:
        self.clock.advance(ms)
        self.now_ms += ms

    @rule()
    def flush_and_drain(self) -> None:
        self.db.flush()
        self.db.drain()

    @precondition(lambda self: self.is_stored)
    @rule()
    def close_and_open(self) -> None:
        self.db.close()
        self.db = self.open()

    # What always holds.

    @invariant()
    def versions_grow_and_tell_absence(self) -> None:
        for key in list(self.rows):
            version = self.db.version(key)
            assert (version > 0) == (key in self.live())
            if version:
                assert version >= self.versions.get(key, 0)
                self.versions[key] = version

    @invariant()
    def home_follows_from_the_lifetime(self) -> None:
        if self.placement != "lifetime" or not self.is_stored:
            return
        for key, (value, end_ms) in self.live().items():
            found = self.db.where(key)
            assert found is not None
            is_spread = isinstance(value, bytes) and len(value) > 65536
            if not is_spread:
                assert found.home == ("disk" if end_ms is None else "memory")


class _Refused:
    """The answer of a query that must fail."""


REFUSED = _Refused()


class ModelAllInMemory(Model):
    placement = "memory"


class ModelAllOnDisk(Model):
    placement = "disk"


class ModelOfNoFile(Model):
    is_stored = False


class ModelOfKills(Model):
    """Killed at any point between two calls: what the files hold then is what is opened again."""

    has_threads = False

    @rule()
    def kill_and_open(self) -> None:
        # Without threads of its own the engine leaves its files alone while they are copied.
        shutil.copytree(self.directory / "db", self.directory / "copy")
        self.db.close()
        shutil.rmtree(self.directory / "db")
        (self.directory / "copy").rename(self.directory / "db")
        self.db = self.open()


class ModelOfKillsInMemory(ModelOfKills):
    placement = "memory"


class ModelOfKillsOnDisk(ModelOfKills):
    placement = "disk"


MACHINES = (
    Model,
    ModelAllInMemory,
    ModelAllOnDisk,
    ModelOfNoFile,
    ModelOfKills,
    ModelOfKillsInMemory,
    ModelOfKillsOnDisk,
)

for machine in MACHINES:
    machine.TestCase.settings = settings(
        max_examples=int(os.environ.get("DWELL_MODEL_EXAMPLES", "100")),
        stateful_step_count=40,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )

TestByLifetime = Model.TestCase
TestAllInMemory = ModelAllInMemory.TestCase
TestAllOnDisk = ModelAllOnDisk.TestCase
TestOfNoFile = ModelOfNoFile.TestCase
TestOfKills = ModelOfKills.TestCase
TestOfKillsInMemory = ModelOfKillsInMemory.TestCase
TestOfKillsOnDisk = ModelOfKillsOnDisk.TestCase
