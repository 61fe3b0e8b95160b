"""`dwell tour`: what Dwell does, shown on a scratch server with real output.

Owns the story and starting, killing and stopping the scratch server. Nothing is staged: each line
behind a `$` is run as it stands, and what follows is what it printed. It cleans up after itself.
"""

from __future__ import annotations

import contextlib
import io
import os
import pty
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final, Self

from dwell.cli.output import say
from dwell.errors import UnavailableError

STOP_TIMEOUT_S: Final = 20.0
GREETING_END: Final = b"  stop"
COLUMNS: Final = "96"

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
            try:
                self._process.communicate(timeout=STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                self._process.kill()

    def start(self) -> None:
        """Start it, and show what it says; after its greeting it answers."""
        words = ["server", "--port", str(self.port), "--dir", str(self._directory)]
        say(f"$ dwell {' '.join(words)} &")
        sys.stdout.flush()
        self._process = subprocess.Popen(  # noqa: S603 our own program
            _dwell(*words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        assert self._process.stdout is not None
        for line in self._process.stdout:
            say(f"  {line.decode().rstrip()}")
            if line.startswith(GREETING_END):
                return
        raise UnavailableError("the scratch server did not start")

    def kill(self) -> None:
        """End it as a crash would: without a chance to save anything."""
        if self._process is None:
            return
        say(f"$ kill -9 {self._process.pid}")
        self._process.send_signal(signal.SIGKILL)
        self._process.communicate(timeout=STOP_TIMEOUT_S)
        self._process = None

    def dwell(self, *words: str) -> None:
        """Run a verb against it and show line and output."""
        _show(["dwell", *words], _dwell(*words), {"DWELL_PORT": str(self.port)})


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
    """Print a command line, run it on a terminal of its own, and print what it printed there."""
    say("$ " + " ".join(f"'{word}'" if " " in word else word for word in line))
    sys.stdout.flush()
    ours, theirs = pty.openpty()
    process = subprocess.Popen(  # noqa: S603 the tour's own lines
        command,
        env={**os.environ, "TERM": "dumb", "COLUMNS": COLUMNS, **environment},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    with open(ours, "rb", buffering=0) as terminal:  # noqa: PTH123 a descriptor is no path
        for text in _read_all(terminal).splitlines():
            say(f"  {text.decode('utf-8', 'backslashreplace').rstrip()}")
    process.wait()


def _read_all(terminal: io.FileIO) -> bytes:
    """What a terminal shows until its last writer has gone, which Linux tells by an error."""
    data = b""
    with contextlib.suppress(OSError):
        while read := terminal.read(65536):
            data += read
    return data


def _dwell(*words: str) -> list[str]:
    return [sys.executable, "-m", "dwell", *words]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
