"""Makes system calls of a running server fail, or kill it, by strace.

Owns attaching and detaching. Where strace is missing or may not attach, the test that asks is
skipped with a line that says so; the engine's simulated disk has the same cases without it.
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.servers import Server

ATTACH_TIMEOUT_SECONDS = 10.0

needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")


@contextmanager
def injecting(
    server: Server, fault: str, calls: Sequence[str], *, paths: Sequence[Path] = ()
) -> Iterator[None]:
    """Inject a fault into system calls of the server while the block runs.

    Args:
        server: one that runs.
        fault: in strace's words, such as `error=EIO` or `signal=KILL:when=3`.
        calls: names of system calls.
        paths: only calls on these files; all files if there are none.
    """
    names = ",".join(calls)
    command = ["strace", "-f", "-q", "-p", str(server.pid), "-o", "/dev/null"]
    command += ["-e", f"trace={names}", "-e", f"inject={names}:{fault}"]
    command += [f"--trace-path={path}" for path in paths]
    tracer = subprocess.Popen(command, stderr=subprocess.PIPE)
    try:
        wait_until_traced(server.pid, tracer)
        yield
    finally:
        tracer.send_signal(signal.SIGINT)
        tracer.communicate(timeout=ATTACH_TIMEOUT_SECONDS)


def wait_until_traced(pid: int, tracer: subprocess.Popen[bytes]) -> None:
    """Wait until every thread of the process is traced; one that is gone already needs no wait."""
    deadline = time.monotonic() + ATTACH_TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        code = tracer.poll()
        if code is not None and Path(f"/proc/{pid}/task").exists():
            pytest.skip(f"strace cannot attach: {tracer.communicate()[1].decode().strip()}")
        if code is not None or all(map(is_traced, threads_of(pid))):
            return
        time.sleep(0.01)
    raise AssertionError("strace did not attach to all threads")


def threads_of(pid: int) -> list[Path]:
    """Return the directory of each thread of a process, none when it has ended."""
    try:
        return list(Path(f"/proc/{pid}/task").iterdir())
    except FileNotFoundError:
        return []


def is_traced(thread: Path) -> bool:
    """Whether somebody traces the thread, or it has ended."""
    try:
        status = (thread / "status").read_text()
    except OSError:
        return True
    return re.search(r"^TracerPid:\s*0$", status, re.MULTILINE) is None
