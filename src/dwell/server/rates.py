"""The module that measures how much comes in a second, for INFO.

Owns the samples. It looks once a second and keeps a few looks, so that one burst does not show as
the rule, and an idle server is woken no more often than that.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from dwell.errors import UnavailableError

if TYPE_CHECKING:
    from dwell.server.native import Facts

__all__ = ["Rates"]

LOOK_EVERY_S: Final = 1.0
LOOKS_KEPT: Final = 5

Look = tuple[float, int, int, int]


class Rates:
    """Commands and bytes a second over the last few seconds.

    Args:
        facts: tells the event loop's counters.
        monotonic_s: the clock.
    """

    name = "rates"

    def __init__(
        self, facts: Callable[[], Facts], *, monotonic_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._facts = facts
        self._monotonic_s = monotonic_s
        self._looks: deque[Look] = deque(maxlen=LOOKS_KEPT)

    def run(self, stop: threading.Event) -> None:
        """Look until told to stop."""
        while not stop.wait(LOOK_EVERY_S):
            self.look()

    def look(self) -> None:
        """Note the counters once; while the loop is being started again there are none."""
        try:
            facts = self._facts()
        except UnavailableError:
            self._looks.clear()
            return
        self._looks.append(
            (
                self._monotonic_s(),
                int(facts.get("commands_processed", 0)),
                int(facts.get("input_bytes", 0)),
                int(facts.get("output_bytes", 0)),
            )
        )

    def forget(self) -> None:
        """Begin anew, because the counters have."""
        self._looks.clear()

    @property
    def commands_per_s(self) -> float:
        """Commands a second."""
        return self._rate(1)

    @property
    def input_bytes_per_s(self) -> float:
        """Bytes received a second."""
        return self._rate(2)

    @property
    def output_bytes_per_s(self) -> float:
        """Bytes sent a second."""
        return self._rate(3)

    def _rate(self, column: int) -> float:
        looks = tuple(self._looks)
        if not looks or looks[-1][0] <= looks[0][0]:
            return 0.0
        return (looks[-1][column] - looks[0][column]) / (looks[-1][0] - looks[0][0])
