"""Batches: queries that are executed together, with nothing in between.

Owns how a batch begins and ends; collecting and executing are native (`dwell._core.Queries`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from dwell import _core
from dwell.errors import Error

if TYPE_CHECKING:
    from types import TracebackType

    from dwell.settings import Durability

__all__ = ["Batch", "checked"]


class Batch(_core.Queries):
    """A batch on its way, made by `Database.batch`.

    Its methods append queries and answer their places; leaving `with` without an exception
    executes them, and an exception forgets them. Then `batch[place]` is a query's result and
    `batch.results` is all of them.

    >>> batch = db.batch(atomic=True)
    >>> batch.write("from", 90), batch.write("to", 10), batch.read("from")
    (0, 1, 2)
    >>> batch.execute()
    [None, None, 90]
    """

    __slots__ = ("_database",)

    _database: _core.Database

    def __new__(
        cls,
        database: _core.Database,
        *,
        atomic: bool = False,
        durability: Durability | None = None,
    ) -> Self:
        """Make a batch for `database`; `Database.batch` says what the options mean."""
        self = super().__new__(cls, atomic=atomic, durability=durability)
        self._database = database
        return self

    def execute(self, *, raise_errors: bool = True) -> list[Any]:
        """Execute the batch, which can be done once.

        Args:
            raise_errors: raise the first query's error, when all have been executed; False leaves
                the errors in the list.

        Returns:
            The results in the order of the queries.

        Raises:
            ConflictError: an expectation does not hold; nothing was done.
            UsageError: the batch was executed before.

        Cost: the queries', and one record in the log for all of them.
        """
        return checked(self.run(self._database), raise_errors=raise_errors)

    def __enter__(self) -> Self:
        """Give the batch itself."""
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Execute what was collected, unless an exception says that it is not wanted."""
        if exc_type is None:
            self.execute()


def checked(results: list[Any], *, raise_errors: bool) -> list[Any]:
    """Give the results, or raise the first error among them with a note of its place."""
    if raise_errors:
        for place, result in enumerate(results):
            if isinstance(result, Error):
                result.add_note(f"query {place} of {len(results)}; the other queries were executed")
                raise result
    return results
