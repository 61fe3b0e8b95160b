"""Where a rule does not hold yet, and why: a list that may only shrink.

`judge` fails for a finding without an exemption and for an exemption without a finding, so that
what is mended cannot come back. A new exemption also has to raise `at_most`, in plain sight.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping

from tests.tidy.project import text

PATH = "tests/tidy/exemptions.toml"


@functools.cache
def exemptions() -> tuple[dict[str, str], ...]:
    """The entries of the list."""
    return tuple(tomllib.loads(text(PATH)).get("exemption", []))


def at_most() -> int:
    """The number of entries that the list may have."""
    number: int = tomllib.loads(text(PATH))["at_most"]
    return number


def judge(rule: str, findings: Mapping[str, str]) -> None:
    """Fail unless the findings of a rule are exactly those that are exempt.

    Args:
        rule: the name under which exemptions are listed.
        findings: what is wrong, by where: a path, or `path::name`.
    """
    exempt = {entry["where"] for entry in exemptions() if entry["rule"] == rule}
    wrong = [f"{where}: {what}" for where, what in findings.items() if where not in exempt]
    stale = [f"{where}: mended, remove it from {PATH}" for where in sorted(exempt - set(findings))]
    assert not wrong + stale, f"{rule}:\n" + "\n".join(wrong + stale)
