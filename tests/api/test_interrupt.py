"""Ctrl-C ends a call that waits, and the database is whole afterwards.

The signal is sent by a second thread of the child, which gets the interpreter lock when the main
thread waits without it and, with such a switch interval, not before.
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import pytest

import dwell
from tests.api.test_open import run_python
from tests.durability.injection import needs_strace

INTERRUPTED = """
    import contextlib, os, signal, sys, threading
    import dwell

    sys.setswitchinterval(1000)

    def interrupts(call):
        begun = threading.Lock()
        begun.acquire()

        def interrupt():
            with begun:
                os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=interrupt).start()
        begun.release()
        try:
            call()
        except KeyboardInterrupt:
            print("interrupted", flush=True)
"""
"""What a child runs first: `interrupts(call)` sends SIGINT while `call` waits."""


def interrupted(code: str) -> str:
    """A program for a child that interrupts itself."""
    return textwrap.dedent(INTERRUPTED) + textwrap.dedent(code)


def test_write_that_waits_for_the_drain_is_interrupted(tmp_path: Path) -> None:
    """Nothing drains and the clock stands, so that only the signal can end the wait."""
    code = """
        settings = {"background": False, "dirty_bytes_max": 100_000}
        db = dwell.Database(sys.argv[1], settings, clock=dwell._core.ManualClock(0))
        write = db.write
        db.drain()

        def fill():
            for number in range(1000):
                write(f"key:{number}", b"x" * 1000)

        interrupts(fill)
        kept = db.count()
        assert 0 < kept < 1000
        db.drain()
        db.write("after", kept)
        db.close()
    """
    done = run_python(interrupted(code), str(tmp_path / "db"))
    assert (done.stdout, done.stderr) == ("interrupted\n", "")
    with dwell.open(tmp_path / "db") as db:
        kept = db.read("after")
        assert isinstance(kept, int)
        assert db.count() == kept + 1
        assert {key for key, _ in db.scan("key:")} == {b"key:%d" % n for n in range(kept)}


@needs_strace
@pytest.mark.skipif(sys.platform != "linux", reason="strace is Linux's")
@pytest.mark.parametrize("call", ["flush", "drain", "close"])
def test_wait_for_a_slow_disk_is_interrupted(tmp_path: Path, call: str) -> None:
    """An fsync takes longer here than the test may."""
    code = """
        import subprocess
        db = dwell.open(sys.argv[1], sync_interval_ms=3_600_000, drain_after_ms=3_600_000)
        db.write("a", 1)
        calls = "fsync,fdatasync"
        tracer = ["strace", "-f", "-q", "-p", str(os.getpid()), "-o", "/dev/null"]
        tracer += ["-e", f"trace={calls}", "-e", f"inject={calls}:delay_enter=600s"]
        tracing = subprocess.Popen(tracer)
        while not open("/proc/self/status").read().split("TracerPid:")[1].split()[0] != "0":
            if tracing.poll() is not None:
                os._exit(77)
        interrupts(getattr(db, sys.argv[2]))
        if sys.argv[2] != "close":
            assert db.read("a") == 1
        tracing.kill()
        os.kill(os.getpid(), signal.SIGKILL)
    """
    done = run_python(interrupted(code), str(tmp_path / "db"), call)
    if done.returncode == 77:
        pytest.skip(f"strace cannot attach: {done.stderr.strip()}")
    assert (done.stdout, done.returncode) == ("interrupted\n", -9), done.stderr
    with dwell.open(tmp_path / "db") as db:
        assert db.read("a") == 1
