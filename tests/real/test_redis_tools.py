"""redis-cli and redis-benchmark as Debian ships them."""

from __future__ import annotations

import csv
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.resp import encode
from tests.servers import Server, needs_server

if TYPE_CHECKING:
    from pathlib import Path

needs_tools = pytest.mark.skipif(
    not (shutil.which("redis-cli") and shutil.which("redis-benchmark")),
    reason="redis-cli is not installed: apt-get install redis-tools",
)
pytestmark = [needs_server, needs_tools]

TIMEOUT_SECONDS = 60
BENCHMARK_REQUESTS = 2000


def run(program: str, server: Server, *words: str, given: bytes = b"") -> str:
    """Run one of Redis's programs against the server and return what it printed."""
    done = subprocess.run(
        [program, "-p", str(server.port), *words],
        input=given,
        capture_output=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    return done.stdout.decode()


def ask(server: Server, *words: str, given: bytes = b"") -> str:
    """Run redis-cli."""
    return run("redis-cli", server, *words, given=given)


def test_single_commands_print_their_replies(server: Server) -> None:
    assert ask(server, "SET", "a b", "1", "EX", "100") == "OK\n"
    assert ask(server, "--no-raw", "GET", "a b") == '"1"\n'
    assert ask(server, "--no-raw", "GET", "absent") == "(nil)\n"
    assert ask(server, "--no-raw", "INCR", "a b") == "(integer) 2\n"
    assert ask(server, "-3", "--no-raw", "CONFIG", "GET", "timeout") == '1# "timeout" => "0"\n'
    assert ask(server, "-n", "3", "GET", "a b") == "\n"


def test_lines_from_a_pipe_are_one_session(server: Server) -> None:
    lines = b"MULTI\nSET k 1\nINCR k\nEXEC\nSELECT 2\nDBSIZE\n"
    printed = ask(server, given=lines)
    assert printed.split("\n") == ["OK", "QUEUED", "QUEUED", "OK", "2", "OK", "0", ""]


def test_mass_insertion_counts_every_reply(server: Server) -> None:
    # WIRE-04
    requests = b"".join(encode("SET", f"k{number}", number) for number in range(5000))
    assert "errors: 0, replies: 5000" in ask(server, "--pipe", given=requests)
    assert ask(server, "DBSIZE") == "5000\n"


def test_scans_see_every_key(server: Server) -> None:
    for number in range(30):
        ask(server, "SET", f"user:{number}", "x" * number)
    printed = ask(server, "--scan", "--pattern", "user:*")
    assert sorted(printed.split()) == sorted(f"user:{number}" for number in range(30))
    assert "Biggest string found '\"user:29\"' has 29 bytes" in ask(server, "--bigkeys")


def test_information_is_printed_as_it_is(server: Server) -> None:
    printed = ask(server, "INFO", "server")
    assert printed.startswith("# Server\r\n")
    assert f"tcp_port:{server.port}\r\n" in printed
    assert "cmd=client" in ask(server, "CLIENT", "LIST")


@pytest.mark.parametrize(
    "options",
    [(), ("-P", "16"), ("-3",), ("--threads", "2", "-r", "100")],
    ids=["plain", "pipelined", "resp3", "threads"],
)
def test_benchmark_measures_without_an_error(server: Server, options: tuple[str, ...]) -> None:
    tests = ["ping_inline", "ping_mbulk", "set", "get", "incr", "mset"]
    words = ["-n", str(BENCHMARK_REQUESTS), "-c", "10", "--csv", "-t", ",".join(tests), *options]
    rows = list(csv.DictReader(run("redis-benchmark", server, *words).splitlines()))
    assert len(rows) == len(tests)
    assert all(float(row["rps"]) > 0 for row in rows)
    assert ask(server, "GET", "counter:__rand_int__") or "-r" in options


def test_benchmark_runs_over_the_unix_socket(server: Server, unix_path: Path) -> None:
    words = ["-s", str(unix_path), "-n", str(BENCHMARK_REQUESTS), "-q", "-t", "set,get"]
    assert run("redis-benchmark", server, *words).count("requests per second") == 2
