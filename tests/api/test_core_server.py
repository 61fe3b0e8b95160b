"""The event loop as Python holds it: starting, questions, replies of every shape, stopping."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import dwell
from dwell import _core
from dwell.client.replies import Attributed, ErrorReply, Push, Status, Verbatim
from tests.resp import Client, ReplyError

REPLY_TYPES = {
    "status": Status,
    "error": ErrorReply,
    "verbatim": Verbatim,
    "push": Push,
    "attributed": Attributed,
}


@pytest.fixture
def database() -> Iterator[dwell.Database]:
    with dwell.open(None) as opened:
        yield opened


@pytest.fixture
def server(database: dwell.Database, tmp_path: Path) -> Iterator[_core.Server]:
    settings = {"port": 0, "unix_socket": str(tmp_path / "s"), "bind": ["127.0.0.1"]}
    started = _core.Server(database, settings, REPLY_TYPES, [("own", -1, False)])
    yield started
    started.stop()


def ask(server: _core.Server, reply: object, got: list[Any]) -> None:
    """Note what a client gets that sends OWN, when the host answers with `reply`."""

    def call() -> None:
        with Client(server.addresses()[-1], protocol=3) as client:
            try:
                got.append(client.call("OWN", "word"))
            except ReplyError as error:
                got.append(error)

    caller = threading.Thread(target=call)
    caller.start()
    request = server.take_admin_request(10_000)
    assert request is not None
    assert request.args == [b"OWN", b"word"]
    assert (request.client["db"], request.client["resp"], request.in_multi) == (0, 3, False)
    try:
        server.answer(request.id, reply)
    finally:
        caller.join()


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        (None, None),
        (True, True),
        (-(2**63), -(2**63)),
        (2**70, 2**70),
        (1.5, 1.5),
        (math.inf, math.inf),
        (b"\x00\xff", b"\x00\xff"),
        ("Zoë", "Zoë".encode()),
        ("\udcff", b"\xff"),
        ([1, [2, (3,)]], [1, [2, [3]]]),
        ({"a": {b"b": None}}, {b"a": {b"b": None}}),
    ],
)
def test_reply_is_what_the_object_says(server: _core.Server, reply: object, read: object) -> None:
    got: list[Any] = []
    ask(server, reply, got)
    assert got == [read]


def test_error_line_reaches_the_client(server: _core.Server) -> None:
    got: list[Any] = []
    ask(server, ErrorReply("ERR no"), got)
    assert [str(each) for each in got] == ["ERR no"]


def endless() -> list[Any]:
    """A list that contains itself."""
    items: list[Any] = []
    items.append(items)
    return items


@pytest.mark.parametrize("reply", [object(), [{1: [object()]}], endless(), 1j])
def test_reply_that_is_none_is_refused_and_the_client_is_told(
    server: _core.Server, reply: object
) -> None:
    got: list[Any] = []
    with pytest.raises(dwell.UsageError, match="reply"):
        ask(server, reply, got)
    assert [str(each) for each in got] == ["ERR internal the command's reply cannot be sent"]


def test_loop_and_library_share_one_keyspace(
    server: _core.Server, database: dwell.Database
) -> None:
    database.write("from library", 41)
    with Client(server.addresses()[-1]) as client:
        assert client.call("INCR", "from library") == 42
        client.call("SELECT", "3")
        client.call("SET", "from client", "text", "EX", "100")
    assert database.read("from library") == 42
    assert database.namespace("3").read("from client") == b"text"


def test_clients_are_described_and_killed(server: _core.Server) -> None:
    with Client(server.addresses()[-1]) as client:
        client.call("CLIENT", "SETNAME", "ada")
        (told,) = server.clients()
        assert told["name"] == "ada"
        assert told["flags"] == "U"
        assert told["addr"].endswith("/s:0")
        assert server.kill_clients([told["id"], 10**9]) == 1
        assert server.clients() == []


def test_settings_change_in_loop_and_engine(server: _core.Server, database: dwell.Database) -> None:
    server.adjust({"password": "secret", "memory_policy": "allkeys-lru", "debug_commands": "no"})
    with Client(server.addresses()[-1]) as client:
        with pytest.raises(ReplyError, match="NOAUTH"):
            client.call("GET", "a")
        assert client.call("AUTH", "secret") == "OK"
    with pytest.raises(dwell.UsageError, match="clients_max"):
        server.adjust({"clients_max": "many"})
    assert database.is_open


def test_taken_address_is_one_clear_sentence(database: dwell.Database) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(dwell.UnavailableError) as caught:
            _core.Server(database, {"port": port, "bind": ["127.0.0.1"]}, REPLY_TYPES)
        assert str(caught.value) == (f"cannot listen, the port {port} is taken: 127.0.0.1:{port}")
        assert "--port" in str(caught.value.hint)


def test_name_that_is_no_address_is_refused(database: dwell.Database) -> None:
    settings = {"port": 7001, "bind": ["not an address"]}
    with pytest.raises(dwell.UsageError, match="bind is no address"):
        _core.Server(database, settings, REPLY_TYPES)


def test_stopped_loop_says_that_it_is_stopped(server: _core.Server) -> None:
    assert server.facts()["is_running"]
    server.stop()
    server.stop()
    facts = server.facts()
    assert not facts["is_running"]
    assert "stopped" in facts["reason"]
