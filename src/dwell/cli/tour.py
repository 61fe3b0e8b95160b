"""`dwell tour`: what Dwell does, shown on a scratch server with real output.

Owns the story and starting, killing and stopping the scratch server. Nothing is staged: each line
behind a `$` is run as it stands, and what follows is what it printed. It cleans up after itself.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Self

from dwell.cli.output import say
from dwell.client.connection import Client
from dwell.errors import Error, UnavailableError

START_TIMEOUT_S: Final = 20.0
STOP_TIMEOUT_S: Final = 20.0
LOOK_EVERY_S: Final = 0.05

EMBEDDED: Final = """\
import dwell

with dwell.open({directory!r}) as db:
    db.write("user:7", "Ada")                  # no lifetime: disk
    db.write("session:9", b"token", ttl=900)   # a lifetime: memory
    print(db.where("user:7").home, db.where("session:9").home)
    print(db.compare_and_delete("session:9", b"stolen"))
    print(db.compare_and_delete("session:9", b"token"))
    print(db.read("session:9"), db.read("user:7"))
"""


def tour() -> None:
    """See what Dwell does, in under two minutes, on a scratch server that is removed afterwards.

    Example:  dwell tour
    """
    with tempfile.TemporaryDirectory(prefix="dwell-tour-") as scratch:
        directory = Path(scratch)
        with ScratchServer(directory / "server") as server:
            _lifetimes(server)
            _kill_and_restart(server)
            _redis_client(server)
        _python(directory / "embedded")
    say("\nThe scratch server is stopped and its directory removed.")


class ScratchServer:
    """A server of its own for the tour, at a free port."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(STOP_TIMEOUT_S)
            self._process.kill()

    def start(self) -> None:
        """Start it, show what it says, and wait until it answers."""
        words = ["server", "--port", str(self.port), "--dir", str(self._directory)]
        say(f"$ dwell {' '.join(words)} &")
        sys.stdout.flush()
        self._process = subprocess.Popen(_dwell(*words))  # noqa: S603 our own program
        deadline_s = time.monotonic() + START_TIMEOUT_S
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline_s:
                raise UnavailableError("the scratch server did not start")
            time.sleep(LOOK_EVERY_S)

    def kill(self) -> None:
        """End it as a crash would: without a chance to save anything."""
        if self._process is None:
            return
        say(f"$ kill -9 {self._process.pid}")
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(STOP_TIMEOUT_S)
        self._process = None

    def dwell(self, *words: str) -> None:
        """Run a verb against it and show line and output."""
        _show(["dwell", *words], _dwell(*words), {"DWELL_PORT": str(self.port)})

    def _answers(self) -> bool:
        try:
            with Client(("127.0.0.1", self.port), timeout_s=5) as client:
                client.execute("PING")
        except Error:
            return False
        return True


def _lifetimes(server: ScratchServer) -> None:
    _chapter("A value without a lifetime lives on disk, one with a lifetime in memory.")
    server.dwell("set", "colour", "green")
    server.dwell("set", "session:7", "token", "--ttl", "900")
    server.dwell("where", "colour", "session:7")
    say("\nGiving a lifetime, or taking it away, moves the key:")
    server.dwell("set", "draft", "first words")
    server.dwell("expire", "draft", "3600")
    server.dwell("where", "draft")
    server.dwell("persist", "draft")
    server.dwell("where", "draft")


def _kill_and_restart(server: ScratchServer) -> None:
    _chapter("Kill the server without warning. What it acknowledged is there, time left and all.")
    server.kill()
    server.start()
    say("")
    server.dwell("get", "colour")
    server.dwell("get", "session:7")
    server.dwell("ttl", "session:7")
    server.dwell("scan", "--keys-only")


def _redis_client(server: ScratchServer) -> None:
    _chapter("Any Redis client speaks to it.")
    program = shutil.which("redis-cli")
    if program is None:
        say("(redis-cli is not installed here, so this part is left out)")
        return
    for words in (
        ("SET", "visits", "41"),
        ("INCR", "visits"),
        ("SET", "lock", "me", "NX", "EX", "30"),
        ("SET", "lock", "you", "NX", "EX", "30"),
        ("DWELL.WHERE", "visits", "lock"),
    ):
        line = ["redis-cli", "-p", str(server.port), *words]
        _show(line, [program, *line[1:]], {})


def _python(directory: Path) -> None:
    _chapter("The same database inside a Python program, without a server.")
    program = EMBEDDED.format(directory=str(directory))
    for line in program.splitlines():
        say(f"    {line}")
    say("")
    _show(["python", "that.py"], [sys.executable, "-c", program], {})


def _chapter(title: str) -> None:
    say(f"\n--- {title}\n")


def _show(line: list[str], command: list[str], environment: dict[str, str]) -> None:
    """Print a command line, run it, and print what it printed."""
    say("$ " + " ".join(f"'{word}'" if " " in word else word for word in line))
    sys.stdout.flush()
    run = subprocess.run(  # noqa: S603 the tour's own lines
        command,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    for text in _lines(run.stdout):
        say(f"  {text}")


def _lines(output: bytes) -> Iterator[str]:
    yield from output.decode("utf-8", "backslashreplace").expandtabs(4).splitlines()


def _dwell(*words: str) -> list[str]:
    return [sys.executable, "-m", "dwell", *words]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
