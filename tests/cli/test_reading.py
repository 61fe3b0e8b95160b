"""How a command line is read: quickly where it is plain, by typer where it needs explaining."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dwell.cli import quick
from dwell.cli.explain import explain
from dwell.cli.parameters import parameters_of
from dwell.cli.verbs import VERBS, find
from tests.cli.conftest import call_dwell
from tests.servers import free_port

PORT_OF_NOBODY = free_port()
NOBODY = {"DWELL_PORT": str(PORT_OF_NOBODY)}


def read(*words: str) -> dict[str, Any] | None:
    """The values that the quick way reads."""
    found = find(words)
    assert found is not None
    place, rest = found
    return quick.read(parameters_of(place.load()), rest)


def test_plain_line_is_read_with_its_types_and_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DWELL_PORT", raising=False)
    assert read("set", "k", "v", "--ttl", "1.5", "--if-absent", "-n=3") == {
        "key": "k",
        "value": "v",
        "ttl": 1.5,
        "keep_ttl": False,
        "if_absent": True,
        "if_present": False,
        "if_equal": None,
        "json": False,
        "host": "127.0.0.1",
        "port": 6379,
        "socket": None,
        "password_file": None,
        "namespace": 3,
    }


@pytest.mark.parametrize("value", ["-5", "-0.5", "-.5", "-"])
def test_negative_number_is_a_value_and_no_option(value: str) -> None:
    values = read("set", "k", value, "--ttl", "2")
    assert values is not None
    assert (values["value"], values["ttl"]) == (value, 2)


def test_version_is_told_as_other_programs_do() -> None:
    assert call_dwell("--version").stdout == call_dwell("version").stdout != b""


def test_environment_gives_what_the_line_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DWELL_PORT", "7000")
    monkeypatch.setenv("DWELL_UNIX_SOCKET", "/tmp/x.sock")
    values = read("get", "k")
    assert values is not None
    assert (values["port"], values["socket"]) == (7000, Path("/tmp/x.sock"))
    given = read("get", "k", "-p", "7001")
    assert given is not None
    assert given["port"] == 7001


@pytest.mark.parametrize(
    "words",
    [
        ("get",),
        ("get", "a", "b"),
        ("get", "a", "--nope"),
        ("get", "a", "--port"),
        ("get", "a", "--port", "x"),
        ("get", "a", "--port", "0"),
        ("get", "a", "--port", "65536"),
        ("get", "a", "--json=yes"),
        ("get", "--help"),
        ("get", "--", "a"),
        ("expire", "a", "soon"),
        ("expire", "a", "-1"),
        ("set", "a", "b", "--ttl", "nan"),
        ("delete",),
    ],
)
def test_line_that_needs_explaining_is_left_to_typer(words: tuple[str, ...]) -> None:
    assert read(*words) is None


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_each_verb_has_a_help_page_with_an_example(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        explain([*words, "--help"])
    assert stop.value.code == 0
    page = capsys.readouterr().out
    assert "Example:  dwell " in page
    assert f"Usage: dwell {' '.join(words)}" in page


def test_verb_alone_is_loaded_and_no_library_for_it() -> None:
    program = (
        f"import sys; sys.argv = ['dwell', 'get', 'k', '-p', '{PORT_OF_NOBODY}']\n"
        "import dwell.cli\n"
        "try: dwell.cli.main()\n"
        "except SystemExit as stop: assert stop.code == 1\n"
        "heavy = {'typer', 'rich', 'asyncio', 'json', 'dwell._core', 'dwell.settings'}\n"
        "heavy &= set(sys.modules)\n"
        "verbs = {name for name in sys.modules if name in ('dwell.cli.set', 'dwell.cli.server')}\n"
        "assert not heavy | verbs, heavy | verbs"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert run.returncode == 0, run.stderr.decode()


def test_unknown_verb_and_unknown_option_are_usage_mistakes() -> None:
    for words in (("nope",), ("get", "a", "--nope"), ("get",), ("expire", "a", "soon")):
        run = call_dwell(*words, environment=NOBODY)
        assert run.returncode == 2, words
        assert b"Traceback" not in run.stderr


def test_options_that_contradict_each_other_are_a_usage_mistake(tmp_path: Path) -> None:
    run = call_dwell("server", "--placement", "disk", "--save", "", "--dir", str(tmp_path))
    assert run.returncode == 2
    assert run.stderr.startswith(b"dwell: ")
    assert run.stderr.count(b"\n") <= 2


def test_nobody_listening_is_one_sentence_and_a_hint() -> None:
    run = call_dwell("get", "a", environment=NOBODY)
    assert run.returncode == 1
    assert run.stdout == b""
    assert run.stderr.decode().splitlines() == [
        f"dwell: no answer from the server: 127.0.0.1:{PORT_OF_NOBODY} (Connection refused)",
        "  start one with `dwell server`, or name another with --host, --port or --socket",
    ]


def test_password_file_that_is_missing_is_an_error(tmp_path: Path) -> None:
    run = call_dwell("get", "a", "--password-file", str(tmp_path / "none"))
    assert run.returncode == 1
    assert b"cannot read the password file, No such file or directory" in run.stderr


def test_no_verb_takes_a_password_as_an_argument() -> None:
    for place in VERBS.values():
        for each in parameters_of(place.load()):
            names = getattr(each.fact, "names", ())
            assert "--password" not in names
