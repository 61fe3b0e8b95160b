"""INFO and its sections."""

from __future__ import annotations

from dwell.client.replies import Verbatim
from dwell.server.supervisor import ModuleState
from tests.commands.server.fakes import House


def told(house: House, *sections: str) -> str:
    reply = house.call("INFO", *sections)
    assert isinstance(reply, Verbatim)
    return reply.text


def test_default_tells_what_clients_read_on_connecting(house: House) -> None:
    lines = told(house).split("\r\n")
    for line in ("redis_version:7.0.15", "redis_mode:standalone", "loading:0", "role:master"):
        assert line in lines
    assert "maxmemory_policy:noeviction" in lines
    assert "cluster_enabled:0" in lines


def test_default_leaves_the_command_counters_out(house: House) -> None:
    counts = {"calls": 2, "nanoseconds": 5000, "rejected": 1, "failed": 0}
    house.server.counters = {"commands": {"time": counts}}
    line = "cmdstat_time:calls=2,usec=5,usec_per_call=2.50,rejected_calls=1,failed_calls=0"
    assert line not in told(house)
    assert line in told(house, "all")
    assert line in told(house, "everything")


def test_errors_are_told_by_their_codes(house: House) -> None:
    house.server.counters = {"errors": {"WRONGTYPE": 2, "ERR": 1}}
    assert told(house, "errorstats").split("\r\n") == [
        "# Errorstats",
        "errorstat_ERR:count=1",
        "errorstat_WRONGTYPE:count=2",
        "",
    ]


def test_latencies_are_told_as_percentiles_in_microseconds(house: House) -> None:
    house.server.times["latencies"] = {"get": [(500, 900), (8000, 98), (90_000, 2)]}
    assert told(house, "latencystats").split("\r\n")[1] == (
        "latency_percentiles_usec_get:p50=0.500,p99=8.000,p99.9=90.000"
    )


def test_named_sections_are_told_alone_and_once(house: House) -> None:
    text = told(house, "CPU", "cpu", "no-such-section")
    assert text.startswith("# CPU\r\n")
    assert text.count("used_cpu_user_children") == 1
    assert "redis_version" not in text


def test_default_beside_a_section_adds_the_default(house: House) -> None:
    text = told(house, "commandstats", "default")
    assert "# Commandstats" in text
    assert "used_memory:" in text


def test_unknown_section_is_empty(house: House) -> None:
    assert told(house, "sentinel") == ""


def test_keyspace_tells_databases_that_hold_keys(house: House) -> None:
    house.engine.numbers = {
        "spaces": [
            {"name": b"2", "keys": 0, "expiring": 0, "average_left_ms": 70},
            {"name": b"10", "keys": 1, "expiring": 0, "average_left_ms": 70},
            {"name": b"0", "keys": 3, "expiring": 1, "average_left_ms": 70},
            {"name": b"tenant", "keys": 9, "expiring": 9, "average_left_ms": 70},
        ]
    }
    assert told(house, "keyspace").split("\r\n") == [
        "# Keyspace",
        "db0:keys=3,expires=1,avg_ttl=70",
        "db10:keys=1,expires=0,avg_ttl=70",
        "",
    ]


def test_rates_are_those_of_the_last_seconds(house: House) -> None:
    for commands in (100, 130, 190):
        house.server.counters = {"commands_processed": commands}
        house.context.rates.look()
        house.now_us += 1_000_000
    assert "instantaneous_ops_per_sec:45" in told(house, "stats")


def test_persistence_tells_how_far_the_log_and_the_drain_have_come(house: House) -> None:
    house.engine.numbers = {"synced_sequence": 9, "applied_sequence": 7, "dirty_bytes": 100}
    lines = told(house, "persistence").split("\r\n")
    assert "dwell_synced_sequence:9" in lines
    assert "dwell_applied_sequence:7" in lines
    assert "dwell_dirty_bytes:100" in lines


def test_modules_tell_state_restarts_and_reason(house: House) -> None:
    house.modules = [ModuleState("drain", "waiting", 3, "ValueError: a, b")]
    assert "module_drain:state=waiting,restarts=3,reason=ValueError: a; b" in told(house, "dwell")


def test_each_section_begins_with_its_title_and_sections_are_apart(house: House) -> None:
    blocks = told(house, "everything").split("\r\n\r\n")
    assert all(block.startswith("# ") for block in blocks)
    assert len({block.split("\r\n")[0] for block in blocks}) == len(blocks)
