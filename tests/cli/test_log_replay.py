"""`dwell log replay`: an instance as it was at a time, and what is refused. LOG-09."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import dwell
from dwell import _core
from tests.cli.conftest import call_dwell

NOW_MS = 1_800_000_000_000
STEPS = 10
STEP_MS = 4_000


def iso(unix_ms: int) -> str:
    """A time as it is given on a command line."""
    return datetime.fromtimestamp(unix_ms / 1000, UTC).isoformat()


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An instance in use, with a batch over both homes every four seconds, in several segments."""
    directory = tmp_path_factory.mktemp("replay") / "data"
    clock = _core.ManualClock(NOW_MS)
    settings = {"segment_bytes": 65_536}
    database = _core.Database(str(directory), settings, clock=clock)
    for step in range(STEPS):
        queries = _core.Queries(atomic=True)
        queries.write("disk", b"%d" % step)
        queries.write("filler", b"x" * 300_000)
        queries.write("memory", b"%d" % step, ttl=1_000_000)
        queries.run(database)
        clock.advance(STEP_MS)
    database.flush()
    yield directory
    database.close()


def replay(source: Path, target: Path, until: str, *words: str) -> tuple[int, str, str]:
    """Run the verb; its exit code, and what it said."""
    run = call_dwell("log", "replay", str(source), str(target), "--until", until, *words)
    return run.returncode, run.stdout.decode(), run.stderr.decode()


@pytest.mark.parametrize("step", [0, 4, STEPS - 1])
def test_log_09_a_replay_ends_between_two_batches_and_never_inside_one(
    source: Path, tmp_path: Path, step: int
) -> None:
    assert len(list((source / "log").glob("*.log"))) > 2
    until_ms = NOW_MS + step * STEP_MS + STEP_MS // 2
    code, said, complaint = replay(source, tmp_path / "new", iso(until_ms), "--json")
    assert code == 0, complaint
    told = json.loads(said)
    assert told == {
        "target": str(tmp_path / "new"),
        "until_ms": until_ms,
        "records": told["records"],
    }
    assert told["records"] >= step + 1
    with dwell.open(tmp_path / "new") as restored:
        assert restored.read("disk") == restored.read("memory") == b"%d" % step
        assert restored["filler"] == b"x" * 300_000
        restored.write("goes", "on")
    with dwell.open(tmp_path / "new") as again:
        assert again.read("goes") == b"on"


def test_replay_says_what_it_did(source: Path, tmp_path: Path) -> None:
    code, said, _ = replay(source, tmp_path, "2027-01-15 08:00:06")
    assert code == 0
    assert said.startswith(f"{tmp_path} is what {source} was at 2027-01-15 08:00:06.000 UTC: ")


def test_target_that_is_in_use_is_refused_and_untouched(source: Path, tmp_path: Path) -> None:
    kept = tmp_path / "mine.txt"
    kept.write_text("mine")
    code, _, complaint = replay(source, tmp_path, iso(NOW_MS))
    assert (code, complaint.count("\n")) == (1, 2)
    assert f"must be empty: {tmp_path}" in complaint
    assert [each.name for each in tmp_path.iterdir()] == ["mine.txt"]


def test_time_before_the_log_begins_is_an_empty_instance_only_if_nothing_was_removed(
    tmp_path: Path,
) -> None:
    clock = _core.ManualClock(NOW_MS)
    settings = {"segment_bytes": 65_536}
    database = _core.Database(str(tmp_path / "data"), settings, clock=clock)
    for _ in range(8):
        database.write("filler", b"x" * 300_000)
        database.drain()
        clock.advance(STEP_MS)
    database.make_base()
    database.close()
    code, _, complaint = replay(tmp_path / "data", tmp_path / "new", iso(NOW_MS + 1))
    assert code == 1
    assert "no restore point reaches back" in complaint
    assert not (tmp_path / "new").exists()


def test_what_is_no_time_and_what_is_no_log_are_errors_in_one_sentence(
    source: Path, tmp_path: Path
) -> None:
    code, _, complaint = replay(source, tmp_path / "new", "yesterday")
    assert code != 0
    assert complaint.startswith("dwell: this is no time: yesterday")
    code, _, complaint = replay(tmp_path, tmp_path / "new", iso(NOW_MS))
    assert code == 1
    assert "there is no log here" in complaint
    assert "Traceback" not in complaint
    assert not (tmp_path / "new").exists()
