"""Runs the benchmarks: `python -m bench [--quick] [ID ...]`.

Every target prints its table and leaves `bench/results/<date>-<id>.json`. Only a wrong reply
or a server that ends fails a run: a missing peer is a note, a missed target a line that says so.
"""

from __future__ import annotations

import argparse
import importlib
import json
import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.harness.bench import Bench
from bench.harness.load import LoadFailedError
from bench.harness.machine import describe_machine, describe_versions
from bench.registry import TARGETS
from tests.servers import ServerFailedError

if TYPE_CHECKING:
    from bench.harness.report import Report

RESULTS = Path(__file__).parent / "results"
# Runs that only show that everything works are no results to keep.
SCRATCH = RESULTS / "scratch"


def main() -> int:
    """Read the command line, run the targets, print a summary; return the exit code."""
    beside_python = Path(sys.executable).with_name("dwell")
    parser = argparse.ArgumentParser(prog="bench", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the load, two rounds")
    parser.add_argument("--server", default=f"{beside_python} server", metavar="CMD")
    parser.add_argument("ids", nargs="*", metavar="ID", help=", ".join(TARGETS))
    options = parser.parse_args()
    unknown = set(options.ids) - set(TARGETS)
    if unknown:
        parser.error(f"no such target: {', '.join(sorted(unknown))}")
    bench = Bench(tuple(shlex.split(options.server)), is_quick=options.quick)
    reports, failed = [], []
    for name in options.ids or TARGETS:
        try:
            reports.append(run_target(name, bench))
        except (LoadFailedError, ServerFailedError, AssertionError, OSError) as error:
            # The other targets are still worth their time.
            failed.append(name)
            print(f"\n{name}  FAILED: {error}", file=sys.stderr)
    print_summary(reports)
    if not bench.is_quick:
        draw()
    return 1 if failed else 0


def draw() -> None:
    """Draw the pictures again, where matplotlib is installed."""
    try:
        plot = importlib.import_module("bench.plot")
    except ImportError as error:
        print(f"no pictures: {error}")
        return
    plot.main()


def run_target(name: str, bench: Bench) -> Report:
    """Run one target, print its table and keep its result."""
    start = time.monotonic()
    report = TARGETS[name](bench)
    report.print()
    folder = SCRATCH if bench.is_quick else RESULTS
    folder.mkdir(parents=True, exist_ok=True)
    result = {
        **report.as_dict(),
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "seconds": round(time.monotonic() - start, 1),
        "is_quick": bench.is_quick,
        "rounds": bench.rounds,
        "machine": describe_machine(),
        "versions": describe_versions(),
    }
    path = folder / f"{time.strftime('%Y-%m-%d', time.gmtime())}-{name.lower()}.json"
    path.write_text(json.dumps(result, indent=2) + "\n")
    return report


def print_summary(reports: list[Report]) -> None:
    """Print how many targets were reached, and each that was missed."""
    checks = [(report.target, check) for report in reports for check in report.checks]
    missed = [(target, check) for target, check in checks if not check.is_met]
    print(f"\n{len(checks) - len(missed)} of {len(checks)} figures reach their target")
    for target, check in missed:
        print(f"  {target:<4}{check}")


if __name__ == "__main__":
    sys.exit(main())
