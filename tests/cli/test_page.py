"""docs/cli.md says what the verbs say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

GENERATOR = Path(__file__).parents[2] / "docs" / "generate_cli.py"


def test_page_about_the_command_line_is_fresh() -> None:
    run = subprocess.run(
        [sys.executable, GENERATOR, "--check"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, f"run `make docs`:\n{run.stdout}{run.stderr}"
