"""Runs the chosen units of Redis's Tcl suite, each on a fresh server, and counts the outcomes.

    python tests/conformance/run.py --server ".venv/bin/dwell server" [--json] [unit ...]

The program exits with 1 when any test that is not in `skipped.toml` fails, or when a unit ends
before its last test. It must not know how a server works: the command line is an argument, and the
same run against `redis-server` is what proves this harness.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.conformance.source import WORK, SuiteUnavailableError, fetch_suite  # noqa: E402
from tests.servers import Server, ServerFailedError  # noqa: E402

SKIPPED = Path(__file__).parent / "skipped.toml"
UNITS = [
    "type/string",
    "type/incr",
    "keyspace",
    "expire",
    "scan",
    "multi",
    "protocol",
    "quit",
    "info-command",
    "slowlog",
    "latency-monitor",
]
UNIT_TIMEOUT_SECONDS = 240
# Where the suite looks for a port of its own: elsewhere each time, so that two runs can overlap.
SUITE_PORTS = range(21_000, 29_000)
# What the suite prints for each test: "[ok]: name (3 ms)", "[err]: name in tests/unit/x.tcl".
OUTCOME = re.compile(r"^\[(ok|err|skip|ignore|exception|TIMEOUT)\]: ?(.*)$")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@dataclasses.dataclass
class UnitResult:
    """What one unit printed."""

    unit: str
    passed: list[str] = dataclasses.field(default_factory=list)
    failed: list[str] = dataclasses.field(default_factory=list)
    skipped: list[str] = dataclasses.field(default_factory=list)
    is_complete: bool = False

    @property
    def is_good(self) -> bool:
        """Whether every test that was not left out passed, and all were reached."""
        return self.is_complete and not self.failed


def read_skipped() -> dict[str, dict[str, str]]:
    """Return, for each unit, the reason by the name of each test that is left out."""
    with SKIPPED.open("rb") as file:
        table = tomllib.load(file)
    return {
        unit: {name: group["reason"] for group in groups for name in group["tests"]}
        for unit, groups in table.items()
    }


def run_unit(unit: str, command: list[str], suite: Path, skipped: list[str]) -> UnitResult:
    """Run one unit on a server of its own and return what happened to each test."""
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        server = Server(Path(folder) / "data", ["--enable-debug-command", "yes"], command=command)
        with server:
            output = _run_suite(unit, server, suite, skipped)
        (WORK / f"{unit.replace('/', '-')}.server.log").write_text(server.log())
    (WORK / f"{unit.replace('/', '-')}.log").write_text(output)
    result = parse(unit, output)
    stale = set(skipped) - set(result.skipped)
    result.failed += [f"skipped.toml names what the unit has not: {name}" for name in sorted(stale)]
    return result


def _run_suite(unit: str, server: Server, suite: Path, skipped: list[str]) -> str:
    with tempfile.NamedTemporaryFile("w", suffix=".skip") as skip_file:
        skip_file.write("".join(f"{name}\n" for name in skipped))
        skip_file.flush()
        host, port = server.address
        # --durable: an unexpected error fails its test and not the whole unit.
        command = ["./runtest", "--host", host, "--port", str(port), "--single", f"unit/{unit}"]
        command += ["--durable", "--no-latency", "--skipfile", skip_file.name]
        command += ["--timeout", str(UNIT_TIMEOUT_SECONDS)]
        command += ["--baseport", str(random.choice(SUITE_PORTS))]
        done = subprocess.run(
            command,
            cwd=suite,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=2 * UNIT_TIMEOUT_SECONDS,
            check=False,
        )
    return COLOUR.sub("", done.stdout.decode(errors="replace"))


def parse(unit: str, output: str) -> UnitResult:
    """Sort the suite's lines by outcome.

    A unit is complete when the suite reports it as done; an exception ends it in the middle, and
    then the tests behind it were neither passed nor failed, which must not look like success.
    """
    result = UnitResult(unit, is_complete=" done]: " in output)
    for line in output.splitlines():
        if (found := OUTCOME.match(line)) is None:
            continue
        outcome, name = found.groups()
        if outcome == "ok":
            result.passed.append(re.sub(r" \(\d+ ms\)$", "", name))
        elif outcome in {"skip", "ignore"}:
            result.skipped.append(name)
        else:
            result.failed.append(name)
    # The summary repeats each failure.
    result.failed = list(dict.fromkeys(result.failed))
    return result


def print_table(results: list[UnitResult]) -> None:
    """Print one line per unit and the name of each failed test."""
    print(f"{'unit':<14} {'ok':>5} {'err':>5} {'skipped':>8}")
    for result in results:
        note = "" if result.is_complete else "   ended before its last test"
        counts = f"{len(result.passed):>5} {len(result.failed):>5} {len(result.skipped):>8}"
        print(f"{result.unit:<14} {counts}{note}")
    passed, failed, skipped = (
        sum(len(getattr(result, kind)) for result in results)
        for kind in ("passed", "failed", "skipped")
    )
    print(f"{'all':<14} {passed:>5} {failed:>5} {skipped:>8}")
    for result in results:
        for name in result.failed:
            print(f"err: {result.unit}: {name}")


def main() -> int:
    """Read the command line, run the units, print the table; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--server", default=f"{ROOT}/.venv/bin/dwell server", metavar="CMD")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--all-tests", action="store_true", help="ignore skipped.toml")
    parser.add_argument("units", nargs="*", default=UNITS)
    options = parser.parse_args()
    try:
        suite = fetch_suite()
    except SuiteUnavailableError as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    skipped = {} if options.all_tests else read_skipped()
    results = []
    for unit in options.units:
        try:
            names = list(skipped.get(unit, {}))
            results.append(run_unit(unit, shlex.split(options.server), suite, names))
        except (ServerFailedError, subprocess.TimeoutExpired) as error:
            results.append(UnitResult(unit, failed=[str(error)]))
    if options.json:
        print(json.dumps([dataclasses.asdict(result) for result in results], indent=2))
    else:
        print_table(results)
    return 0 if all(result.is_good for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
