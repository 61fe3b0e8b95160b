"""How INFO writes quantities."""

from __future__ import annotations

__all__ = ["human", "ratio"]

STEP = 1024
UNITS = ("B", "K", "M", "G", "T", "P")


def human(size_bytes: int) -> str:
    """A size as Redis writes it for people.

    >>> human(512), human(1536)
    ('512B', '1.50K')
    """
    scaled = float(size_bytes)
    for unit in UNITS:
        if scaled < STEP or unit == UNITS[-1]:
            return f"{size_bytes}B" if unit == "B" else f"{scaled:.2f}{unit}"
        scaled /= STEP
    raise AssertionError("the last unit takes every size")


def ratio(part: float, whole: float) -> float:
    """A share; 0 of nothing."""
    return part / whole if whole else 0.0
