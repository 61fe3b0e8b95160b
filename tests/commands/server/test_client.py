"""CLIENT LIST, INFO and KILL."""

from __future__ import annotations

import pytest

from dwell.client.replies import ErrorReply, Status, Verbatim
from tests.commands.server.fakes import House


@pytest.fixture
def full_house(house: House) -> House:
    house.server.open_clients = [
        {"id": 9, "addr": "127.0.0.1:5002", "laddr": "127.0.0.1:6379", "name": "worker"},
        {"id": 7, "addr": "127.0.0.1:5000", "laddr": "127.0.0.1:6379"},
        {"id": 8, "addr": "10.0.0.1:5001", "laddr": "10.0.0.9:6379"},
    ]
    return house


def ids(house: House) -> list[int]:
    return sorted(each["id"] for each in house.server.open_clients)


def test_list_describes_each_connection_on_a_line_by_age(full_house: House) -> None:
    reply = full_house.call("CLIENT", "LIST")
    assert isinstance(reply, Verbatim)
    lines = reply.text.splitlines()
    assert [line.split()[0] for line in lines] == ["id=7", "id=8", "id=9"]
    assert lines[2].startswith("id=9 addr=127.0.0.1:5002 laddr=127.0.0.1:6379 fd=")
    assert " name=worker " in lines[2]


def test_list_by_id_and_by_type_filters(full_house: House) -> None:
    by_id = full_house.call("CLIENT", "LIST", "ID", "8", "99")
    assert isinstance(by_id, Verbatim)
    assert by_id.text.count("\n") == 1
    assert full_house.call("CLIENT", "LIST", "TYPE", "pubsub") == Verbatim("txt", "")


def test_info_describes_the_caller(full_house: House) -> None:
    reply = full_house.call("CLIENT", "INFO")
    assert isinstance(reply, Verbatim)
    assert reply.text.startswith("id=7 addr=127.0.0.1:5000 ")


def test_kill_by_address_closes_that_one(full_house: House) -> None:
    assert full_house.call("CLIENT", "KILL", "10.0.0.1:5001") == Status("OK")
    assert ids(full_house) == [7, 9]


def test_kill_by_filters_spares_the_caller_unless_told_not_to(full_house: House) -> None:
    assert full_house.call("CLIENT", "KILL", "TYPE", "normal") == 2
    assert ids(full_house) == [7]
    assert full_house.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "no") == 1
    assert ids(full_house) == []


def test_kill_applies_every_filter(full_house: House) -> None:
    assert full_house.call("CLIENT", "KILL", "ID", "8", "LADDR", "127.0.0.1:6379") == 0
    assert full_house.call("CLIENT", "KILL", "ID", "8", "LADDR", "10.0.0.9:6379") == 1
    assert ids(full_house) == [7, 9]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("KILL", "1.2.3.4:5"), "ERR No such client"),
        (("KILL", "ID", "x"), "ERR client-id should be greater than 0"),
        (("KILL", "ID", "0"), "ERR client-id should be greater than 0"),
        (("KILL", "TYPE", "foo"), "ERR Unknown client type 'foo'"),
        (("KILL", "FOO", "bar"), "ERR syntax error"),
        (("KILL", "ID", "1", "ID"), "ERR syntax error"),
        (("KILL", "USER", "nosuch"), "ERR No such user 'nosuch'"),
        (("KILL", "SKIPME", "maybe"), "ERR syntax error"),
        (("LIST", "TYPE", "foo"), "ERR Unknown client type 'foo'"),
        (("LIST", "ID", "x"), "ERR Invalid client ID"),
        (("LIST", "ID"), "ERR syntax error"),
        (("TRACKING", "ON"), "ERR unknown subcommand 'TRACKING' of 'client',"),
        (("NOPE",), "ERR unknown subcommand 'NOPE'. Try CLIENT HELP."),
    ],
)
def test_mistake_is_answered_with_the_error_line_of_redis(
    full_house: House, words: tuple[str, ...], error: str
) -> None:
    reply = full_house.call("CLIENT", *words)
    assert isinstance(reply, ErrorReply)
    assert reply.text.startswith(error)
    assert ids(full_house) == [7, 8, 9]


def test_pause_holds_back_all_or_only_what_writes(house: House) -> None:
    assert house.call("CLIENT", "PAUSE", "500") == Status("OK")
    assert house.server.pause == (500, True)
    house.call("CLIENT", "PAUSE", "70", "write")
    assert house.server.pause == (70, False)
    house.call("CLIENT", "UNPAUSE")
    assert house.server.pause is None


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("x",), "ERR timeout is not an integer or out of range"),
        (("-1",), "ERR timeout is negative"),
        (("1", "reads"), "ERR CLIENT PAUSE mode must be WRITE or ALL"),
        (("1", "write", "all"), "ERR CLIENT PAUSE mode must be WRITE or ALL"),
    ],
)
def test_mistaken_pause_is_refused(house: House, words: tuple[str, ...], error: str) -> None:
    assert house.call("CLIENT", "PAUSE", *words) == ErrorReply(error)
    assert house.server.pause is None
