"""Reads `spec/vectors/resp.txt`: its lines, and what they say a client of Python must read.

The file is shared with the Rust codecs. What Python's types do not tell apart is mapped here: both
nulls are None, attributes belong to no reply, and big numbers are integers like all others.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dwell.client.replies import ErrorReply, Push, Status, Verbatim

VECTORS = Path(__file__).parents[2] / "spec" / "vectors" / "resp.txt"
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\S+')


@dataclass(frozen=True)
class Stream:
    """Bytes that a server sends, and what becomes of them."""

    sent: bytes
    replies: list[Any]
    is_broken: bool
    line: str


def streams() -> list[Stream]:
    """Every case of what a client reads."""
    lines = VECTORS.read_text(encoding="ascii").splitlines()
    return [_stream(line) for line in lines if line.startswith("reply ")]


def _stream(line: str) -> Stream:
    tokens = TOKEN.findall(line)[::-1]
    tokens.pop()
    sent = _text(tokens.pop())
    replies = []
    is_broken = False
    while tokens:
        if tokens[-1] == "more":
            tokens.pop()
        elif tokens[-1] == "broken":
            is_broken = True
            del tokens[-2:]
        else:
            replies.append(_value(tokens))
    return Stream(sent, replies, is_broken, line)


def _value(tokens: list[str]) -> Any:
    kind, _, rest = tokens.pop().partition(":")
    match kind:
        case "null" | "null-array":
            return None
        case "true" | "false":
            return kind == "true"
        case "int" | "big":
            return int(rest)
        case "double":
            return float(rest)
        case "status":
            return Status(_text(tokens.pop()).decode())
        case "error":
            return ErrorReply(_text(tokens.pop()).decode())
        case "bytes":
            return _text(tokens.pop())
        case "verbatim":
            return Verbatim(rest, _text(tokens.pop()).decode())
        case "array":
            return _values(tokens)
        case "set":
            return set(_values(tokens))
        case "push":
            return Push(_values(tokens))
        case "map":
            items = _values(tokens)
            return dict(zip(items[::2], items[1::2], strict=True))
        case "attribute":
            _values(tokens)
            return _value(tokens)
    raise AssertionError(f"no value: {kind}")


def _values(tokens: list[str]) -> list[Any]:
    assert tokens.pop() == "["
    values = []
    while tokens[-1] != "]":
        values.append(_value(tokens))
    tokens.pop()
    return values


def _text(token: str) -> bytes:
    text = ast.literal_eval("b" + token)
    assert isinstance(text, bytes)
    return text
