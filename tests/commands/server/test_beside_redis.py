"""The running server beside redis-server: the same words get the same reply, byte for byte."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from dwell.client.connection import Client
from dwell.client.replies import ErrorReply, Reply, Status, Verbatim
from tests.resp import DisconnectedError
from tests.servers import Server, needs_server

pytestmark = needs_server

SAME = [
    "TIME foo",
    "ROLE",
    "BGSAVE foo",
    "LASTSAVE foo",
    "CONFIG",
    "CONFIG foo",
    "CONFIG GET",
    "CONFIG GET maxmemory",
    "CONFIG GET MAXMEMORY-POL*",
    "CONFIG GET nothing-like-it",
    "CONFIG GET maxmemory MAXmemory",
    "CONFIG SET maxmemory",
    "CONFIG SET nope 1",
    "CONFIG SET maxmemory 1 nope",
    "CONFIG SET maxmemory 1 maxmemory 2",
    "CONFIG SET maxmemory-policy allkeys-lru",
    "CONFIG GET maxmemory-policy",
    "CONFIG SET maxmemory-policy noeviction",
    "CONFIG RESETSTAT",
    "CONFIG RESETSTAT foo",
    "CLIENT",
    "CLIENT nope",
    "CLIENT KILL 1.2.3.4:5",
    "CLIENT KILL ID x",
    "CLIENT KILL ID 0",
    "CLIENT KILL ID 99999",
    "CLIENT KILL TYPE foo",
    "CLIENT KILL FOO bar",
    "CLIENT KILL ID 1 ID",
    "CLIENT KILL USER nosuch",
    "CLIENT KILL SKIPME maybe",
    "CLIENT LIST foo",
    "CLIENT LIST ID",
    "CLIENT LIST ID x",
    "CLIENT LIST TYPE foo",
    "CLIENT LIST TYPE pubsub",
    "CLIENT INFO foo",
    "CLIENT GETNAME",
    "CLIENT SETNAME me",
    "CLIENT GETNAME",
    "CLIENT SETNAME",
    "COMMAND COUNT foo",
    "COMMAND INFO nope",
    "COMMAND DOCS nope",
    "COMMAND GETKEYS",
    "COMMAND GETKEYS get",
    "COMMAND GETKEYS get a",
    "COMMAND GETKEYS get a b",
    "COMMAND GETKEYS ping a",
    "COMMAND GETKEYS foo a",
    "COMMAND GETKEYS mset a 1 b 2",
    "COMMAND GETKEYSANDFLAGS rename a b",
    "COMMAND LIST FILTERBY ACLCAT foo",
    "COMMAND LIST FILTERBY MODULE foo",
    "COMMAND LIST FILTERBY foo bar",
    "COMMAND LIST foo",
    "DEBUG SLEEP 0",
    "DEBUG PROTOCOL string",
    "DEBUG PROTOCOL integer",
    "DEBUG PROTOCOL double",
    "DEBUG PROTOCOL bignum",
    "DEBUG PROTOCOL null",
    "DEBUG PROTOCOL array",
    "DEBUG PROTOCOL set",
    "DEBUG PROTOCOL map",
    "DEBUG PROTOCOL verbatim",
    "DEBUG PROTOCOL true",
    "DEBUG PROTOCOL false",
    "DEBUG OBJECT nokey",
    "DEBUG SET-ACTIVE-EXPIRE 1",
    "FUNCTION FLUSH",
    "FUNCTION FLUSH foo",
    "FUNCTION FLUSH sync",
    "INFO nothing-like-it",
    "LATENCY LATEST",
    "LATENCY HISTORY foo",
    "LATENCY HISTORY",
    "LATENCY RESET",
    "LATENCY RESET foo",
    "MEMORY USAGE nokey",
    "MEMORY USAGE nokey SAMPLES",
    "MEMORY USAGE nokey SAMPLES -1",
    "MEMORY USAGE nokey SAMPLES x",
    "MEMORY USAGE nokey SAMPLES 5",
    "SHUTDOWN foo",
    "SHUTDOWN ABORT",
    "nope a b",
]


@pytest.fixture(scope="module")
def dwell_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    directory = tmp_path_factory.mktemp("beside") / "data"
    with Server(directory, ["--enable-debug-command", "yes"]) as server:
        yield server


def ask(server: Server, line: str) -> Reply:
    """One command on a connection of its own, in RESP3."""
    with Client(server.address) as client:
        return client.pipeline([line.split()])[0]


def raw_reply(server: Server, line: str) -> bytes:
    """The bytes of the reply in RESP2, with those of an ECHO behind it."""
    data = b""
    with socket.create_connection(server.address, 20) as connection:
        connection.sendall(line.encode() + b"\r\nECHO end-of-reply\r\n")
        while not data.endswith(b"end-of-reply\r\n"):
            received = connection.recv(65536)
            assert received, data
            data += received
    return data


@pytest.mark.parametrize("line", SAME)
def test_reply_is_the_same_in_resp3(dwell_server: Server, redis: Server, line: str) -> None:
    assert ask(dwell_server, line) == ask(redis, line)


@pytest.mark.parametrize("line", SAME)
def test_reply_is_the_same_in_resp2(dwell_server: Server, redis: Server, line: str) -> None:
    assert raw_reply(dwell_server, line) == raw_reply(redis, line)


@pytest.mark.parametrize(
    "value", ["1", "-17", "01", "-0", "9" * 19, "-" + "9" * 18, "x" * 44, "x" * 45, ""]
)
def test_debug_object_names_the_encoding_of_redis(
    dwell_server: Server, redis: Server, value: str
) -> None:
    encodings = []
    for server in (dwell_server, redis):
        with Client(server.address) as client:
            client.execute("SET", "k", value)
            told = client.execute("DEBUG", "OBJECT", "k")
            assert isinstance(told, Status)
            encodings.append(re.findall(r"encoding:(\w+)", told.text))
            assert client.execute("OBJECT", "ENCODING", "k") == encodings[-1][0].encode()
    assert encodings[0] == encodings[1]


def test_container_help_begins_like_that_of_redis(dwell_server: Server, redis: Server) -> None:
    for container in ("CLIENT", "COMMAND", "CONFIG", "DEBUG", "LATENCY", "MEMORY", "OBJECT"):
        ours, theirs = ask(dwell_server, f"{container} HELP"), ask(redis, f"{container} HELP")
        assert isinstance(ours, list)
        assert isinstance(theirs, list)
        assert ours[0] == theirs[0]
        assert all(isinstance(line, Status) for line in ours)


def test_client_list_has_the_fields_of_redis_in_their_order(
    dwell_server: Server, redis: Server
) -> None:
    names = []
    for server in (dwell_server, redis):
        told = ask(server, "CLIENT LIST")
        assert isinstance(told, Verbatim)
        names.append(re.findall(r"(\S+)=", told.text.splitlines()[0]))
    assert names[0][: len(names[1])] == names[1]


def test_info_has_no_field_twice_and_numbers_where_redis_has_numbers(
    dwell_server: Server, redis: Server
) -> None:
    fields = []
    for server in (dwell_server, redis):
        told = ask(server, "INFO everything")
        assert isinstance(told, Verbatim)
        lines = [line for line in told.text.splitlines() if ":" in line]
        pairs = dict(line.split(":", 1) for line in lines)
        assert len(pairs) == len(lines)
        fields.append(pairs)
    ours, theirs = fields
    for name in ours.keys() & theirs.keys() - {"redis_build_id"}:
        assert ours[name].lstrip("-").isdigit() == theirs[name].lstrip("-").isdigit(), name


def test_multi_refuses_what_changes_and_runs_what_reads(dwell_server: Server) -> None:
    with Client(dwell_server.address) as client:
        for name in ("config|resetstat", "config|set timeout 1", "client|kill id 1", "save"):
            refusal = ErrorReply(
                f"ERR Command not allowed inside a transaction: {name.partition(' ')[0]}"
            )
            words = name.replace("|", " ").split()
            assert client.pipeline([("MULTI",), tuple(words), ("DISCARD",)])[1] == refusal
        replies = client.pipeline(
            [("MULTI",), ("SET", "k", "v"), ("TIME",), ("CONFIG", "GET", "timeout"), ("EXEC",)]
        )
        done = replies[-1]
        assert isinstance(done, list)
        assert done[0] == Status("OK")
        assert isinstance(done[1], list)
        assert done[2] == {b"timeout": b"0"}


@pytest.mark.parametrize("name", ["RELOAD", "LOADAOF"])
def test_debug_reload_keeps_every_key_and_reads_the_disk_anew(
    dwell_server: Server, name: str
) -> None:
    with Client(dwell_server.address) as client:
        client.execute("SET", "stays", "1")
        client.execute("SET", "ends", "2", "EX", 100)
        client.execute("INCR", "stays")
        assert client.execute("DEBUG", name) == Status("OK")
        places: Any = client.execute("DWELL.WHERE", "stays", "ends")
        assert [place[b"tier"] for place in places] == [b"disk", b"memory"]
        assert client.execute("MGET", "stays", "ends") == [b"2", b"2"]
        ttl = client.execute("TTL", "ends")
        assert isinstance(ttl, int)
        assert 90 < ttl <= 100


def test_shutdown_ends_the_process_and_keeps_what_was_acknowledged(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    server = Server(tmp_path_factory.mktemp("shutdown") / "data")
    with server:
        with server.client() as client:
            client.call("SET", "k", "v")
            client.send_raw(b"SHUTDOWN\r\n")
            with pytest.raises(DisconnectedError):
                client.read_reply()
        assert server.wait(timeout_seconds=20) == 0
        server.start()
        with server.client() as client:
            assert client.call("GET", "k") == b"v"


def test_taken_directory_is_one_sentence_and_exit_code_1(dwell_server: Server) -> None:
    second = Server(dwell_server.directory)
    second.spawn()
    assert second.wait(timeout_seconds=20) == 1
    last = [line for line in second.log().splitlines() if line.startswith("dwell: ")]
    assert len(last) == 1
    assert str(os.getpid()) not in last[0]
    assert "Traceback" not in second.log()


def test_taken_port_is_one_sentence_and_exit_code_1(
    dwell_server: Server, tmp_path_factory: pytest.TempPathFactory
) -> None:
    second = Server(tmp_path_factory.mktemp("taken") / "data")
    second.port = dwell_server.port
    second.spawn()
    assert second.wait(timeout_seconds=20) == 1
    lines = [line for line in second.log().splitlines() if line.startswith("dwell: ")]
    assert len(lines) == 1
    assert f"the port {dwell_server.port} is taken" in lines[0]
    assert "os error" not in second.log()
    assert "Traceback" not in second.log()
