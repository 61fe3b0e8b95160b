"""In-process stores behind one small interface, so that each is measured by the same loops."""

from __future__ import annotations

import abc
import importlib
import sqlite3
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from pathlib import Path

MAP_BYTES = 1 << 30


def load(module: str) -> Any:
    """Import a peer's module when it is measured: it may be absent."""
    return importlib.import_module(module)


class Store(abc.ABC):
    """A store that is opened in a folder; `operations` is how many fit into about a second."""

    name: ClassVar[str]
    module: ClassVar[str]
    operations: ClassVar[int]

    @abc.abstractmethod
    def __init__(self, folder: Path) -> None:
        """Open the store in an empty folder."""

    @abc.abstractmethod
    def write_each(self, keys: list[bytes], value: bytes) -> None:
        """Write the value to each key, one by one."""

    @abc.abstractmethod
    def read_each(self, keys: list[bytes]) -> list[Any]:
        """Read each key, one by one, and return the values."""

    def write_batches(self, batches: list[list[bytes]], value: bytes) -> bool:
        """Write batch by batch; false when the store has no batches."""
        del batches, value
        return False

    def read_batches(self, batches: list[list[bytes]]) -> list[Any]:
        """Read batch by batch and return the values; none when the store has no such batches."""
        del batches
        return []

    def close(self) -> None:
        """Close the store; a store of plain memory has nothing to close."""
        return


class Dict(Store):
    """A dict: what Python itself costs."""

    name = "dict"
    module = "builtins"
    operations = 100_000

    def __init__(self, folder: Path) -> None:
        del folder
        self._values: dict[bytes, bytes] = {}

    def write_each(self, keys: list[bytes], value: bytes) -> None:
        write = self._values.__setitem__
        for key in keys:
            write(key, value)

    def read_each(self, keys: list[bytes]) -> list[Any]:
        read = self._values.get
        return [read(key) for key in keys]


class DwellMemory(Store):
    """Dwell without a file: residents that are not logged."""

    name = "dwell memory"
    module = "dwell._core"
    operations = 100_000
    # Single writes have one; a batch of them only where a key would else have its home on disk.
    lifetime: ClassVar[float | None] = 900
    batch_lifetime: ClassVar[float | None] = None

    def __init__(self, folder: Path) -> None:
        self._database: Any = load("dwell").open(self.path_in(folder))

    def path_in(self, folder: Path) -> Path | None:
        """Return where the database lives; None keeps it in memory, without one file."""
        del folder
        return None

    def write_each(self, keys: list[bytes], value: bytes) -> None:
        write, lifetime = self._database.write, self.lifetime
        for key in keys:
            write(key, value, ttl=lifetime)

    def read_each(self, keys: list[bytes]) -> list[Any]:
        read = self._database.read
        return [read(key) for key in keys]

    def write_batches(self, batches: list[list[bytes]], value: bytes) -> bool:
        lifetime = self.batch_lifetime
        for keys in batches:
            with self._database.batch() as batch:
                write = batch.write
                for key in keys:
                    write(key, value, ttl=lifetime)
        return True

    def read_batches(self, batches: list[list[bytes]]) -> list[Any]:
        values: list[Any] = []
        for keys in batches:
            with self._database.batch() as batch:
                read = batch.read
                for key in keys:
                    read(key)
            values += batch.results
        return values

    def close(self) -> None:
        self._database.close()


class DwellLogged(DwellMemory):
    """Dwell with its log: residents, `interval`."""

    name = "dwell logged memory"
    batch_lifetime: ClassVar[float | None] = 900
    operations = 100_000

    def path_in(self, folder: Path) -> Path | None:
        """Return a directory, which makes a log."""
        return folder / "instance"


class DwellDisk(DwellLogged):
    """Dwell's disk home: no lifetime, `interval`."""

    name = "dwell disk"
    lifetime = None
    batch_lifetime = None


class Lmdb(Store):
    """lmdb at its best: a transaction for each write, one for all reads, no fsync."""

    name = "lmdb"
    module = "lmdb"
    operations = 100_000

    def __init__(self, folder: Path) -> None:
        self._environment: Any = load("lmdb").open(
            str(folder / "lmdb"), map_size=MAP_BYTES, sync=False
        )

    def write_each(self, keys: list[bytes], value: bytes) -> None:
        begin = self._environment.begin
        for key in keys:
            with begin(write=True) as transaction:
                transaction.put(key, value)

    def read_each(self, keys: list[bytes]) -> list[Any]:
        with self._environment.begin() as transaction:
            read = transaction.get
            return [read(key) for key in keys]

    def write_batches(self, batches: list[list[bytes]], value: bytes) -> bool:
        for keys in batches:
            with self._environment.begin(write=True) as transaction:
                for key in keys:
                    transaction.put(key, value)
        return True

    def close(self) -> None:
        self._environment.close()


class Sqlite(Store):
    """The standard library's sqlite3: WAL, synchronous=NORMAL, a transaction for each write."""

    name = "sqlite3"
    module = "sqlite3"
    operations = 50_000
    read_sql = "SELECT value FROM pairs WHERE key = ?"
    write_sql = "INSERT INTO pairs VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value"

    def __init__(self, folder: Path) -> None:
        self._connection = sqlite3.connect(folder / "pairs.sqlite", isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute("CREATE TABLE pairs (key BLOB PRIMARY KEY, value) WITHOUT ROWID")

    def write_each(self, keys: list[bytes], value: bytes) -> None:
        execute, sql = self._connection.execute, self.write_sql
        for key in keys:
            execute(sql, (key, value))

    def read_each(self, keys: list[bytes]) -> list[Any]:
        execute, sql = self._connection.execute, self.read_sql
        return [execute(sql, (key,)).fetchone()[0] for key in keys]

    def write_batches(self, batches: list[list[bytes]], value: bytes) -> bool:
        for keys in batches:
            self._connection.execute("BEGIN")
            self._connection.executemany(self.write_sql, [(key, value) for key in keys])
            self._connection.execute("COMMIT")
        return True

    def close(self) -> None:
        self._connection.close()


class Diskcache(Store):
    """diskcache with its defaults."""

    name = "diskcache"
    module = "diskcache"
    operations = 10_000

    def __init__(self, folder: Path) -> None:
        self._cache: Any = load("diskcache").Cache(str(folder / "diskcache"))

    def write_each(self, keys: list[bytes], value: bytes) -> None:
        write = self._cache.set
        for key in keys:
            write(key, value)

    def read_each(self, keys: list[bytes]) -> list[Any]:
        read = self._cache.get
        return [read(key) for key in keys]

    def close(self) -> None:
        self._cache.close()


STORES: list[type[Store]] = [
    Dict,
    DwellMemory,
    DwellLogged,
    DwellDisk,
    Lmdb,
    Sqlite,
    Diskcache,
]
