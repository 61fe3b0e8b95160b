"""Every error that Dwell raises, one class for each thing that a caller can do about it.

Mirrors spec/errors.toml (tests/api/test_errors.py holds the two equal) and imports nothing of
Dwell, so that a client without an engine has the same classes.

    dwell.Error
    ├── UsageError        (ValueError)       invalid: mend the call
    ├── WrongTypeError    (TypeError)        wrong_type: use another key or command
    ├── ConflictError                        conflict: run the transaction again
    ├── BusyError         (TimeoutError)     busy, locked: try later
    ├── RefusedError                         read_only, full: act as operator
    ├── UnavailableError  (ConnectionError)  unavailable: wait for the tier
    ├── CorruptError                         corrupt: restore, never try again
    ├── ClosedError                          closed: open again
    └── InternalError                        internal: report a bug
"""

from __future__ import annotations

from typing import ClassVar, Final

__all__ = [
    "CLASSES",
    "WIRE",
    "BusyError",
    "ClosedError",
    "ConflictError",
    "CorruptError",
    "Error",
    "InternalError",
    "RefusedError",
    "UnavailableError",
    "UsageError",
    "WrongTypeError",
]


class Error(Exception):
    """The base of all errors of Dwell.

    The message is one sentence with the offending value last. What a program may want to act upon
    stands in fields, so that nobody has to parse the sentence.

    Attributes:
        kind: the kind in spec/errors.toml; where a class has several, the first unless told.
        key: the key that the error is about, as bytes; None where there is none.
        tier: "memory", "disk" or "object"; None where no tier is to blame.
        limit: the bound that was hit, in the unit of its setting; None where there is none.
        found: what was met in place of what was wanted; None where there is nothing to show.
        hint: one sentence about what to do; shown below the traceback too.
    """

    kinds: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        message: str,
        *,
        kind: str | None = None,
        key: bytes | None = None,
        tier: str | None = None,
        limit: int | None = None,
        found: object = None,
        hint: str | None = None,
    ) -> None:
        """Make an error from its sentence and its fields, all of which may be left out."""
        super().__init__(message)
        self.kind = kind if kind is not None else next(iter(self.kinds), "internal")
        self.key = key
        self.tier = tier
        self.limit = limit
        self.found = found
        self.hint = hint
        if hint is not None:
            self.add_note(f"hint: {hint}")


class UsageError(Error, ValueError):
    """The call cannot be right, whatever is stored: mend the call."""

    kinds = ("invalid",)


class WrongTypeError(Error, TypeError):
    """The key holds another kind of value: use another key or another command."""

    kinds = ("wrong_type",)


class ConflictError(Error):
    """Somebody else changed what this transaction had read: run it again."""

    kinds = ("conflict",)


class BusyError(Error, TimeoutError):
    """Somebody else holds what is needed, or it took too long: try later."""

    kinds = ("busy", "locked")


class RefusedError(Error):
    """The instance is read-only or full: an operator has to act."""

    kinds = ("read_only", "full")


class UnavailableError(Error, ConnectionError):
    """A tier or the server does not answer, or stopped writing after a failed sync: wait for it."""

    kinds = ("unavailable",)


class CorruptError(Error):
    """Stored bytes are not what was written: restore, and never try again."""

    kinds = ("corrupt",)


class ClosedError(Error):
    """The database or connection is closed, or was inherited through a fork: open again."""

    kinds = ("closed",)


class InternalError(Error):
    """Dwell broke a promise of its own: report a bug."""

    kinds = ("internal",)


CLASSES: Final[dict[str, type[Error]]] = {
    kind: cls
    for cls in (
        UsageError,
        WrongTypeError,
        ConflictError,
        BusyError,
        RefusedError,
        UnavailableError,
        CorruptError,
        ClosedError,
        InternalError,
    )
    for kind in cls.kinds
}
"""From kind to class: handed to the core once, so that Rust never imports a module by its name."""

WIRE: Final[dict[str, str]] = {
    "invalid": "ERR",
    "wrong_type": "WRONGTYPE",
    "conflict": "",
    "busy": "BUSY",
    "locked": "LOCKED",
    "read_only": "READONLY",
    "full": "OOM",
    "unavailable": "MISCONF",
    "corrupt": "ERR corrupt",
    "closed": "",
    "internal": "ERR internal",
}
"""From kind to the first words of a RESP error; empty where the answer is no error line."""
