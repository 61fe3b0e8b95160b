"""`python -m dwell`: the command line."""

from __future__ import annotations

from dwell.cli import main

if __name__ == "__main__":
    main()
