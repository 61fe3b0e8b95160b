"""Takes a password out of the command line, which every user of the machine can read.

A process cannot change its own arguments in a way that holds everywhere, so the program begins anew
in the same process, with the password in a pipe and the pipe's name where the password was. Until
then, for as long as starting Python takes, it could be seen; a file never can.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Final

__all__ = ["hide_password", "without_password"]

FLAG: Final = "--requirepass"
FILE_FLAG: Final = "--requirepass-file"
PIPE_BYTES: Final = 4096
"""What every pipe holds before somebody reads it."""


def hide_password(arguments: Sequence[str]) -> None:
    """Begin the program anew without its password in the arguments; return where there is none.

    Args:
        arguments: the last words of the command line.
    """
    place = len(sys.orig_argv) - len(arguments)
    is_ours = arguments and sys.orig_argv[place:] == list(arguments)
    found = without_password(arguments, "")
    if found is None or not is_ours or not sys.executable:
        return
    password = os.fsencode(found[0])
    if len(password) > PIPE_BYTES:
        return
    reader, writer = os.pipe()
    os.write(writer, password)
    os.close(writer)
    os.set_inheritable(reader, True)
    without = without_password(arguments, f"/dev/fd/{reader}")
    if without is not None:
        os.execv(sys.executable, [*sys.orig_argv[:place], *without[1]])  # noqa: S606 ourselves


def without_password(arguments: Sequence[str], path: str) -> tuple[str, list[str]] | None:
    """The password of the last `--requirepass`, and the arguments with a file in its place.

    None where no password is given; what is mistaken about the flag is left for others to say.

    >>> without_password(["--requirepass", "secret", "--port", "1"], "/dev/fd/9")
    ('secret', ['--requirepass-file', '/dev/fd/9', '--port', '1'])
    """
    kept: list[str] = []
    password = ""
    words = list(arguments)
    while words:
        word = words.pop(0)
        flag, equals, value = word.partition("=")
        if flag.lower() != FLAG:
            kept.append(word)
            continue
        given = [value] if equals else []
        while words and not equals and not words[0].startswith("--"):
            given.append(words.pop(0))
        if len(given) != 1:
            return None
        password = given[0]
        kept += [FILE_FLAG, path]
    return (password, kept) if password else None
