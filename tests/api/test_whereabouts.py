"""A key has one home, which follows from its lifetime and the placement (DESIGN.md 5)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

import dwell


@pytest.mark.parametrize(
    ("placement", "brief", "lasting"),
    [
        ("lifetime", "memory", "disk"),
        ("memory", "memory", "memory"),
        ("disk", "disk", "disk"),
    ],
)
def test_home_follows_from_lifetime_and_placement(
    tmp_path: Path,
    placement: Literal["lifetime", "memory", "disk"],
    brief: str,
    lasting: str,
) -> None:
    with dwell.open(tmp_path / "db", placement=placement) as db:
        db.write("brief", "1234", ttl=100)
        db.write("lasting", "1234")
        homes = [db.where("brief"), db.where("lasting")]
        assert [found.home for found in homes if found] == [brief, lasting]
        db.persist("brief")
        db.expire("lasting", 100)
        moved = [db.where("brief"), db.where("lasting")]
        assert [found.home for found in moved if found] == [lasting, brief]


def test_whereabouts_tell_why_how_long_how_large_and_which_version(tmp_path: Path) -> None:
    with dwell.open(tmp_path / "db") as db:
        db.write("brief", "1234", ttl=100)
        db.write("lasting", "123456")
        brief, lasting = db.where("brief"), db.where("lasting")
        assert brief is not None
        assert lasting is not None
        assert 99 < brief.ttl <= 100
        assert lasting.ttl == float("inf")
        assert (brief.size_bytes, lasting.size_bytes) == (4, 6)
        assert (brief.version, lasting.version) == (db.version("brief"), db.version("lasting"))
        assert brief.reason
        assert lasting.reason
        assert brief.reason != lasting.reason


def test_missing_key_is_nowhere_and_looking_changes_nothing(db: dwell.Database) -> None:
    assert db.where("nothing") is None
    db.write("a", 1)
    version = db.version("a")
    first = db.where("a")
    assert db.where("a") == first
    assert db.version("a") == version
