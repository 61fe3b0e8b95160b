"""Reading, writing, deleting, counting and comparing, one key at a time."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

import dwell


def test_missing_key_reads_as_none_and_is_an_error_in_brackets(db: dwell.Database) -> None:
    assert db.read("nothing") is None
    with pytest.raises(KeyError, match="nothing"):
        db["nothing"]
    with pytest.raises(KeyError, match="nothing"):
        del db["nothing"]


def test_brackets_read_write_and_delete(db: dwell.Database) -> None:
    db["a"] = 1
    assert db["a"] == 1
    assert "a" in db
    del db["a"]
    assert "a" not in db


def test_stored_none_is_there_and_reads_as_none(db: dwell.Database) -> None:
    db["void"] = None
    assert db["void"] is None
    assert db.read("void") is None
    assert db.exists("void")
    assert db.delete("void")


def test_write_replaces_value_kind_and_lifetime(db: dwell.Database) -> None:
    db.write("key", b"first", ttl=100)
    db.write("key", 2)
    assert db.read("key") == 2
    assert db.ttl("key") == float("inf")


def test_delete_tells_whether_the_key_was_there(db: dwell.Database) -> None:
    db.write("a", 1)
    db.write("b", 1, ttl=100)
    assert [db.delete("a"), db.delete("a"), db.delete("b"), db.delete("b")] == [
        True,
        False,
        True,
        False,
    ]
    assert db.count() == 0


@pytest.mark.parametrize(("start", "by", "sum_"), [(None, 1, 1), (41, 1, 42), (b"-3", 5, 2)])
def test_increment_adds_to_nothing_an_integer_or_its_text(
    db: dwell.Database, start: Any, by: int, sum_: int
) -> None:
    if start is not None:
        db.write("n", start)
    assert db.increment("n", by) == sum_
    assert db.read("n") == sum_


def test_increment_keeps_the_lifetime(db: dwell.Database) -> None:
    db.write("n", 1, ttl=100)
    db.increment("n", -3)
    assert 99 < (db.ttl("n") or 0) <= 100
    assert db.read("n") == -2


def test_increment_refuses_what_is_no_integer_and_changes_nothing(db: dwell.Database) -> None:
    for value in ("abc", b"", b" 1", b"+1", b"01", 1.0, True, None, dwell.Point(0, 0)):
        db.write("n", value)
        with pytest.raises(dwell.WrongTypeError) as refusal:
            db.increment("n")
        assert refusal.value.key == b"n"
        assert db.exists("n")


def test_sum_beyond_64_bits_is_refused_and_changes_nothing(db: dwell.Database) -> None:
    db.write("n", 2**63 - 1)
    with pytest.raises(dwell.UsageError, match="64 bits"):
        db.increment("n")
    assert db.read("n") == 2**63 - 1
    for by in (2**63, "1", 1.0, None):
        with pytest.raises(dwell.UsageError, match="a step is an integer"):
            db.increment("n", by)  # type: ignore[arg-type]


def test_compare_and_set_writes_only_what_was_read(db: dwell.Database) -> None:
    assert db.compare_and_set("k", None, "one")
    assert not db.compare_and_set("k", None, "two")
    assert not db.compare_and_set("k", "other", "two")
    assert db.compare_and_set("k", db.read("k"), "two", ttl=100)
    assert db.read("k") == b"two"
    assert 99 < (db.ttl("k") or 0) <= 100


def test_expectation_is_equal_in_kind_and_content(db: dwell.Database) -> None:
    values = (b"1", 1, 1.0, True, None, dwell.Point(1, 1, 1), float("nan"), 0.0, -0.0)
    for stored in values:
        db.write("k", stored)
        for expected in values:
            wins = db.compare_and_set("k", expected, stored)
            assert wins == (stored is expected), (stored, expected)


def test_large_values_are_compared_whole(db: dwell.Database) -> None:
    value = b"x" * 200_000
    db.write("k", value)
    assert not db.compare_and_delete("k", value[:-1] + b"y")
    assert not db.compare_and_delete("k", value[:-1])
    assert db.compare_and_delete("k", value)
    assert not db.exists("k")


def test_compare_and_delete_never_deletes_a_missing_key(db: dwell.Database) -> None:
    assert not db.compare_and_delete("k", None)
    assert not db.compare_and_delete("k", b"")
    db.write("k", None)
    assert db.compare_and_delete("k", None)
    assert not db.exists("k")


def test_version_grows_with_each_change_and_is_0_for_a_missing_key(db: dwell.Database) -> None:
    seen = [db.version("k")]
    for change in (
        lambda: db.write("k", 1),
        lambda: db.increment("k"),
        lambda: db.expire("k", 100),
        lambda: db.persist("k"),
        lambda: db.write("k", 2),
    ):
        change()
        seen.append(db.version("k"))
    assert seen[0] == 0
    assert seen == sorted(set(seen))
    db.read("k")
    assert db.version("k") == seen[-1]
    db.delete("k")
    assert db.version("k") == 0


def test_clear_empties_one_namespace_alone(db: dwell.Database) -> None:
    other = db.namespace("other")
    for number in range(100):
        db.write(f"k{number}", number, ttl=100 if number % 2 else None)
        other.write(f"k{number}", number)
    db.clear()
    assert (db.count(), other.count()) == (0, 100)
    assert list(db.scan()) == []
    db.write("k1", "again")
    assert list(db.scan()) == [(b"k1", b"again")]


def test_namespaces_share_no_key_and_one_name_is_one_namespace(db: dwell.Database) -> None:
    for name in ("other", b"\x00/..\xff", "", "0" * 300):
        view = db.namespace(name)
        view.write("k", repr(name))
        assert db.read("k") is None
        assert db.namespace(name).read("k") == repr(name).encode()
        assert view.name == (name if isinstance(name, bytes) else name.encode())
        assert view.path == db.path
    assert db.namespace("0").name == db.name


def test_a_further_view_takes_no_settings(db: dwell.Database) -> None:
    with pytest.raises(dwell.UsageError, match="no settings"):
        type(db)(db, {"durability": "none"})


def test_durability_of_one_write_may_be_raised(db: dwell.Database) -> None:
    db.write("a", 1, durability="always")
    db.write("b", 1, durability="none")
    with pytest.raises(dwell.UsageError, match="none, interval or always: often"):
        db.write("c", 1, durability="often")  # type: ignore[arg-type]
    db.flush()
    db.drain()
    assert list(db.scan()) == [(b"a", 1), (b"b", 1)]


def test_after_close_every_call_says_so_and_close_is_harmless(db: dwell.Database) -> None:
    view = db.namespace("other")
    assert db.is_open
    db.close()
    db.close()
    assert not view.is_open
    for call in (
        lambda: db.read("a"),
        lambda: view.write("a", 1),
        lambda: list(db.scan()),
        db.stats,
        lambda: db.where("a"),
        lambda: db.namespace("x"),
        lambda: db.batch().execute(),
        db.flush,
    ):
        with pytest.raises(dwell.ClosedError, match="closed"):
            call()
    assert "closed" in repr(db)


def test_counts_of_many_threads_lose_nothing(db: dwell.Database) -> None:
    def count() -> None:
        for _ in range(500):
            db.increment("n")
            db.increment("brief", 2)

    db.write("brief", 0, ttl=100)
    threads = [threading.Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (db.read("n"), db.read("brief")) == (4000, 8000)


def test_of_many_rivals_one_wins_each_comparison(db: dwell.Database) -> None:
    rounds, rivals = 200, 6
    wins: list[int] = []
    barrier = threading.Barrier(rivals)

    def race() -> None:
        for round_ in range(rounds):
            barrier.wait()
            if db.compare_and_set("leader", round_ or None, round_ + 1):
                wins.append(round_)
            barrier.wait()

    threads = [threading.Thread(target=race) for _ in range(rivals)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(wins) == list(range(rounds))


def test_threads_find_a_database_that_is_closed_under_them_closed(db: dwell.Database) -> None:
    ends: list[BaseException] = []

    def work(number: int) -> None:
        try:
            while True:
                db.write(b"k%d" % number, number)
                db.read(b"k%d" % number)
                batch = db.batch()
                batch.increment("n")
                batch.execute()
                list(db.scan(limit=3))
        except BaseException as end:  # noqa: BLE001 whatever ends it is what we want to see
            ends.append(end)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    time.sleep(0.05)
    db.close()
    for thread in threads:
        thread.join(timeout=20)
    assert [type(end) for end in ends] == [dwell.ClosedError] * 6


def test_stats_are_plain_numbers_and_words(db: dwell.Database) -> None:
    db.write("a", 1)
    for name, value in db.stats().items():
        assert isinstance(name, str)
        assert isinstance(value, int | float | str | bool | dict | list | type(None))
