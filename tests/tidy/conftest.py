"""Prints the product's lines per language after the rules have been checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.tidy.test_halves import lines_per_language

if TYPE_CHECKING:
    import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Add one line to the report."""
    python, rust = lines_per_language()
    terminalreporter.write_line(
        f"product: Python {python} lines, Rust {rust} lines (code without tests and comments)"
    )
