"""What the verbs do against a running server: output, exit code, state afterwards."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from dwell.cli.connect import milliseconds
from tests.cli.conftest import Run, call_dwell
from tests.servers import Server, needs_server

pytestmark = needs_server

ALL_BYTES = bytes(range(256))


def test_value_of_any_bytes_comes_back_through_pipes_unchanged(dwell: Run) -> None:
    assert dwell("set", "k", "-", stdin=ALL_BYTES).returncode == 0
    run = dwell("get", "k")
    assert (run.returncode, run.stdout) == (0, ALL_BYTES)


def test_key_of_any_bytes_is_found_again(dwell: Run) -> None:
    key = bytes(range(1, 256))
    assert dwell(b"set", key, b"v").returncode == 0
    assert dwell(b"get", key).stdout == b"v"


def test_value_with_a_newline_in_json_is_one_line(dwell: Run) -> None:
    dwell("set", "k", "-", stdin=b"a\nb")
    run = dwell("get", "k", "--json")
    assert run.stdout.count(b"\n") == 1
    assert json.loads(run.stdout) == {"key": "k", "value": "a\nb"}
    dwell("set", "k", "-", stdin=b"\xff")
    assert json.loads(dwell("get", "k", "--json").stdout)["value"] == {"base64": "/w=="}


def test_absent_key_is_exit_code_3_and_nothing_on_standard_output(dwell: Run) -> None:
    for words in (("get", "no"), ("ttl", "no"), ("expire", "no", "9"), ("persist", "no")):
        run = dwell(*words)
        assert (run.returncode, run.stdout) == (3, b""), words
        assert run.stderr.startswith(b"dwell: ")
    assert json.loads(dwell("get", "no", "--json").stdout) == {"key": "no", "value": None}


def test_delete_counts_what_it_deleted(dwell: Run) -> None:
    dwell("set", "a", "1")
    run = dwell("delete", "a", "b")
    assert (run.returncode, run.stdout) == (0, b"1\n")
    assert dwell("delete", "a", "b").returncode == 3


def test_lifetime_is_set_told_and_taken_away(dwell: Run) -> None:
    dwell("set", "k", "v", "--ttl", "100")
    assert 99 < float(dwell("ttl", "k").stdout) <= 100
    dwell("set", "k", "w", "--keep-ttl")
    assert 99 < json.loads(dwell("ttl", "k", "--json").stdout)["ttl_s"] <= 100
    assert dwell("persist", "k").returncode == 0
    assert dwell("ttl", "k").stdout == b"none\n"
    assert dwell("expire", "k", "50.5").returncode == 0
    assert 49 < float(dwell("ttl", "k").stdout) <= 50.5


def test_condition_that_does_not_hold_is_exit_code_3_and_writes_nothing(dwell: Run) -> None:
    assert dwell("set", "k", "1", "--if-present").returncode == 3
    assert dwell("set", "k", "1", "--if-absent").returncode == 0
    assert dwell("set", "k", "2", "--if-absent").returncode == 3
    assert dwell("set", "k", "2", "--if-equal", "x").returncode == 3
    assert dwell("get", "k").stdout == b"1"
    assert dwell("set", "k", "2", "--if-equal", "1").returncode == 0
    assert dwell("get", "k").stdout == b"2"


def test_compare_and_delete_deletes_only_the_expected_value(dwell: Run) -> None:
    dwell("set", "lock", "mine")
    assert dwell("compare-and-delete", "lock", "yours").returncode == 3
    assert dwell("get", "lock").stdout == b"mine"
    assert dwell("compare-and-delete", "lock", "mine").returncode == 0
    assert dwell("get", "lock").returncode == 3


def test_wrong_value_is_an_error_with_the_servers_words(dwell: Run) -> None:
    run = dwell("set", "k", "v", "--ttl", "1e300")
    assert run.returncode in (1, 2)
    assert run.stderr.startswith(b"dwell: ")
    assert b"Traceback" not in run.stderr


def test_namespaces_are_apart(dwell: Run) -> None:
    dwell("set", "k", "zero")
    dwell("set", "k", "five", "-n", "5")
    assert dwell("get", "k").stdout == b"zero"
    assert dwell("get", "k", "--namespace", "5").stdout == b"five"


def test_scan_lists_every_key_under_the_prefix_in_order(dwell: Run, server: Server) -> None:
    names = [b"user:%05d" % number for number in range(2500)]
    with server.client() as client:
        client.call("MSET", *[part for name in names for part in (name, b"v" + name)])
        client.call("SET", "other", "x")
    assert dwell("scan", "user:", "--keys-only").stdout.split() == names
    backwards = dwell("scan", "user:", "--keys-only", "--reverse", "--limit", "3").stdout.split()
    assert backwards == names[:-4:-1]
    lines = dwell("scan", "user:0000", "--json").stdout.splitlines()
    assert json.loads(lines[3]) == {"key": "user:00003", "value": "vuser:00003"}
    assert dwell("scan", "user:00007").stdout == b"user:00007\tvuser:00007\n"
    assert dwell("scan", "nothing").stdout == b""


def test_scan_goes_on_after_a_page_that_ends_at_the_empty_key(dwell: Run) -> None:
    for key in ("", "0", "a"):
        dwell("set", key, "v")
    lines = dwell("scan", "--json").stdout.splitlines()
    assert [json.loads(line)["key"] for line in lines] == ["", "0", "a"]


def test_where_tells_home_and_reason(dwell: Run) -> None:
    dwell("set", "lasting", "v")
    dwell("set", "brief", "v", "--ttl", "100")
    run = dwell("where", "lasting", "brief", "--json")
    assert run.returncode == 0
    lasting, brief = json.loads(run.stdout)
    assert (lasting["key"], lasting["home"]) == ("lasting", "disk")
    assert (brief["key"], brief["home"]) == ("brief", "memory")
    assert lasting["reason"] != brief["reason"]
    assert dwell("where", "lasting", "none").returncode == 3


def test_status_tells_version_and_keys(dwell: Run) -> None:
    dwell("set", "k", "v")
    sections = json.loads(dwell("status", "--json").stdout)
    assert sections["server"]["redis_version"] == "7.0.15"
    assert sections["keyspace"]["db0"].startswith("keys=1,")
    assert sections["dwell"]["module_event-loop"].startswith("state=running,restarts=0")
    assert b"keyspace\tdb0\tkeys=1" in dwell("status").stdout


def test_bench_checks_replies_and_cleans_up(dwell: Run, server: Server) -> None:
    run = dwell("bench", "--requests", "300", "--pipeline", "7", "--keys", "50", "--json")
    assert run.returncode == 0
    assert [each["command"] for each in json.loads(run.stdout)["results"]] == [
        "SET",
        "SET EX",
        "GET",
    ]
    with server.client() as client:
        assert client.call("DBSIZE") == 0


def test_reader_that_goes_away_is_no_error_message(dwell: Run, server: Server) -> None:
    del dwell
    with server.client() as client:
        client.call("MSET", *[word for number in range(5000) for word in (f"k{number}", "v" * 99)])
    line = f"{sys.executable} -m dwell scan -p {server.port} --json | head -1"
    run = subprocess.run(["sh", "-c", line], capture_output=True, check=False, timeout=60)
    assert run.stdout.count(b"\n") == 1
    assert run.stderr == b""


def test_password_is_taken_from_a_file_or_the_environment(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    directory = tmp_path_factory.mktemp("secret")
    secret = directory / "secret"
    secret.write_text("open sesame\n", encoding="utf-8")
    with_password = Server(directory / "data", ["--requirepass", "open sesame"])
    with_password.spawn()
    try:
        port = str(with_password.port)
        for _ in range(200):
            run = call_dwell("set", "k", "v", "-p", port, "--password-file", str(secret))
            if run.returncode == 0:
                break
        assert run.returncode == 0, run.stderr
        refused = call_dwell("get", "k", "-p", port)
        assert refused.returncode == 1
        assert b"NOAUTH" in refused.stderr
        environment = {"DWELL_PASSWORD": "open sesame"}
        assert call_dwell("get", "k", "-p", port, environment=environment).stdout == b"v"
    finally:
        with_password.kill()


def test_lifetime_without_end_is_a_mistake_in_one_sentence(dwell: Run) -> None:
    for words in (("set", "k", "v", "--ttl", "inf"), ("expire", "k", "1e300")):
        run = dwell(*words)
        assert run.returncode == 2
        assert b"a lifetime is at most" in run.stderr
        assert b"Traceback" not in run.stderr


def test_lifetime_of_less_than_a_millisecond_is_one() -> None:
    assert [milliseconds(seconds) for seconds in (0.0004, 1e-9, 0, 1.5)] == [1, 1, 0, 1500]


def test_what_cannot_be_printed_is_a_sentence_and_exit_code_1(dwell: Run) -> None:
    dwell("set", "\u043a\u043b\u044e\u0447", "v")
    run = dwell("scan", environment={"PYTHONIOENCODING": "ascii"})
    assert (run.returncode, run.stderr) == (0, b"")
    full = dwell("scan", stdout="/dev/full")
    assert full.returncode == 1
    assert full.stderr == b"dwell: cannot print: No space left on device\n"
