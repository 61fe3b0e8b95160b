"""A panic of the core neither crosses into Python nor is forgotten (STYLE 6)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import dwell
from dwell import _core

CALLS: tuple[Callable[[dwell.Database], object], ...] = (
    lambda db: db.read("a"),
    lambda db: db.write("a", 1),
    lambda db: db.batch().execute(),
    lambda db: list(db.scan()),
    lambda db: db.increment("a"),
)


@pytest.mark.parametrize("call", CALLS)
def test_panic_becomes_an_error_and_the_handle_refuses_from_then_on(
    call: Callable[[dwell.Database], object], capfd: pytest.CaptureFixture[str]
) -> None:
    clock = _core.ManualClock(1_800_000_000_000)
    db = dwell.Database(None, {"background": False}, clock=clock)
    view = db.namespace("other")
    call(db)
    clock.fail()
    with pytest.raises(dwell.InternalError, match="told to fail") as raised:
        call(db)
    assert raised.value.hint
    assert "panicked" in capfd.readouterr().err
    for handle in (db, view):
        assert not handle.is_open
        with pytest.raises(dwell.InternalError, match="refuses since"):
            handle.read("a")
    db.close()


def test_another_database_is_not_touched_by_a_panic() -> None:
    clock = _core.ManualClock(1_800_000_000_000)
    broken = dwell.Database(None, {"background": False}, clock=clock)
    with dwell.open(None) as db:
        clock.fail()
        with pytest.raises(dwell.InternalError):
            broken.read("a")
        db.write("a", 1)
        assert db.read("a") == 1
