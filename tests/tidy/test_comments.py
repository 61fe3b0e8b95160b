"""Comments say why (STYLE 7): each file opens with what it owns, no open ends, no dead code."""

from __future__ import annotations

import ast
import re

from tests.tidy.exemptions import judge
from tests.tidy.project import ending, text

# Spelled apart so that this file does not find itself.
OPEN_END = re.compile(
    r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK")) + r")\b"
)
# Their form is their tool's, and their tool says what they own.
MANIFESTS = ("Cargo.toml", "pyproject.toml", "rustfmt.toml")
RUST_COMMENT = re.compile(r"^\s*//(?![/!])\s?(.*)$", re.MULTILINE)
LOOKS_LIKE_RUST = re.compile(r"^(let|use|fn|pub|impl|return|self\.|\}|#\[).*[;{}\])]$|.*\);$")


def test_each_file_opens_with_what_it_owns() -> None:
    findings = {}
    for name in ending(".py", ".pyi"):
        if text(name) and ast.get_docstring(ast.parse(text(name))) is None:
            findings[name] = "has no docstring on top"
    for name in ending(".rs"):
        # Sibling tests are named by what they test, and say what they allow first.
        is_test = name.endswith("/tests.rs") or "/tests/" in name
        if not is_test and not text(name).startswith("//!"):
            findings[name] = "does not open with //!"
    for name in ending(".toml", ".sh", "Makefile", ".ci/run"):
        if not text(name).startswith("#") and not name.endswith(MANIFESTS):
            findings[name] = "does not open with a comment"
    judge("header", findings)


def test_no_open_end_is_left_behind() -> None:
    findings = {}
    for name in ending(".rs", ".py", ".pyi", ".toml", ".sh", ".md", "Makefile", ".ci/run"):
        if match := OPEN_END.search(text(name)):
            findings[name] = f"{match[0]}: mend it, or name its issue in a sentence"
    judge("open-end", findings)


def test_no_rust_code_is_commented_out() -> None:
    # Python has ruff's rule ERA001 for this.
    findings = {}
    for name in ending(".rs"):
        for match in RUST_COMMENT.finditer(text(name)):
            if LOOKS_LIKE_RUST.match(match[1]):
                findings[name] = f"looks like code: {match[1]}"
    judge("commented-out-code", findings)


SECTIONS = ("Args:", "Returns:", "Yields:", "Raises:", "Cost:", "Source:")


def test_sections_of_docstrings_stand_in_the_order_of_the_style() -> None:
    findings = {}
    for name in ending(".py", ".pyi"):
        if not name.startswith("src/"):
            continue
        for node in ast.walk(ast.parse(text(name))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                lines = (ast.get_docstring(node) or "").splitlines()
                heads = [line.split()[0] for line in lines if line.startswith(SECTIONS)]
                if heads != sorted(heads, key=SECTIONS.index):
                    findings[f"{name}::{node.name}"] = f"has {' '.join(heads)}"
    judge("docstring", findings)
