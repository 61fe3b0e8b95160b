"""Fixtures of the administration commands: a fake house, and redis-server as oracle."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.server.fakes import House
from tests.servers import Server


@pytest.fixture
def house() -> House:
    return House()


@pytest.fixture(scope="session")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A redis-server to compare with; the test is skipped where there is none."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("redis-server is not installed")
    directory: Path = tmp_path_factory.mktemp("oracle") / "data"
    flags = ["--save", "", "--enable-debug-command", "yes"]
    with Server(directory, flags, command=[program]) as server:
        yield server
