"""`dwell log`: what a log holds, whether it is whole, and what is said when it is not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import call_dwell
from tests.servers import Server, needs_server

pytestmark = needs_server


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An instance with a hundred and one batches in its log, killed once."""
    directory = tmp_path_factory.mktemp("log") / "data"
    with Server(directory) as server:
        with server.client() as client:
            client.pipeline([("SET", f"k{number}", "v") for number in range(100)])
        server.restart()
        with server.client() as client:
            client.call("SET", "last", "v")
        server.kill()
        yield directory


def segment(instance: Path) -> Path:
    """The file of the log that holds the most."""
    told = json.loads(call_dwell("log", "inspect", str(instance), "--json").stdout)
    name = max(told["segments"], key=lambda each: each["records_bytes"])["name"]
    return instance / "log" / str(name)


def test_inspect_lists_each_segment_with_its_records(instance: Path) -> None:
    told = json.loads(call_dwell("log", "inspect", str(instance), "--json").stdout)
    assert sum(each["records_count"] for each in told["segments"]) >= 101
    assert sum(each["gaps_count"] for each in told["segments"]) >= 1
    lines = call_dwell("log", "inspect", str(instance)).stdout.decode().splitlines()
    assert [line.split("\t")[0] for line in lines] == [each["name"] for each in told["segments"]]


def test_stats_sum_the_segments_up(instance: Path) -> None:
    inspected = json.loads(call_dwell("log", "inspect", str(instance), "--json").stdout)
    told = json.loads(call_dwell("log", "stats", str(instance), "--json").stdout)
    assert told["segments"] == len(inspected["segments"])
    assert told["records"] == sum(each["records_count"] for each in inspected["segments"])
    assert told["damage"] == ""
    assert len(told["lineage"]) == 32


def test_whole_log_is_verified(instance: Path) -> None:
    run = call_dwell("log", "verify", str(instance))
    assert run.returncode == 0, run.stderr
    assert b"records in" in run.stdout


def test_log_of_a_running_server_can_be_read(tmp_path: Path) -> None:
    with Server(tmp_path / "data") as server:
        with server.client() as client:
            client.call("SET", "k", "v")
        assert call_dwell("log", "verify", str(server.directory)).returncode == 0


def test_damage_is_told_with_its_place_and_is_exit_code_1(instance: Path) -> None:
    path = segment(instance)
    whole = path.read_bytes()
    at = whole.index(b"k50") + 1
    path.write_bytes(whole[:at] + b"\xff" + whole[at + 1 :])
    try:
        run = call_dwell("log", "verify", str(instance))
        assert run.returncode == 1
        assert path.name in run.stderr.decode()
        assert run.stderr.count(b"\n") == 2
        told = json.loads(call_dwell("log", "verify", str(instance), "--json").stdout)
        assert told["damage"]
        assert told["records"] < 101
        run = call_dwell("log", "inspect", str(instance))
        assert run.returncode == 1
        assert path.name in run.stderr.decode()
    finally:
        path.write_bytes(whole)


def test_directory_without_a_log_is_an_error_in_one_sentence(tmp_path: Path) -> None:
    run = call_dwell("log", "verify", str(tmp_path))
    assert run.returncode == 1
    assert run.stderr.startswith(b"dwell: ")
    assert run.stderr.count(b"\n") <= 2
    assert b"Traceback" not in run.stderr
