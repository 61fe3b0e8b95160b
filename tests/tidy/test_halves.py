"""Python is to be the larger half as Dwell grows; where it is not, a decision says why."""

from __future__ import annotations

from tests.tidy.project import ending, is_product, python_code_lines, rust_code_lines, text

DECISION = "docs/decisions/0001-rust-is-the-larger-half-at-first.md"


def lines_per_language() -> tuple[int, int]:
    """Lines of code of the product in Python and in Rust, without tests, blanks and comments."""
    python = sum(python_code_lines(name) for name in ending(".py") if is_product(name))
    rust = sum(rust_code_lines(name) for name in ending(".rs") if is_product(name))
    return python, rust


def test_a_decision_stands_as_long_as_rust_is_the_larger_half() -> None:
    python, rust = lines_per_language()
    assert python > rust or "larger half" in text(DECISION)
