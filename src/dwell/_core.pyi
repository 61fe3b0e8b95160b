"""The native half of Dwell: what the Rust core gives to Python.

This stub is the contract. `mypy.stubtest` holds the module to its signatures, and the core's build
lifts the docstrings from here, so that `help()` and an editor show the same text.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, Literal, Self, TypeAlias, final

from typing_extensions import disjoint_base

from dwell.errors import Error
from dwell.values import Point, Value

__all__ = [
    "AdminRequest",
    "Database",
    "ManualClock",
    "Queries",
    "Server",
    "WouldBlock",
    "__version__",
    "_replay_log",
    "after_fork_in_child",
    "close_all",
    "set_errors",
    "set_point",
    "survey_log",
]

_Key: TypeAlias = bytes | str
_Storable: TypeAlias = Value | str | bytearray | memoryview
_Lifetime: TypeAlias = float | timedelta
_Moment: TypeAlias = float | datetime
_Durability: TypeAlias = Literal["none", "interval", "always"]

__version__: Final[str]

class WouldBlock(BaseException):
    """An impatient call met something that it would have to wait for, and did nothing."""

def set_errors(table: Mapping[str, type[Error]], /) -> None:
    """Take the classes that the core's errors are raised as.

    Args:
        table: from kind, as in spec/errors.toml, to class; the core imports none by name.
    """

def set_point(point: type[Point], /) -> None:
    """Take the class that points are read and written as."""

def after_fork_in_child() -> None:
    """Leave every database opened so far to the parent: using one here raises ClosedError."""

def close_all() -> None:
    """Close every database that is still open; runs when the interpreter exits."""

@final
class ManualClock:
    """A clock that moves only when told to, so that a test of lifetimes can be repeated."""

    def __new__(cls, wall_ms: int) -> Self:
        """Begin at a moment, in milliseconds since 1970."""

    def advance(self, ms: int) -> None:
        """Let `ms` pass."""

    def step_wall(self, ms: int) -> None:
        """Step the wall clock alone, as an operator or NTP does."""

    def fail(self) -> None:
        """Panic at the next reading, so that a test can see what becomes of a broken promise."""

@disjoint_base
class Database:
    """One open database, seen through one of its namespaces."""

    def __new__(
        cls,
        place: str | Database | None,
        settings: Mapping[str, object] | None = None,
        namespace: _Key | None = None,
        *,
        waits: bool = True,
        clock: ManualClock | None = None,
    ) -> Self:
        """Open a directory, or look at an open database in another way.

        Args:
            place: the instance's directory, which is made where it is missing; None for memory
                alone; or an open database, of which this becomes a further view.
            settings: the engine's settings by name; empty for a further view.
            namespace: which keyspace; None is `b"0"`, database 0 of Redis's clients.
            waits: False makes calls that would wait raise WouldBlock, with nothing done.
            clock: what stands in for the machine's clocks.
        Raises:
            BusyError: another process, or this one, has the directory open; it says who.
            CorruptError: a file is damaged; it says which, and where.
            UsageError: an unknown setting, or one out of its bounds.
        """

    @property
    def is_open(self) -> bool:
        """Whether calls are answered: not closed, not inherited through a fork, not broken."""

    @property
    def name(self) -> bytes:
        """The namespace that this handle looks at."""

    @property
    def path(self) -> str | None:
        """The directory; None for a database in memory alone."""

    def read(self, key: _Key) -> Value:
        """Read the value at `key`.

        Args:
            key: up to 64 KiB; a `str` stands for its UTF-8 bytes.
        Returns:
            The value as it was written; what was written as `str` comes back as `bytes`. None for
            a missing or expired key, and for a key that holds None (`exists` tells them apart).
        Raises:
            ClosedError: the database is closed, or was inherited through a fork.
        Cost: O(length); one lookup in memory, or one SQLite read for a key that is not there.

        >>> db.write("greeting", "hello")
        >>> db.read("greeting")
        b'hello'
        >>> db.read("nothing") is None
        True
        """

    def write(
        self,
        key: _Key,
        value: _Storable,
        *,
        ttl: _Lifetime | None = None,
        expires_at: _Moment | None = None,
        durability: _Durability | None = None,
    ) -> None:
        """Store `value` at `key`, in place of whatever was there, its lifetime included.

        A value with a lifetime lives in memory and one without on disk, unless `placement` says
        otherwise; `where` tells where a key is and why. Readers cannot tell the difference.

        Args:
            key: up to 64 KiB; a `str` stands for its UTF-8 bytes.
            value: `bytes`, `bytearray`, `memoryview` or `str` up to 512 MiB, `int` of 64 bits,
                `float` (kept exactly, NaN and the infinities too), `bool`, `None` or `Point`.
                Nothing is ever pickled.
            ttl: lifetime in seconds, more than 0, or a `timedelta`; None and `math.inf` are without
                end. It is counted in milliseconds, rounded up.
            expires_at: instead of `ttl`, the moment in seconds since 1970, or an aware `datetime`.
            durability: what this write must survive before the call returns, where that is more
                than the database's own: the end of the process (`"interval"`), a power cut
                (`"always"`).
        Raises:
            UsageError: a key or value of another type or size, an integer beyond 64 bits, or both
                `ttl` and `expires_at`.
            RefusedError: memory or disk is full; nothing was changed.
        Cost: O(length); one append to the log, and an fsync under `"always"`.

        >>> db.write("visits", 41)
        >>> db.write("session:7", b"token", ttl=900)
        >>> db.where("visits").home, db.where("session:7").home
        ('disk', 'memory')
        """

    def delete(self, key: _Key) -> bool:
        """Delete `key`, wherever it lives.

        Returns:
            Whether it was there.
        Cost: O(1); one append to the log if the key was there.

        >>> db.write("old", 1)
        >>> db.delete("old"), db.delete("old")
        (True, False)
        """

    def exists(self, key: _Key) -> bool:
        """Tell whether `key` holds a value, None included.

        Cost: O(1), whatever the value's size.

        >>> db.write("empty", None)
        >>> db.exists("empty"), db.exists("nothing")
        (True, False)
        """

    def increment(self, key: _Key, by: int = 1) -> int:
        """Add `by` to the integer at `key`, in one indivisible step.

        Args:
            key: as for `read`. A missing key counts as 0; a lifetime is kept.
            by: any 64-bit integer, negative to count down.
        Returns:
            The sum.
        Raises:
            WrongTypeError: the value is neither an integer nor the text of one.
            UsageError: the sum does not fit 64 bits; the value stays as it was.
        Cost: O(1); one append to the log.
        Source: Redis INCRBY.

        >>> db.increment("hits"), db.increment("hits", by=10)
        (1, 11)
        """

    def compare_and_set(
        self,
        key: _Key,
        expected: _Storable,
        value: _Storable,
        *,
        ttl: _Lifetime | None = None,
        expires_at: _Moment | None = None,
    ) -> bool:
        """Write `value` if `key` still reads as `expected`, in one indivisible step.

        Args:
            key: as for `read`.
            expected: what `read` gave: equal in kind and content, so that 1, 1.0 and True differ.
                None asks for a key that is absent (or holds None).
            value: as for `write`.
            ttl: the lifetime that comes with the new value, as for `write`.
            expires_at: instead of `ttl`, the moment.
        Returns:
            Whether it was written. Of any number of rivals with one expectation, one wins.
        Cost: as `read` and `write` together.

        >>> db.compare_and_set("leader", None, "alice")
        True
        >>> db.compare_and_set("leader", None, "bob")
        False
        """

    def compare_and_delete(self, key: _Key, expected: _Storable) -> bool:
        """Delete `key` if it still reads as `expected`, in one indivisible step.

        Args:
            key: as for `read`.
            expected: what `read` gave, equal in kind and content.
        Returns:
            Whether it was deleted. A missing key is never deleted, whatever was expected.
        Cost: as `read` and `delete` together.

        >>> db.write("lock", b"token-1", ttl=30)
        >>> db.compare_and_delete("lock", b"token-2"), db.compare_and_delete("lock", b"token-1")
        (False, True)
        """

    def ttl(self, key: _Key) -> float | None:
        """Tell how long `key` has left.

        Returns:
            Seconds; `math.inf` for a key without a lifetime; None for a missing one. So
            `(db.ttl(key) or 0) > 5` means what it says.
        Cost: O(1), whatever the value's size.

        >>> db.write("brief", 1, ttl=60)
        >>> 59 < db.ttl("brief") <= 60
        True
        >>> db.write("lasting", 1)
        >>> db.ttl("lasting"), db.ttl("nothing")
        (inf, None)
        """

    def expire(self, key: _Key, ttl: _Lifetime) -> bool:
        """Give `key` the lifetime `ttl` from now, in place of any that it had.

        Under the placement `lifetime` this moves a key from disk to memory.

        Args:
            key: as for `read`.
            ttl: seconds or a `timedelta`; 0 or less deletes at once, `math.inf` is `persist`.
        Returns:
            Whether the key was there.
        Cost: O(length) where it moves, else O(1); one append to the log.

        >>> db.write("draft", b"...")
        >>> db.expire("draft", 3600), db.where("draft").home
        (True, 'memory')
        """

    def persist(self, key: _Key) -> bool:
        """Take the lifetime of `key` away; under the placement `lifetime` it moves to disk.

        Returns:
            Whether a lifetime was taken away: False for a missing key and for one without.
        Cost: O(length) where it moves, else O(1); one append to the log.

        >>> db.write("draft", b"...", ttl=3600)
        >>> db.persist("draft"), db.persist("draft"), db.where("draft").home
        (True, False, 'disk')
        """

    def version(self, key: _Key) -> int:
        """Tell the version of `key`, which grows with each change of it.

        Returns:
            The sequence of the batch that last changed the key; 0 for a missing one. What
            `Batch.expect` compares.
        Cost: O(1), whatever the value's size.

        >>> before = db.version("counter")
        >>> db.write("counter", 1)
        >>> db.version("counter") > before
        True
        """

    def count(self) -> int:
        """Count the keys of this namespace, in both homes.

        Cost: O(1). Keys that have expired and were not yet noticed may be counted.

        >>> db.clear()
        >>> db.write("one", 1)
        >>> db.count()
        1
        """

    def clear(self) -> None:
        """Delete every key of this namespace, and of no other.

        Cost: one append to the log; space is given back in the background.

        >>> db.write("one", 1)
        >>> db.clear()
        >>> db.exists("one")
        False
        """

    def flush(self) -> None:
        """Wait until everything written so far survives a power cut.

        Raises:
            UnavailableError: the disk refused; writes are refused from then on.
        Cost: one fsync. Ctrl-C ends the wait alone.

        >>> db.write("precious", 1)
        >>> db.flush()
        """

    def drain(self) -> None:
        """Wait until everything written so far is in SQLite, and the log can be let go.

        Happens by itself in the background. Worth a call before copying an instance's directory.

        Cost: O(keys not yet drained), and an fsync per namespace. Ctrl-C ends the wait alone.

        >>> db.drain()
        """

    def close(self) -> None:
        """Close the database: all its views, and whoever waits.

        Everything acknowledged is on disk afterwards. Closing twice is harmless, and a database
        that is not closed at all loses nothing acknowledged either, it only starts more slowly. So
        it is after a Ctrl-C, which ends the wait here.

        Cost: O(keys not yet drained).
        """

    def adjust(self, changes: Mapping[str, object], /) -> None:
        """Change settings of the running engine, all of them or none.

        Args:
            changes: settings by name; those that only count at the start are refused by name.
        Raises:
            UsageError: an unknown setting, or one out of its bounds.
        """

    def make_base(self) -> None:
        """Write an image of what is in memory, so that the next start replays less of the log.

        Cost: O(keys in memory), without a pause for others.
        """

    def __getitem__(self, key: _Key, /) -> Value:
        """Read `key` as `read` does, but raise KeyError where it is missing."""

    def __setitem__(self, key: _Key, value: _Storable, /) -> None:
        """Write `key` as `write` does, without a lifetime."""

    def __delitem__(self, key: _Key, /) -> None:
        """Delete `key` as `delete` does, but raise KeyError where it is missing."""

    def __contains__(self, key: _Key, /) -> bool:
        """Tell whether `key` holds a value, as `exists` does."""

    def _page(
        self, prefix: _Key, after: _Key | None, limit: int, reverse: bool, keys_only: bool, /
    ) -> tuple[list[Any], bytes | None]: ...
    def _where(self, key: _Key, /) -> dict[str, Any] | None: ...
    def _stats(self) -> dict[str, Any]: ...
    def _reload(self) -> None: ...

@disjoint_base
class Queries:
    """An ordered list of queries that will be executed with nothing in between.

    Each method appends one query and answers its place in the list, under which its result is
    found after the execution. Nothing is looked at or changed before.
    """

    def __new__(cls, *, atomic: bool = False, durability: _Durability | None = None) -> Self: ...
    def __len__(self) -> int:
        """How many queries there are."""

    def __getitem__(self, place: int, /) -> Any:
        """The result of the query at `place`; raises that query's error if it failed."""

    @property
    def results(self) -> list[Any]:
        """The results in the order of the queries, an Error where a query failed.

        Raises:
            UsageError: the batch has not been executed.
        """

    def expect(
        self,
        key: _Key,
        *,
        version: int | None = None,
        value: _Storable = ...,
        absent: bool = False,
    ) -> None:
        """Execute the batch only if this holds; all expectations are looked at first.

        Args:
            key: as for `Database.read`.
            version: the key's version is this one; 0 is `absent`.
            value: the key reads as this, equal in kind and content.
            absent: True: the key is absent now. That it was there for a while since somebody looked
                is not noticed, as with `value`: nothing that the batch knows has become wrong.
        Raises:
            UsageError: none or more than one of the three was given.

        >>> db.write("stock", 3)
        >>> seen, version = db.read("stock"), db.version("stock")
        >>> with db.batch() as batch:
        ...     batch.expect("stock", version=version)
        ...     place = batch.write("stock", seen - 1)
        >>> db.read("stock")
        2
        """

    def read(self, key: _Key) -> int:
        """Append a `Database.read`."""

    def write(
        self,
        key: _Key,
        value: _Storable,
        *,
        ttl: _Lifetime | None = None,
        expires_at: _Moment | None = None,
    ) -> int:
        """Append a `Database.write`; its result is None."""

    def delete(self, key: _Key) -> int:
        """Append a `Database.delete`."""

    def exists(self, key: _Key) -> int:
        """Append a `Database.exists`."""

    def increment(self, key: _Key, by: int = 1) -> int:
        """Append a `Database.increment`."""

    def ttl(self, key: _Key) -> int:
        """Append a `Database.ttl`."""

    def expire(self, key: _Key, ttl: _Lifetime) -> int:
        """Append a `Database.expire`."""

    def persist(self, key: _Key) -> int:
        """Append a `Database.persist`."""

    def version(self, key: _Key) -> int:
        """Append a `Database.version`."""

    def run(self, database: Database, /) -> list[Any]:
        """Execute the queries through `database`, once; `Batch.execute` is the usual way here.

        Returns:
            The results in the order of the queries, an Error where a query failed.
        Raises:
            ConflictError: an expectation does not hold; nothing was done.
            UsageError: the queries have been executed.
        Cost: one crossing, one lock and one record in the log.
        """

@final
class Server:
    """A running event loop on an open database; dropping it stops it."""

    def __new__(
        cls,
        database: Database,
        settings: Mapping[str, object],
        reply_types: Mapping[str, type],
        own_commands: Sequence[tuple[str, int, bool]] = ...,
    ) -> Self:
        """Open the sockets and start the loop.

        Args:
            database: the database to serve; its namespaces `b"0"` and up are what clients SELECT.
            settings: by the names of `dwell.Settings`; those of others are left alone.
            reply_types: classes of replies: "status", "error", "verbatim", "push", "attributed".
            own_commands: of those that only the host knows name, arity, and whether it only reads.
        Raises:
            UnavailableError: an address cannot be had; it says which.
            UsageError: a setting has the wrong type.
        """

    def addresses(self) -> list[str]:
        """The addresses that it listens on, with the ports that the system chose."""

    def take_admin_request(self, timeout_ms: int) -> AdminRequest | None:
        """Wait for a command that the host is to run; None when none came in time."""

    def answer(self, request_id: int, value: object) -> None:
        """Send the reply to a request; its client may be gone, which is no error.

        Args:
            request_id: the request's `id`.
            value: None, bool, number, bytes, str, a reply type, or lists, sets or dicts of these.
        Raises:
            UsageError: the value is none of these; the client has then been told of an error.
        """

    def facts(self) -> dict[str, Any]:
        """Tell the counters and states of the loop; of one that has ended, only that and why."""

    def recorded(self) -> dict[str, Any]:
        """Tell what is known of time: `latencies`, `slow_calls` and `stalls`.

        Latencies are, by command, bounds in ns with the calls up to each; slow calls the newest
        first; stalls, by kind, the `last` as age and length in µs, and `longest_us`.
        """

    def forget(self, what: str, /) -> None:
        """Forget the "counters" with the latencies, the "slow_calls", or the stalls of a kind."""

    def clients(self) -> list[dict[str, Any]]:
        """Describe the open connections, under the names of Redis's CLIENT LIST."""

    def kill_clients(self, ids: Sequence[int]) -> int:
        """Close connections after the replies that are due; tell how many were open."""

    def pause_clients(self, timeout_ms: int | None, *, is_for_all: bool = ...) -> None:
        """Let writing commands wait for so long, or all; None ends every wait."""

    def take_notices(self) -> list[str]:
        """Take the sentences for the log that the loop has left since the last call."""

    def adjust(self, changes: Mapping[str, object], /) -> None:
        """Change settings of the loop and of its engine from the next turn on, by field name."""

    def stop(self) -> None:
        """Send what is due, and close every connection and socket."""

@final
class AdminRequest:
    """A command that the event loop hands up to be run in Python."""

    @property
    def id(self) -> int:
        """The number to answer to."""

    @property
    def client(self) -> dict[str, Any]:
        """The connection's facts, as `Server.clients` tells them."""

    @property
    def args(self) -> list[bytes]:
        """The words of the command, its name first."""

    @property
    def in_multi(self) -> bool:
        """Whether it runs inside EXEC."""

def _replay_log(
    source: str, target: str, until_ms: int, settings: Mapping[str, object], /
) -> int: ...
def survey_log(directory: str, /) -> dict[str, Any]:
    """Read and verify the whole log of an instance; a log that is in use may be read too.

    Args:
        directory: the instance's directory.
    Returns:
        `lineage` in hexadecimal, `segments` as dictionaries, `tail` ("closed", "open" or "torn"),
        and `damage`: what is damaged and where, empty for a log that is whole.
    Raises:
        UnavailableError: there is no log, or it cannot be read.
    Cost: O(log).
    """
