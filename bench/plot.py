"""Draws the newest results as the pictures that the README shows: `python -m bench.plot`.

One picture has the rates of the servers beside each other, the other says how far each figure is
from its target. Nothing is measured here.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

from bench.harness.report import format_number
from bench.registry import TARGETS

RESULTS = Path(__file__).parent / "results"
# Targets whose rows are rates of servers under redis-benchmark.
SERVER_TARGETS = ("T1", "T2", "T3", "T4", "T5", "T20")
COLOURS = {"dwell": "#0b6e4f", "redis": "#c1432e", "bare": "#b8b8b8", "bare map": "#b8b8b8"}
OTHER_COLOUR = "#5b7fa6"
BAR_HEIGHT_INCHES = 0.16
WIDTH_INCHES = 8.0

# By name, since `make check` reads this file where the benchmarks' own packages are not installed.
matplotlib: Any = importlib.import_module("matplotlib")
pyplot: Any = importlib.import_module("matplotlib.pyplot")

Result = dict[str, Any]


def main() -> int:
    """Draw both pictures; return the exit code."""
    results = newest_results()
    if not results:
        print("plot: no results yet, run the benchmarks first", file=sys.stderr)
        return 1
    # Same results, same bytes: a picture that is drawn again must not look changed.
    matplotlib.rcParams["svg.hashsalt"] = "dwell"
    draw_rates(results, RESULTS / "rates.svg")
    draw_targets(results, RESULTS / "targets.svg")
    return 0


def newest_results() -> list[Result]:
    """Return the newest result of each target, in the order of the targets."""
    newest = {}
    for path in sorted(RESULTS.glob("*.json")):
        result = json.loads(path.read_text())
        newest[result["target"]] = result
    return [newest[name] for name in TARGETS if name in newest]


def draw_rates(results: list[Result], path: Path) -> None:
    """Draw a group of bars for each row: the rate of each peer as a multiple of Redis's."""
    rows = [
        row for result in results if result["target"] in SERVER_TARGETS for row in rate_rows(result)
    ]
    height = sum(len(bars) + 1 for _, bars in rows) * BAR_HEIGHT_INCHES + 1
    figure, axes = pyplot.subplots(figsize=(WIDTH_INCHES, height), layout="constrained")
    position, ticks = 0.0, []
    for _, bars in rows:
        ticks.append(position + (len(bars) - 1) / 2)
        for peer, ratio, spread in bars:
            colour = COLOURS.get(peer, OTHER_COLOUR)
            axes.barh(position, ratio, xerr=ratio * spread, color=colour, label=peer)
            position += 1
        position += 1
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_yticks(ticks, [label for label, _ in rows])
    axes.invert_yaxis()
    axes.margins(y=0.01)
    axes.set_xlabel("rate as a multiple of Redis; the lines are the spread of the rounds")
    handles, labels = axes.get_legend_handles_labels()
    legend = dict(zip(labels, handles, strict=True))
    axes.legend(legend.values(), legend.keys(), loc="lower right")
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    pyplot.close(figure)


def rate_rows(result: Result) -> list[tuple[str, list[tuple[str, float, float]]]]:
    """Return each row's label and its bars: peer, multiple of Redis's rate, spread."""
    rates = [series for series in result["series"] if series["metric"] == "rate"]
    rows = []
    for name in dict.fromkeys(series["row"] for series in rates):
        group = {series["peer"]: series for series in rates if series["row"] == name}
        if "redis" not in group:
            continue
        unit = group["redis"]["median"]
        bars = [(peer, each["median"] / unit, each["spread"]) for peer, each in group.items()]
        label = f"{result['target']} {name} (Redis {format_number(unit)}/s)"
        rows.append((label, sorted(bars, key=lambda bar: [*COLOURS, bar[0]].index(bar[0]))))
    return rows


def draw_targets(results: list[Result], path: Path) -> None:
    """Draw a point for each figure: right of the line its target is reached."""
    checks = [(result["target"], check) for result in results for check in result["checks"]]
    height = max(len(checks), 1) * 1.2 * BAR_HEIGHT_INCHES + 1
    figure, axes = pyplot.subplots(figsize=(WIDTH_INCHES, height), layout="constrained")
    for position, (_, check) in enumerate(checks):
        colour = COLOURS["dwell"] if check["is_met"] else COLOURS["redis"]
        reached = reached_part(check)
        axes.plot([1, reached], [position, position], color=colour, linewidth=1)
        axes.plot(reached, position, "o", color=colour, markersize=4)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_yticks(range(len(checks)), [f"{target} {check['what']}" for target, check in checks])
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter("{x:g}")
    axes.set_xlabel("figure as a part of its target: right of 1 it is reached")
    axes.tick_params(axis="y", labelsize=7)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    pyplot.close(figure)


def reached_part(check: Result) -> float:
    """Return how well a target is met: 1 is exactly, 2 is twice as good."""
    value, bound = float(check["value"]), float(check["bound"])
    part = bound / value if check["is_upper_bound"] else value / bound
    return max(part, 1e-3)


if __name__ == "__main__":
    sys.exit(main())
