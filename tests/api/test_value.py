"""What can be stored comes back as it was; what cannot is refused by name."""

from __future__ import annotations

import array
import enum
import math
import struct
from typing import Any

import pytest

import dwell

CHUNK = 64 * 1024


class Colour(enum.IntEnum):
    GREEN = 7


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (b"", b""),
        (b"\x00\xff\r\n", b"\x00\xff\r\n"),
        ("", b""),
        ("Zoë 🦆", "Zoë 🦆".encode()),
        (bytearray(b"abc"), b"abc"),
        (memoryview(b"abcdef")[1:4], b"bcd"),
        (memoryview(b"abcdef")[::2], b"ace"),
        (0, 0),
        (-1, -1),
        (2**63 - 1, 2**63 - 1),
        (-(2**63), -(2**63)),
        (Colour.GREEN, 7),
        (0.1, 0.1),
        (-0.0, -0.0),
        (5e-324, 5e-324),
        (math.inf, math.inf),
        (True, True),
        (False, False),
        (None, None),
        (dwell.Point(1.5, -2, 3e300), dwell.Point(1.5, -2.0, 3e300)),
    ],
)
def test_value_comes_back_with_its_type(db: dwell.Database, written: Any, read: Any) -> None:
    db.write(b"key", written)
    found = db.read(b"key")
    assert found == read
    assert type(found) is type(read)


def test_nan_and_the_sign_of_zero_are_kept(db: dwell.Database) -> None:
    for number in (math.nan, -0.0):
        db.write("n", number)
        found = db.read("n")
        assert isinstance(found, float)
        assert struct.pack("<d", found) == struct.pack("<d", number)


@pytest.mark.parametrize("length", [CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 5_000_000])
def test_string_of_any_length_comes_back_whole(db: dwell.Database, length: int) -> None:
    value = bytes(range(256)) * (length // 256 + 1)
    value = value[:length]
    db.write("large", value)
    assert db.read("large") == value
    db.write("large", value.decode("latin-1"))
    assert db.read("large") == value.decode("latin-1").encode()
    assert db.delete("large")
    assert db.read("large") is None


@pytest.mark.parametrize(
    "value",
    [
        2**63,
        -(2**63) - 1,
        1j,
        object(),
        [1],
        {"a": 1},
        (1,),
        {1},
        array.array("b", [1]),
        dwell.Database,
        "half a pair: \ud800",
    ],
)
def test_value_of_another_type_is_refused_and_changes_nothing(
    db: dwell.Database, value: Any
) -> None:
    db.write("key", "before")
    with pytest.raises(dwell.UsageError) as refusal:
        db.write("key", value)
    assert str(refusal.value)
    assert db.read("key") == b"before"


def test_refusal_names_what_is_accepted(db: dwell.Database) -> None:
    with pytest.raises(dwell.UsageError, match=r"^a value is bytes, bytearray.* Point: list$"):
        db.write("key", [1, 2])  # type: ignore[arg-type]
    with pytest.raises(dwell.UsageError, match=r"^an integer is -2\*\*63 to 2\*\*63 - 1: "):
        db.write("key", 2**63)


@pytest.mark.parametrize("key", [b"", b"\x00", b"a" * 65536, "Zoë", "🦆", "a:b"])
def test_key_is_any_bytes_up_to_its_bound(db: dwell.Database, key: bytes | str) -> None:
    db.write(key, 1)
    as_bytes = key if isinstance(key, bytes) else key.encode()
    assert db.read(as_bytes) == 1
    assert list(db.scan(keys_only=True)) == [as_bytes]
    assert db.delete(as_bytes)


@pytest.mark.parametrize("key", [1, None, bytearray(b"a"), memoryview(b"a"), ["a"], "\ud800"])
def test_key_of_another_type_is_refused_by_every_method(db: dwell.Database, key: Any) -> None:
    calls = (
        lambda: db.read(key),
        lambda: db.write(key, 1),
        lambda: db.delete(key),
        lambda: db.exists(key),
        lambda: db.increment(key),
        lambda: db.ttl(key),
        lambda: db.expire(key, 1),
        lambda: db.persist(key),
        lambda: db.version(key),
        lambda: db.where(key),
        lambda: db.compare_and_delete(key, 1),
        lambda: db.compare_and_set(key, 1, 2),
        lambda: db[key],
        lambda: key in db,
        lambda: db.batch().read(key),
    )
    for call in calls:
        with pytest.raises(dwell.UsageError):
            call()


def test_key_beyond_its_bound_is_refused(db: dwell.Database) -> None:
    with pytest.raises(dwell.UsageError, match="65536"):
        db.write(b"a" * 65537, 1)
    assert db.count() == 0


def test_bytearray_is_copied_when_it_is_written(db: dwell.Database) -> None:
    value = bytearray(b"before")
    db.write("key", value)
    value[:] = b"behind"
    assert db.read("key") == b"before"
