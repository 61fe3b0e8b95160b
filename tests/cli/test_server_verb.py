"""`dwell server` and `dwell tour`: what they say, and how they end."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from dwell.cli.server import banner
from dwell.directives import read_settings
from dwell.server.serve import Started
from tests.cli.conftest import call_dwell
from tests.resp import ReplyError
from tests.servers import Server, needs_core, needs_server


def greeting(*flags: str) -> str:
    """What a server with these flags would say."""
    return "\n".join(banner(Started(["127.0.0.1:6379"], read_settings(flags, {}))))


def test_greeting_tells_how_to_connect_and_what_is_kept(tmp_path: Path) -> None:
    said = greeting("--dir", str(tmp_path))
    assert "connect     redis-cli    or    dwell status" in said
    assert "placement   lifetime: keys with a lifetime live in memory, all others on disk" in said
    assert "durability  interval: acknowledged writes survive a kill" in said
    assert f"directory   {tmp_path}" in said


def test_greeting_names_another_port_and_a_socket(tmp_path: Path) -> None:
    assert "redis-cli -p 7000    or    dwell status -p 7000" in greeting("--port", "7000")
    path = tmp_path / "s"
    said = greeting("--port", "0", "--unixsocket", str(path))
    assert f"redis-cli -s {path}    or    dwell status --socket {path}" in said


def test_greeting_warns_where_something_is_not_kept() -> None:
    assert "not one file is written, a stop loses all" in greeting("--save", "")
    assert "keys in memory are not logged: a kill loses them" in greeting("--appendonly", "no")


@pytest.mark.parametrize(
    "flags",
    [
        ("--nope", "1"),
        ("--port", "seventy"),
        ("--placement", "attic"),
        ("/no/such/redis.conf",),
        ("redis.conf", "extra"),
    ],
)
def test_flag_that_cannot_be_right_is_one_sentence_and_exit_code_2(flags: tuple[str, ...]) -> None:
    run = call_dwell("server", *flags)
    assert run.returncode == 2
    lines = run.stderr.decode().splitlines()
    assert lines[0].startswith("dwell: ")
    assert len(lines) <= 2


@needs_server
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_the_server_and_keeps_everything(tmp_path: Path, number: int) -> None:
    # INV-03: a clean stop keeps what was acknowledged, even what no log holds.
    server = Server(tmp_path / "data", ["--appendonly", "no"])
    with server:
        with server.client() as client:
            client.pipeline([("SET", f"k{each}", "v" * 1000) for each in range(2000)])
            client.call("SET", "brief", "v", "EX", "1000")
        assert server.stop(with_signal=signal.Signals(number)) == 0
        server.start()
        with server.client() as client:
            assert client.call("DBSIZE") == 2001
            assert client.call("GET", "brief") == b"v"


@needs_server
def test_second_signal_ends_the_process_at_once(tmp_path: Path) -> None:
    server = Server(tmp_path / "data", ["--enable-debug-command", "yes"])
    with server:
        os.kill(server.pid, signal.SIGTERM)
        time.sleep(0.01)
        os.kill(server.pid, signal.SIGTERM)
        # -15: the second one came when everything was closed and the handler gone.
        assert server.wait(timeout_seconds=20) in (0, 1, -signal.SIGTERM)


def command_line(server: Server) -> bytes:
    """What every user of the machine can read of a process."""
    return Path(f"/proc/{server.pid}/cmdline").read_bytes()


@needs_server
@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="reads Linux's /proc")
@pytest.mark.parametrize("flags", [["--requirepass", "a secret"], ["--RequirePass=a secret"]])
def test_password_of_a_flag_is_not_left_in_the_command_line(
    tmp_path: Path, flags: list[str]
) -> None:
    with Server(tmp_path / "data", [*flags, "--databases", "4"]) as server:
        assert b"--databases" in command_line(server)
        assert b"a secret" not in command_line(server)
        with server.client() as client:
            assert client.call("AUTH", "a secret") == "OK"


@needs_server
def test_password_comes_from_the_first_line_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("a secret\nand a remark\n", encoding="utf-8")
    server = Server(tmp_path / "data", ["--requirepass-file", str(tmp_path / "password")])
    with server, server.client() as client:
        with pytest.raises(ReplyError, match="WRONGPASS"):
            client.call("AUTH", "and a remark")
        assert client.call("AUTH", "a secret") == "OK"
        with pytest.raises(ReplyError, match="Unknown option or number of arguments"):
            client.call("CONFIG", "SET", "requirepass-file", "/etc/hostname")


@pytest.mark.parametrize("text", ["", "\nsecond line"])
def test_password_file_without_a_password_stops_the_start(tmp_path: Path, text: str) -> None:
    (tmp_path / "password").write_text(text, encoding="utf-8")
    run = call_dwell("server", "--requirepass-file", str(tmp_path / "password"))
    assert run.returncode == 2
    assert b"empty first line" in run.stderr


OWN_COMMANDS = """
from dwell.cli import main
from dwell.server import Request, command

@command("shout", arity=2, summary="Answer in upper case.", is_readonly=True)
def shout(request: Request) -> bytes:
    return request.arguments[0].upper()

@command("break", arity=1, summary="Raise.")
def break_(request: Request) -> None:
    raise ValueError("a secret")

main()
"""


@needs_core
def test_command_of_a_user_is_one_like_any_other(tmp_path: Path) -> None:
    program = tmp_path / "own.py"
    program.write_text(OWN_COMMANDS, encoding="utf-8")
    command = [sys.executable, str(program), "server"]
    with Server(tmp_path / "data", command=command) as server, server.client() as client:
        assert client.call("SHOUT", "hello") == b"HELLO"
        with pytest.raises(ReplyError, match="wrong number of arguments for 'shout' command"):
            client.call("shout")
        with pytest.raises(ReplyError, match="ERR internal ValueError in the command, see the log"):
            client.call("break")
        assert client.call("COMMAND", "INFO", "shout") == [
            [b"shout", 2, ["readonly"], 0, 0, 0, ["@read", "@slow"], [], [], []]
        ]
        client.call("MULTI")
        client.call("SET", "k", "v")
        client.call("SHOUT", "hello")
        client.call("GET", "k")
        assert client.call("EXEC") == ["OK", b"HELLO", b"v"]
        client.call("MULTI")
        with pytest.raises(ReplyError, match="Command not allowed inside a transaction: break"):
            client.call("break")
        with pytest.raises(ReplyError, match="EXECABORT"):
            client.call("EXEC")
    assert "a secret" in server.log()


@needs_core
def test_tour_shows_each_step_with_real_output_and_leaves_nothing(tmp_path: Path) -> None:
    run = call_dwell("tour", environment={"TMPDIR": str(tmp_path)})
    said = run.stdout.decode()
    assert run.returncode == 0, run.stderr.decode()
    for line in (
        "$ dwell where colour session:7",
        "$ kill -9 ",
        "  green",
        "  token",
        "  disk memory",
    ):
        assert line in said, line
    assert "Traceback" not in said
    assert list(tmp_path.iterdir()) == []
