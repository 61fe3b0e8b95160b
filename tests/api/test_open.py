"""Opening: one opener at a time, what survives which end, and settings that are refused by name."""

from __future__ import annotations

import inspect
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import dwell
from dwell.database import engine_settings


def run_python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `code` in an interpreter of its own."""
    command = [sys.executable, "-c", textwrap.dedent(code), *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False, env=environment
    )


def test_memory_alone_writes_not_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with dwell.open(None) as db:
        for number in range(1000):
            db.write(f"k{number}", b"x" * 1000, ttl=100 if number % 2 else None)
        db.flush()
        assert db.count() == 1000
        assert db.path is None
    assert list(tmp_path.iterdir()) == []


def test_every_value_and_lifetime_is_there_after_reopening(db: dwell.Database) -> None:
    if db.path is None:
        pytest.skip("nothing outlives memory")
    values = [None, True, -7, 2.5, b"bytes", dwell.Point(1, 2, 3), b"x" * 200_000]
    for number, value in enumerate(values):
        db.write(f"lasting{number}", value)
        db.write(f"brief{number}", value, ttl=100)
    db.namespace("other").write("k", "elsewhere")
    db.write("gone", 1)
    db.delete("gone")
    db.close()
    again = dwell.Database(db.path)
    with again:
        for number, value in enumerate(values):
            assert again.read(f"lasting{number}") == value
            assert again.read(f"brief{number}") == value
            assert again.ttl(f"lasting{number}") == float("inf")
            assert 80 < (again.ttl(f"brief{number}") or 0) <= 100
        assert again.count() == 2 * len(values)
        assert again.namespace("other").read("k") == b"elsewhere"


def test_versions_go_on_growing_after_reopening(tmp_path: Path) -> None:
    with dwell.open(tmp_path / "db") as db:
        db.write("a", 1)
        version = db.version("a")
    with dwell.open(tmp_path / "db") as db:
        assert db.version("a") == version
        db.write("a", 2)
        assert db.version("a") > version


def test_second_opener_is_told_who_is_first(tmp_path: Path) -> None:
    code = """
        import dwell, sys
        try:
            dwell.open(sys.argv[1])
        except dwell.BusyError as error:
            print(error)
    """
    with dwell.open(tmp_path / "db") as db:
        db.write("a", 1)
        with pytest.raises(dwell.BusyError, match=str(os.getpid())):
            dwell.open(tmp_path / "db")
        other = run_python(code, str(tmp_path / "db"))
        assert str(os.getpid()) in other.stdout, other.stderr
        assert db.read("a") == 1
    with dwell.open(tmp_path / "db") as db:
        assert db.read("a") == 1


@pytest.mark.parametrize("durability", ["none", "interval", "always"])
def test_end_of_the_interpreter_without_close_loses_nothing(
    tmp_path: Path, durability: str
) -> None:
    code = """
        import dwell, sys
        db = dwell.open(sys.argv[1], durability=sys.argv[2])
        other = db.namespace("other")
        for number in range(int(sys.argv[3])):
            db.write(f"lasting{number}", number)
            other.write(f"brief{number}", number, ttl=1000)
    """
    count = 100 if durability == "always" else 1000
    done = run_python(code, str(tmp_path / "db"), durability, str(count))
    assert (done.returncode, done.stderr) == (0, "")
    with dwell.open(tmp_path / "db") as db:
        assert {value for _, value in db.scan()} == set(range(count))
        assert db.namespace("other").count() == count


@pytest.mark.parametrize("durability", ["interval", "always"])
def test_killed_process_loses_nothing_acknowledged(tmp_path: Path, durability: str) -> None:
    code = """
        import dwell, os, signal, sys
        db = dwell.open(sys.argv[1], durability=sys.argv[2])
        for number in range(100):
            db.write(f"lasting{number}", number)
            db.write(f"brief{number}", number, ttl=1000)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    done = run_python(code, str(tmp_path / "db"), durability)
    assert done.returncode == -9
    with dwell.open(tmp_path / "db") as db:
        assert db.count() == 200


def test_dropped_database_is_closed(tmp_path: Path) -> None:
    db = dwell.open(tmp_path / "db")
    view = db.namespace("other")
    view.write("a", 1)
    del db
    assert view.read("a") == 1
    del view
    with dwell.open(tmp_path / "db") as again:
        assert again.namespace("other").read("a") == 1


def test_residents_that_are_not_logged_survive_a_clean_stop(tmp_path: Path) -> None:
    with dwell.open(tmp_path / "db", log_resident=False) as db:
        db.write("lasting", 1)
        db.write("brief", 2, ttl=100)
    with dwell.open(tmp_path / "db", log_resident=False) as db:
        assert (db.read("lasting"), db.read("brief")) == (1, 2)


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ({"placement": "ram"}, "placement"),
        ({"durability": "often"}, "durability"),
        ({"memory_policy": "random"}, "memory_policy"),
        ({"memory_bytes_max": -1}, "memory_bytes_max"),
        ({"dirty_bytes_max": 1}, "dirty_bytes_max"),
        ({"log_resident": "yes"}, "log_resident"),
    ],
)
def test_setting_out_of_its_bounds_is_refused_by_name(
    tmp_path: Path, settings: dict[str, Any], names: str
) -> None:
    with pytest.raises(dwell.UsageError, match=names):
        dwell.open(tmp_path / "db", **settings)
    assert not (tmp_path / "db").exists()


def test_unknown_setting_and_place_are_refused_by_the_core(tmp_path: Path) -> None:
    with pytest.raises(dwell.UsageError, match="no such setting: colour"):
        dwell.Database(str(tmp_path / "db"), {"colour": "green"})
    with pytest.raises(dwell.UsageError, match="a place is a path or None"):
        dwell.Database(7)  # type: ignore[arg-type]


def test_settings_that_may_change_do_and_the_others_are_refused() -> None:
    with dwell.open(None) as db:
        db.adjust({"memory_bytes_max": 10_000_000, "memory_policy": "allkeys-lru"})
        with pytest.raises(dwell.UsageError, match="when the database is opened: placement"):
            db.adjust({"placement": "disk"})


def test_path_of_any_bytes_is_a_place(tmp_path: Path) -> None:
    place = os.path.join(os.fsencode(tmp_path), b"\xff\xfe")  # noqa: PTH118 it is no text
    with dwell.open(os.fsdecode(place)) as db:
        db.write("a", 1)
        assert db.path is not None
        assert os.fsencode(db.path) == place
        assert repr(db)
    with dwell.open(os.fsdecode(place)) as db:
        assert db.read("a") == 1


def test_path_that_cannot_be_a_directory_is_one_clear_error(tmp_path: Path) -> None:
    taken = tmp_path / "file"
    taken.write_text("not a directory")
    with pytest.raises(dwell.Error, match="file"):
        dwell.open(taken)


@pytest.mark.parametrize("mode", [0o755, 0o750, 0o701])
def test_directory_that_others_may_enter_is_used_and_warned_of(tmp_path: Path, mode: int) -> None:
    place = tmp_path / "db"
    place.mkdir()
    place.chmod(mode)
    with pytest.warns(UserWarning, match=f"`chmod 700` keeps them out: {place}") as warned:
        database = dwell.open(place)
    assert warned[0].filename == __file__
    with database:
        database.write("a", 1)
        database.write("b", 1, ttl=100)
        database.drain()
        database.make_base()
        assert place.stat().st_mode & 0o777 == mode
        made = [path for path in place.rglob("*") if path.stat().st_mode & 0o077]
        assert made == []


def test_directory_that_is_made_is_its_owners_alone(tmp_path: Path) -> None:
    former = os.umask(0)
    try:
        with dwell.open(tmp_path / "parent" / "db") as database:
            database.write("a", 1)
            database.drain()
            made = [path for path in tmp_path.rglob("*") if path.stat().st_mode & 0o077]
    finally:
        os.umask(former)
    assert made == []


def test_every_setting_of_the_engine_is_an_option_with_the_default_of_settings() -> None:
    options = list(inspect.signature(dwell.open).parameters.values())[1:]
    assert {each.name for each in options} == set(engine_settings(dwell.Settings()))
    for each in options:
        assert each.default == getattr(dwell.Settings(), each.name)
        assert each.kind is each.KEYWORD_ONLY
    with dwell.open(None, **engine_settings(dwell.Settings())) as db:  # type: ignore[arg-type]
        assert db.is_open


def test_database_stays_where_it_was_opened_wherever_the_process_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "two")
    with dwell.open("data") as other:
        other.write("whose", "two")
    monkeypatch.chdir(tmp_path / "one")
    with dwell.open("data", segment_bytes=1 << 20) as db:
        monkeypatch.chdir(tmp_path / "two")
        for number in range(40):
            db.write(f"k{number}", b"x" * 100_000, ttl=3600 if number % 2 else None)
        db.make_base()
        db.drain()
    with dwell.open(tmp_path / "one" / "data") as db:
        assert db.count() == 40
    with dwell.open(tmp_path / "two" / "data") as other:
        assert list(other.scan(keys_only=True)) == [b"whose"]


@pytest.mark.parametrize("name", [".", "..", "base", "lock", "log", "namespaces", "1.keys"])
def test_file_of_the_main_namespace_is_not_named_like_one_of_dwells_own(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(dwell.UsageError, match="a name that Dwell itself uses"):
        dwell.open(tmp_path / "data", database_file_name=name)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_name_and_what_is_no_list_is_refused(db: dwell.Database) -> None:
    with pytest.raises(dwell.UsageError, match="a namespace has a name"):
        db.namespace(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not iterable"):
        list(db)  # type: ignore[call-overload]


def test_directory_that_went_while_it_was_open_is_told_and_not_made_anew(tmp_path: Path) -> None:
    place = tmp_path / "data"
    db = dwell.open(place, durability="always")
    db.write("a", 1)
    shutil.rmtree(place)
    with pytest.raises(dwell.UnavailableError, match="removed or replaced while it was open"):
        db.drain()
    with pytest.raises(dwell.UnavailableError, match="removed or replaced while it was open"):
        db.close()
    assert not place.exists()
    with dwell.open(place) as db:
        assert db.count() == 0
