"""Arguments and options that several verbs share, each with its help."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

__all__ = ["Json", "Key"]

Key: TypeAlias = Annotated[str, typer.Argument(help="The key, up to 64 KiB.")]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Answer as one line of JSON.")]
