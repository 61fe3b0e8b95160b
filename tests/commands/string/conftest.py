"""The fixtures of this folder's tests."""

from tests.commands.running import client, server

__all__ = ["client", "server"]
