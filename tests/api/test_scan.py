"""Scans: ordered, complete, bounded, and lazy."""

from __future__ import annotations

import random
from itertools import islice

import pytest

import dwell
from tests.seeds import new_seed


def fill(db: dwell.Database, count: int) -> dict[bytes, int]:
    rows = {}
    for number in range(count):
        key = b"%s:%d" % (b"even" if number % 2 == 0 else b"odd", number * 7919 % count)
        rows[key] = number
        db.write(key, number, ttl=100 if number % 3 == 0 else None)
    return rows


def test_scan_is_ordered_by_bytes_and_merges_both_homes(db: dwell.Database) -> None:
    rows = fill(db, 1000)
    assert list(db.scan()) == sorted(rows.items())
    assert list(db.scan(reverse=True)) == sorted(rows.items(), reverse=True)
    assert list(db.scan(keys_only=True)) == sorted(rows)


def test_scan_of_a_prefix_gives_its_keys_alone(db: dwell.Database) -> None:
    rows = fill(db, 600)
    odd = sorted(row for row in rows.items() if row[0].startswith(b"odd"))
    assert list(db.scan("odd")) == odd
    assert list(db.scan(b"odd", reverse=True)) == odd[::-1]
    assert list(db.scan("odd:1", keys_only=True)) == [k for k, _ in odd if k[4:5] == b"1"]
    assert list(db.scan("none")) == []


@pytest.mark.parametrize("limit", [0, 1, 127, 128, 129, 256, 999, 5000])
def test_limit_counts_rows(db: dwell.Database, limit: int) -> None:
    rows = fill(db, 1000)
    assert list(db.scan(limit=limit)) == sorted(rows.items())[:limit]
    assert list(db.scan(limit=limit, reverse=True)) == sorted(rows.items(), reverse=True)[:limit]


def test_scan_goes_on_where_another_has_ended(db: dwell.Database) -> None:
    rows = fill(db, 300)
    first = list(db.scan(limit=100, keys_only=True))
    assert first + list(db.scan(after=first[-1], keys_only=True)) == sorted(rows)
    last = list(db.scan(limit=100, keys_only=True, reverse=True))
    rest = list(db.scan(after=last[-1], keys_only=True, reverse=True))
    assert last + rest == sorted(rows, reverse=True)
    assert list(db.scan(after=b"\xff" * 10)) == []


def test_prefixes_of_the_highest_byte_find_their_keys(db: dwell.Database) -> None:
    keys = [b"", b"\x00", b"\xfe", b"\xff", b"\xff\x00", b"\xff\xff", b"\xff\xff\xff"]
    for key in keys:
        db.write(key, 1)
    for prefix in keys:
        assert list(db.scan(prefix, keys_only=True)) == [k for k in keys if k.startswith(prefix)]


def test_key_that_stays_is_given_exactly_once_whatever_else_changes(db: dwell.Database) -> None:
    chance = random.Random(new_seed())
    stays = {b"stay:%04d" % number for number in range(0, 4000, 2)}
    for key in stays:
        db.write(key, 1)
    seen = []
    for key, _ in db.scan("stay:"):
        if key in stays:
            seen.append(key)
        other = b"stay:%04d" % (chance.randrange(2000) * 2 + 1)
        if chance.random() < 0.5:
            db.write(other, 2, ttl=chance.choice([None, 100]))
        else:
            db.delete(other)
    assert seen == sorted(stays)


def test_scan_reads_pages_as_they_are_reached(db: dwell.Database) -> None:
    fill(db, 1000)
    rows = db.scan()
    assert len(list(islice(rows, 300))) == 300
    db.clear()
    assert len(list(rows)) < 700


def test_scan_refuses_what_is_no_limit_when_it_is_called(db: dwell.Database) -> None:
    with pytest.raises(dwell.UsageError, match="limit"):
        db.scan(limit=-1)
    for limit in (1.5, "1", float("inf")):
        with pytest.raises(dwell.UsageError, match="limit"):
            db.scan(limit=limit)  # type: ignore[call-overload]
    with pytest.raises(dwell.UsageError, match="key"):
        db.scan(5)  # type: ignore[call-overload]


def test_scan_gives_values_of_every_kind(db: dwell.Database) -> None:
    values = [None, True, 7, 2.5, b"bytes", dwell.Point(1, 2, 3), b"x" * 200_000]
    for number, value in enumerate(values):
        db.write(b"%d" % number, value)
    assert [value for _, value in db.scan()] == values
