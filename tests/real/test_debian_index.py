"""The Debian package index, loaded by key, killed, restarted and compared record by record."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.real.debian_index import NoIndexError, read_records
from tests.servers import Server, data_flags, is_dwell, needs_core, needs_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.resp import Client

pytestmark = pytest.mark.slow

PIPELINE_COMMANDS = 500
# Redis answers before it has handed a write over, except under `no`.
FSYNC = "everysec" if is_dwell() else "no"
# Every tenth record gets a lifetime, and with it the other home.
LIFETIME_SECONDS = 100_000
LIFETIME_EVERY = 10
# Loads what it reads from its input into the library, says so and waits to be killed.
LOADER = """
import sys, time
import dwell
from tests.real.debian_index import read_records
db = dwell.open(sys.argv[1])
records = list(read_records().items())
for start in range(0, len(records), 1000):
    with db.batch() as batch:
        for number, (key, value) in enumerate(records[start : start + 1000], start):
            batch.write(key, value, ttl=100_000 if number % 10 == 0 else None)
print("loaded", flush=True)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def records() -> dict[bytes, bytes]:
    try:
        return read_records()
    except NoIndexError as error:
        pytest.skip(str(error))


def chunks(keys: list[bytes]) -> Iterator[list[bytes]]:
    return (keys[at : at + PIPELINE_COMMANDS] for at in range(0, len(keys), PIPELINE_COMMANDS))


def load(client: Client, records: dict[bytes, bytes]) -> None:
    for start, keys in enumerate(chunks(list(records))):
        commands = [
            [b"SET", key, records[key], *lifetime(start * PIPELINE_COMMANDS + number)]
            for number, key in enumerate(keys)
        ]
        assert client.pipeline(commands) == ["OK"] * len(keys)


def lifetime(number: int) -> list[bytes | int]:
    return [b"EX", LIFETIME_SECONDS] if number % LIFETIME_EVERY == 0 else []


def compare(client: Client, records: dict[bytes, bytes]) -> None:
    assert client.call("DBSIZE") == len(records)
    for keys in chunks(list(records)):
        assert client.call(b"MGET", *keys) == [records[key] for key in keys]


def compare_lifetimes(client: Client, records: dict[bytes, bytes]) -> None:
    keys = list(records)
    left = client.pipeline([b"TTL", key] for key in keys[::LIFETIME_EVERY])
    assert all(
        isinstance(each, int) and LIFETIME_SECONDS - 300 < each <= LIFETIME_SECONDS for each in left
    )
    assert set(client.pipeline([b"TTL", key] for key in keys[1::LIFETIME_EVERY])) == {-1}


@needs_server
def test_index_survives_a_kill_of_the_server(tmp_path: Path, records: dict[bytes, bytes]) -> None:
    with Server(tmp_path / "data", data_flags(fsync=FSYNC)) as server:
        with server.client(timeout_seconds=60) as client:
            load(client, records)
            compare(client, records)
        server.restart()
        with server.client(timeout_seconds=60) as client:
            compare(client, records)
            compare_lifetimes(client, records)


@needs_server
def test_index_overwritten_while_it_is_read_is_whole(
    tmp_path: Path, records: dict[bytes, bytes]
) -> None:
    """A second load over the first changes nothing, and scanning finds every key."""
    with (
        Server(tmp_path / "data", data_flags(fsync=FSYNC)) as server,
        server.client(timeout_seconds=60) as client,
    ):
        load(client, records)
        load(client, records)
        assert scan_all(client) == set(records)
        compare_lifetimes(client, records)


def scan_all(client: Client) -> set[bytes]:
    found: set[bytes] = set()
    cursor: object = b"0"
    while True:
        assert isinstance(cursor, bytes)
        reply = client.call(b"SCAN", cursor, b"MATCH", b"package:*", b"COUNT", 1000)
        assert isinstance(reply, list)
        cursor, keys = reply
        assert isinstance(keys, list)
        found.update(key for key in keys if isinstance(key, bytes))
        if cursor == b"0":
            return found


@needs_core
def test_index_survives_a_kill_of_the_embedding_process(
    tmp_path: Path, records: dict[bytes, bytes]
) -> None:
    import dwell

    path = str(tmp_path / "data")
    with subprocess.Popen([sys.executable, "-c", LOADER, path], stdout=subprocess.PIPE) as loader:
        assert loader.stdout is not None
        assert loader.stdout.readline() == b"loaded\n"
        os.kill(loader.pid, signal.SIGKILL)
    with dwell.open(path) as db:
        for number, (key, value) in enumerate(records.items()):
            assert db.read(key) == value
            assert (db.ttl(key) == math.inf) == (number % LIFETIME_EVERY != 0)
