"""The project's files as the rules see them: what git knows or would add, never what is ignored."""

from __future__ import annotations

import functools
import re
import subprocess
import tokenize
from io import StringIO
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_TEST_PATH = re.compile(
    r"(^|/)tests?(/|\.rs$)|(^|/)(fuzz|bench|docs|benches|examples)/|(^|/)build\.rs$"
)


@functools.cache
def files() -> tuple[str, ...]:
    """All files of the project, as paths from its root."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.decode()
    names = sorted(set(listing.rstrip("\0").split("\0")))
    return tuple(name for name in names if (ROOT / name).is_file())


def ending(*endings: str) -> list[str]:
    """The files whose names end in one of `endings`."""
    return [name for name in files() if name.endswith(endings)]


@functools.cache
def text(name: str) -> str:
    """The text of a file."""
    return (ROOT / name).read_text(encoding="utf-8")


def is_product(name: str) -> bool:
    """Whether a file is part of what is shipped: no test, fuzzer, benchmark or generator."""
    return name.startswith(("src/", "crates/")) and not _TEST_PATH.search(name)


@functools.cache
def rust_code(name: str) -> str:
    """A Rust file with comments and the insides of literals blanked, its lines kept.

    Braces and keywords that are left are code. A small scanner and no parser: it knows nested
    block comments, raw strings and the difference between a lifetime and a character.
    """
    return _RUST_TOKEN.sub(_blank, _blank_block_comments(text(name)))


_RUST_TOKEN = re.compile(
    r"""//[^\n]*
    | b?r(?P<hashes>\#*)".*?"(?P=hashes)
    | [bc]?"(?:[^"\\]|\\.)*"
    | b?'(?:[^'\\\n]|\\(?:x[0-9a-fA-F]{2}|u\{[^}]*\}|.))'
    """,
    re.VERBOSE | re.DOTALL,
)


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def _blank_block_comments(source: str) -> str:
    innermost = re.compile(r"/\*(?:(?!/\*).)*?\*/", re.DOTALL)
    while innermost.search(source):
        source = innermost.sub(_blank, source)
    return source


def rust_code_lines(name: str) -> int:
    """Lines of a Rust file that hold code: neither blank nor comment."""
    blanked = re.sub(r"(?m)//[^\n]*$", "", _blank_block_comments(text(name)))
    return sum(bool(line.strip()) for line in blanked.splitlines())


def python_code_lines(name: str) -> int:
    """Lines of a Python file that hold code: neither blank, comment nor docstring."""
    ignored = {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
    }
    lines: set[int] = set()
    is_statement_start = True
    for token in tokenize.generate_tokens(StringIO(text(name)).readline):
        if token.type in ignored:
            is_statement_start = is_statement_start or token.type == tokenize.NEWLINE
            continue
        is_bare_string = is_statement_start and token.type == tokenize.STRING
        is_statement_start = False
        if not is_bare_string:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines)
