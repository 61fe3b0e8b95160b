"""What the verbs print: raw bytes into a pipe, text and tables on a terminal, JSON when asked.

Owns the forms; decides nothing about content. rich is loaded for tables alone, so that `dwell get`
starts fast.
"""

from __future__ import annotations

import base64
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PRINTABLE = range(0x20, 0x7F)
"""ASCII that shows as itself."""

__all__ = ["as_json", "as_text", "complain", "print_bytes", "print_json", "print_table", "say"]


def as_text(data: bytes) -> str:
    r"""Bytes for people: UTF-8 as it is, anything else escaped.

    >>> as_text(b"caf\xc3\xa9"), as_text(b"\xff\n")
    ('café', '\\xff\\x0a')
    """
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return "".join(chr(byte) if byte in PRINTABLE else f"\\x{byte:02x}" for byte in data)
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


def as_json(data: bytes) -> object:
    r"""Bytes for JSON: a string where they are UTF-8, else an object that holds them in base64.

    >>> as_json(b"a"), as_json(b"\xff")
    ('a', {'base64': '/w=='})
    """
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def print_bytes(data: bytes) -> None:
    """Print a value: the bytes and nothing else into a pipe or file, a line on a terminal."""
    if sys.stdout.isatty():
        say(data.decode("utf-8", "backslashreplace"))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def print_json(value: object) -> None:
    """Print one JSON document on one line."""
    import json

    say(json.dumps(value, ensure_ascii=False))


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table on a terminal, and lines of tab-separated fields into a pipe."""
    if not sys.stdout.isatty():
        for row in rows:
            say("\t".join(map(str, row)))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*columns, box=None, pad_edge=False, header_style="bold")
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    Console().print(table)


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(line + "\n")


def complain(line: str, *, hint: str | None = None) -> None:
    """Print a line about a failure, and what to do about it."""
    sys.stderr.write(f"dwell: {line}\n")
    if hint:
        sys.stderr.write(f"  {hint}\n")
