"""A failed fsync poisons the log: LOG-02, INV-03, by injecting EIO into the system call.

After that the page cache may have dropped what it claims to hold, so success must never be reported
again without a restart.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import pytest

from tests.durability.injection import injecting, needs_strace
from tests.resp import ReplyError
from tests.servers import Server, data_flags, is_dwell, needs_server

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from tests.resp import Client

pytestmark = [
    needs_server,
    needs_strace,
    pytest.mark.skipif(not is_dwell(), reason="Redis under `always` exits when fsync fails"),
]

SYNC_CALLS = ["fsync", "fdatasync", "sync_file_range"]
EVENT_TIMEOUT_SECONDS = 30.0


def failing_fsync(server: Server, *paths: Path) -> AbstractContextManager[None]:
    """Make every fsync of the server, or of these files alone, fail while the block runs."""
    return injecting(server, "error=EIO", SYNC_CALLS, paths=paths)


def test_failed_fsync_is_reported_and_later_writes_are_refused(tmp_path: Path) -> None:
    with Server(tmp_path / "data", data_flags(fsync="always")) as server, server.client() as client:
        assert client.call("SET", "before", "1") == "OK"
        with failing_fsync(server), pytest.raises(ReplyError):
            client.call("SET", "unknown", "2")
        # fsync works again now, but what it failed to sync may be lost: no success any more.
        for _ in range(3):
            with pytest.raises(ReplyError):
                client.call("SET", "later", "3")
        assert client.call("GET", "before") == b"1"
        assert client.call("GET", "later") is None


def test_restart_after_a_failed_fsync_has_all_that_was_acknowledged(tmp_path: Path) -> None:
    with Server(tmp_path / "data", data_flags(fsync="always")) as server:
        with server.client() as client:
            for number in range(100):
                client.call("SET", f"key:{number}", number)
            with failing_fsync(server):
                with pytest.raises(ReplyError):
                    client.call("SET", "unknown", "2")
                with pytest.raises(ReplyError):
                    client.call("SET", "refused", "3")
        server.restart()
        with server.client() as client:
            for number in range(100):
                assert client.call("GET", f"key:{number}") == b"%d" % number
            # The outcome of the write whose fsync failed is unknown: there or not, never garbled.
            assert client.call("GET", "unknown") in {None, b"2"}
            assert client.call("GET", "refused") is None
            assert client.call("SET", "after", "4") == "OK"


def test_fsync_that_fails_behind_a_reply_refuses_what_comes_after(tmp_path: Path) -> None:
    with Server(tmp_path / "data", data_flags(fsync="everysec")) as server:
        with server.client() as client:
            client.call("SET", "before", "1")
            with failing_fsync(server):
                wait_until(lambda: is_refused(client, "SET", "probe", "2"))
            assert is_refused(client, "SET", "later", "3")
            assert is_refused(client, "DEL", "before")
            assert client.call("GET", "before") == b"1"
            assert client.call("GET", "later") is None
        server.restart()
        with server.client() as client:
            assert client.call("GET", "before") == b"1"
            assert client.call("SET", "after", "4") == "OK"


def test_failed_fsync_of_a_file_of_keys_loses_nothing(tmp_path: Path) -> None:
    """The log has what the file has not: the drain redoes it, at the latest after a restart."""
    arguments = [*data_flags(fsync="always"), "--drain-after-ms", "10"]
    with Server(tmp_path / "data", arguments) as server:
        files = [server.directory / name for name in ("0.keys", "0.keys-wal")]
        expected = [b"%d" % number for number in range(400)]
        keys = [b"key:%d" % number for number in range(400)]
        with server.client() as client:
            write_all(client, keys[:200], expected[:200])
            wait_until(lambda: all(path.exists() for path in files))
            with failing_fsync(server, *files):
                write_all(client, keys[200:], expected[200:])
                wait_until(lambda: has_drain_error(client))
                assert client.call("MGET", *keys) == expected
            assert client.call("MGET", *keys) == expected
        server.restart()
        with server.client() as client:
            assert client.call("MGET", *keys) == expected
            wait_until(lambda: not has_drain_error(client))


def write_all(client: Client, keys: list[bytes], values: list[bytes]) -> None:
    for key, value in zip(keys, values, strict=True):
        assert client.call("SET", key, value) == "OK"


def is_refused(client: Client, *words: str) -> bool:
    try:
        client.call(*words)
    except ReplyError:
        return True
    return False


def has_drain_error(client: Client) -> bool:
    told = client.call("INFO", "persistence")
    assert isinstance(told, bytes)
    return re.search(rb"^dwell_drain_error:.+\S", told, re.MULTILINE) is not None


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + EVENT_TIMEOUT_SECONDS
    while not holds():
        assert time.monotonic() < deadline, "it has not happened in time"
        time.sleep(0.02)
