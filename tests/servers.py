"""Starts, kills and restarts a server for a test, and reads its log.

`DWELL_TEST_SERVER` replaces the command line, so that every suite which uses only Redis's own
commands can be proven on redis-server before it judges Dwell. This module must not know what a test
asserts, and it never leaves a process behind.
"""

from __future__ import annotations

import importlib
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Self

import pytest

from tests.resp import Client, DisconnectedError, ReplyError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import TracebackType

READY_TIMEOUT_SECONDS = 30.0
STOP_TIMEOUT_SECONDS = 30.0
POLL_SECONDS = 0.005


def server_command() -> list[str]:
    """Return the command line under test, without port and directory."""
    override = os.environ.get("DWELL_TEST_SERVER")
    return shlex.split(override) if override else [sys.executable, "-m", "dwell", "server"]


def is_dwell() -> bool:
    """Whether the command under test is Dwell, which knows more commands than Redis."""
    return "DWELL_TEST_SERVER" not in os.environ or "dwell" in os.environ["DWELL_TEST_SERVER"]


def core_is_built() -> bool:
    """Whether the compiled core can be imported, without which there is no server to test."""
    try:
        importlib.import_module("dwell._core")
    except ImportError:
        return False
    return True


needs_server = pytest.mark.skipif(
    is_dwell() and not core_is_built(), reason="dwell._core is not built: run `make setup`"
)
needs_core = pytest.mark.skipif(
    not core_is_built(), reason="dwell._core is not built: run `make setup`"
)


def data_flags(
    *, fsync: str = "everysec", placement: str = "lifetime", appendonly: str = "yes"
) -> list[str]:
    """Return flags that mean the same to either server, and Dwell's placement where there is one.

    Args:
        fsync: `no`, `everysec` or `always`: durability `none`, `interval` or `always`.
        placement: for Dwell alone; Redis has but one home.
        appendonly: whether what is in memory is logged.
    """
    log = ["--appendonly", appendonly, "--appendfsync", fsync]
    return [*log, "--placement", placement] if is_dwell() else [*log, "--save", ""]


class ServerFailedError(AssertionError):
    """The server ended, or did not answer, where a test needed it."""


def free_port() -> int:
    """Return a TCP port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Server:
    """One server process over one directory; it may be killed and started again at the same port.

    Args:
        directory: where the data lives; it stays when the process goes.
        arguments: flags after port and directory.
        command: the program and its leading words, when it is not the one under test.
        prefix: words before the command, such as a tracer's.
    """

    def __init__(
        self,
        directory: Path,
        arguments: Sequence[str] = (),
        *,
        command: Sequence[str] | None = None,
        prefix: Sequence[str] = (),
    ) -> None:
        """Choose a port and write nothing yet."""
        self.directory = directory
        self.port = free_port()
        self.arguments = list(arguments)
        self._command = list(command) if command is not None else server_command()
        self._prefix = list(prefix)
        self._process: subprocess.Popen[bytes] | None = None
        self._log_path = directory.parent / f"{directory.name}.log"

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        return ("127.0.0.1", self.port)

    @property
    def pid(self) -> int:
        """The process id of what was started, which is the tracer when there is one."""
        return self._running().pid

    @property
    def command_line(self) -> list[str]:
        """All words of the command."""
        place = ["--port", str(self.port), "--dir", str(self.directory)]
        return [*self._prefix, *self._command, *place, *self.arguments]

    def __enter__(self) -> Self:
        """Start and wait until the server answers."""
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Kill what still runs, and show the log when the test failed."""
        self.kill()
        if error is not None:
            print(f"--- log of {shlex.join(self.command_line)}\n{self.log()}", file=sys.stderr)

    def spawn(self) -> None:
        """Start the process and return at once."""
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._log_path.open("ab") as log:
            self._process = subprocess.Popen(
                self.command_line, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def start(self, *, timeout_seconds: float = READY_TIMEOUT_SECONDS) -> None:
        """Start the process and wait until PING is answered."""
        self.spawn()
        self.wait_until_ready(timeout_seconds=timeout_seconds)

    def wait_until_ready(self, *, timeout_seconds: float = READY_TIMEOUT_SECONDS) -> None:
        """Wait until PING is answered.

        Raises:
            ServerFailedError: it ended first, or the time is over.
        """
        deadline = time.monotonic() + timeout_seconds
        while time.monotonic() < deadline:
            code = self._running().poll()
            if code is not None:
                raise ServerFailedError(f"the server ended with code {code}:\n{self.log()}")
            if self._answers_ping():
                return
            time.sleep(POLL_SECONDS)
        raise ServerFailedError(f"no PONG after {timeout_seconds} s:\n{self.log()}")

    def client(self, *, protocol: int = 2, timeout_seconds: float = 20.0) -> Client:
        """Open a connection."""
        return Client(self.address, protocol=protocol, timeout_seconds=timeout_seconds)

    def kill(self) -> None:
        """End the process by SIGKILL, if it runs, and wait for it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def stop(
        self,
        *,
        with_signal: int = signal.SIGTERM,
        timeout_seconds: float = STOP_TIMEOUT_SECONDS,
    ) -> int:
        """Ask the process to stop and return its exit code."""
        process = self._running()
        process.send_signal(with_signal)
        code = process.wait(timeout=timeout_seconds)
        self._process = None
        return code

    def wait(self, *, timeout_seconds: float) -> int:
        """Wait until the process ends by itself and return its exit code."""
        code = self._running().wait(timeout=timeout_seconds)
        self._process = None
        return code

    def restart(self) -> None:
        """Kill and start again."""
        self.kill()
        self.start()

    def log(self) -> str:
        """Return what all runs of this server printed."""
        return self._log_path.read_text(errors="replace") if self._log_path.exists() else ""

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise ServerFailedError("the server is not running")
        return self._process

    def _answers_ping(self) -> bool:
        try:
            with self.client(timeout_seconds=5.0) as client:
                return client.call("PING") == "PONG"
        except ReplyError as refusal:
            # A server with a password serves; one that loads does not yet.
            return refusal.code == "NOAUTH"
        except (DisconnectedError, OSError):
            return False
