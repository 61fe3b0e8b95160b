"""A forked child may not use the parent's database, and the parent never notices (LITE-07)."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
import warnings
from pathlib import Path

import pytest

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


def test_child_of_a_busy_parent_is_refused_and_never_hangs(tmp_path: Path) -> None:
    stop = threading.Event()
    with dwell.open(tmp_path / "db") as db:

        def work() -> None:
            number = 0
            while not stop.is_set():
                number += 1
                db.write(b"k%d" % (number % 100), number, ttl=100 if number % 2 else None)
                db.read(b"k%d" % (number % 77))

        def refused() -> int:
            try:
                db.read("k1")
            except dwell.ClosedError:
                dwell._core.close_all()
                return 0
            return 2

        workers = [threading.Thread(target=work) for _ in range(3)]
        for worker in workers:
            worker.start()
        try:
            assert [in_child(refused) for _ in range(30)] == [0] * 30
        finally:
            stop.set()
            for worker in workers:
                worker.join()
        assert db.count() == 100


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


def test_directory_can_be_opened_when_the_parent_died_and_the_child_lives(tmp_path: Path) -> None:
    """The lock was the parent's and went with it; the child, who inherited it, has left it."""
    code = """
        import os, signal, sys
        import dwell

        db = dwell.open(sys.argv[1])
        db.write("a", 1)
        if os.fork() == 0:
            print("child", flush=True)
            sys.stdin.read()  # until the test lets go
            os._exit(0)
        signal.pause()
    """
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code), str(tmp_path / "db")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "child\n"
        with pytest.raises(dwell.BusyError, match=str(parent.pid)):
            dwell.open(tmp_path / "db")
        parent.kill()
        parent.wait()
        with dwell.open(tmp_path / "db") as db:
            assert db.increment("a") == 2
