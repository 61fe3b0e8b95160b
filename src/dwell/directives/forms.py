"""How each form of setting is read from text and written as text; knows no single setting."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from dwell.directives.directive import Directive
from dwell.errors import UsageError
from dwell.settings import Fact

__all__ = ["as_text", "parse"]

_SIZE = re.compile(r"(\d+)\s*([kmg]?b?)", re.IGNORECASE)
_UNIT_BYTES: Final = {
    "": 1,
    "b": 1,
    "k": 1000,
    "kb": 1024,
    "m": 1000**2,
    "mb": 1024**2,
    "g": 1000**3,
    "gb": 1024**3,
}


def _parse_bytes(text: str) -> int:
    """Read a size as Redis does: 100mb is 2^20 bytes a unit, 100m is 10^6."""
    match = _SIZE.fullmatch(text)
    if match is None:
        raise ValueError(text)
    return int(match[1]) * _UNIT_BYTES[match[2].lower()]


def _parse_count(text: str) -> int:
    """Read a whole number in decimal digits alone."""
    if not re.fullmatch(r"-?[0-9]+", text):
        raise ValueError(text)
    return int(text)


def _parse_switch(text: str) -> bool:
    """Read yes or no."""
    return {"yes": True, "no": False}[text.lower()]


_PARSERS: Final[dict[str, tuple[Callable[[str], object], str]]] = {
    "choice": (str.lower, "a word"),
    "count": (_parse_count, "a whole number"),
    "bytes": (_parse_bytes, "a size such as 100mb"),
    "mode": (lambda text: int(text, 8), "permission bits in octal"),
    "path": (lambda text: Path(text) if text else None, "a path"),
    "switch": (_parse_switch, "yes or no"),
    "text": (str, "a text"),
}


def parse(fact: Fact, directive: Directive) -> object:
    """Turn the words of a directive into the value of its setting."""
    if fact.form == "words":
        return directive.words
    read, wanted = _PARSERS[fact.form]
    text = directive.word()
    try:
        return read(text)
    except (ValueError, KeyError):
        raise UsageError(f"{directive.origin} wants {wanted}: {text}", found=text) from None


def as_text(fact: Fact, value: object) -> str:
    """Write a value as CONFIG GET shows it."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:o}" if fact.form == "mode" else str(value)
        case tuple():
            return " ".join(map(str, value))
        case _:
            return str(value)
