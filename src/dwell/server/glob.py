"""Redis's globs over short texts: `*`, `?`, `[a-z]`, `[^a]`, and a backslash before a literal.

Owns matching of names of settings and commands; keys are matched in the core. The time is bounded
by the product of both lengths: a star remembers where it began and is never tried again from
further back (DESIGN 7).
"""

from __future__ import annotations

__all__ = ["matches"]


def matches(pattern: str, name: str) -> bool:
    """Whether a whole name matches a pattern.

    >>> matches("max*", "maxmemory"), matches("h?llo", "hllo"), matches("[a-c]x", "bx")
    (True, False, True)
    """
    at = position = 0
    star = resume = -1
    while position < len(name):
        end = _one(pattern, at, name[position])
        if at < len(pattern) and pattern[at] == "*":
            star, resume = at, position
            at += 1
        elif end:
            at, position = end, position + 1
        elif star >= 0:
            resume += 1
            at, position = star + 1, resume
        else:
            return False
    return not pattern[at:].strip("*")


def _one(pattern: str, at: int, letter: str) -> int:
    """Where the pattern goes on after one letter matched at `at`; 0 if it did not."""
    if at >= len(pattern) or pattern[at] == "*":
        return 0
    if pattern[at] == "[":
        return _class(pattern, at, letter)
    if pattern[at] == "\\" and at + 1 < len(pattern):
        at += 1
    elif pattern[at] == "?":
        return at + 1
    return at + 1 if pattern[at] == letter else 0


def _class(pattern: str, at: int, letter: str) -> int:
    """The same for a class in brackets; one that is not closed ends with the pattern."""
    at += 1
    is_negated = pattern[at : at + 1] == "^"
    at += is_negated
    found = False
    while at < len(pattern) and pattern[at] != "]":
        if pattern[at] == "\\" and at + 1 < len(pattern):
            at += 1
            found |= pattern[at] == letter
        elif pattern[at + 1 : at + 2] == "-" and at + 2 < len(pattern):
            low, high = sorted((pattern[at], pattern[at + 2]))
            found |= low <= letter <= high
            at += 2
        else:
            found |= pattern[at] == letter
        at += 1
    return min(at + 1, len(pattern)) if found != is_negated else 0
