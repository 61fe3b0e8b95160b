"""`dwell version`: print the versions."""

from __future__ import annotations

import platform
from importlib.metadata import version as installed

from dwell.cli.arguments import Json
from dwell.cli.output import print_json, say


def version(json: Json = False) -> None:
    """Print the version of Dwell and of the Python that runs it.

    Example:  dwell version --json
    """
    versions = {"dwell": installed("dwelldb"), "python": platform.python_version()}
    if json:
        print_json(versions)
    else:
        say(f"dwell {versions['dwell']} (Python {versions['python']})")
