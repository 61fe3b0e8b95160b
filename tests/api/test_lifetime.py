"""Lifetimes: how they are given, told, taken away, and what happens at their end."""

from __future__ import annotations

import math
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import dwell


def wait_until_gone(db: dwell.Database, key: str) -> None:
    limit = time.monotonic() + 5
    while db.exists(key):
        assert time.monotonic() < limit
        time.sleep(0.005)


def test_ttl_tells_missing_lasting_and_brief_apart(db: dwell.Database) -> None:
    db.write("lasting", 1)
    db.write("brief", 1, ttl=10)
    assert db.ttl("missing") is None
    assert db.ttl("lasting") == math.inf
    assert 9 < (db.ttl("brief") or 0) <= 10


@pytest.mark.parametrize("ttl", [10, 10.0, 9.9995, timedelta(seconds=10)])
def test_lifetime_is_seconds_or_a_timedelta(db: dwell.Database, ttl: Any) -> None:
    db.write("a", 1, ttl=ttl)
    assert 9 < (db.ttl("a") or 0) <= 10
    db.write("b", 1)
    assert db.expire("b", ttl)
    assert 9 < (db.ttl("b") or 0) <= 10


def test_moment_is_seconds_since_1970_or_an_aware_datetime(db: dwell.Database) -> None:
    moment = datetime.now(UTC) + timedelta(seconds=10)  # noqa: TID251 a moment of the real clock
    for expires_at in (moment, moment.timestamp(), int(moment.timestamp()) + 1):
        db.write("a", 1, expires_at=expires_at)
        assert 8 < (db.ttl("a") or 0) <= 11


def test_infinity_is_no_lifetime(db: dwell.Database) -> None:
    db.write("a", 1, ttl=math.inf)
    assert db.ttl("a") == math.inf
    db.write("a", 1, ttl=100)
    assert db.expire("a", math.inf)
    assert db.ttl("a") == math.inf


@pytest.mark.parametrize("ttl", [0, -1, -0.5, math.nan, -math.inf, "10", b"10", 10**19, 1e300, [1]])
def test_lifetime_that_is_none_is_refused_and_changes_nothing(db: dwell.Database, ttl: Any) -> None:
    db.write("a", "before")
    with pytest.raises(dwell.UsageError, match="lifetime"):
        db.write("a", "after", ttl=ttl)
    assert db.read("a") == b"before"
    assert db.ttl("a") == math.inf


NAIVE = datetime(2099, 1, 1)  # noqa: DTZ001 another moment on every machine


@pytest.mark.parametrize("moment", ["soon", math.nan, 10**19, NAIVE, [1]])
def test_moment_that_is_none_is_refused(db: dwell.Database, moment: Any) -> None:
    with pytest.raises(dwell.UsageError, match="moment"):
        db.write("a", 1, expires_at=moment)
    assert not db.exists("a")


def test_lifetime_and_moment_exclude_each_other(db: dwell.Database) -> None:
    with pytest.raises(dwell.UsageError, match="not both"):
        db.write("a", 1, ttl=1, expires_at=1)


def test_write_that_ends_in_the_past_leaves_nothing(db: dwell.Database) -> None:
    db.write("a", "before")
    db.write("a", "after", expires_at=1)
    assert not db.exists("a")
    assert db.read("a") is None


def test_key_is_gone_when_its_lifetime_ends(db: dwell.Database) -> None:
    db.write("a", 1, ttl=0.05)
    db.write("b", 2)
    db.expire("b", 0.05)
    wait_until_gone(db, "a")
    wait_until_gone(db, "b")
    assert db.read("a") is None
    assert db.ttl("a") is None
    assert db.version("a") == 0
    assert not db.delete("a")
    assert not db.expire("a", 10)
    assert not db.persist("a")
    assert list(db.scan()) == []
    assert db.increment("a") == 1
    assert db.ttl("a") == math.inf


def test_lifetime_is_never_shorter_than_asked_for(db: dwell.Database) -> None:
    for _ in range(20):
        started = time.monotonic()
        db.write("a", 1, ttl=0.002)
        wait_until_gone(db, "a")
        assert time.monotonic() - started >= 0.001


def test_expire_answers_whether_the_key_was_there(db: dwell.Database) -> None:
    assert not db.expire("a", 10)
    db.write("a", 1)
    assert db.expire("a", 10)
    assert db.expire("a", 20)
    assert 19 < (db.ttl("a") or 0) <= 20
    assert db.read("a") == 1


@pytest.mark.parametrize("ttl", [0, -5, timedelta(0), timedelta(days=-1)])
def test_expire_at_once_deletes(db: dwell.Database, ttl: Any) -> None:
    assert not db.expire("a", ttl)
    db.write("a", 1)
    assert db.expire("a", ttl)
    assert not db.exists("a")


def test_persist_answers_whether_a_lifetime_was_taken_away(db: dwell.Database) -> None:
    assert not db.persist("a")
    db.write("a", "value")
    assert not db.persist("a")
    db.expire("a", 10)
    assert db.persist("a")
    assert not db.persist("a")
    assert db.read("a") == b"value"


def test_large_value_keeps_its_content_as_it_moves(db: dwell.Database) -> None:
    value = bytes(range(256)) * 1000
    db.write("a", value)
    for _ in range(3):
        assert db.expire("a", 100)
        assert db.read("a") == value
        assert db.persist("a")
        assert db.read("a") == value
