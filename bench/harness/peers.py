"""The servers that are measured, each with its command line, and what a running one costs.

A peer that is not on this machine is reported and left out; it never fails a run.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bench.harness.machine import ROOT
from tests.servers import Server

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.harness.report import Report

BARE = ROOT / "bench" / "bare"
BARE_TARGET = ROOT / "target" / "bare"
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


@dataclasses.dataclass(frozen=True)
class Peer:
    """A server: its name in the tables, its program and its flags."""

    name: str
    command: tuple[str, ...]
    flags: tuple[str, ...] = ()

    @property
    def is_present(self) -> bool:
        """Whether the program is on this machine."""
        return shutil.which(self.command[0]) is not None


def redis(*flags: str, name: str = "redis") -> Peer:
    """Return Debian's redis-server with these flags."""
    return Peer(name, ("redis-server",), ("--save", "", *flags))


def bare(*, is_storing: bool = False, is_awake: bool = False) -> Peer:
    """Return the server that does next to nothing, built if it can be; else it is left out."""
    program = BARE_TARGET / "release" / "bare"
    if shutil.which("cargo") is not None:
        subprocess.run(
            ["cargo", "build", "--release", "--locked", "--quiet"],
            cwd=BARE,
            env={**os.environ, "CARGO_TARGET_DIR": str(BARE_TARGET)},
            check=False,
        )
    if is_storing:
        return Peer("bare map", (str(program),), ("--store",))
    return Peer("bare", (str(program),), ("--awake",) if is_awake else ())


class Running:
    """A peer that serves, with its sockets and what the kernel knows about its process."""

    def __init__(self, peer: Peer, server: Server) -> None:
        self.peer = peer
        self.server = server
        self.socket_path = f"{server.directory}.sock"

    @property
    def name(self) -> str:
        """The peer's name."""
        return self.peer.name

    def cpu_seconds(self) -> float:
        """Return the processor time that all threads of the process have used so far."""
        # The second field is the program's name in brackets, which may hold blanks.
        fields = self._proc("stat").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND

    def resident_bytes(self) -> int:
        """Return the memory of the process that is in RAM."""
        for line in self._proc("status").splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        return 0

    def written_bytes(self) -> int:
        """Return how much the process has caused to be written to disk."""
        for line in self._proc("io").splitlines():
            if line.startswith("write_bytes:"):
                return int(line.split()[1])
        return 0

    def _proc(self, name: str) -> str:
        return Path(f"/proc/{self.server.pid}/{name}").read_text()


def present(peers: Sequence[Peer], report: Report) -> list[Peer]:
    """Return the peers that this machine has, and note the others."""
    for peer in peers:
        if not peer.is_present:
            report.note(f"{peer.name} is left out: no {peer.command[0]} here")
    return [peer for peer in peers if peer.is_present]


@contextmanager
def running(peers: Sequence[Peer], folder: Path, report: Report) -> Iterator[list[Running]]:
    """Start all peers that are present, each in a directory of its own, and end them after."""
    with ExitStack() as stack:
        started = []
        for peer in present(peers, report):
            directory = folder / peer.name.replace(" ", "-")
            flags = ["--unixsocket", f"{directory}.sock", *peer.flags]
            server = Server(directory, flags, command=peer.command)
            stack.enter_context(server)
            report.note_command(server.command_line)
            started.append(Running(peer, server))
        yield started
