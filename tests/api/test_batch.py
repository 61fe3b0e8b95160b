"""Batches: executed together, whole or query by query, and only if what they expect holds."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import pytest

import dwell


def test_results_stand_in_the_order_of_the_queries(db: dwell.Database) -> None:
    with db.batch() as batch:
        places = [
            batch.write("a", 1),
            batch.read("a"),
            batch.increment("a", 4),
            batch.exists("a"),
            batch.ttl("a"),
            batch.expire("a", 100),
            batch.persist("a"),
            batch.delete("a"),
            batch.read("a"),
            batch.ttl("a"),
            batch.version("a"),
        ]
    assert places == list(range(11))
    assert len(batch) == 11
    expected = [None, 1, 5, True, float("inf"), True, True, True, None, None, 0]
    assert batch.results == expected
    assert [batch[place] for place in places] == expected
    assert batch[-1] == 0
    with pytest.raises(IndexError):
        batch[11]


def test_batch_of_one_record_gives_all_its_keys_one_version(db: dwell.Database) -> None:
    with db.batch() as batch:
        for number in range(10):
            batch.write(f"k{number}", number, ttl=100 if number % 2 else None)
    assert len({db.version(f"k{number}") for number in range(10)}) == 1


def test_values_of_every_kind_pass_through_a_batch(db: dwell.Database) -> None:
    values = [None, True, False, -7, 2.5, b"", b"bytes", dwell.Point(1, 2, 3), b"x" * 200_000]
    with db.batch() as batch:
        for number, value in enumerate(values):
            batch.write(f"k{number}", value)
    with db.batch() as batch:
        for number in range(len(values)):
            batch.read(f"k{number}")
    assert batch.results == values
    assert [type(found) for found in batch.results] == [type(value) for value in values]


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 1000])
def test_batch_of_any_length_answers_every_query(db: dwell.Database, count: int) -> None:
    writing, reading = db.batch(), db.batch()
    for number in range(count):
        writing.write(b"k%d" % number, number)
        reading.read(b"k%d" % number)
    assert writing.execute() == [None] * count
    assert reading.execute() == list(range(count))


def test_exception_in_the_block_forgets_the_batch(db: dwell.Database) -> None:
    def fail() -> None:
        with db.batch() as batch:
            batch.write("a", 1)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not db.exists("a")


def test_batch_is_executed_once(db: dwell.Database) -> None:
    batch = db.batch()
    batch.increment("a")
    with pytest.raises(dwell.UsageError, match="no results yet"):
        _ = batch.results
    batch.execute()
    for call in (batch.execute, lambda: batch.read("a"), lambda: batch.expect("a", absent=True)):
        with pytest.raises(dwell.UsageError, match="executed once"):
            call()
    assert db.read("a") == 1


@pytest.mark.parametrize("version", [-1, 1 << 64, 1.0, "1"])
def test_what_is_no_version_is_refused(db: dwell.Database, version: object) -> None:
    with pytest.raises(dwell.UsageError, match="a version is a whole number from 0 on"):
        db.batch().expect("a", version=version)  # type: ignore[arg-type]


def test_error_of_one_query_leaves_the_others_done(db: dwell.Database) -> None:
    db.write("text", "abc")
    batch = db.batch()
    batch.write("before", 1)
    wrong = batch.increment("text")
    batch.write("behind", 2)
    results = batch.execute(raise_errors=False)
    assert isinstance(results[wrong], dwell.WrongTypeError)
    assert results[wrong].key == b"text"
    assert (db.read("before"), db.read("text"), db.read("behind")) == (1, b"abc", 2)
    with pytest.raises(dwell.WrongTypeError):
        batch[wrong]


def test_first_error_is_raised_when_all_is_done(db: dwell.Database) -> None:
    db.write("text", "abc")
    batch = db.batch()
    batch.write("before", 1)
    batch.increment("text")
    batch.write("behind", 2)
    with pytest.raises(dwell.WrongTypeError) as raised:
        batch.execute()
    assert "query 1 of 3" in "\n".join(raised.value.__notes__)
    assert db.read("behind") == 2


def test_atomic_batch_is_undone_by_its_first_error(db: dwell.Database) -> None:
    db.write("text", "abc")
    db.write("kept", "old", ttl=100)
    version = db.version("kept")
    batch = db.batch(atomic=True)
    batch.write("new", 1)
    batch.write("kept", "changed")
    batch.delete("kept")
    batch.increment("text")
    batch.write("behind", 2)
    with pytest.raises(dwell.WrongTypeError) as raised:
        batch.execute()
    assert raised.value.key == b"text"
    assert db.read("kept") == b"old"
    assert db.version("kept") == version
    assert 99 < (db.ttl("kept") or 0) <= 100
    assert list(db.scan(keys_only=True)) == [b"kept", b"text"]


@pytest.mark.parametrize(
    ("stored", "expectation", "holds"),
    [
        (None, {"absent": True}, True),
        (None, {"version": 0}, True),
        (None, {"value": None}, True),
        (None, {"value": 1}, False),
        (1, {"absent": True}, False),
        (1, {"version": 0}, False),
        (1, {"value": 1}, True),
        (1, {"value": True}, False),
        (1, {"value": b"1"}, False),
    ],
)
def test_batch_is_executed_only_if_its_expectation_holds(
    db: dwell.Database, stored: Any, expectation: dict[str, Any], *, holds: bool
) -> None:
    if stored is not None:
        db.write("a", stored)
    batch = db.batch()
    batch.write("done", 1)
    batch.expect("a", **expectation)
    if holds:
        batch.execute()
    else:
        with pytest.raises(dwell.ConflictError) as conflict:
            batch.execute()
        assert conflict.value.key == b"a"
    assert db.exists("done") == holds


@pytest.mark.parametrize("expectation", [{"absent": True}, {"version": 0}])
def test_absent_key_that_came_and_went_is_as_expected(
    db: dwell.Database, expectation: dict[str, Any]
) -> None:
    """What the batch was told, that there is no such key, is true when it happens."""
    assert db.version("a") == 0
    batch = db.batch()
    batch.expect("a", **expectation)
    batch.write("b", 1)
    db.write("a", 1)
    db.delete("a")
    batch.execute()
    assert db.read("b") == 1


def test_key_that_went_and_came_again_is_not_the_version_expected(db: dwell.Database) -> None:
    db.write("a", 1)
    batch = db.batch()
    batch.expect("a", version=db.version("a"))
    batch.write("b", 1)
    db.delete("a")
    db.write("a", 1)
    with pytest.raises(dwell.ConflictError):
        batch.execute()
    assert db.read("b") is None


def test_version_expectation_fails_after_any_change(db: dwell.Database) -> None:
    db.write("a", 1)
    version = db.version("a")
    db.write("a", 2)
    db.write("a", 1)
    batch = db.batch()
    batch.expect("a", version=version)
    batch.write("a", 3)
    with pytest.raises(dwell.ConflictError):
        batch.execute()
    assert db.read("a") == 1


@pytest.mark.parametrize("wrong", [{}, {"version": 1, "absent": True}, {"value": 1, "version": 2}])
def test_expectation_is_one_thing(db: dwell.Database, wrong: dict[str, Any]) -> None:
    with pytest.raises(dwell.UsageError, match="expect one of"):
        db.batch().expect("a", **wrong)


def test_batch_whose_error_knows_it_is_collected() -> None:
    def failing(db: dwell.Database) -> weakref.ref[dwell.Error]:
        batch = db.batch()
        batch.increment("text")
        try:
            batch.execute()
        except dwell.WrongTypeError as error:
            return weakref.ref(error)
        raise AssertionError

    with dwell.open(None) as db:
        db.write("text", "abc")
        error = failing(db)
        gc.collect()
        assert error() is None


def test_batch_belongs_to_its_namespace(db: dwell.Database) -> None:
    with db.namespace("other").batch() as batch:
        batch.write("a", 1)
    assert not db.exists("a")
    assert db.namespace("other").read("a") == 1


def test_nobody_sees_half_a_batch(db: dwell.Database) -> None:
    db.write("x", 0)
    db.write("y", 0, ttl=1000)
    stop = threading.Event()
    torn: list[Any] = []

    def look() -> None:
        while not stop.is_set():
            batch = db.batch()
            batch.read("x")
            batch.read("y")
            x, y = batch.execute()
            if x != y:
                torn.append((x, y))

    watchers = [threading.Thread(target=look) for _ in range(2)]
    for watcher in watchers:
        watcher.start()
    for number in range(1, 1000):
        with db.batch() as batch:
            batch.write("x", number)
            batch.write("y", number, ttl=1000)
    stop.set()
    for watcher in watchers:
        watcher.join()
    assert torn == []


def test_batch_refuses_what_it_cannot_hold_when_it_is_collected(db: dwell.Database) -> None:
    batch = db.batch()
    with pytest.raises(dwell.UsageError):
        batch.write("a", [1])  # type: ignore[arg-type]
    with pytest.raises(dwell.UsageError):
        batch.write("a", 1, ttl=0)
    with pytest.raises(dwell.UsageError):
        batch.increment("a", 2**63)
    assert len(batch) == 0
    with pytest.raises(dwell.UsageError, match="none, interval or always"):
        db.batch(durability="often")  # type: ignore[arg-type]
