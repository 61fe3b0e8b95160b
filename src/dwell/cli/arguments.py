"""Arguments and options that several verbs share, each with its help."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from dwell.cli.parameters import Argument, Option

__all__ = ["Json", "Key"]

Key: TypeAlias = Annotated[str, Argument("The key, up to 64 KiB.")]
Json: TypeAlias = Annotated[bool, Option(("--json",), help="Answer as one line of JSON.")]
