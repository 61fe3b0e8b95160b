"""`AsyncClient`: the twin of `Client` for asyncio.

Owns the streams and their time limits. Every line that is not about waiting belongs in
dwell.client.session, so that a fault is mended once for both twins.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Self

from dwell.client.session import (
    RECEIVE_BYTES,
    Address,
    Command,
    Session,
    check_greeting,
    sole,
    to_unavailable,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from dwell.client.replies import Reply
    from dwell.client.resp import Argument

__all__ = ["AsyncClient"]


class AsyncClient:
    """The twin of `Client` for asyncio; `await AsyncClient.open(address)` makes one.

    A cancelled call closes the connection: its late reply must not reach another caller.
    """

    def __init__(
        self, session: Session, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._session = session
        self._reader = reader
        self._writer = writer
        self._turn = asyncio.Lock()
        self._timeout_s: float | None = None

    @classmethod
    async def open(
        cls,
        address: Address,
        *,
        password: str = "",
        username: str = "default",
        database: int = 0,
        timeout_s: float | None = 30,
    ) -> Self:
        """Connect and greet; arguments and errors are those of `Client`."""
        session = Session(address, password=password, username=username, database=database)
        try:
            async with asyncio.timeout(timeout_s):
                if isinstance(address, Path):
                    streams = await asyncio.open_unix_connection(str(address))
                else:
                    streams = await asyncio.open_connection(*address)
        except OSError as failure:
            raise to_unavailable(address, failure) from None
        self = cls(session, *streams)
        self._timeout_s = timeout_s
        try:
            check_greeting(await self.pipeline(session.greeting()))
        except BaseException:
            await self.close()
            raise
        return self

    async def execute(self, *words: Argument) -> Reply:
        """Send one command and return its reply; an error line is raised."""
        return sole(await self.pipeline([words]))

    async def pipeline(self, commands: Iterable[Command]) -> list[Reply]:
        """Send several commands at once and return their replies, error lines among them."""
        sent = list(commands)
        async with self._turn:
            try:
                return await self._exchange(sent)
            except OSError as failure:
                await self.close()
                raise to_unavailable(self._session.address, failure) from None
            except BaseException:
                await self.close()
                raise

    async def _exchange(self, commands: list[Command]) -> list[Reply]:
        self._writer.write(self._session.begin(commands))
        replies = self._session.finished()
        while replies is None:
            async with asyncio.timeout(self._timeout_s):
                replies = self._session.take(await self._reader.read(RECEIVE_BYTES))
        return replies

    async def close(self) -> None:
        """Close the connection; closing twice is fine."""
        self._session.close()
        self._writer.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
