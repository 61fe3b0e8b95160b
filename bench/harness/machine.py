"""Says on what a result was measured: processor, kernel, versions, commit."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("dwelldb", "lmdb", "diskcache", "redis")


def describe_machine() -> dict[str, str | int]:
    """Return what a reader needs to judge the figures."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
    }


def describe_versions() -> dict[str, str]:
    """Return the versions of all that is measured and of the load generator."""
    versions = {"commit": first_line(["git", "-C", str(ROOT), "rev-parse", "HEAD"])}
    for program in ("redis-server", "redis-benchmark"):
        if shutil.which(program):
            versions[program] = first_line([program, "--version"])
    for package in PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = "absent"
    return versions


def first_line(command: list[str]) -> str:
    """Return the first line that a command prints, or nothing when it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.partition("\n")[0]


def _processor() -> str:
    found = re.search(r"^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found.group(1) if found else platform.machine()
