"""A forked child may not use the parent's database, and the parent never notices (LITE-07)."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import dwell


def in_child(check: object) -> int:
    """Run `check` in a forked child that ends as an interpreter does; its exit code."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        process_id = os.fork()
    if process_id == 0:
        code = 1
        try:
            code = check()  # type: ignore[operator]
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(process_id, 0)[1])


def test_child_is_refused_by_name_and_the_parent_goes_on_100_times(tmp_path: Path) -> None:
    db = dwell.open(tmp_path / "db")
    brief = db.namespace("brief")

    def refused() -> int:
        calls = (
            lambda: db.read("a"),
            lambda: brief.write("a", 1),
            lambda: db.batch().execute(),
            lambda: list(db.scan()),
        )
        for call in calls:
            try:
                call()
            except dwell.ClosedError as error:
                if f"process {os.getppid()}" not in str(error) or not error.hint:
                    return 2
            else:
                return 3
        # What an interpreter does at its end, and what a collected handle does.
        db.close()
        dwell._core.close_all()
        return 0

    for round_ in range(100):
        db.write("a", round_)
        brief.write(f"k{round_}", round_, ttl=1000)
        assert in_child(refused) == 0
        assert db.read("a") == round_
    db.flush()
    db.close()
    with dwell.open(tmp_path / "db") as again:
        assert again.read("a") == 99
        assert again.namespace("brief").count() == 100


def test_child_may_open_a_database_of_its_own(tmp_path: Path) -> None:
    with dwell.open(tmp_path / "parent") as db:

        def opens() -> int:
            with dwell.open(tmp_path / "child") as own:
                own.write("a", 1)
            return 0

        assert in_child(opens) == 0
        assert db.is_open
    with dwell.open(tmp_path / "child") as again:
        assert again.read("a") == 1


def test_handle_dropped_in_the_child_leaves_the_parent_alone(tmp_path: Path) -> None:
    handles = [dwell.open(tmp_path / "db")]
    handles[0].write("a", 1)

    def drops() -> int:
        handles.clear()
        return 0

    assert in_child(drops) == 0
    assert handles[0].increment("a") == 2
    handles[0].close()
