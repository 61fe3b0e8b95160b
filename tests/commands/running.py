"""One server for all tests of commands, per placement, and an empty keyspace for each test.

The answers of a command must not depend on where a key lives, so each test runs under every
placement. Under `DWELL_TEST_SERVER` the suite judges another server, such as redis-server.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.resp import Client, ReplyError, Word
from tests.servers import Server, is_dwell

PLACEMENTS = ["lifetime", "memory", "disk"] if is_dwell() else ["redis"]
INTEGER_MIN, INTEGER_MAX = -(2**63), 2**63 - 1

WRONG_INTEGER = "ERR value is not an integer or out of range"
SYNTAX = "ERR syntax error"

needs_dwell = pytest.mark.skipif(not is_dwell(), reason="Redis 7.0 does not know it")


@pytest.fixture(scope="session", params=PLACEMENTS)
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """Start a server that lives as long as the session."""
    flags = ["--placement", request.param] if is_dwell() else ["--save", "", "--appendonly", "no"]
    with Server(tmp_path_factory.mktemp("commands") / request.param, flags) as running:
        yield running


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    """Connect to an empty keyspace."""
    with server.client() as connection:
        connection.call("FLUSHALL")
        yield connection


def error_of(client: Client, *words: Word) -> str:
    """Return the error that a command answers."""
    with pytest.raises(ReplyError) as caught:
        client.call(*words)
    return str(caught.value)


def ttl_is_about(client: Client, key: str, seconds: float) -> bool:
    """Whether the key has so many seconds left, give or take what a busy machine needs."""
    left_ms = client.call("PTTL", key)
    return isinstance(left_ms, int) and -5_000 < left_ms - seconds * 1000 <= 1_000
