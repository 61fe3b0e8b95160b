"""Reads the package index that apt keeps on a Debian machine: some 64,000 real records.

Each record becomes a key, `package:<name>:<version>`, with the whole stanza as its value. apt keeps
the lists compressed, and its own helper is what reads them.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

LISTS = Path("/var/lib/apt/lists")
READER = Path("/usr/lib/apt/apt-helper")
RECORDS_MIN = 10_000


class NoIndexError(Exception):
    """There is no index on this machine; the message says what is missing."""


def read_records() -> dict[bytes, bytes]:
    """Return every record of the machine's package index by its key.

    Raises:
        NoIndexError: apt is absent or its lists are empty, as before `apt-get update`.
    """
    paths = sorted(LISTS.glob("*_Packages*"))
    if not READER.exists() or not paths:
        raise NoIndexError("no package lists here: run `apt-get update` on a Debian machine")
    command = [str(READER), "cat-file", *map(str, paths)]
    text = subprocess.run(command, check=True, capture_output=True).stdout
    records = dict(map(_keyed, filter(None, text.split(b"\n\n"))))
    if len(records) < RECORDS_MIN:
        raise NoIndexError(f"only {len(records)} records in apt's lists: run `apt-get update`")
    return records


def _keyed(stanza: bytes) -> tuple[bytes, bytes]:
    fields = dict(re.findall(rb"^(Package|Version|Architecture): (.*)$", stanza, re.MULTILINE))
    key = b"package:%b:%b:%b" % (fields[b"Package"], fields[b"Version"], fields[b"Architecture"])
    return key, stanza
