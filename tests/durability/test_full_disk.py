"""A full disk is an error and not an end: LOG-04, INV-03, INV-05, on a small tmpfs.

Mounting needs root; where that is not allowed the test says so and is skipped. The simulated disk
of the engine's own tests has the same cases without root.
"""

from __future__ import annotations

import contextlib
import dataclasses
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from tests.resp import Client, ReplyError
from tests.servers import Server, data_flags, is_dwell, needs_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = needs_server

DISK_BYTES = 64 << 20
ROOM_TIMEOUT_SECONDS = 30.0
# Segments that fit many times on the disk, and a drain that does not dawdle.
SMALL_SEGMENTS = ["--segment-bytes", str(1 << 20), "--drain-after-ms", "50"] if is_dwell() else []


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """Mount a tmpfs of `DISK_BYTES` there, or skip the test with what mount said."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"no tmpfs here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def flags() -> list[str]:
    return [*data_flags(fsync="always"), *SMALL_SEGMENTS]


@dataclasses.dataclass(frozen=True)
class Filling:
    """What the disk is filled with, and which part of it is deleted then."""

    home: str
    value_bytes: int
    lifetime: tuple[str, ...]
    deleted_percent: int

    def value(self, number: int) -> bytes:
        """Return the value of one key, unlike that of any other."""
        return b"%06d" % number + b"." * (self.value_bytes - 6)

    def write(self, client: Client, number: int) -> None:
        """Write one key."""
        client.call("SET", f"key:{number}", self.value(number), *self.lifetime)

    @property
    def too_many(self) -> int:
        """More keys than the disk can hold."""
        return 4 * DISK_BYTES // self.value_bytes


FILLINGS = [
    Filling("disk", 100_000, (), deleted_percent=90),
    # What is left must fit into the reserve once more: the log goes when a base is there.
    Filling("memory", 10_000, ("EX", "1000"), deleted_percent=97),
]


def fill(client: Client, filling: Filling) -> tuple[int, ReplyError]:
    """Write until the first refusal; return how many were acknowledged, and the refusal."""
    for number in range(filling.too_many):
        try:
            filling.write(client, number)
        except ReplyError as error:
            return number, error
    raise AssertionError("four times the disk's size was acknowledged")


def acknowledged_are_there(client: Client, filling: Filling, numbers: range) -> None:
    for number in numbers:
        assert client.call("GET", f"key:{number}") == filling.value(number)


@pytest.mark.skipif(not is_dwell(), reason="Redis under `always` exits when its disk is full")
@pytest.mark.parametrize("filling", FILLINGS, ids=lambda filling: filling.home)
def test_full_disk_refuses_writes_by_name_and_goes_on(tmp_path: Path, filling: Filling) -> None:
    with small_disk(tmp_path / "disk") as disk, Server(disk / "data", flags()) as server:
        with server.client() as client:
            count, refusal = fill(client, filling)
            assert count > 10
            assert "full" in str(refusal).lower() or "space" in str(refusal).lower()
            acknowledged_are_there(client, filling, range(count))
            assert client.call("GET", f"key:{count}") is None, "the refused write left a trace"
            deleted = [f"key:{number}" for number in range(count * filling.deleted_percent // 100)]
            assert client.call("DEL", *deleted) == len(deleted)
            wait_for_room(client, filling)
            client.call("SET", "after", "room again")
        server.restart()
        with server.client() as client:
            assert client.call("GET", "after") == b"room again"
            acknowledged_are_there(client, filling, range(len(deleted), count))
            assert client.call("EXISTS", *deleted) == 0


def wait_for_room(client: Client, filling: Filling) -> None:
    """Deleting frees space in the background; wait until a big write is accepted again."""
    deadline = time.monotonic() + ROOM_TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        try:
            client.call("SET", "probe", filling.value(0))
        except ReplyError:
            time.sleep(0.1)
        else:
            client.call("DEL", "probe")
            return
    raise AssertionError("no write was accepted although most was deleted")


@pytest.mark.parametrize("filling", FILLINGS, ids=lambda filling: filling.home)
def test_kill_on_a_full_disk_keeps_what_was_acknowledged(tmp_path: Path, filling: Filling) -> None:
    with small_disk(tmp_path / "disk") as disk, Server(disk / "data", flags()) as server:
        acknowledged = 0
        with server.client() as client, contextlib.suppress(ReplyError, OSError):
            for number in range(filling.too_many):
                filling.write(client, number)
                acknowledged += 1
        assert 10 < acknowledged < filling.too_many
        server.restart()
        with server.client() as client:
            acknowledged_are_there(client, filling, range(acknowledged))
