"""The asyncio twin: the same answers, an event loop that is never blocked, safe cancellation."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from pathlib import Path

import pytest

import dwell

TWINS = sorted(name for name in dir(dwell.Database) if not name.startswith("_"))


def parameters(method: Callable[..., object]) -> list[tuple[str, object, object]]:
    """What a method takes, behind `self`."""
    found = list(inspect.signature(method).parameters.values())[1:]
    return [(each.name, each.kind, each.default) for each in found]


@pytest.mark.parametrize("name", TWINS)
def test_each_public_name_has_its_twin(name: str) -> None:
    if name in ("adjust", "make_base"):
        pytest.skip("administration, which the server alone does")
    one, other = getattr(dwell.Database, name), getattr(dwell.AsyncDatabase, name)
    if callable(one):
        assert parameters(one) == parameters(other)
        assert other.__doc__


async def test_every_method_answers_as_its_twin_does(tmp_path: Path) -> None:
    async with dwell.open_async(tmp_path / "db") as db:
        await db.write("a", "text")
        await db.write("b", 1, ttl=100)
        assert await db.read("a") == b"text"
        assert await db.read("nothing") is None
        assert await db.increment("b", by=2) == 3
        assert await db.exists("a")
        assert await db.compare_and_set("c", None, 1)
        assert not await db.compare_and_delete("c", 2)
        assert 99 < (await db.ttl("b") or 0) <= 100
        assert await db.expire("a", 100)
        assert await db.persist("a")
        assert await db.version("a") > 0
        assert await db.count() == 3
        found = await db.where("b")
        assert found is not None
        assert found.home == "memory"
        assert await db.delete("c")
        assert [row async for row in db.scan()] == [(b"a", b"text"), (b"b", 3)]
        assert [key async for key in db.scan(limit=1, reverse=True, keys_only=True)] == [b"b"]
        await db.namespace("other").write("a", "elsewhere")
        await db.clear()
        assert await db.namespace("other").read("a") == b"elsewhere"
        await db.flush()
        await db.drain()
        assert isinstance(await db.stats(), dict)
        assert db.is_open
        assert db.path == str(tmp_path / "db")
    with pytest.raises(dwell.ClosedError):
        await db.read("a")


async def test_database_may_be_awaited_and_closed_by_hand() -> None:
    db = await dwell.open_async(None)
    await db.write("a", 1)
    await db.close()
    await db.close()


async def test_batch_is_executed_by_async_with() -> None:
    async with dwell.open_async(None) as db:
        await db.write("text", "abc")
        async with db.batch() as batch:
            place = batch.increment("n", 5)
            batch.read("text")
        assert batch[place] == 5
        assert batch.results == [5, b"abc"]
        conflicting = db.batch()
        conflicting.expect("n", value=4)
        conflicting.delete("n")
        with pytest.raises(dwell.ConflictError):
            await conflicting.execute()
        failing = db.batch(atomic=True)
        failing.write("n", 6)
        failing.increment("text")
        with pytest.raises(dwell.WrongTypeError):
            await failing.execute()

        async def fail() -> None:
            async with db.batch() as batch:
                batch.write("n", 7)
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await fail()
        assert await db.read("n") == 5


async def test_errors_reach_the_caller() -> None:
    async with dwell.open_async(None) as db:
        with pytest.raises(dwell.UsageError):
            await db.write("a", [1])  # type: ignore[arg-type]
        with pytest.raises(dwell.UsageError, match="limit"):
            db.scan(limit=-1)


async def test_tasks_lose_no_count(tmp_path: Path) -> None:
    async with dwell.open_async(tmp_path / "db") as db:

        async def count() -> None:
            for _ in range(50):
                await db.increment("n")
                await asyncio.sleep(0)

        await asyncio.gather(*(count() for _ in range(20)))
        assert await db.read("n") == 1000


async def test_loop_goes_on_while_writes_wait_for_the_disk(tmp_path: Path) -> None:
    async with dwell.open_async(tmp_path / "db", durability="always") as db:
        ticks = 0
        done = asyncio.Event()

        async def tick() -> None:
            nonlocal ticks
            while not done.is_set():
                ticks += 1
                await asyncio.sleep(0)

        ticking = asyncio.create_task(tick())
        await asyncio.gather(*(db.write(f"k{number}", number) for number in range(50)))
        done.set()
        await ticking
        assert ticks > 1
        assert await db.count() == 50


async def test_cancelled_call_harms_no_later_one(tmp_path: Path) -> None:
    async with dwell.open_async(tmp_path / "db", durability="always") as db:
        for number in range(30):
            task = asyncio.create_task(db.write("k", number))
            await asyncio.sleep(0.0005 * (number % 3))
            task.cancel()
            await asyncio.wait([task])
            await db.write("other", number)
            assert await db.read("other") == number
        # What was cancelled may have happened or not, and may come late; nothing is torn.
        assert await db.read("k") in {None, *range(30)}


async def test_value_on_disk_is_read_without_blocking_the_loop(tmp_path: Path) -> None:
    with dwell.open(tmp_path / "db", placement="disk") as db:
        for number in range(200):
            db.write(f"k{number}", number)
    async with dwell.open_async(tmp_path / "db", placement="disk") as db:
        assert await asyncio.gather(*(db.read(f"k{n}") for n in range(200))) == list(range(200))
        async with db.batch() as batch:
            for number in range(200):
                batch.read(f"k{number}")
        assert batch.results == list(range(200))


async def test_batch_that_waits_for_its_execution_takes_no_further_query(tmp_path: Path) -> None:
    async with dwell.open_async(tmp_path / "db", durability="always") as db:
        for _ in range(50):
            batch = db.batch()
            batch.increment("n")
            waiting = asyncio.create_task(batch.execute())
            await asyncio.sleep(0)
            with pytest.raises(dwell.UsageError, match="executed once"):
                batch.increment("n")
            assert len(await waiting) == 1
        assert await db.read("n") == 50
