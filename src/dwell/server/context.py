"""The server around a command: engine, event loop, settings, clock and the supervisor's view.

Owns nothing but these references and what the engine had counted at CONFIG RESETSTAT. Each command
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

__all__ = ["Context"]

ENGINE_COUNTERS: Final = ("hits", "misses", "expired", "evicted")
"""The counters of the engine that CONFIG RESETSTAT sets back; the event loop resets its own."""

LOOP_COUNTERS: Final = (
    "connections_received",
    "connections_rejected",
    "commands_processed",
    "input_bytes",
    "output_bytes",
    "error_replies",
    "dropped_for_output",
)
"""The counters of the event loop."""


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
    saved_us: int = 0
    save_error: str = ""
    saving: threading.Lock = field(default_factory=threading.Lock)
    peak_bytes: int = 0
    _baseline: dict[str, int] = field(default_factory=dict)

    @property
    def server(self) -> NativeServer:
        """The event loop."""
        return self.loop()

    def counts(self) -> dict[str, int]:
        """What event loop and engine have counted since the last CONFIG RESETSTAT."""
        engine = {
            name: count - self._baseline.get(name, 0)
            for name, count in self._engine_counts().items()
        }
        facts = self.server.facts()
        return {name: facts.get(name, 0) for name in LOOP_COUNTERS} | engine

    def reset_counts(self) -> None:
        """Begin all counters anew."""
        self._baseline = self._engine_counts()
        self.server.forget("counters")
        self.rates.forget()

    def _engine_counts(self) -> dict[str, int]:
        """The engine's counters since the start."""
        counted = self.engine.stats().get("counters", {})
        return {name: int(counted.get(name, 0)) for name in ENGINE_COUNTERS}
