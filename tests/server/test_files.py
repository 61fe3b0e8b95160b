"""What a server writes: where, under which names, for whose eyes, and when nothing at all."""

from __future__ import annotations

import contextlib
import re
import shutil
import sqlite3
import stat
from pathlib import Path

import pytest

from tests.resp import Client, DisconnectedError, ReplyError, Word
from tests.servers import Server, is_dwell, needs_server

pytestmark = [
    needs_server,
    pytest.mark.skipif(not is_dwell(), reason="these are promises of Dwell"),
]

# Drains, segments, bases and points of restoring come and go within a second of load.
ALL_KINDS_OF_FILES = [
    *("--drain-after-ms", "10"),
    *("--segment-bytes", str(1 << 20)),
    *("--base-after-bytes", str(1 << 20)),
    *("--history-ms", "1000000"),
]


def write(number: int) -> list[Word]:
    """Return the command that writes a key, the odd ones with a lifetime."""
    lifetime: list[Word] = ["EX", 1000] if number % 2 else []
    return ["SET", f"key:{number}", "x" * 1000, *lifetime]


def fill(server: Server, keys: int = 4000) -> None:
    """Write keys of both homes, in two databases."""
    with server.client() as client:
        for database in (0, 3):
            client.call("SELECT", database)
            client.pipeline(map(write, range(keys)))
        client.call("SAVE")


@pytest.mark.parametrize("umask", ["000", "022", "077"])
def test_files_are_for_their_owner_alone_whatever_the_umask(tmp_path: Path, umask: str) -> None:
    data = tmp_path / "new" / "data"
    prefix = ["sh", "-c", f'umask {umask}; exec "$@"', "sh"]
    arguments = ["--dir", str(data), "--unixsocket", str(data / "socket"), *ALL_KINDS_OF_FILES]
    with Server(tmp_path / "given", arguments, prefix=prefix) as server:
        fill(server)
        server.restart()
        fill(server)
        modes = {
            path: stat.S_IMODE(path.lstat().st_mode)
            for path in (data.parent, data, *data.rglob("*"))
        }
    kinds = {path.parent.name if path.suffix else path.name for path in modes}
    assert {"log", "base", "history", "point", "lock", "namespaces", "socket"} <= kinds
    too_wide = {
        str(path): oct(mode)
        for path, mode in modes.items()
        if mode != (0o700 if path.is_dir() or path.name == "socket" else 0o600)
    }
    assert not too_wide


def test_save_nothing_writes_not_one_file_and_is_empty_after_a_restart(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    tracer = shutil.which("strace")
    prefix = [] if tracer is None else [tracer, "-D", "-f", "-qq", "-o", str(trace)]
    if tracer is not None:
        prefix += ["-e", "trace=open,openat,creat,mkdir,mkdirat,rename,renameat2,link,symlink"]
    with Server(tmp_path / "data", ["--save", ""], prefix=prefix) as server:
        fill(server)
        with server.client() as client:
            assert client.call("DBSIZE") == 4000
            client.send_raw(b"SHUTDOWN\r\n")
            with contextlib.suppress(DisconnectedError):
                client.read_reply()
        assert server.wait(timeout_seconds=30) == 0
        server.start()
        with server.client() as client:
            assert client.call("DBSIZE") == 0
    assert list(server.directory.iterdir()) == []
    if tracer is not None:
        calls = trace.read_text(errors="replace").splitlines()
        assert calls, "nothing was traced"
        writing = re.compile(r"O_CREAT|O_WRONLY|O_RDWR|\d (creat|mkdir|rename|link|symlink)")
        assert [each for each in calls if writing.search(each) and "/dev/" not in each] == []


def test_save_nothing_with_appendonly_survives_a_kill(tmp_path: Path) -> None:
    with Server(tmp_path / "data", ["--save", "", "--appendonly", "yes"]) as server:
        with server.client() as client:
            client.call("SET", "lasting", "1")
            client.call("SET", "brief", "2", "EX", 1000)
            assert home_of(client, "lasting") == b"memory"
        server.restart()
        with server.client() as client:
            assert client.call("MGET", "lasting", "brief") == [b"1", b"2"]
            left = client.call("TTL", "brief")
            assert isinstance(left, int)
            assert 0 < left <= 1000
    assert list(server.directory.glob("*.keys")) == [], "a key of the memory went to a file"


def home_of(client: Client, key: str) -> object:
    """Return where a key lives."""
    places = client.call("DWELL.WHERE", key)
    assert isinstance(places, list)
    words = places[0]
    assert isinstance(words, list)
    return words[words.index(b"home") + 1]


def test_dbfilename_names_the_file_of_database_0(tmp_path: Path) -> None:
    arguments = ["--dbfilename", "mine.sqlite", "--drain-after-ms", "10"]
    with Server(tmp_path / "data", arguments) as server:
        fill(server, keys=10)
        assert server.stop() == 0
        names = {path.name for path in server.directory.iterdir()}
        assert "mine.sqlite" in names
        assert "0.keys" not in names
        assert "3.keys" in names
        source = f"file:{server.directory}/mine.sqlite?mode=ro"
        with contextlib.closing(sqlite3.connect(source, uri=True)) as file:
            stored = {bytes(key) for (key,) in file.execute("SELECT key FROM keys")}
        assert stored == {b"key:%d" % number for number in range(0, 10, 2)}
        server.start()
        with server.client() as client:
            assert client.call("GET", "key:4") == b"x" * 1000


@pytest.mark.parametrize("name", ["lock", "namespaces", "0.keys"])
def test_link_in_the_place_of_a_file_is_refused_and_its_target_left_alone(
    tmp_path: Path, name: str
) -> None:
    target = tmp_path / "target"
    with Server(tmp_path / "data", ["--drain-after-ms", "10"]) as server:
        fill(server, keys=10)
        assert server.stop() == 0
        place = server.directory / name
        place.rename(target)
        place.symlink_to(target)
        before = target.read_bytes()
        if name == "0.keys":
            # A file of keys is opened when a key in it is asked for.
            server.start()
            with server.client() as client, pytest.raises(ReplyError):
                client.call("GET", "key:4")
        else:
            server.spawn()
            assert server.wait(timeout_seconds=30) == 1
        assert "Traceback" not in server.log()
        assert target.read_bytes() == before


def test_start_tells_what_it_cut_off_a_torn_log_and_which_base_it_passed_over(
    tmp_path: Path,
) -> None:
    with Server(tmp_path / "data") as server:
        with server.client() as client:
            client.call("SET", "disk", "1")
            client.call("SET", "memory", "2", "EX", 1000)
            client.call("SAVE")
        server.kill()
        (base,) = (server.directory / "base").glob("*.base")
        base.write_bytes(base.read_bytes()[:-1] + b"\xff")
        log = max((server.directory / "log").glob("*.log"))
        written = log.read_bytes()
        end = len(written.rstrip(b"\0"))
        log.write_bytes(written[:end] + bytes(64) + b"torn" + written[end + 68 :])
        server.start()
        with server.client() as client:
            assert client.call("MGET", "disk", "memory") == [b"1", b"2"]
        assert "a damaged base was passed over: the log is damaged" in server.log()
        assert f"in the file {base}" in server.log()
        assert f"of {log}: a record is missing" in server.log()
