"""Whom a server lets in: loopback by default, strangers only with a password, and clean sockets."""

from __future__ import annotations

import contextlib
import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.resp import Client, ReplyError
from tests.servers import Server, is_dwell, needs_server, server_command

pytestmark = [
    needs_server,
    pytest.mark.skipif(not is_dwell(), reason="these are promises of Dwell"),
]

LISTENING = "0A"


def listening_addresses(pid: int) -> set[str]:
    """Return the addresses on which a process listens, as the kernel writes them."""
    links = [link.readlink() for link in Path(f"/proc/{pid}/fd").iterdir() if link.is_symlink()]
    sockets = {found[1] for link in links if (found := re.match(r"socket:\[(\d+)\]", str(link)))}
    addresses = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[9] in sockets and fields[3] == LISTENING:
                addresses.add(fields[1].split(":")[0])
    return addresses


@pytest.fixture
def outside_address() -> str:
    """An address of this machine that is not loopback; no packet is sent to find it."""
    with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
        try:
            probe.connect(("198.51.100.1", 9))
        except OSError:
            pytest.skip("this machine has no address but loopback")
        address: str = probe.getsockname()[0]
    return address


@pytest.fixture
def exposed(tmp_path: Path) -> Iterator[Server]:
    """A server that listens on every address."""
    with Server(tmp_path / "data", ["--bind", "*"]) as server:
        yield server


def test_default_listens_on_loopback_alone(tmp_path: Path) -> None:
    with Server(tmp_path / "data") as server:
        assert listening_addresses(server.pid) <= {"0100007F", "0" * 24 + "01000000"}
        assert listening_addresses(server.pid)


def test_stranger_is_refused_until_there_is_a_password(
    exposed: Server, outside_address: str
) -> None:
    outside = (outside_address, exposed.port)
    with Client(outside) as stranger:
        refusal = stranger.read_reply()
        assert isinstance(refusal, ReplyError)
        assert refusal.code == "DENIED"
        with pytest.raises(ConnectionError):
            stranger.call("PING")
    with exposed.client() as client:
        client.call("CONFIG", "SET", "requirepass", "open sesame")
    with Client(outside) as stranger:
        with pytest.raises(ReplyError, match="NOAUTH"):
            stranger.call("GET", "k")
        assert stranger.call("AUTH", "open sesame") == "OK"
        assert stranger.call("GET", "k") is None


def test_stranger_is_let_in_where_the_protection_is_off(
    exposed: Server, outside_address: str
) -> None:
    with exposed.client() as client:
        client.call("CONFIG", "SET", "protected-mode", "no")
    with Client((outside_address, exposed.port)) as stranger:
        assert stranger.call("PING") == "PONG"


def test_socket_that_a_kill_left_behind_is_replaced_and_a_living_one_is_not(
    tmp_path: Path,
) -> None:
    path = tmp_path / "socket"
    with Server(tmp_path / "data", ["--unixsocket", str(path)]) as server:
        server.kill()
        assert path.is_socket()
        server.start()
        with Client(str(path)) as client:
            assert client.call("PING") == "PONG"
        second = Server(tmp_path / "second", ["--unixsocket", str(path)])
        second.spawn()
        assert second.wait(timeout_seconds=30) == 1
        sentences = [line for line in second.log().splitlines() if line.startswith("dwell: ")]
        assert len(sentences) == 1
        assert str(path) in sentences[0]
        with Client(str(path)) as client:
            assert client.call("PING") == "PONG"
        assert server.stop() == 0
    assert not path.exists()


def test_password_is_in_no_log_no_reply_and_no_file(tmp_path: Path) -> None:
    secret, second, wrong = "first-s3cret", "second-s3cret", "wrong-s3cret"
    conf = tmp_path / "redis.conf"
    conf.write_text(f"requirepass {secret}\nenable-debug-command yes\n")
    told = []
    with Server(tmp_path / "data", command=[*server_command(), str(conf)]) as server:
        with server.client() as guest, server.client() as client:
            for words in (
                ["AUTH", wrong],
                ["HELLO", 3, "AUTH", "default", wrong],
                ["AUTH", wrong, wrong],
            ):
                with pytest.raises(ReplyError) as caught:
                    guest.call(*words)
                told.append(str(caught.value))
            assert client.call("AUTH", secret) == "OK"
            client.call("CONFIG", "SET", "requirepass", second)
            with pytest.raises(ReplyError) as caught:
                client.call("CONFIG", "SET", "requirepass")
            told.append(str(caught.value))
            asked = (["INFO", "everything"], ["CLIENT", "LIST"], ["CLIENT", "INFO"])
            told += [str(client.call(*words)) for words in asked]
            client.call("SET", "k", "v")
            client.call("SAVE")
        listing = subprocess.run(
            ["ps", "-o", "args=", "-p", str(server.pid)], capture_output=True, text=True, check=True
        ).stdout
        assert server.stop() == 0
        written = [path.read_bytes() for path in server.directory.rglob("*") if path.is_file()]
        told += [server.log(), listing]
    for each in (secret, second, wrong):
        assert not [text for text in told if each in text]
        assert not [data for data in written if each.encode() in data]


def test_whoever_has_no_password_is_told_that_first_and_a_bad_name_takes_nothing_back(
    tmp_path: Path,
) -> None:
    conf = tmp_path / "redis.conf"
    conf.write_text("requirepass secret\n")
    with (
        Server(tmp_path / "data", command=[*server_command(), str(conf)]) as server,
        server.client() as client,
    ):
        for words in (["LPUSH", "a", "b"], ["GET", "a"]):
            with pytest.raises(ReplyError, match="NOAUTH Authentication required"):
                client.call(*words)
        with pytest.raises(ReplyError, match="cannot contain spaces"):
            client.call("HELLO", 3, "AUTH", "default", "secret", "SETNAME", "a b")
        assert client.call("PING") == "PONG"
        with pytest.raises(ReplyError, match="list commands are not supported yet"):
            client.call("LPUSH", "a", "b")
        with pytest.raises(ReplyError, match="value must between -2147483648 and 2147483647"):
            client.call("SELECT", 99999999999)


def test_command_of_more_words_than_a_million_is_read(tmp_path: Path) -> None:
    with Server(tmp_path / "data") as server, server.client() as client:
        assert client.call("DEL", *([b"k"] * (1 << 20)), b"other") == 0
