"""Fetches the Tcl suite of Redis 7.0.15 from Debian's source package into `work/`.

The suite is BSD-licensed and stays out of this repository: apt downloads it and checks signatures,
and it is unpacked into a folder that git ignores. The machine's apt settings are read and never
changed: a copy of its sources, with `deb` turned into `deb-src`, is used from `work/`.
"""

from __future__ import annotations

import re
import subprocess
import tarfile
from pathlib import Path

WORK = Path(__file__).parent / "work"
VERSION = "7.0.15"
APT_SOURCES = Path("/etc/apt")
SUITE = WORK / f"redis-{VERSION}"


class SuiteUnavailableError(Exception):
    """The suite could not be fetched; the message says what to do."""


def fetch_suite() -> Path:
    """Return the folder of the unpacked suite, fetching it when it is not there yet."""
    if (SUITE / "runtest").exists():
        return SUITE
    WORK.mkdir(exist_ok=True)
    options = _private_apt_options()
    _run(["apt-get", *options, "update"])
    _run(["apt-get", *options, "source", "--download-only", f"redis={_debian_version(options)}"])
    with tarfile.open(WORK / f"redis_{VERSION}.orig.tar.gz") as archive:
        wanted = [member for member in archive.getmembers() if _is_of_the_suite(member.name)]
        archive.extractall(WORK, members=wanted, filter="data")
    (SUITE / "tests" / "tmp").mkdir(exist_ok=True)
    return SUITE


def _is_of_the_suite(name: str) -> bool:
    return name == f"redis-{VERSION}/runtest" or name.startswith(f"redis-{VERSION}/tests/")


def _private_apt_options() -> list[str]:
    """Lay apt folders of our own in `work/` and return the options that make apt use them."""
    for name in ("lists/partial", "cache/archives/partial", "sources.list.d"):
        (WORK / "apt" / name).mkdir(parents=True, exist_ok=True)
    _write_source_lists(WORK / "apt" / "sources.list.d")
    settings = {
        "Dir::Etc::SourceList": "/dev/null",
        "Dir::Etc::SourceParts": WORK / "apt" / "sources.list.d",
        "Dir::State::Lists": WORK / "apt" / "lists",
        "Dir::Cache": WORK / "apt" / "cache",
        "APT::Sandbox::User": "root",
    }
    return [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]


def _write_source_lists(folder: Path) -> None:
    """Copy the machine's sources in both of apt's formats, asking for source packages instead."""
    lists = [APT_SOURCES / "sources.list", *sorted((APT_SOURCES / "sources.list.d").glob("*.list"))]
    lines = [
        re.sub(r"^deb\s", "deb-src ", line)
        for path in lists
        if path.exists()
        for line in path.read_text().splitlines()
        if re.match(r"deb\s.*\bmain\b", line)
    ]
    (folder / "machine.list").write_text("\n".join(lines) + "\n")
    stanzas = [
        re.sub(r"^Types:.*$", "Types: deb-src", stanza, flags=re.MULTILINE)
        for path in sorted((APT_SOURCES / "sources.list.d").glob("*.sources"))
        for stanza in re.split(r"\n\s*\n", path.read_text())
        if re.search(r"^Components:.*\bmain\b", stanza, re.MULTILINE)
        and not re.search(r"^Enabled:\s*no", stanza, re.MULTILINE | re.IGNORECASE)
    ]
    (folder / "machine.sources").write_text("\n\n".join(stanzas) + "\n")


def _debian_version(options: list[str]) -> str:
    """Return the newest Debian version of the release that we answer as."""
    listing = _run(["apt-cache", *options, "showsrc", "--only-source", "redis"])
    versions = re.findall(rf"^Version: (\d+:{re.escape(VERSION)}-\S+)$", listing, re.MULTILINE)
    if not versions:
        raise SuiteUnavailableError(
            f"no source package of redis {VERSION} in this machine's apt sources; "
            "Debian 12 (bookworm) carries it"
        )
    # Only the release's last revision is kept in an archive; the security archive may add a newer.
    newest: str = max(versions, key=_revision)
    return newest


def _revision(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


def _run(command: list[str]) -> str:
    try:
        done = subprocess.run(command, cwd=WORK, check=True, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise SuiteUnavailableError(f"{command[0]} is needed to fetch the suite") from error
    except subprocess.CalledProcessError as error:
        raise SuiteUnavailableError(f"{command[0]} failed: {error.stderr.strip()}") from error
    return done.stdout
