"""Directives of redis.conf that Dwell accepts without effect, each with the reason.

A configuration written for Redis starts Dwell, and yet nothing is promised that is not kept: where
a value would ask for something that Dwell does not do, only the other values are accepted (INV-10).
Owns this list alone; dwell.directives uses it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["IGNORED", "Ignored"]


@dataclass(frozen=True, slots=True)
class Ignored:
    """A directive without effect.

    Attributes:
        default: what CONFIG GET shows until somebody sets it.
        reason: why it has no effect.
        only: the values accepted; empty where any is.
    """

    default: str
    reason: str
    only: tuple[str, ...] = ()


_ENCODING = "Values have one encoding in memory; its bounds are not the operator's business"
_IMAGE = "There is no dump file: a base of the log takes its place"
_REWRITE = "The log is compacted by bases when it outgrows them"
_LAZY = "Memory is always freed in bounded steps"
_PROCESS = "Dwell stays in the foreground; a service manager minds it"
_REPLICA = "Replicas do not exist yet"
_EVICTION = "Eviction samples by itself"
_CLUSTER = "There is no cluster"
_SCRIPT = "There are no scripts yet"

IGNORED: Final[dict[str, Ignored]] = {
    "activedefrag": Ignored("no", "Memory is not defragmented while running", ("no",)),
    "activerehashing": Ignored("yes", "The table grows in small steps by itself"),
    "active-expire-effort": Ignored("1", "Expiry follows deadlines and does not sample"),
    "always-show-logo": Ignored("no", "There is no logo"),
    "aof-load-truncated": Ignored("yes", "A torn tail is cut and reported", ("yes",)),
    "aof-rewrite-incremental-fsync": Ignored("yes", _REWRITE),
    "aof-timestamp-enabled": Ignored("no", "Every record of the log has its time"),
    "aof-use-rdb-preamble": Ignored("yes", _REWRITE),
    "appenddirname": Ignored("appendonlydir", "Segments have a folder of their own"),
    "appendfilename": Ignored("appendonly.aof", "Segments are named by their sequence"),
    "auto-aof-rewrite-min-size": Ignored("67108864", _REWRITE),
    "auto-aof-rewrite-percentage": Ignored("100", _REWRITE),
    "busy-reply-threshold": Ignored("5000", _SCRIPT),
    "close-on-oom": Ignored("no", "A client is not closed for the server's lack of memory"),
    "cluster-enabled": Ignored("no", _CLUSTER, ("no",)),
    "crash-log-enabled": Ignored("yes", "A crash is reported by the process itself"),
    "daemonize": Ignored("no", _PROCESS, ("no",)),
    "disable-thp": Ignored("yes", "Huge pages are left as the machine has them"),
    "dynamic-hz": Ignored("yes", "The loop sleeps until its next deadline"),
    "enable-module-command": Ignored("no", "Modules in C cannot be loaded", ("no",)),
    "enable-protected-configs": Ignored("no", "No path can be set over the wire", ("no",)),
    "hash-max-listpack-entries": Ignored("512", _ENCODING),
    "hash-max-listpack-value": Ignored("64", _ENCODING),
    "hash-max-ziplist-entries": Ignored("512", _ENCODING),
    "hash-max-ziplist-value": Ignored("64", _ENCODING),
    "hz": Ignored("10", "The loop sleeps until its next deadline"),
    "io-threads": Ignored("1", "One thread owns the sockets"),
    "io-threads-do-reads": Ignored("no", "One thread owns the sockets"),
    "jemalloc-bg-thread": Ignored("yes", "The allocator is the system's"),
    "latency-tracking": Ignored("yes", "How long calls take is always recorded"),
    "latency-tracking-info-percentiles": Ignored(
        "50 99 99.9", "These three are told", ("50 99 99.9", "50.0 99.0 99.9")
    ),
    "lazyfree-lazy-eviction": Ignored("no", _LAZY),
    "lazyfree-lazy-expire": Ignored("no", _LAZY),
    "lazyfree-lazy-server-del": Ignored("no", _LAZY),
    "lazyfree-lazy-user-del": Ignored("no", _LAZY),
    "lazyfree-lazy-user-flush": Ignored("no", _LAZY),
    "lfu-decay-time": Ignored("1", _EVICTION),
    "lfu-log-factor": Ignored("10", _EVICTION),
    "list-compress-depth": Ignored("0", _ENCODING),
    "list-max-listpack-size": Ignored("-2", _ENCODING),
    "list-max-ziplist-size": Ignored("-2", _ENCODING),
    "locale-collate": Ignored("", "Bytes are compared as bytes"),
    "logfile": Ignored("", "Messages go to standard error; a service manager keeps them", ("",)),
    "loglevel": Ignored("notice", "There is one level of messages"),
    "lua-time-limit": Ignored("5000", _SCRIPT),
    "maxmemory-clients": Ignored("0", "Each client has bounds of its own", ("0",)),
    "maxmemory-eviction-tenacity": Ignored("10", _EVICTION),
    "maxmemory-samples": Ignored("5", _EVICTION),
    "no-appendfsync-on-rewrite": Ignored("no", _REWRITE, ("no",)),
    "notify-keyspace-events": Ignored("", "Events about keys do not exist yet", ("",)),
    "oom-score-adj": Ignored("no", "The kernel's choice of a victim is left alone", ("no",)),
    "pidfile": Ignored("", _PROCESS),
    "proc-title-template": Ignored("{title} {listen-addr} {server-mode}", _PROCESS),
    "rdb-del-sync-files": Ignored("no", _REPLICA),
    "rdb-save-incremental-fsync": Ignored("yes", _IMAGE),
    "rdbchecksum": Ignored("yes", "Every record has a checksum", ("yes",)),
    "rdbcompression": Ignored("yes", _IMAGE),
    "repl-backlog-size": Ignored("1048576", _REPLICA),
    "repl-backlog-ttl": Ignored("3600", _REPLICA),
    "repl-diskless-load": Ignored("disabled", _REPLICA),
    "repl-diskless-sync": Ignored("yes", _REPLICA),
    "repl-diskless-sync-delay": Ignored("5", _REPLICA),
    "repl-disable-tcp-nodelay": Ignored("no", _REPLICA),
    "replica-lazy-flush": Ignored("no", _REPLICA),
    "replica-priority": Ignored("100", _REPLICA),
    "replica-read-only": Ignored("yes", _REPLICA),
    "replica-serve-stale-data": Ignored("yes", _REPLICA),
    "sanitize-dump-payload": Ignored("no", "RESTORE does not exist yet"),
    "set-max-intset-entries": Ignored("512", _ENCODING),
    "set-max-listpack-entries": Ignored("128", _ENCODING),
    "set-max-listpack-value": Ignored("64", _ENCODING),
    "set-proc-title": Ignored("yes", _PROCESS),
    "stop-writes-on-bgsave-error": Ignored("yes", "A failed sync always stops writes", ("yes",)),
    "stream-node-max-bytes": Ignored("4096", _ENCODING),
    "stream-node-max-entries": Ignored("100", _ENCODING),
    "supervised": Ignored("no", _PROCESS, ("no", "auto")),
    "syslog-enabled": Ignored("no", "Messages go to standard error", ("no",)),
    "tcp-keepalive": Ignored("300", "Idle connections are left to `timeout`"),
    "tracking-table-max-keys": Ignored("1000000", "Client-side caching does not exist yet"),
    "zset-max-listpack-entries": Ignored("128", _ENCODING),
    "zset-max-listpack-value": Ignored("64", _ENCODING),
    "zset-max-ziplist-entries": Ignored("128", _ENCODING),
    "zset-max-ziplist-value": Ignored("64", _ENCODING),
}
"""By directive; tests/api/test_settings.py holds that none of them is a setting as well."""
