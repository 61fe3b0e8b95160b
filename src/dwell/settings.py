"""Everything that can be set, each with its unit, default, bounds, environment name and trade-off.

Owns the facts of the settings and nothing else: the names under which redis.conf and redis-server's
flags know them are in dwell.directives, and clock, store and randomness are arguments of what needs
them, never settings (STYLE 8). A default is written once, here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args

from dwell.errors import UsageError

__all__ = [
    "FACTS",
    "DebugCommands",
    "Durability",
    "Fact",
    "Form",
    "MemoryPolicy",
    "Placement",
    "Settings",
]

Placement: TypeAlias = Literal["lifetime", "memory", "disk"]
"""The rule that gives each key its home."""

Durability: TypeAlias = Literal["none", "interval", "always"]
"""What an acknowledged write survives: a clean stop, a killed process, a power cut."""

MemoryPolicy: TypeAlias = Literal[
    "noeviction",
    "allkeys-lru",
    "allkeys-lfu",
    "allkeys-random",
    "volatile-lru",
    "volatile-lfu",
    "volatile-random",
    "volatile-ttl",
]
"""What leaves memory at `memory_bytes_max`; the names are Redis's."""

DebugCommands: TypeAlias = Literal["no", "local", "yes"]
"""Who may send DEBUG: nobody, clients on this machine, everybody."""

Form: TypeAlias = Literal["choice", "count", "bytes", "mode", "path", "switch", "text", "words"]
"""How a setting is written as text; dwell.directives reads and writes each form."""

_NOT_SHOWN: Final = "requirepass"
MEBIBYTE: Final = 1024 * 1024
GIBIBYTE: Final = 1024 * MEBIBYTE


@dataclass(frozen=True, slots=True)
class Fact:
    """What is known about a setting besides its value.

    Attributes:
        name: the field of `Settings`.
        environment: the variable that sets it.
        form: how it is written as text.
        directive: its name in redis.conf, CONFIG and, behind two dashes, on the command line.
        trade_off: what is won and lost by changing it; the generated page shows it.
        minimum: the smallest number allowed.
        maximum: the largest number allowed.
        choices: the words allowed, where the form is "choice".
        is_live: whether CONFIG SET may change it in a running server.
        is_engine: whether the engine obeys it; the others are the server's.
    """

    name: str
    form: Form
    directive: str
    trade_off: str
    minimum: int = 0
    maximum: int = 2**63 - 1
    choices: tuple[str, ...] = ()
    is_live: bool = False
    is_engine: bool = False

    @property
    def environment(self) -> str:
        """The environment variable: the field's name behind DWELL_."""
        return f"DWELL_{self.name.upper()}"

    @property
    def is_secret(self) -> bool:
        """Whether the value must not appear in messages."""
        return self.directive == _NOT_SHOWN


def _setting(default: object, form: Form, directive: str, trade_off: str, **facts: Any) -> Any:
    """Declare a field together with its facts."""
    known = {"form": form, "directive": directive, "trade_off": trade_off, **facts}
    return field(default=default, metadata=known, repr=directive != _NOT_SHOWN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of one instance: frozen and flat.

    Make one by keywords, change a copy by `dataclasses.replace`, or read one from the environment,
    flags and a redis.conf by `dwell.directives`. `docs/settings.md` is generated from the facts.

    Raises:
        UsageError: a value is out of its bounds, or two settings contradict each other.

    >>> Settings(placement="disk", port=0).durability
    'interval'
    """

    # Where the data is.
    directory: Path | None = _setting(
        Path("data"),
        "path",
        "dir",
        "Where the instance keeps its files. Without one everything is in memory, not one file is "
        "written, and a stop loses all.",
    )
    database_file_name: str = _setting(
        "",
        "text",
        "dbfilename",
        "File name of database 0 inside the directory. Empty keeps the usual name; set it where a "
        "tool looks for the file of another server.",
        is_engine=True,
    )
    databases_count: int = _setting(
        16,
        "count",
        "databases",
        "How many numbers SELECT accepts. An unused one costs nothing; fewer catch a client that "
        "selects by mistake.",
        minimum=1,
        maximum=1_000_000,
    )

    # How long it lives, and so where.
    placement: Placement = _setting(
        "lifetime",
        "choice",
        "placement",
        "Which keys live in memory: those with a lifetime, all, or none. `disk` needs the least "
        "memory and is the drop-in for a server that stored everything; `memory` never reads disk.",
        choices=get_args(Placement),
        is_engine=True,
    )
    durability: Durability = _setting(
        "interval",
        "choice",
        "durability",
        "What an acknowledged write survives: `none` a clean stop, `interval` a killed process and "
        "all but the last second before a power cut, `always` a power cut, at one fsync a turn.",
        choices=get_args(Durability),
        is_live=True,
        is_engine=True,
    )
    log_resident: bool = _setting(
        True,  # noqa: FBT003
        "switch",
        "appendonly",
        "Whether keys in memory are logged. Off makes memory a cache: fewer bytes are written, and "
        "a kill loses what was in it.",
        is_live=True,
        is_engine=True,
    )

    sync_interval_ms: int = _setting(
        1000,
        "count",
        "sync-interval-ms",
        "Pause between two fsyncs under durability `interval`, in milliseconds. Shorter loses less "
        "in a power cut and keeps the disk busier.",
        minimum=1,
        maximum=3_600_000,
        is_engine=True,
    )
    segment_bytes: int = _setting(
        64 * MEBIBYTE,
        "bytes",
        "segment-bytes",
        "Size of a segment of the log, which is written in advance. Larger ones are fewer files, "
        "smaller ones give space back sooner.",
        minimum=MEBIBYTE,
        maximum=4 * GIBIBYTE,
        is_engine=True,
    )
    base_after_bytes: int = _setting(
        256 * MEBIBYTE,
        "bytes",
        "base-after-bytes",
        "Log written since the last base after which a new base is made. Less makes a start after "
        "a crash shorter and writes the residents more often.",
        minimum=MEBIBYTE,
        is_engine=True,
    )
    history_ms: int = _setting(
        0,
        "count",
        "history-ms",
        "How far back a restore can reach, in milliseconds; 0 keeps no history. History costs the "
        "disk space of its log and bases.",
        is_engine=True,
    )

    # How much memory.
    memory_bytes_max: int = _setting(
        0,
        "bytes",
        "maxmemory",
        "Bound for values in memory; 0 is no bound. Low bounds cost reads from disk or evicted "
        "keys, none risks the machine's memory.",
        is_live=True,
        is_engine=True,
    )
    memory_policy: MemoryPolicy = _setting(
        "noeviction",
        "choice",
        "maxmemory-policy",
        "What happens at the bound. `noeviction` moves residents to disk before it refuses; the "
        "others delete keys, which only a cache can afford.",
        choices=get_args(MemoryPolicy),
        is_live=True,
        is_engine=True,
    )
    dirty_bytes_max: int = _setting(
        512 * MEBIBYTE,
        "bytes",
        "dirty-bytes-max",
        "Bound for what is logged but not yet in SQLite. A higher one makes the drain's "
        "transactions larger and so faster, and a start after a crash longer.",
        minimum=MEBIBYTE,
        is_engine=True,
    )

    drain_after_ms: int = _setting(
        10_000,
        "count",
        "drain-after-ms",
        "Longest that a dirty key waits for the drain while writes are few, in milliseconds. "
        "Longer coalesces more, shorter keeps the log short; half of dirty-bytes-max in the log "
        "is not waited for.",
        minimum=1,
        maximum=3_600_000,
        is_engine=True,
    )
    probation_bytes_max: int = _setting(
        64 * MEBIBYTE,
        "bytes",
        "probation-bytes-max",
        "Bound for copies of disk keys that were read once. Too small forgets a key before its "
        "second read, too large lets a scan push out what the machine needs.",
        is_engine=True,
    )
    promoted_bytes_max: int = _setting(
        256 * MEBIBYTE,
        "bytes",
        "promoted-bytes-max",
        "Bound for copies of disk keys that were read twice, the hot set. More serves more reads "
        "from memory.",
        is_engine=True,
    )
    promote_ms: int = _setting(
        60_000,
        "count",
        "promote-ms",
        "How long a promoted copy stays after its last read, in milliseconds. Longer suits steady "
        "reads, shorter gives memory back.",
        is_engine=True,
    )
    open_files_max: int = _setting(
        48,
        "count",
        "open-files-max",
        "SQLite connections open at once. Fewer save memory and descriptors, of which each takes "
        "three or four; more save opening a namespace again.",
        minimum=2,
        maximum=100_000,
        is_engine=True,
    )

    # Who may connect, and where.
    bind: tuple[str, ...] = _setting(
        ("127.0.0.1",),
        "words",
        "bind",
        "Addresses to listen on; `*` is all of IPv4, a leading `-` allows one to be missing. "
        "Anything but loopback wants a password.",
    )
    port: int = _setting(
        6379,
        "count",
        "port",
        "TCP port; 0 listens on none. Redis's own by default, so that its clients need no option.",
        maximum=65535,
    )
    unix_socket: Path | None = _setting(
        None,
        "path",
        "unixsocket",
        "Path of a Unix stream socket: about a third faster than TCP on loopback, for this machine "
        "alone.",
    )
    unix_socket_mode: int = _setting(
        0o700,
        "mode",
        "unixsocketperm",
        "Permission bits of the socket, octal. Wider ones let other users of the machine in.",
        maximum=0o777,
    )
    password: str = _setting(
        "",
        "text",
        "requirepass",
        "What AUTH must send; empty asks for none. Best given by `requirepass-file`, see below: "
        "flags can be read by every user of the machine.",
        is_live=True,
    )
    is_protected: bool = _setting(
        True,  # noqa: FBT003
        "switch",
        "protected-mode",
        "Refuse clients from other machines while no password is set. Off only where a network "
        "keeps strangers out.",
        is_live=True,
    )
    debug_commands: DebugCommands = _setting(
        "no",
        "choice",
        "enable-debug-command",
        "Who may send DEBUG, which can put the server to sleep. Tests want `local`.",
        choices=get_args(DebugCommands),
    )

    # What one client may take.
    clients_max: int = _setting(
        10_000,
        "count",
        "maxclients",
        "Connections open at once; further ones get an error. Each costs a descriptor and some "
        "KiB.",
        minimum=1,
        maximum=1_000_000,
        is_live=True,
    )
    client_idle_s: int = _setting(
        0,
        "count",
        "timeout",
        "Seconds after which a silent client is closed; 0 never. Frees forgotten connections, and "
        "surprises pools that keep theirs open.",
        is_live=True,
    )
    backlog_connections: int = _setting(
        511,
        "count",
        "tcp-backlog",
        "Connections that wait to be accepted. A burst beyond it is refused by the kernel, which "
        "has a bound of its own.",
        minimum=1,
        maximum=65535,
    )
    value_bytes_max: int = _setting(
        512 * MEBIBYTE,
        "bytes",
        "proto-max-bulk-len",
        "Longest single argument of a request. Lower ones stop a mistaken upload early.",
        minimum=MEBIBYTE,
        maximum=512 * MEBIBYTE,
        is_live=True,
    )
    query_bytes_max: int = _setting(
        GIBIBYTE,
        "bytes",
        "client-query-buffer-limit",
        "Bytes that one client may have sent and not yet had executed. Must hold the longest "
        "request whole.",
        minimum=MEBIBYTE,
        is_live=True,
    )
    output_bytes_max: int = _setting(
        GIBIBYTE,
        "bytes",
        "output-bytes-max",
        "Bytes of replies that a client may leave unread before it is closed; 0 is no bound. "
        "A bound keeps one slow reader from taking the memory of all.",
        is_live=True,
    )
    output_soft_bytes_max: int = _setting(
        256 * MEBIBYTE,
        "bytes",
        "output-soft-bytes-max",
        "Bytes of unread replies that close a client when it stays above them without a break for "
        "`output_soft_s`; 0 is no bound.",
        is_live=True,
    )
    output_soft_s: int = _setting(
        60,
        "count",
        "output-soft-s",
        "Seconds above the soft bound. Long enough for a hiccup of the network, short enough to "
        "give the memory back.",
        is_live=True,
    )

    # What is told about time.
    slow_us: int = _setting(
        10_000,
        "count",
        "slowlog-log-slower-than",
        "Microseconds above which SLOWLOG keeps a call, waits for disk included; -1 keeps none. "
        "Below 1000 each call is timed by itself, which costs a tenth of a pipelined GET.",
        minimum=-1,
        is_live=True,
    )
    slow_calls_max: int = _setting(
        128,
        "count",
        "slowlog-max-len",
        "How many slow calls are kept, the newest. Each takes some KiB at most.",
        maximum=1_000_000,
        is_live=True,
    )
    stall_ms: int = _setting(
        0,
        "count",
        "latency-monitor-threshold",
        "Milliseconds that the server must be busy with one thing for LATENCY to keep it; 0 keeps "
        "none. Lower ones show more of what the others waited for.",
        is_live=True,
    )

    def __post_init__(self) -> None:
        """Refuse values out of bounds and settings that contradict each other, by name."""
        for fact in FACTS.values():
            _check(fact, getattr(self, fact.name))
        if "/" in self.database_file_name or "\0" in self.database_file_name:
            raise UsageError(
                f"database_file_name is a name without a folder: {self.database_file_name!r}",
                found=self.database_file_name,
            )
        name = self.database_file_name
        if name in _OWN_NAMES or name.endswith(".keys"):
            raise UsageError(
                f"database_file_name is a name that Dwell itself uses: {name!r}",
                hint="choose another, for example main.db",
                found=name,
            )
        if self.directory is None and self.placement == "disk":
            raise UsageError(
                "placement disk needs a directory: none given",
                hint='leave `--save ""` away, or say `--placement memory`',
            )


_OWN_NAMES: Final = frozenset({".", "..", "base", "lock", "log", "namespaces"})
"""What a directory holds beside the files of its namespaces."""

_TYPES: Final[dict[Form, tuple[Any, str]]] = {
    "bytes": (int, "a whole number"),
    "choice": (str, "a word"),
    "count": (int, "a whole number"),
    "mode": (int, "a whole number"),
    "path": (Path | None, "a pathlib.Path or None"),
    "switch": (bool, "true or false"),
    "text": (str, "a text"),
    "words": (tuple, "a tuple of texts"),
}


def _check(fact: Fact, value: object) -> None:
    """Refuse one value that its own fact forbids."""
    wanted, words = _TYPES[fact.form]
    # A bool is an int to Python, and nobody means `port=True`.
    if not isinstance(value, wanted) or isinstance(value, bool) != (wanted is bool):
        shown = "not shown" if fact.is_secret else repr(value)
        raise UsageError(f"{fact.name} is {words}: {shown}")
    if fact.choices and value not in fact.choices:
        allowed = ", ".join(fact.choices)
        raise UsageError(f"{fact.name} is one of {allowed}: {value}", found=value)
    if wanted is int and not fact.minimum <= value <= fact.maximum:
        bounds = f"{fact.minimum} to {fact.maximum}"
        limit = fact.minimum if value < fact.minimum else fact.maximum
        raise UsageError(f"{fact.name} is {bounds}: {value}", limit=limit, found=value)


FACTS: Final[Mapping[str, Fact]] = {
    each.name: Fact(name=each.name, **each.metadata) for each in dataclasses.fields(Settings)
}
"""The facts of every setting, by field name and in the order of the fields."""
