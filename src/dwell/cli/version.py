"""`dwell version`: print the versions."""

from __future__ import annotations

import platform

from dwell.cli.arguments import Json
from dwell.cli.output import print_json, say
from dwell.server.versions import dwell_version


def version(json: Json = False) -> None:
    """Print the version of Dwell and of the Python that runs it.

    Example:  dwell version --json
    """
    versions = {"dwell": dwell_version(), "python": platform.python_version()}
    if json:
        print_json(versions)
    else:
        say(f"dwell {versions['dwell']} (Python {versions['python']})")
