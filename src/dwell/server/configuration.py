"""The settings in force: read and changed at run time, all of a change or none.

Owns the current `Settings`, what was set of the directives without effect, and telling the running
parts about a change. How a setting is written as text is dwell.directives' matter.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from dwell import directives
from dwell.directives_ignored import IGNORED

if TYPE_CHECKING:
    from dwell.settings import Settings

__all__ = ["Configuration", "to_native"]

Adjust: TypeAlias = Callable[[dict[str, Any]], None]


def to_native(settings: Settings) -> dict[str, Any]:
    """Settings as the core takes them: by field name, paths as text."""
    return {
        name: str(value) if isinstance(value, Path) else value
        for name, value in dataclasses.asdict(settings).items()
    }


class Configuration:
    """The settings of a running server.

    Args:
        settings: those it started with.
        adjust: makes a change take effect; gets the changed fields alone, as `to_native` does.
    """

    def __init__(self, settings: Settings, adjust: Adjust) -> None:
        self._settings = settings
        self._adjust = adjust
        self._without_effect: dict[str, str] = {}
        self._changing = threading.Lock()

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._settings

    def texts(self) -> dict[str, str]:
        """Every directive with its value as text, those without effect too."""
        return {**directives.as_directives(self._settings), **self._without_effect}

    def change(self, texts: Mapping[str, str]) -> None:
        """Change settings by directive, all of them or none.

        Raises:
            UsageError: a directive is unknown, has a bad value, or cannot change while running.
        """
        with self._changing:
            changed = directives.change(self._settings, texts)
            before, after = to_native(self._settings), to_native(changed)
            differences = {name: after[name] for name in after if after[name] != before[name]}
            if differences:
                self._adjust(differences)
            self._settings = changed
            for name, text in texts.items():
                if name.lower() in IGNORED:
                    self._without_effect[name.lower()] = text
