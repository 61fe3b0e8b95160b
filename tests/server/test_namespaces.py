"""Namespaces as files: hostile names stay inside the directory, and very many need few files."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import dwell
from tests.servers import Server, is_dwell, needs_core

pytestmark = [
    needs_core,
    pytest.mark.skipif(not is_dwell(), reason="these are promises of Dwell"),
]

HOSTILE_NAMES = [
    b"../../escaped",
    b"/etc/escaped",
    b"..",
    b".",
    b".hidden",
    b"-rf",
    b"a/b",
    b"a\\b",
    b"a\0b",
    b"a\nb",
    b"name",
    b"NAME",
    b"namE",
    b"\xff\xfe",
    b"\xc3\xa9",
    b"e\xcc\x81",
    b"%2e%2e",
    b"%",
    b"lock",
    b"log",
    b"0.keys",
    b"0.keys-wal",
    b"x" * 200,
    b"con",
    b" ",
]
# Opens a thousand namespaces with few descriptors, writes in each, drains, and reads all again.
MANY = """
import resource, sys
import dwell
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
names = [f"tenant{number}" for number in range(1000)]
with dwell.open(sys.argv[1]) as db:
    for name in names:
        db.namespace(name).write("k", name)
    db.drain()
    for name in names:
        db.namespace(name).write("brief", name, ttl=1000)
    assert [db.namespace(name).read("k") for name in names] == [name.encode() for name in names]
with dwell.open(sys.argv[1]) as db:
    for name in names:
        space = db.namespace(name)
        assert (space.read("k"), space.read("brief")) == (name.encode(), name.encode()), name
        assert space.count() == 2
print("whole")
"""


def test_hostile_names_are_namespaces_like_any_other_and_stay_inside(tmp_path: Path) -> None:
    place = tmp_path / "outer" / "data"
    with dwell.open(place) as db:
        for name in HOSTILE_NAMES:
            db.namespace(name).write("whose", name)
            db.namespace(name).write("brief", name, ttl=1000)
        db.drain()
    with dwell.open(place) as db:
        for name in HOSTILE_NAMES:
            assert db.namespace(name).read("whose") == name
            assert db.namespace(name).read("brief") == name
            assert db.namespace(name).count() == 2
    assert [path.name for path in tmp_path.iterdir()] == ["outer"]
    assert [path.name for path in place.parent.iterdir()] == ["data"]
    files = {path.name for path in place.iterdir() if path.name.endswith(".keys")}
    assert len({name.lower() for name in files}) == len(HOSTILE_NAMES), "two share a file"
    assert all(name.isascii() and name.isprintable() and name[0] not in ".-" for name in files)


@pytest.mark.parametrize("name", [b"x" * 100_000])
def test_name_that_is_too_long_is_refused_by_name(tmp_path: Path, name: bytes) -> None:
    with dwell.open(tmp_path / "data") as db:
        with pytest.raises(dwell.UsageError, match="name"):
            db.namespace(name)
        db.write("k", 1)
        assert db.read("k") == 1


@pytest.fixture
def quick_folder() -> Iterator[Path]:
    """A folder whose fsync costs nothing, where the machine has one: thousands are ahead."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)


def test_a_thousand_namespaces_need_fewer_than_256_files(quick_folder: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", MANY, str(quick_folder / "data")],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert (done.stdout, done.returncode) == ("whole\n", 0), done.stderr


def test_second_opener_is_refused_by_either_door_and_the_first_goes_on(tmp_path: Path) -> None:
    place = tmp_path / "data"
    with Server(place) as server:
        with server.client() as client:
            client.call("SET", "k", "v")
            with pytest.raises(dwell.BusyError, match=str(server.pid)):
                dwell.open(place)
            assert client.call("GET", "k") == b"v"
        assert server.stop() == 0
    with dwell.open(place) as db:
        assert db.read("k") == b"v"
        second = Server(place)
        second.spawn()
        assert second.wait(timeout_seconds=30) == 1
        assert str(os.getpid()) in second.log()
        assert db.read("k") == b"v"
