"""`dwell set`: write a value."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

from dwell.cli import exits
from dwell.cli.arguments import Json, Key
from dwell.cli.connect import key_bytes, milliseconds, speaks_to_server
from dwell.cli.exits import Mistake
from dwell.cli.output import as_json, complain, print_json
from dwell.cli.parameters import Argument, Option

if TYPE_CHECKING:
    from dwell.client.connection import Client

Value = Annotated[str, Argument("The value; - reads it from standard input, as bytes.")]
Ttl = Annotated[
    float | None,
    Option(("--ttl",), minimum=0.001, help="Lifetime in seconds; without one the value stays."),
]
KeepTtl = Annotated[bool, Option(("--keep-ttl",), help="Keep the lifetime that the key has.")]
IfAbsent = Annotated[bool, Option(("--if-absent",), help="Only if the key does not exist.")]
IfPresent = Annotated[bool, Option(("--if-present",), help="Only if the key exists.")]
IfEqual = Annotated[
    str | None, Option(("--if-equal",), help="Only if the key holds this value now.")
]


@speaks_to_server
def set_(
    client: Client,
    key: Key,
    value: Value,
    ttl: Ttl = None,
    keep_ttl: KeepTtl = False,
    if_absent: IfAbsent = False,
    if_present: IfPresent = False,
    if_equal: IfEqual = None,
    json: Json = False,
) -> None:
    """Write a value; with a lifetime it lives in memory, without on disk.

    A condition that does not hold is exit code 3, and nothing is written.

    Example:  dwell set session:7 token --ttl 900
    """
    if if_absent + if_present + (if_equal is not None) > 1:
        raise Mistake("one condition at most: --if-absent, --if-present or --if-equal")
    if keep_ttl and ttl is not None:
        raise Mistake("either --ttl or --keep-ttl")
    data = sys.stdin.buffer.read() if value == "-" else os.fsencode(value)
    words: list[bytes | str | int] = ["SET", key_bytes(key), data]
    if ttl is not None:
        words += ["PX", milliseconds(ttl)]
    words += ["KEEPTTL"] * keep_ttl + ["NX"] * if_absent + ["XX"] * if_present
    if if_equal is not None:
        words += ["IFEQ", os.fsencode(if_equal)]
    is_written = client.execute(*words) is not None
    if json:
        print_json({"key": as_json(key_bytes(key)), "written": is_written})
    if not is_written:
        if not json:
            complain(f"not written, the condition does not hold: {key}")
        raise SystemExit(exits.NO)
