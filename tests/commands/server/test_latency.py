"""SLOWLOG and LATENCY: what took long."""

from __future__ import annotations

import pytest

from dwell.client.replies import ErrorReply, Status, Verbatim
from dwell.settings import Settings
from tests.commands.server.fakes import NOW_US, House

SECOND = NOW_US // 1_000_000


def slow_call(number: int) -> dict[str, object]:
    return {
        "id": number,
        "age_us": 2_000_000,
        "took_us": 15_000,
        "words": [b"KEYS", b"*"],
        "client_id": 3,
        "addr": "127.0.0.1:5000",
        "name": "ada",
    }


def test_slow_calls_are_told_as_redis_tells_them(house: House) -> None:
    house.server.times["slow_calls"] = [slow_call(4)]
    told = [4, SECOND - 2, 15_000, [b"KEYS", b"*"], "127.0.0.1:5000", "ada"]
    assert house.call("SLOWLOG", "GET") == [told]


def test_ten_slow_calls_are_told_unless_more_are_asked_for(house: House) -> None:
    house.server.times["slow_calls"] = [slow_call(number) for number in reversed(range(12))]
    lengths = []
    for words in ((), ("3",), ("-1",), ("0",)):
        told = house.call("SLOWLOG", "GET", *words)
        assert isinstance(told, list)
        lengths.append(len(told))
    assert lengths == [10, 3, 12, 0]
    assert house.call("SLOWLOG", "LEN") == 12


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("-2",), "ERR count should be greater than or equal to -1"),
        (("a",), "ERR value is not an integer or out of range"),
        (("1", "2"), "ERR syntax error"),
    ],
)
def test_mistaken_count_is_refused(house: House, words: tuple[str, ...], error: str) -> None:
    assert house.call("SLOWLOG", "GET", *words) == ErrorReply(error)


def test_reset_forgets_the_slow_calls(house: House) -> None:
    house.server.times["slow_calls"] = [slow_call(1)]
    assert house.call("SLOWLOG", "RESET") == Status("OK")
    assert house.call("SLOWLOG", "LEN") == 0


def stalled(house: House) -> House:
    house.server.times["stalls"] = {
        "command": {"last": [(9_000_000, 120_000), (1_000_000, 300_500)], "longest_us": 400_000},
        "fast-command": {"last": [], "longest_us": 0},
    }
    return house


def test_stalls_are_told_with_their_seconds_and_milliseconds(house: House) -> None:
    stalled(house)
    assert house.call("LATENCY", "LATEST") == [["command", SECOND - 1, 300, 400]]
    assert house.call("LATENCY", "HISTORY", "command") == [[SECOND - 9, 120], [SECOND - 1, 300]]
    assert house.call("LATENCY", "HISTORY", "fork") == []


def test_reset_counts_the_events_that_had_stalls(house: House) -> None:
    assert stalled(house).call("LATENCY", "RESET", "fast-command") == 0
    assert house.call("LATENCY", "RESET") == 1
    assert house.call("LATENCY", "LATEST") == []


def test_doctor_says_what_is_off_calm_or_stalled(house: House) -> None:
    told = house.call("LATENCY", "DOCTOR")
    assert isinstance(told, Verbatim)
    assert "latency-monitor-threshold is 0" in told.text
    calm = House(settings=Settings(stall_ms=50)).call("LATENCY", "DOCTOR")
    assert isinstance(calm, Verbatim)
    assert "50 milliseconds" in calm.text
    told = stalled(house).call("LATENCY", "DOCTOR")
    assert isinstance(told, Verbatim)
    assert "the last 2 stalls took 210 ms on average, the longest ever 400 ms" in told.text


def test_histogram_cumulates_and_leaves_out_what_adds_nothing(house: House) -> None:
    house.server.times["latencies"] = {
        "get": [(500, 3), (1024, 1), (9000, 2)],
        "config|get": [(2048, 1)],
        "set": [(128, 1)],
    }
    get = {"calls": 6, "histogram_usec": {1: 4, 16: 6}}
    assert house.call("LATENCY", "HISTOGRAM", "GET", "nothing") == {"get": get}
    told = house.call("LATENCY", "HISTOGRAM", "config")
    assert told == {"config|get": {"calls": 1, "histogram_usec": {2: 1}}}
    everything = house.call("LATENCY", "HISTOGRAM")
    assert isinstance(everything, dict)
    assert list(everything) == ["config|get", "get", "set"]
