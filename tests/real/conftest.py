"""One server for the clients of this folder, with a Unix socket beside its port."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.servers import Server, data_flags

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def unix_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server's Unix socket is."""
    return tmp_path_factory.mktemp("socket") / "s"


@pytest.fixture(scope="module")
def running_server(tmp_path_factory: pytest.TempPathFactory, unix_path: Path) -> Iterator[Server]:
    """Start a server that lives as long as the module."""
    flags = [*data_flags(), "--unixsocket", str(unix_path), "--enable-debug-command", "yes"]
    with Server(tmp_path_factory.mktemp("clients") / "data", flags) as running:
        yield running


@pytest.fixture
def server(running_server: Server) -> Server:
    """The running server with an empty keyspace."""
    with running_server.client() as client:
        client.call("FLUSHALL")
    return running_server
