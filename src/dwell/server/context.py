"""The server around a command: engine, event loop, settings, clock and the supervisor's view.

Owns nothing but these references and the counters that begin anew at CONFIG RESETSTAT. Each command
asks here for what it needs, so that a test can hand it fakes.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from dwell.server.bus import Bus
    from dwell.server.command_table import CommandTable
    from dwell.server.configuration import Configuration
    from dwell.server.native import NativeEngine, NativeServer
    from dwell.server.rates import Rates
    from dwell.server.supervisor import ModuleState

__all__ = ["COUNTERS", "CommandCounters", "Context"]

COUNTERS: Final = (
    "connections_received",
    "connections_rejected",
    "commands_processed",
    "input_bytes",
    "output_bytes",
    "error_replies",
    "hits",
    "misses",
    "expired",
    "evicted",
)
"""The counters of event loop and engine that CONFIG RESETSTAT sets back."""


@dataclass(slots=True)
class CommandCounters:
    """What commands in Python cost, by name; the event loop counts its own."""

    calls: dict[str, int] = field(default_factory=dict)
    microseconds: dict[str, int] = field(default_factory=dict)
    failures: dict[str, int] = field(default_factory=dict)
    _counting: threading.Lock = field(default_factory=threading.Lock)

    def count(self, name: str, microseconds: int, *, has_failed: bool) -> None:
        """Note one run."""
        with self._counting:
            self.calls[name] = self.calls.get(name, 0) + 1
            self.microseconds[name] = self.microseconds.get(name, 0) + microseconds
            self.failures[name] = self.failures.get(name, 0) + has_failed

    def reset(self) -> None:
        """Begin anew."""
        with self._counting:
            self.calls.clear()
            self.microseconds.clear()
            self.failures.clear()


@dataclass(slots=True)
class Context:
    """What commands in Python can reach.

    Attributes:
        engine: the open instance.
        loop: gives the event loop, which the supervisor may have replaced.
        configuration: the settings in force.
        commands: the facts of every command.
        bus: says `stop` to the server.
        modules: what the supervisor knows of each module.
        unix_us: the clock, in microseconds since 1970.
        started_us: when the server started, by that clock.
        run_id: 40 hexadecimal digits, new with each start.
        rates: how much comes in a second.
        counters: what commands in Python cost.
        saved_us: when the last save ended.
        save_error: what the last save failed with; empty if it did not.
        saving: held while a save runs.
        peak_bytes: the most memory seen in use.
    """

    engine: NativeEngine
    loop: Callable[[], NativeServer]
    configuration: Configuration
    commands: CommandTable
    bus: Bus
    modules: Callable[[], list[ModuleState]]
    unix_us: Callable[[], int]
    started_us: int
    run_id: str
    rates: Rates
    counters: CommandCounters = field(default_factory=CommandCounters)
    saved_us: int = 0
    save_error: str = ""
    saving: threading.Lock = field(default_factory=threading.Lock)
    peak_bytes: int = 0
    _baseline: dict[str, int] = field(default_factory=dict)
    _commands_before: dict[str, dict[str, int]] = field(default_factory=dict)

    @property
    def server(self) -> NativeServer:
        """The event loop."""
        return self.loop()

    def counts(self) -> dict[str, int]:
        """What event loop and engine have counted since the last CONFIG RESETSTAT."""
        counted = self._counted()
        return {name: counted[name] - self._baseline.get(name, 0) for name in COUNTERS}

    def command_counts(self) -> dict[str, dict[str, int]]:
        """What the event loop has counted of each command since the last CONFIG RESETSTAT."""
        told = {}
        for name, counts in self.server.facts().get("commands", {}).items():
            before = self._commands_before.get(name, {})
            since = {what: count - before.get(what, 0) for what, count in counts.items()}
            if any(since.values()):
                told[name] = since
        return told

    def reset_counts(self) -> None:
        """Begin all counters anew."""
        self._baseline = self._counted()
        self._commands_before = dict(self.server.facts().get("commands", {}))
        self.counters.reset()

    def _counted(self) -> dict[str, int]:
        """Every counter since the start."""
        counted = {**self.server.facts(), **self.engine.stats().get("counters", {})}
        return {name: int(counted.get(name, 0)) for name in COUNTERS}
