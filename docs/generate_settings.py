"""Make docs/settings.md of the facts in dwell.settings and dwell.directives_ignored.

    python docs/generate_settings.py [--check]

With --check nothing is written, and the exit code is 1 if the page is stale.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

from dwell.directives import as_directives  # noqa: E402
from dwell.directives_ignored import IGNORED  # noqa: E402
from dwell.settings import FACTS, Fact, Settings  # noqa: E402

PAGE = ROOT / "docs" / "settings.md"
INTRODUCTION = """\
# Settings
<!-- Made of src/dwell/settings.py by `make docs`; change it there. -->

Each setting has a name in Python (a keyword of `dwell.Settings`), an environment variable, and a
directive, which is its name in `redis.conf`, its flag behind two dashes, and its name for `CONFIG`.
Later sources win: defaults, environment, `redis.conf`, flags. What is unknown is refused by name.

`CONFIG SET` changes those marked *live*; the others are fixed when a server starts. Sizes are
written as in Redis: `100mb` is 100 · 2²⁰ bytes, `100m` is 100 · 10⁶.
"""
TOGETHER = """\
## What redis-server's flags mean together

| flags | placement | log of residents | files |
|---|---|---|---|
| none | `lifetime` | yes | in `dir` |
| `--save ""` | `memory` | no | none at all: empty after a restart |
| `--save "" --appendonly yes` | `memory` | yes | in `dir` |
| `--appendonly no` | `lifetime` | no: memory is a cache | in `dir` |
| `--appendfsync no`, `everysec`, `always` | | | durability `none`, `interval`, `always` |

`-h` and `-p` are `--bind` and `--port`, as in Respite. A drop-in for a server that stored
everything on disk uses `--placement disk`.
"""
AUTHENTICATION = """\
## The password

Recommended is `--requirepass-file PATH`, or the same in a `redis.conf`: a file of mode 0600 whose
first line is the password. A `redis.conf` of that mode with `requirepass` is as good.
`DWELL_PASSWORD` suits containers; it is taken out of the environment once it is read, and yet the
system shows it to the same user and to root for as long as the process runs. `--requirepass` on the
command line works: the server begins anew at once without it, so that `ps` does not show it, but
for a moment it did, and the shell's history keeps it.
"""
IGNORED_TITLE = """\
## Directives without effect

A `redis.conf` may contain these. Where one would ask for something that Dwell does not do, only the
values shown are accepted; the others are refused by name.

| directive | accepted | why it has no effect |
|---|---|---|
"""


def page() -> str:
    """The whole page."""
    texts = as_directives(Settings())
    entries = [_entry(fact, texts[fact.directive]) for fact in FACTS.values()]
    ignored = [
        f"| `{name}` | {_values(each.only) or 'any'} | {each.reason} |\n"
        for name, each in sorted(IGNORED.items())
    ]
    return "\n".join([INTRODUCTION, *entries, AUTHENTICATION, TOGETHER, IGNORED_TITLE]) + "".join(
        ignored
    )


def _entry(fact: Fact, default: str) -> str:
    """One setting of the page."""
    facts = [
        f"directive `{fact.directive}`",
        f"environment `{fact.environment}`",
        f"default {_values((default,))}",
    ]
    if fact.choices:
        facts.append(f"one of {_values(fact.choices)}")
    if fact.form in ("count", "bytes"):
        facts.append(f"from {fact.minimum}" + (f" to {fact.maximum}" if _is_bounded(fact) else ""))
    if fact.is_live:
        facts.append("*live*")
    return f"### `{fact.name}`\n\n{fact.trade_off}\n\n{'; '.join(facts)}.\n"


def _is_bounded(fact: Fact) -> bool:
    return fact.maximum < 2**63 - 1


def _values(values: tuple[str, ...]) -> str:
    return ", ".join(f"`{value}`" if value else "empty" for value in values)


def main(arguments: list[str]) -> int:
    """Write the page if it is stale, or with --check only say so."""
    is_stale = not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page()
    if is_stale:
        sys.stdout.write(f"stale: {PAGE.relative_to(ROOT)}\n")
    if is_stale and "--check" not in arguments:
        PAGE.write_text(page(), encoding="utf-8")
    return 1 if is_stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
