"""Fixtures of the command line: a running server, and a way to call `dwell`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.servers import Server

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


def call_dwell(
    *words: str | bytes,
    stdin: bytes = b"",
    environment: dict[str, str] | None = None,
    stdout: str | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run `dwell` as a shell would, its output a pipe, or the file that `stdout` names."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("DWELL_")}
    with nullcontext(subprocess.PIPE) if stdout is None else Path(stdout).open("wb") as target:
        return subprocess.run(
            [sys.executable, "-m", "dwell", *words],
            input=stdin,
            env=kept | (environment or {}),
            stdout=target,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of the command under test."""
    with Server(tmp_path_factory.mktemp("cli") / "data") as running:
        yield running


@pytest.fixture
def dwell(server: Server) -> Run:
    """`dwell` speaking to that server, whose keys are deleted first."""
    with server.client() as client:
        client.call("FLUSHALL")

    def run(
        *words: str | bytes,
        stdin: bytes = b"",
        environment: dict[str, str] | None = None,
        stdout: str | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        environment = {"DWELL_PORT": str(server.port), **(environment or {})}
        return call_dwell(*words, stdin=stdin, environment=environment, stdout=stdout)

    return run
