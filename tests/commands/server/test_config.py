"""CONFIG GET, SET and RESETSTAT."""

from __future__ import annotations

from dwell.client.replies import ErrorReply, Status
from dwell.errors import UnavailableError
from tests.commands.server.fakes import House


def test_get_answers_every_directive_that_matches_any_glob(house: House) -> None:
    told = house.call("CONFIG", "GET", "max*", "APPENDONLY", "nothing-like-it")
    assert isinstance(told, dict)
    assert told["maxmemory"] == "0"
    assert told["appendonly"] == "yes"
    assert all(str(name).startswith("max") or name == "appendonly" for name in told)


def test_get_of_an_unknown_name_is_empty(house: House) -> None:
    assert house.call("CONFIG", "GET", "no-such-name") == {}


def test_set_changes_all_that_are_named_and_tells_the_event_loop(house: House) -> None:
    assert house.call("CONFIG", "SET", "maxmemory", "1mb", "timeout", "5") == Status("OK")
    assert house.server.adjusted == {"memory_bytes_max": 1024 * 1024, "client_idle_s": 5}
    assert house.call("CONFIG", "GET", "maxmemory") == {"maxmemory": str(1024 * 1024)}


def test_set_changes_nothing_when_one_value_is_bad(house: House) -> None:
    reply = house.call("CONFIG", "SET", "timeout", "5", "maxmemory", "abc")
    assert isinstance(reply, ErrorReply)
    assert reply.text.startswith(
        "ERR CONFIG SET failed (possibly related to argument 'maxmemory') - "
    )
    assert house.server.adjusted == {}
    assert house.call("CONFIG", "GET", "timeout") == {"timeout": "0"}


def test_set_keeps_the_old_value_when_the_core_refuses(house: House) -> None:
    house.server.refusal = UnavailableError("no room")
    assert isinstance(house.call("CONFIG", "SET", "timeout", "5"), ErrorReply)
    assert house.call("CONFIG", "GET", "timeout") == {"timeout": "0"}


def test_set_refuses_an_unknown_name_as_redis_does(house: House) -> None:
    assert house.call("CONFIG", "SET", "nope", "1") == ErrorReply(
        "ERR Unknown option or number of arguments for CONFIG SET - 'nope'"
    )


def test_set_refuses_a_name_given_twice(house: House) -> None:
    assert house.call("CONFIG", "SET", "maxmemory", "1", "MAXMEMORY", "2") == ErrorReply(
        "ERR CONFIG SET failed (possibly related to argument 'MAXMEMORY') - duplicate parameter"
    )


def test_set_refuses_an_odd_number_of_words(house: House) -> None:
    assert house.call("CONFIG", "SET", "maxmemory", "1", "timeout") == ErrorReply(
        "ERR syntax error"
    )


def test_directive_without_effect_is_remembered(house: House) -> None:
    assert house.call("CONFIG", "SET", "hash-max-listpack-entries", "9") == Status("OK")
    assert house.call("CONFIG", "GET", "hash-max-listpack-entries") == {
        "hash-max-listpack-entries": "9"
    }
    assert house.server.adjusted == {}


def test_what_changes_is_refused_by_name_inside_multi_and_get_is_not(house: House) -> None:
    refusal = "ERR Command not allowed inside a transaction"
    assert house.call("CONFIG", "RESETSTAT", in_multi=True) == ErrorReply(
        f"{refusal}: config|resetstat"
    )
    assert house.call("CONFIG", "SET", "timeout", "5", in_multi=True) == ErrorReply(
        f"{refusal}: config|set"
    )
    assert house.call("CONFIG", "GET", "timeout", in_multi=True) == {"timeout": "0"}


def test_resetstat_begins_the_counters_anew(house: House) -> None:
    house.engine.numbers = {"counters": {"hits": 10}}
    assert house.call("CONFIG", "RESETSTAT") == Status("OK")
    house.engine.numbers = {"counters": {"hits": 13}}
    assert house.context.counts()["hits"] == 3


def test_resetstat_begins_the_counters_of_the_loop_anew(house: House) -> None:
    house.server.counters = {"commands_processed": 5}
    assert house.context.counts()["commands_processed"] == 5
    house.call("CONFIG", "RESETSTAT")
    assert house.context.counts()["commands_processed"] == 0


def test_rewrite_is_refused_by_name(house: House) -> None:
    assert house.call("CONFIG", "REWRITE") == ErrorReply(
        "ERR unknown subcommand 'REWRITE' of 'config', server commands are not supported yet"
    )
