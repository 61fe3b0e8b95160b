"""CLIENT LIST, INFO, KILL, PAUSE, UNPAUSE: the connections. The rest of CLIENT is in the loop.

Owns the line that describes a connection, the filters, and Redis's error lines.
Source: Redis CLIENT LIST, CLIENT INFO, CLIENT KILL, CLIENT PAUSE, CLIENT UNPAUSE.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from dwell.client.replies import Status, Verbatim
from dwell.errors import UsageError
from dwell.server.registry import command
from dwell.server.request import SYNTAX, parse_integer, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dwell.client.replies import Reply
    from dwell.server.native import Facts
    from dwell.server.request import Request

Filter = Callable[["Facts"], bool]

DEFAULTS: Final[dict[str, object]] = {
    "id": 0,
    "addr": "",
    "laddr": "",
    "fd": -1,
    "name": "",
    "age": 0,
    "idle": 0,
    "flags": "N",
    "db": 0,
    "sub": 0,
    "psub": 0,
    "ssub": 0,
    "multi": -1,
    "qbuf": 0,
    "qbuf-free": 0,
    "argv-mem": 0,
    "multi-mem": 0,
    "rbs": 0,
    "rbp": 0,
    "obl": 0,
    "oll": 0,
    "omem": 0,
    "tot-mem": 0,
    "events": "r",
    "cmd": "NULL",
    "user": "default",
    "redir": -1,
    "resp": 2,
    "lib-name": "",
    "lib-ver": "",
}
"""The fields of a line in Redis's order, with what stands where the event loop tells nothing."""

TYPES: Final = ("normal", "master", "replica", "slave", "pubsub")


def describe(facts: Facts) -> str:
    """The line about one connection. `b` among its flags is a command that is held back."""
    told = {**DEFAULTS, **facts}
    return " ".join(f"{name}={told[name]}" for name in DEFAULTS)


@command("client|info", is_readonly=True)
def client_info(request: Request) -> Reply:
    """Describe this connection."""
    return Verbatim("txt", describe(request.client) + "\n")


@command("client|list", is_readonly=True)
def client_list(request: Request) -> Reply:
    """Describe the open connections that pass the filter."""
    is_wanted = _list_filter(request.arguments)
    clients = sorted(request.context.server.clients(), key=lambda facts: int(facts["id"]))
    return Verbatim("txt", "".join(f"{describe(each)}\n" for each in clients if is_wanted(each)))


def _list_filter(words: Sequence[bytes]) -> Filter:
    if not words:
        return lambda _: True
    option, *values = words
    if option.upper() == b"TYPE" and len(values) == 1:
        return _type_filter(values[0])
    if option.upper() == b"ID" and values:
        ids = {_client_id(word, "Invalid client ID") for word in values}
        return lambda facts: facts["id"] in ids
    raise UsageError(SYNTAX)


@command("client|kill")
def client_kill(request: Request) -> Reply:
    """Close one connection by address, or all that pass every filter."""
    server = request.context.server
    if len(request.arguments) == 1:
        address = text(request.arguments[0])
        ids = [int(each["id"]) for each in server.clients() if each.get("addr") == address]
        if not ids:
            raise UsageError("No such client")
        server.kill_clients(ids)
        return Status("OK")
    filters = _kill_filters(request)
    wanted = [
        int(each["id"])
        for each in server.clients()
        if all(is_wanted(each) for is_wanted in filters)
    ]
    return server.kill_clients(wanted)


@command("client|pause")
def client_pause(request: Request) -> Reply:
    """Let commands wait: all, or only those that write."""
    timeout_ms = parse_integer(request.arguments[0], "timeout is not an integer or out of range")
    if timeout_ms < 0:
        raise UsageError("timeout is negative")
    match [word.upper() for word in request.arguments[1:]]:
        case [] | [b"ALL"]:
            is_for_all = True
        case [b"WRITE"]:
            is_for_all = False
        case _:
            raise UsageError("CLIENT PAUSE mode must be WRITE or ALL")
    request.context.server.pause_clients(timeout_ms, is_for_all=is_for_all)
    return Status("OK")


@command("client|unpause")
def client_unpause(request: Request) -> Reply:
    """Let them go on."""
    request.context.server.pause_clients(None)
    return Status("OK")


def _kill_filters(request: Request) -> list[Filter]:
    """The filters of CLIENT KILL; unless told otherwise the caller itself is spared."""
    words = request.arguments
    if len(words) % 2:
        raise UsageError(SYNTAX)
    own_id = int(request.client.get("id", 0))
    skips_own = True
    filters: list[Filter] = []
    for option, value in zip(words[::2], words[1::2], strict=True):
        name = text(option).lower()
        if name == "skipme":
            if value.lower() not in (b"yes", b"no"):
                raise UsageError(SYNTAX)
            skips_own = value.lower() == b"yes"
        elif name in KILL_FILTERS:
            filters.append(KILL_FILTERS[name](value))
        else:
            raise UsageError(SYNTAX)
    if skips_own:
        filters.append(lambda facts: facts["id"] != own_id)
    return filters


def _id_filter(word: bytes) -> Filter:
    wanted = _client_id(word, "client-id should be greater than 0")
    return lambda facts: bool(facts["id"] == wanted)


def _client_id(word: bytes, message: str) -> int:
    number = parse_integer(word, message)
    if number < 1:
        raise UsageError(message)
    return number


def _type_filter(word: bytes) -> Filter:
    """Every connection is a normal one: there is no replication and no publishing yet."""
    name = text(word).lower()
    if name not in TYPES:
        raise UsageError(f"Unknown client type '{text(word)}'")
    return lambda _: name == "normal"


def _user_filter(word: bytes) -> Filter:
    if word != b"default":
        raise UsageError(f"No such user '{text(word)}'")
    return lambda _: True


def _text_filter(field: str) -> Callable[[bytes], Filter]:
    return lambda word: lambda facts: facts.get(field) == text(word)


KILL_FILTERS: Final[dict[str, Callable[[bytes], Filter]]] = {
    "id": _id_filter,
    "type": _type_filter,
    "user": _user_filter,
    "addr": _text_filter("addr"),
    "laddr": _text_filter("laddr"),
}
