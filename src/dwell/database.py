"""The embedded database: one keyspace over memory and disk, by key and in batches.

Owns what the native core does not: opening with checked settings, lazily paged scans, and
views of other namespaces. The methods that are called per key are native and inherited as they
are (`dwell._core`), since a Python frame costs more than a read. Knows no socket and no SQL.

    import dwell

    with dwell.open("shop") as db:
        db.write("user:7", "Ada")                     # no lifetime: lives on disk
        db.write("session:9", b"user:7", ttl=900)     # a lifetime: lives in memory
        db.read("user:7")                             # b'Ada', wherever it is
"""

from __future__ import annotations

import atexit
import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Self, TypeAlias, overload

from dwell import _core
from dwell.batch import Batch
from dwell.errors import CLASSES, UsageError
from dwell.settings import Durability, MemoryPolicy, Placement, Settings
from dwell.values import Home, Point, Value

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

__all__ = [
    "Database",
    "Key",
    "Storable",
    "Whereabouts",
    "check_limit",
    "engine_settings",
    "exposure",
    "open",
    "page_rows",
]

Key: TypeAlias = bytes | str
"""A key: up to 64 KiB; a `str` stands for its UTF-8 bytes."""

Storable: TypeAlias = Value | str | bytearray | memoryview
"""What can be written; the last three are read back as `bytes`."""

_core.set_errors(CLASSES)
_core.set_point(Point)
os.register_at_fork(after_in_child=_core.after_fork_in_child)
atexit.register(_core.close_all)

_PAGE_ROWS: Final = 128
"""Rows per crossing of a scan: enough to make it cheap, few enough to hold no lock long."""

_ENGINE_SETTINGS: Final = (
    "database_file_name",
    "placement",
    "durability",
    "log_resident",
    "sync_interval_ms",
    "segment_bytes",
    "base_after_bytes",
    "history_ms",
    "memory_bytes_max",
    "memory_policy",
    "dirty_bytes_max",
    "drain_after_ms",
    "probation_bytes_max",
    "promoted_bytes_max",
    "promote_ms",
    "open_files_max",
)
"""The settings that the engine itself knows; the others are the server's."""

_DEFAULT: Final = Settings()
"""Where the defaults of `open` come from, so that none is written twice."""


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Where a key lives, and why.

    Attributes:
        home: "memory" or "disk": the one place that the key belongs to.
        tier: what would answer a read now; a key at home on disk may be in memory as a copy.
        state: of its entry in memory: resident, clean, dirty, …; how the engine sees it.
        reason: the rule that chose the home, in words.
        ttl: seconds left; `math.inf` without a lifetime.
        size_bytes: the length of the value.
        version: the sequence of the batch that last changed it.
    """

    home: Home
    tier: str
    state: str
    reason: str
    ttl: float
    size_bytes: int
    version: int


class Database(_core.Database):
    """An open database, seen through one namespace; made by `dwell.open`.

    Any number of threads may share it. A forked child may not: there every call raises ClosedError
    that says so, and the parent goes on. A missing key is an answer (None), not an error, except in
    `db[key]`.

    >>> with dwell.open(None) as scratch:
    ...     scratch["colour"] = "green"
    ...     scratch["colour"]
    b'green'
    """

    # Else Python would ask for the items 0, 1 and so on, as of a list.
    __iter__: ClassVar[None] = None

    __slots__ = ("__weakref__",)

    def __enter__(self) -> Self:
        """Give the database itself."""
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the database, as `close` does."""
        self.close()

    def __repr__(self) -> str:
        """Tell the place, the namespace, and whether it is open."""
        place = "memory" if self.path is None else repr(self.path)
        state = "" if self.is_open else ", closed"
        return f"<dwell.Database {place}, namespace {self.name!r}{state}>"

    def namespace(self, name: Key) -> Self:
        """Look at another keyspace of the same database; it is made if it is new.

        Args:
            name: any bytes; `b"0"` to `b"15"` are what Redis clients SELECT.

        Returns:
            A further view. It shares everything but the keys, and closing one closes all.

        Cost: O(1); a new name is written down once.

        >>> db.namespace("drafts").write("page", 1)
        >>> db.read("page") is None
        True
        """
        if name is None:
            raise UsageError("a namespace has a name: None", found=name)
        return type(self)(self, {}, name)

    @overload
    def scan(
        self,
        prefix: Key = ...,
        *,
        keys_only: Literal[True],
        limit: int | None = ...,
        reverse: bool = ...,
        after: Key | None = ...,
    ) -> Iterator[bytes]: ...
    @overload
    def scan(
        self,
        prefix: Key = ...,
        *,
        keys_only: Literal[False] = ...,
        limit: int | None = ...,
        reverse: bool = ...,
        after: Key | None = ...,
    ) -> Iterator[tuple[bytes, Value]]: ...
    @overload
    def scan(
        self,
        prefix: Key = ...,
        *,
        keys_only: bool,
        limit: int | None = ...,
        reverse: bool = ...,
        after: Key | None = ...,
    ) -> Iterator[Any]: ...
    def scan(
        self,
        prefix: Key = b"",
        *,
        keys_only: bool = False,
        limit: int | None = None,
        reverse: bool = False,
        after: Key | None = None,
    ) -> Iterator[Any]:
        """Go through the keys that begin with `prefix`, in the order of their bytes.

        Both homes are merged. The rows come in pages behind the scenes, so that a scan holds
        nobody up and needs little memory: a key that is there during the whole scan is given
        exactly once, one that comes or goes meanwhile may be given or not.

        Args:
            prefix: empty goes through all.
            keys_only: give keys without their values, which then need not be read.
            limit: at most so many rows; None is all.
            reverse: last key first.
            after: begin behind this key (before it, in reverse), where an earlier scan has ended.

        Returns:
            An iterator over `(key, value)`, or over keys.

        Raises:
            UsageError: a negative limit, or a prefix that is no key.

        Cost: O(rows given) and O(log n) a page, however large the database is.

        >>> for number in range(3):
        ...     db.write(f"fruit:{number}", number)
        >>> list(db.scan("fruit:", limit=2))
        [(b'fruit:0', 0), (b'fruit:1', 1)]
        >>> list(db.scan("fruit:", reverse=True, keys_only=True))
        [b'fruit:2', b'fruit:1', b'fruit:0']
        """
        check_limit(limit)
        first = self._page(prefix, after, page_rows(limit), reverse, keys_only)
        return self._rows(first, prefix, limit, reverse, keys_only)

    def _rows(
        self,
        page: tuple[list[Any], bytes | None],
        prefix: Key,
        limit: int | None,
        reverse: bool,  # noqa: FBT001
        keys_only: bool,  # noqa: FBT001
    ) -> Iterator[Any]:
        """Give the rows of `page`, and of the pages behind it, each read when it is reached."""
        rows, after = page
        while limit != 0:
            yield from rows
            limit = None if limit is None else limit - len(rows)
            if after is None or limit == 0:
                return
            rows, after = self._page(prefix, after, page_rows(limit), reverse, keys_only)

    def batch(self, *, atomic: bool = False, durability: Durability | None = None) -> Batch:
        """Begin a batch: queries that are executed together, with nothing in between.

        Args:
            atomic: the first error undoes the whole batch. Otherwise each query answers for itself:
                the others are done, and the first error is raised afterwards.
            durability: what the batch must survive before it returns, where that is more than the
                database's own.

        Returns:
            A `Batch`, to be used by `with` or by its `execute`.

        Cost: one crossing, one lock and one record in the log, however many queries there are.

        >>> with db.batch() as batch:
        ...     hits = batch.increment("page:hits")
        ...     last = batch.write("page:last", "today")
        >>> batch[hits]
        1
        """
        return Batch(self, atomic=atomic, durability=durability)

    def where(self, key: Key) -> Whereabouts | None:
        """Tell where `key` lives and why; None for a missing key.

        Looking neither counts as a use of the key nor moves it.

        Cost: O(1); one SQLite read for a key that is not in memory.

        >>> db.write("session:9", b"...", ttl=900)
        >>> db.where("session:9").home
        'memory'
        """
        found = self._where(key)
        return None if found is None else Whereabouts(**found)

    def stats(self) -> dict[str, Any]:
        """Give the engine's numbers by name: keys, memory, log, drain.

        Cost: O(1).

        >>> db.stats()["keys"] >= 0
        True
        """
        return self._stats()


def check_limit(limit: int | None) -> None:
    """Refuse what is no limit of a scan."""
    if limit is None:
        return
    if not isinstance(limit, int):
        raise UsageError(f"a limit is an int or None: {limit!r}", found=limit)
    if limit < 0:
        raise UsageError(f"a limit is 0 or more: {limit}", limit=0, found=limit)


def page_rows(limit: int | None) -> int:
    """How many rows the next page of a scan asks for."""
    return _PAGE_ROWS if limit is None else max(1, min(limit, _PAGE_ROWS))


def engine_settings(settings: Settings) -> dict[str, object]:
    """Pick out of `settings` what the engine itself is opened with."""
    return {name: getattr(settings, name) for name in _ENGINE_SETTINGS}


def exposure(directory: str | os.PathLike[str]) -> str | None:
    """Say that others than its owner may enter a directory, if they may.

    Dwell makes directories for their owner alone (0700), and files (0600) wherever they are. One
    that was there before keeps its mode, since it may hold more than ours; and it shows the names
    of namespaces.
    """
    try:
        is_exposed = Path(directory).stat().st_mode & 0o077 != 0
    except FileNotFoundError:
        return None
    if not is_exposed:
        return None
    return f"others may enter the directory, `chmod 700` keeps them out: {os.fspath(directory)}"


def open(
    path: str | os.PathLike[str] | None,
    *,
    placement: Placement = _DEFAULT.placement,
    durability: Durability = _DEFAULT.durability,
    log_resident: bool = _DEFAULT.log_resident,
    memory_bytes_max: int = _DEFAULT.memory_bytes_max,
    memory_policy: MemoryPolicy = _DEFAULT.memory_policy,
    dirty_bytes_max: int = _DEFAULT.dirty_bytes_max,
    sync_interval_ms: int = _DEFAULT.sync_interval_ms,
    drain_after_ms: int = _DEFAULT.drain_after_ms,
    promote_ms: int = _DEFAULT.promote_ms,
    probation_bytes_max: int = _DEFAULT.probation_bytes_max,
    promoted_bytes_max: int = _DEFAULT.promoted_bytes_max,
    segment_bytes: int = _DEFAULT.segment_bytes,
    base_after_bytes: int = _DEFAULT.base_after_bytes,
    history_ms: int = _DEFAULT.history_ms,
    open_files_max: int = _DEFAULT.open_files_max,
    database_file_name: str = _DEFAULT.database_file_name,
) -> Database:
    """Open the database in the directory `path`, and make it where there is none.

    Most programs need the first two settings or none; `docs/settings.md` gives the trade-off of
    each.

    Args:
        path: the instance's directory; None for memory alone, where not one file is written.
        placement: the rule that gives each key its home: by its `lifetime`, all in `memory`, or
            all on `disk`.
        durability: what a write has survived when its call returns: `none` nothing yet, `interval`
            the end of the process, `always` a power cut.
        log_resident: whether keys in memory are logged; without, memory is a cache that survives a
            clean stop and no kill.
        memory_bytes_max: bound for values in memory; 0 is no bound.
        memory_policy: what happens there, by Redis's names. `noeviction` moves keys to disk.
        dirty_bytes_max: bound for what is logged and not yet in SQLite.
        sync_interval_ms: between two fsyncs in the background.
        drain_after_ms: how long a change waits for company on its way to SQLite.
        promote_ms: how long a copy that was read twice stays in memory.
        probation_bytes_max: bound for copies that were read once.
        promoted_bytes_max: bound for copies that were read twice.
        segment_bytes: size of a file of the log.
        base_after_bytes: log after which memory is written down whole, so that starting is quick.
        history_ms: how far back a restore can reach; 0 keeps no history.
        open_files_max: bound for SQLite connections open at once.
        database_file_name: the file of the main namespace; empty keeps the usual name.

    Returns:
        A `Database`, which is a context manager too.

    Warns:
        UserWarning: the directory was there before, and others than its owner may enter it.

    Raises:
        BusyError: somebody has this directory open already; it says which process.
        CorruptError: a file is damaged; it says which, and where. Nothing was changed.
        UsageError: a setting out of its bounds.

    Cost: O(log not yet drained); a database that was closed opens at once.

    >>> with dwell.open(None) as scratch:
    ...     scratch.write("greeting", "hello")
    ...     scratch.read("greeting")
    b'hello'
    """
    settings = Settings(
        directory=None if path is None else Path(path),
        placement=placement,
        durability=durability,
        log_resident=log_resident,
        memory_bytes_max=memory_bytes_max,
        memory_policy=memory_policy,
        dirty_bytes_max=dirty_bytes_max,
        sync_interval_ms=sync_interval_ms,
        drain_after_ms=drain_after_ms,
        promote_ms=promote_ms,
        probation_bytes_max=probation_bytes_max,
        promoted_bytes_max=promoted_bytes_max,
        segment_bytes=segment_bytes,
        base_after_bytes=base_after_bytes,
        history_ms=history_ms,
        open_files_max=open_files_max,
        database_file_name=database_file_name,
    )
    database = Database(None if path is None else os.fspath(path), engine_settings(settings))
    if path is not None and (exposed := exposure(path)):
        warnings.warn(exposed, stacklevel=2)
    return database
