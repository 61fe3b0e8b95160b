"""SAVE, SHUTDOWN, TIME, DEBUG, LATENCY, MEMORY, FUNCTION, ROLE: the smaller commands."""

from __future__ import annotations

import threading

import pytest

from dwell.client.replies import ErrorReply, Status, Verbatim
from dwell.errors import UnavailableError
from dwell.server.administration import Administration
from dwell.server.registry import registry
from dwell.server.reply_form import NO_REPLY
from dwell.settings import Settings
from tests.commands.server.fakes import NOW_US, FakeRequest, FakeServer, House


def test_time_is_seconds_and_microseconds(house: House) -> None:
    assert house.call("TIME") == [b"1700000000", b"123456"]


def test_save_answers_when_the_engine_has_saved(house: House) -> None:
    house.now_us += 5_000_000
    assert house.call("SAVE") == Status("OK")
    assert house.engine.told == ["save"]
    assert house.call("LASTSAVE") == (NOW_US + 5_000_000) // 1_000_000


def test_failed_save_is_an_error_and_told_by_info(house: House) -> None:
    house.engine.failure = OSError("disk full")
    assert house.call("SAVE") == ErrorReply("ERR the save failed: disk full")
    told = house.call("INFO", "persistence")
    assert isinstance(told, Verbatim)
    assert "rdb_last_bgsave_status:err" in told.text
    assert house.call("LASTSAVE") == NOW_US // 1_000_000


def test_second_save_at_the_same_time_is_refused(house: House) -> None:
    house.engine.may_save.clear()
    assert house.call("BGSAVE") == Status("Background saving started")
    assert house.call("SAVE") == ErrorReply("ERR Background save already in progress")
    house.engine.may_save.set()
    with house.context.saving:
        assert house.engine.told == ["save"]


def test_shutdown_says_stop_and_sends_no_reply(house: House) -> None:
    heard = house.bus.subscribe("stop")
    assert house.call("SHUTDOWN", "NOSAVE") is NO_REPLY
    message = heard.read(timeout_s=0)
    assert message is not None
    assert message.fields == {"reason": "SHUTDOWN"}


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("SHUTDOWN", "foo"), "ERR syntax error"),
        (("SHUTDOWN", "ABORT"), "ERR No shutdown in progress."),
        (("SHUTDOWN", "SAVE", "NOSAVE"), "ERR syntax error"),
        (("BGSAVE", "foo"), "ERR syntax error"),
        (("FUNCTION", "FLUSH", "foo"), "ERR FUNCTION FLUSH only supports SYNC|ASYNC option"),
        (("TIME", "foo"), "ERR wrong number of arguments for 'time' command"),
        (("MEMORY", "USAGE", "k", "SAMPLES"), "ERR syntax error"),
        (("MEMORY", "USAGE", "k", "SAMPLES", "-1"), "ERR syntax error"),
        (
            ("MEMORY", "USAGE", "k", "SAMPLES", "x"),
            "ERR value is not an integer or out of range",
        ),
        (("lpush", "a", "1"), "ERR unknown command 'lpush', list commands are not supported yet"),
        (("nope", "a", "b"), "ERR unknown command 'nope', with args beginning with: 'a' 'b' "),
        (("CONFIG",), "ERR wrong number of arguments for 'config' command"),
    ],
)
def test_mistake_is_answered_with_one_error_line(
    house: House, words: tuple[str, ...], error: str
) -> None:
    heard = house.bus.subscribe("stop")
    assert house.call(*words) == ErrorReply(error)
    assert heard.read(timeout_s=0) is None


def test_memory_usage_counts_key_and_value(house: House) -> None:
    house.engine.places[2, b"k"] = {"size_bytes": 99, "home": "memory"}
    assert house.call("MEMORY", "USAGE", "k", client={"db": 2}) == 100
    assert house.call("MEMORY", "USAGE", "k") is None


def test_debug_is_refused_unless_it_is_enabled(house: House) -> None:
    reply = house.call("DEBUG", "SLEEP", "0")
    assert isinstance(reply, ErrorReply)
    assert reply.text.startswith("ERR DEBUG command not allowed.")


def test_local_debug_is_refused_to_others() -> None:
    house = House(settings=Settings(debug_commands="local"))
    far = {"id": 1, "addr": "10.0.0.1:99"}
    assert house.call("DEBUG", "SLEEP", "0") == Status("OK")
    assert isinstance(house.call("DEBUG", "SLEEP", "0", client=far), ErrorReply)


def test_debug_set_active_expire_switches_it() -> None:
    house = House(settings=Settings(debug_commands="yes"))
    assert house.call("DEBUG", "SET-ACTIVE-EXPIRE", "0") == Status("OK")
    assert house.server.adjusted == {"is_expiry_active": False}


def test_debug_object_tells_encoding_size_and_home() -> None:
    house = House(settings=Settings(debug_commands="yes"))
    facts = {"size_bytes": 2, "home": "disk", "state": "dirty", "encoding": "int"}
    house.engine.places[0, b"k"] = facts
    assert house.call("DEBUG", "OBJECT", "k") == Status(
        "Value at:0x0 refcount:1 encoding:int serializedlength:2 home:disk state:dirty"
    )


@pytest.mark.parametrize("name", ["RELOAD", "LOADAOF"])
def test_debug_reload_is_left_to_the_engine(name: str) -> None:
    house = House(settings=Settings(debug_commands="yes"))
    assert house.call("DEBUG", name) == Status("OK")
    assert house.engine.told == ["reload"]


def test_debug_object_of_an_absent_key_says_so() -> None:
    house = House(settings=Settings(debug_commands="yes"))
    assert house.call("DEBUG", "OBJECT", "k") == ErrorReply("ERR no such key")


def test_help_lists_every_subcommand_and_no_other(house: House) -> None:
    told = house.call("CONFIG", "HELP")
    assert isinstance(told, list)
    lines = [each.text for each in told if isinstance(each, Status)]
    names = {line.split()[0] for line in lines[1:] if not line.startswith(" ")}
    assert names == {"GET", "HELP", "RESETSTAT", "SET"}


def test_role_is_a_master_without_replicas(house: House) -> None:
    assert house.call("ROLE") == [b"master", 0, []]


def test_function_flush_is_accepted_since_there_are_none(house: House) -> None:
    assert house.call("FUNCTION", "FLUSH", "ASYNC") == Status("OK")


def test_command_that_raises_answers_an_internal_error(house: House) -> None:
    # INV-05: whatever a command does, its client gets a reply and the thread goes on.
    house.engine.places[0, b"k"] = {}
    reply = house.call("MEMORY", "USAGE", "k")
    assert reply == ErrorReply("ERR internal KeyError in the command, see the log")


def test_slow_command_does_not_hold_up_another(house: House) -> None:
    # INV-06: one client cannot stop another.
    house.engine.may_save.clear()
    administration = Administration(house.context, registry)
    administration.handle(FakeRequest([b"SAVE"], id=1), house.server)
    administration.handle(FakeRequest([b"ROLE"], id=2), house.server)
    assert house.server.answers == {2: [b"master", 0, []]}
    house.engine.may_save.set()
    assert house.server.wait_for_answer(1) == Status("OK")


def test_answer_goes_to_the_loop_that_asked(house: House) -> None:
    house.engine.may_save.clear()
    asker = house.server
    administration = Administration(house.context, registry)
    administration.handle(FakeRequest([b"SAVE"], id=1), asker)
    house.server = FakeServer()
    house.engine.may_save.set()
    assert asker.wait_for_answer(1) == Status("OK")
    assert house.server.answers == {}


def test_administration_waits_while_the_loop_is_started_again(house: House) -> None:
    stop = threading.Event()

    def no_loop() -> FakeServer:
        stop.set()
        raise UnavailableError("the event loop is being restarted")

    house.context.loop = no_loop
    Administration(house.context, registry).run(stop)
    house.context.rates.look()
    assert house.context.rates.commands_per_s == 0
