"""The value model as Python sees it, and the bounds that every door keeps.

Owns the types alone: conversion to and from bytes belongs to the core. Of Dwell it
imports the errors alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from dwell.errors import UsageError

__all__ = [
    "INTEGER_MAX",
    "INTEGER_MIN",
    "KEY_BYTES_MAX",
    "VALUE_BYTES_MAX",
    "Home",
    "Point",
    "Scalar",
    "Value",
]

KEY_BYTES_MAX: Final = 64 * 1024
"""The longest key in bytes; the empty key is a key."""

VALUE_BYTES_MAX: Final = 512 * 1024 * 1024
"""The longest string in bytes, as in Redis."""

INTEGER_MIN: Final = -(2**63)
"""The smallest integer: what does not fit 64 bits is refused, never rounded."""

INTEGER_MAX: Final = 2**63 - 1
"""The largest integer."""

Home: TypeAlias = Literal["memory", "disk"]
"""Where a key lives; every key has exactly one (INV-01)."""


@dataclass(frozen=True, slots=True)
class Point:
    """A point in space, three 64-bit floats; Redis clients see the string `x,y,z`.

    Args:
        x: any finite number.
        y: any finite number.
        z: any finite number; 0 where only a plane is meant.

    Raises:
        UsageError: a coordinate is not finite. An infinite place orders and measures like nothing.

    >>> Point(1.0, 2.5)
    Point(x=1.0, y=2.5, z=0.0)
    """

    x: float
    y: float
    z: float = 0.0

    def __post_init__(self) -> None:
        """Make floats of whole numbers and refuse what is not finite."""
        for name in ("x", "y", "z"):
            coordinate = float(getattr(self, name))
            if not math.isfinite(coordinate):
                message = f"coordinate {name} of a point must be finite: {coordinate}"
                raise UsageError(message, found=coordinate)
            object.__setattr__(self, name, coordinate)


Scalar: TypeAlias = bool | int | float | bytes | Point | None
"""A value without parts: void, flag, integer, decimal, string or point."""

Value: TypeAlias = Scalar
"""What a key can hold. Lists, maps, sets, sorted sets, streams and rows join in later issues."""
