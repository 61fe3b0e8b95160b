"""What a server counts and remembers of its commands, as INFO, SLOWLOG and LATENCY tell it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.resp import Client, ReplyError
from tests.servers import Server, is_dwell, needs_server

pytestmark = [
    needs_server,
    pytest.mark.skipif(not is_dwell(), reason="these are promises of Dwell"),
]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path / "data") as started:
        yield started


def ask(client: Client, *words: str) -> Any:
    """Send a command and return its reply, whatever that is."""
    return client.call(*words)


def info(client: Client, section: str) -> dict[str, str]:
    """One section of INFO."""
    lines = ask(client, "INFO", section).decode().splitlines()
    return dict(line.split(":", 1) for line in lines if ":" in line)


def counts(client: Client, name: str) -> dict[str, str]:
    """What commandstats tells of a command."""
    line = info(client, "commandstats").get(f"cmdstat_{name}", "")
    return dict(pair.split("=") for pair in line.split(",") if pair)


def refused(client: Client, *words: str) -> None:
    """Send a command that is answered with an error."""
    with pytest.raises(ReplyError):
        ask(client, *words)


def test_calls_failures_and_refusals_are_counted_by_command(server: Server) -> None:
    with server.client() as client:
        ask(client, "SET", "k", "text")
        ask(client, "GET", "k")
        refused(client, "INCR", "k")
        refused(client, "GET")
        refused(client, "nonsense")
        assert counts(client, "get")["calls"] == "1"
        assert counts(client, "get")["rejected_calls"] == "1"
        assert counts(client, "incr")["calls"] == "1"
        assert counts(client, "incr")["failed_calls"] == "1"
        assert info(client, "errorstats") == {"errorstat_ERR": "count=3"}
        assert "latency_percentiles_usec_get" in info(client, "latencystats")


def test_commands_of_the_host_and_within_exec_are_counted(server: Server) -> None:
    with server.client() as client:
        ask(client, "TIME")
        ask(client, "MULTI")
        ask(client, "SET", "k", "text")
        ask(client, "INCR", "k")
        ask(client, "TIME")
        ask(client, "EXEC")
        assert counts(client, "time")["calls"] == "2"
        assert counts(client, "set")["calls"] == "1"
        assert counts(client, "incr")["failed_calls"] == "1"
        assert counts(client, "exec")["calls"] == "1"


def test_a_key_that_is_read_from_disk_is_one_call(server: Server) -> None:
    with server.client() as client:
        ask(client, "SET", "k", "v")
        ask(client, "SAVE")
    server.stop()
    server.start()
    with server.client() as client:
        assert ask(client, "GET", "k") == b"v"
        assert counts(client, "get")["calls"] == "1"


def test_resetstat_begins_every_counter_anew(server: Server) -> None:
    with server.client() as client:
        refused(client, "GET")
        ask(client, "CONFIG", "RESETSTAT")
        assert counts(client, "get") == {}
        assert info(client, "errorstats") == {}
        assert info(client, "stats")["total_error_replies"] == "0"


def test_keyspace_tells_how_long_keys_have_left_on_average(server: Server) -> None:
    with server.client() as client:
        ask(client, "SET", "a", "1", "EX", "100")
        ask(client, "SET", "b", "1", "EX", "300")
        ask(client, "SET", "c", "1")
        told = dict(pair.split("=") for pair in info(client, "keyspace")["db0"].split(","))
        assert (told["keys"], told["expires"]) == ("3", "2")
        assert 100_000 < int(told["avg_ttl"]) <= 200_000


def words_kept(client: Client) -> list[Any]:
    """The words of the slow calls, the newest first."""
    return [call[3] for call in ask(client, "SLOWLOG", "GET", "-1")]


def test_slow_calls_are_kept_with_their_words_and_client(server: Server) -> None:
    with server.client() as client:
        ask(client, "CLIENT", "SETNAME", "ada")
        ask(client, "CONFIG", "SET", "slowlog-log-slower-than", "0")
        ask(client, "SET", "k", "v")
        newest = ask(client, "SLOWLOG", "GET", "1")[0]
        assert newest[3] == [b"SET", b"k", b"v"]
        assert newest[5] == b"ada"
        ask(client, "CONFIG", "SET", "slowlog-log-slower-than", "-1")
        ask(client, "SLOWLOG", "RESET")
        ask(client, "GET", "k")
        assert ask(client, "SLOWLOG", "LEN") == 0


def test_a_command_that_waits_is_slow_by_its_wait(tmp_path: Path) -> None:
    with (
        Server(tmp_path / "data", ["--enable-debug-command", "yes"]) as server,
        server.client() as client,
    ):
        ask(client, "DEBUG", "SLEEP", "0.05")
        ask(client, "CONFIG", "SET", "slowlog-log-slower-than", "-1")
        assert [b"DEBUG", b"SLEEP", b"0.05"] in words_kept(client)


def test_no_password_is_in_the_slow_log(server: Server) -> None:
    with server.client() as client:
        ask(client, "CONFIG", "SET", "slowlog-log-slower-than", "0")
        ask(client, "CONFIG", "SET", "requirepass", "a secret")
        ask(client, "AUTH", "a secret")
        ask(client, "HELLO", "3", "AUTH", "default", "a secret")
        kept = words_kept(client)
        assert [b"AUTH", b"(redacted)"] in kept
        assert not any(b"a secret" in words for words in kept)


def test_a_stall_is_kept_once_a_threshold_is_set(server: Server) -> None:
    with server.client() as client:
        assert ask(client, "LATENCY", "LATEST") == []
        ask(client, "CONFIG", "SET", "latency-monitor-threshold", "1")
        ask(client, "MSET", *(f"k{number % 200_000}" for number in range(400_000)))
        assert [each[0] for each in ask(client, "LATENCY", "LATEST")] == [b"command"]
        assert ask(client, "LATENCY", "RESET", "command") == 1
