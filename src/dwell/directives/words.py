"""Splits a line as redis.conf is split: blanks, quotes, escapes. Knows no setting."""

from __future__ import annotations

import re

from dwell.errors import UsageError

__all__ = ["split_words"]

_WORD = re.compile(
    r"""
    "(?P<double>(?:[^"\\]|\\.)*)"(?=\s|$)
    | '(?P<single>(?:[^'\\]|\\.)*)'(?=\s|$)
    | (?P<plain>[^\s"']+)(?=\s|$)
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_CONTROL = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "a": "\a"}


def split_words(line: str) -> list[str]:
    r"""Split a line as redis.conf is split: quotes keep blanks, double ones know `\n` and `\xff`.

    Args:
        line: one line without its end.

    Returns:
        The words, quotes and escapes resolved.

    Raises:
        UsageError: a quote is not closed, or something follows it without a blank.

    >>> split_words('requirepass "two words"')
    ['requirepass', 'two words']
    """
    words = []
    position = 0
    while rest := line[position:].lstrip():
        position = len(line) - len(rest)
        match = _WORD.match(line, position)
        if match is None:
            # The place and not the text, which may be a password.
            column = position + 1
            raise UsageError(f"has an unbalanced quote in column: {column}", found=column)
        words.append(_unquote(match))
        position = match.end()
    return words


def _unquote(match: re.Match[str]) -> str:
    """Resolve the escapes of one word."""
    if match["double"] is not None:
        return _ESCAPE.sub(_unescape, match["double"])
    if match["single"] is not None:
        return match["single"].replace("\\'", "'")
    return match["plain"]


def _unescape(match: re.Match[str]) -> str:
    """Resolve one escape of a word in double quotes."""
    if match[1] is not None:
        return chr(int(match[1], 16))
    return _CONTROL.get(match[2], match[2])
