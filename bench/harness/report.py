"""What a target has measured: series of values, and ratios beside their targets.

This module holds numbers and prints them. It must not know how they came about.
"""

from __future__ import annotations

import dataclasses
import statistics
from typing import Any, Literal

from bench.harness.machine import ROOT

Metric = Literal["rate", "cpu", "p50", "p99", "max", "bytes", "seconds", "count"]
UNITS: dict[Metric, str] = {
    "rate": "/s",
    "cpu": " CPU s per million",
    "p50": " ms p50",
    "p99": " ms p99",
    "max": " ms worst",
    "bytes": " bytes",
    "seconds": " s",
    "count": "",
}


@dataclasses.dataclass
class Series:
    """One metric of one peer at one row of the table, a value for each round."""

    row: str
    peer: str
    metric: Metric
    values: list[float] = dataclasses.field(default_factory=list)

    @property
    def median(self) -> float:
        """The middle of the rounds."""
        return statistics.median(self.values)

    @property
    def spread(self) -> float:
        """Half the distance from the lowest round to the highest, as a part of the median."""
        if not self.median:
            return 0.0
        return (max(self.values) - min(self.values)) / 2 / self.median


@dataclasses.dataclass(frozen=True)
class Check:
    """A ratio or a figure beside its target."""

    what: str
    value: float
    bound: float
    is_upper_bound: bool
    ideal: float | None = None
    """The same ratio of a server that does next to nothing: what machine and client leave."""

    @property
    def is_met(self) -> bool:
        """Whether the target is reached."""
        return self.value <= self.bound if self.is_upper_bound else self.value >= self.bound

    def __str__(self) -> str:
        """Return one line of the table."""
        sign = "<=" if self.is_upper_bound else ">="
        verdict = "reached" if self.is_met else "MISSED"
        target = f"target {sign} {self.bound:g}"
        line = f"  {self.what:<58} {format_number(self.value):>9}  {target:<18} {verdict:<8}"
        return line if self.ideal is None else f"{line} bare {format_number(self.ideal)}"


class Report:
    """The outcome of one target.

    Args:
        target: its id in the list of targets.
        title: what is measured, in a few words.
    """

    def __init__(self, target: str, title: str) -> None:
        self.target = target
        self.title = title
        self.notes: list[str] = []
        self.commands: list[str] = []
        self.checks: list[Check] = []
        self._series: dict[tuple[str, str, Metric], Series] = {}

    @property
    def series(self) -> list[Series]:
        """All series, in the order of their first values."""
        return list(self._series.values())

    def add(self, row: str, peer: str, metric: Metric, value: float) -> None:
        """Add the value of one round."""
        key = (row, peer, metric)
        self._series.setdefault(key, Series(*key)).values.append(value)

    def note(self, text: str) -> None:
        """Add a line that a reader of the figures must know, once."""
        if text not in self.notes:
            self.notes.append(text)

    def note_command(self, words: list[str]) -> None:
        """Keep a command line, once; paths in the repository as seen from its root."""
        line = " ".join(word if len(word) < 80 else f"{word[:16]}..." for word in words)
        line = line.replace(f"{ROOT}/", "")
        if line not in self.commands:
            self.commands.append(line)

    def get(self, row: str, peer: str, metric: Metric) -> Series | None:
        """Return a series, or nothing when that peer was missing."""
        return self._series.get((row, peer, metric))

    def expect_ratio(
        self,
        row: str,
        metric: Metric,
        *,
        to: str,
        of: str = "dwell",
        ideal: str | None = None,
        at_least: float | None = None,
        at_most: float | None = None,
    ) -> None:
        """Compare two peers at one row with a target; exactly one bound is given.

        The same ratio of a third peer, `ideal`, can stand beside it. Nothing is compared when a
        peer was missing, which its own note has said already.
        """
        mine, other = self.get(row, of, metric), self.get(row, to, metric)
        if mine is None or other is None or not other.median:
            return
        what = f"{row}: {metric} of {of} / {to}"
        ratio = mine.median / other.median
        best = self.get(row, ideal, metric) if ideal else None
        best_ratio = best.median / other.median if best else None
        self.expect_value(what, ratio, at_least=at_least, at_most=at_most, ideal=best_ratio)

    def expect(
        self,
        row: str,
        metric: Metric,
        *,
        of: str = "dwell",
        at_least: float | None = None,
        at_most: float | None = None,
    ) -> None:
        """Compare one peer's own figure with a target; exactly one bound is given."""
        mine = self.get(row, of, metric)
        if mine is not None:
            what = f"{row}: {metric} of {of}"
            self.expect_value(what, mine.median, at_least=at_least, at_most=at_most)

    def expect_value(
        self,
        what: str,
        value: float,
        *,
        at_least: float | None = None,
        at_most: float | None = None,
        ideal: float | None = None,
    ) -> None:
        """Compare any figure with a target; exactly one bound is given."""
        if at_most is not None:
            self.checks.append(Check(what, value, at_most, is_upper_bound=True, ideal=ideal))
        elif at_least is not None:
            self.checks.append(Check(what, value, at_least, is_upper_bound=False, ideal=ideal))

    def print(self) -> None:
        """Print rows with median and spread, then the checks, then the notes."""
        print(f"\n{self.target}  {self.title}")
        for row in dict.fromkeys(series.row for series in self.series):
            print(f"  {row}")
            for peer in dict.fromkeys(each.peer for each in self.series if each.row == row):
                print(f"    {peer:<22} {self._line(row, peer)}")
        for check in self.checks:
            print(check)
        for text in self.notes:
            print(f"  note: {text}")

    def _line(self, row: str, peer: str) -> str:
        cells = [
            f"{format_number(each.median)}{UNITS[each.metric]} ±{each.spread:.0%}"
            for each in self.series
            if each.row == row and each.peer == peer
        ]
        return "   ".join(cells)

    def as_dict(self) -> dict[str, Any]:
        """Return everything for the JSON file."""
        return {
            "target": self.target,
            "title": self.title,
            "series": [
                {**dataclasses.asdict(each), "median": each.median, "spread": each.spread}
                for each in self.series
            ],
            "checks": [{**dataclasses.asdict(each), "is_met": each.is_met} for each in self.checks],
            "notes": self.notes,
            "commands": self.commands,
        }


def format_number(value: float) -> str:
    """Return a number short enough for a table: 1.25M, 48.1k, 0.912."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"
