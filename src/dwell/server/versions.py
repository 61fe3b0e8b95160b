"""The versions that the server tells: its own, and the Redis that it answers like."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Final

__all__ = ["REDIS_VERSION", "dwell_version"]

REDIS_VERSION: Final = "7.0.15"
"""What clients read as `redis_version`: the Redis whose commands and error lines Dwell follows."""


@cache
def dwell_version() -> str:
    """The version of Dwell that is installed; of a source tree it is not known."""
    try:
        return version("dwelldb")
    except PackageNotFoundError:
        return "0+source"
