"""The asyncio twin of the embedded database: equal names, and nothing that blocks the event loop.

Owns the way round what would block. Each call is first tried in line on an *impatient* view of the
database, which does nothing rather than wait; only what would have to wait (a read from disk, an
fsync, a busy lock) is done again by a patient one on a thread. What is in memory costs no thread.
"""

from __future__ import annotations

import asyncio
import functools
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, Self, TypeVar, overload

from dwell import _core
from dwell.batch import checked
from dwell.database import Database, check_limit, page_rows
from dwell.database import open as open_database

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Generator
    from types import TracebackType

    from dwell.database import Key
    from dwell.settings import Durability
    from dwell.values import Value

__all__ = ["AsyncBatch", "AsyncDatabase", "Opening", "open_async"]

_P = ParamSpec("_P")
_T = TypeVar("_T")

_THREADS_MAX = 16
"""Waits that run at once. Under durability `always` so many writes share one fsync."""


def _twin(
    method: Callable[Concatenate[Database, _P], _T],
) -> Callable[Concatenate[AsyncDatabase, _P], Coroutine[Any, Any, _T]]:
    """Make the asynchronous form of a method of `Database`."""

    @functools.wraps(method)
    async def call(self: AsyncDatabase, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        try:
            return method(self._quick, *args, **kwargs)
        except _core.WouldBlock:
            return await self._wait(method, self._patient, *args, **kwargs)

    return call


def _run(database: Database, queries: _core.Queries) -> list[Any]:
    """Execute collected queries; `AsyncBatch.execute` is the usual way to get here."""
    return queries.run(database)


class AsyncDatabase:
    """An open database for asyncio, made by `dwell.open_async`.

    The methods are those of `Database`, awaited. A call that is cancelled may have happened or not,
    as when a connection breaks; the database stays whole, and the next call is not affected.
    """

    def __init__(self, database: Database, threads: ThreadPoolExecutor | None = None) -> None:
        """Look at `database`; `dwell.open_async` is the usual way to get here."""
        self._patient = database
        self._quick = Database(database, {}, database.name, waits=False)
        self._threads = threads or ThreadPoolExecutor(_THREADS_MAX, thread_name_prefix="dwell")

    read = _twin(Database.read)
    write = _twin(Database.write)
    delete = _twin(Database.delete)
    exists = _twin(Database.exists)
    increment = _twin(Database.increment)
    compare_and_set = _twin(Database.compare_and_set)
    compare_and_delete = _twin(Database.compare_and_delete)
    ttl = _twin(Database.ttl)
    expire = _twin(Database.expire)
    persist = _twin(Database.persist)
    version = _twin(Database.version)
    count = _twin(Database.count)
    clear = _twin(Database.clear)
    flush = _twin(Database.flush)
    drain = _twin(Database.drain)
    where = _twin(Database.where)
    stats = _twin(Database.stats)
    run = _twin(_run)
    _page = _twin(Database._page)  # noqa: SLF001

    @property
    def is_open(self) -> bool:
        """Whether calls are answered."""
        return self._patient.is_open

    @property
    def name(self) -> bytes:
        """The namespace that this handle looks at."""
        return self._patient.name

    @property
    def path(self) -> str | None:
        """The directory; None for a database in memory alone."""
        return self._patient.path

    def namespace(self, name: Key) -> AsyncDatabase:
        """Look at another keyspace of the same database, as `Database.namespace` does."""
        return AsyncDatabase(self._patient.namespace(name), self._threads)

    def batch(self, *, atomic: bool = False, durability: Durability | None = None) -> AsyncBatch:
        """Begin a batch, as `Database.batch` does; it is executed by `async with` or `execute`."""
        return AsyncBatch(self, atomic=atomic, durability=durability)

    @overload
    def scan(
        self,
        prefix: Key = ...,
        *,
        keys_only: Literal[True],
        limit: int | None = ...,
        reverse: bool = ...,
        after: Key | None = ...,
    ) -> AsyncIterator[bytes]: ...
    @overload
    def scan(
        self,
        prefix: Key = ...,
        *,
        keys_only: Literal[False] = ...,
        limit: int | None = ...,
        reverse: bool = ...,
        after: Key | None = ...,
    ) -> AsyncIterator[tuple[bytes, Value]]: ...
    @overload
    def scan(
        self,
        prefix: Key = ...,
        *,
        keys_only: bool,
        limit: int | None = ...,
        reverse: bool = ...,
        after: Key | None = ...,
    ) -> AsyncIterator[Any]: ...
    def scan(
        self,
        prefix: Key = b"",
        *,
        keys_only: bool = False,
        limit: int | None = None,
        reverse: bool = False,
        after: Key | None = None,
    ) -> AsyncIterator[Any]:
        """Go through the keys that begin with `prefix`, as `Database.scan` does."""
        check_limit(limit)
        return self._rows(prefix, after, limit, reverse, keys_only)

    async def _rows(
        self,
        prefix: Key,
        after: Key | None,
        limit: int | None,
        reverse: bool,  # noqa: FBT001
        keys_only: bool,  # noqa: FBT001
    ) -> AsyncIterator[Any]:
        """Give the rows page by page, each read when it is reached."""
        while limit is None or limit > 0:
            rows, after = await self._page(prefix, after, page_rows(limit), reverse, keys_only)
            for row in rows:
                yield row
            if after is None:
                return
            limit = None if limit is None else limit - len(rows)

    async def close(self) -> None:
        """Close the database, as `Database.close` does."""
        await asyncio.to_thread(self._patient.close)
        self._threads.shutdown(wait=False)

    async def _wait(self, method: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Run `method` on a thread of our own, since the loop's may all be taken."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, functools.partial(method, *args, **kwargs))

    async def __aenter__(self) -> Self:
        """Give the database itself."""
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the database."""
        await self.close()


class AsyncBatch(_core.Queries):
    """A batch on its way, made by `AsyncDatabase.batch`; only its execution is awaited."""

    __slots__ = ("_database",)

    _database: AsyncDatabase

    def __new__(
        cls,
        database: AsyncDatabase,
        *,
        atomic: bool = False,
        durability: Durability | None = None,
    ) -> Self:
        """Make a batch for `database`; `Database.batch` says what the options mean."""
        self = super().__new__(cls, atomic=atomic, durability=durability)
        self._database = database
        return self

    async def execute(self, *, raise_errors: bool = True) -> list[Any]:
        """Execute the batch, as `Batch.execute` does."""
        return checked(await self._database.run(self), raise_errors=raise_errors)

    async def __aenter__(self) -> Self:
        """Give the batch itself."""
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Execute what was collected, unless an exception says that it is not wanted."""
        if exc_type is None:
            await self.execute()


class Opening:
    """A database that is being opened: to be awaited, or entered by `async with`."""

    def __init__(self, begin: Callable[[], Database]) -> None:
        """Remember how to open it; nothing happens before it is awaited."""
        self._begin = begin
        self._database: AsyncDatabase | None = None

    def __await__(self) -> Generator[Any, None, AsyncDatabase]:
        """Open the database on a thread."""
        return self._open().__await__()

    async def _open(self) -> AsyncDatabase:
        return AsyncDatabase(await asyncio.to_thread(self._begin))

    async def __aenter__(self) -> AsyncDatabase:
        """Open the database and give it."""
        self._database = await self._open()
        return self._database

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the database."""
        if self._database is not None:
            await self._database.close()


def _opens(begin: Callable[_P, Database]) -> Callable[_P, Opening]:
    """Make the asynchronous form of `dwell.open`, with the same arguments."""

    @functools.wraps(begin, assigned=("__module__",))
    def open_async(*args: _P.args, **kwargs: _P.kwargs) -> Opening:
        """Open a database for asyncio: the arguments of `dwell.open`, the twin of its result.

            async with dwell.open_async("shop") as db:
                await db.write("user:7", "Ada")

        Without a context manager: `db = await dwell.open_async("shop")`, and `await db.close()`.
        """
        return Opening(functools.partial(begin, *args, **kwargs))

    return open_async


open_async = _opens(open_database)
