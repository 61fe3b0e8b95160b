"""Sequences of commands on few keys, so that they meet: what both servers are sent.

The words are chosen to be wrong in every way that Redis names, as often as they are right. What
is left out, and why, stands in `KNOWN_DIFFERENCES`.
"""

from __future__ import annotations

from typing import TypeAlias

from hypothesis import strategies as st

Command: TypeAlias = tuple[bytes, ...]
Words: TypeAlias = st.SearchStrategy[bytes]

KNOWN_DIFFERENCES = {
    "OBJECT ENCODING and REFCOUNT after an edit in place": "Redis says raw and 1, whatever the "
    "text now is; Dwell answers as for a fresh value of that text.",
    "INCRBYFLOAT of a hexadecimal number": "C's strtold happens to read 0x10; Dwell refuses it.",
    "the order of KEYS and SCAN, and SCAN's cursors": "Redis walks its hash table, Dwell the order "
    "of the keys' bytes; compared as sets, after a whole walk.",
    "DBSIZE with expired keys": "Both count what they have not noticed, and notice at different "
    "times; each key is asked for first.",
    "RANDOMKEY": "It is random; compared as nil or not.",
    "the pattern ** on the empty key": "In Redis a glob that begins with two stars does not match "
    "the empty text, although one star does.",
    "the last second of a lifetime": "Time passes between the two; compared with a tolerance.",
}


class Long(bytes):
    """Bytes that a failing test shows by their length."""

    def __repr__(self) -> str:
        """Return how to make them again."""
        return f"long({len(self)})"


def long(size_bytes: int) -> Long:
    """Return a value that is kept in several pieces, none like the other at its seam."""
    return Long((b"0123456789abcde" * (size_bytes // 15 + 1))[:size_bytes])


KEYS = [b"a", b"b", b"k:1", b"k:2", b"", b"*[\\"]
INTEGERS = [b"0", b"1", b"-1", b"7", b"-5", b"9223372036854775807", b"-9223372036854775808"]
NO_INTEGERS = [b"", b" 1", b"1 ", b"+1", b"01", b"1.0", b"9223372036854775808", b"abc", b"1e3"]
DECIMALS = [b"0.1", b"0.2", b"-1.5", b"3e2", b"1e-7", b"1000.1", b"12345678901.5", b".5", b"5."]
NO_DECIMALS = [b"nan", b"inf", b"-inf", b"1e5000", b"1.5.2", b"1e"]
# Far from now on either side, so that no deadline falls between the two servers' answers.
SECONDS = [b"100", b"5000", b"10000000"]
MOMENTS_S = [b"1", b"33177117420", b"33177117000"]
MOMENTS_MS = [b"1", b"33177117420500", b"33177117000000"]
WRONG_LIFETIMES = [b"0", b"-1", b"9223372036854775807", b"9223372036854775", b"x", b"1.5", b""]

key = st.sampled_from(KEYS)
integer = st.sampled_from(INTEGERS) | st.integers(-1000, 1000).map(lambda n: b"%d" % n)
short_text = st.text(alphabet="abx", max_size=12).map(str.encode)
long_text = st.integers(65_000, 200_000).map(long)
value = st.one_of(
    st.sampled_from(INTEGERS + NO_INTEGERS + DECIMALS + NO_DECIMALS),
    integer,
    short_text,
    st.binary(max_size=60),
    long_text,
)
offset = st.sampled_from([*INTEGERS, *NO_INTEGERS, b"65530", b"65540", b"131072", b"-65537"])
pattern = st.sampled_from([b"*", b"k:*", b"[ab]", b"?", b"k:[^1]", b"\\*[[]*", b"a", b"*1", b"k"])


def command(name: str, *words: Words) -> st.SearchStrategy[Command]:
    """Return the strategy of a command with these arguments."""
    return st.tuples(st.just(name.encode()), *words)


def with_tail(
    head: st.SearchStrategy[Command], tail: st.SearchStrategy[list[Command]]
) -> st.SearchStrategy[Command]:
    """Return the strategy of a command that ends in options."""
    return st.builds(lambda first, rest: first + tuple(w for o in rest for w in o), head, tail)


def options(*choices: st.SearchStrategy[Command]) -> st.SearchStrategy[list[Command]]:
    """Return some options: seldom many, since most pairs contradict each other."""
    return st.lists(st.one_of(*choices), max_size=3)


def lifetime(name: str, numbers: list[bytes]) -> st.SearchStrategy[Command]:
    """Return an option with a number, mostly a right one."""
    right = st.sampled_from(numbers)
    return command(name, st.one_of(right, right, right, st.sampled_from(WRONG_LIFETIMES)))


flags = st.sampled_from([(b"NX",), (b"XX",), (b"GET",), (b"KEEPTTL",), (b"get",), (b"PERSIST",)])
wrong_options = st.sampled_from([(b"FOO",), (b"EX",), (b"PX", b"x", b"y")])
lifetimes = st.one_of(
    lifetime("EX", SECONDS),
    lifetime("px", [b"100000", b"5000000"]),
    lifetime("EXAT", MOMENTS_S),
    lifetime("PXAT", MOMENTS_MS),
)
conditions = st.lists(st.sampled_from([b"NX", b"XX", b"GT", b"LT", b"gt", b"FOO"]), max_size=2)

strings = st.one_of(
    command("SET", key, value),
    with_tail(command("SET", key, value), options(flags, flags, lifetimes, wrong_options)),
    with_tail(command("GETEX", key), options(lifetimes, flags, wrong_options)),
    command("SETNX", key, value),
    command("SETEX", key, st.sampled_from(SECONDS + WRONG_LIFETIMES), value),
    command("PSETEX", key, st.sampled_from([b"100000", *WRONG_LIFETIMES]), value),
    command("GET", key),
    command("GETDEL", key),
    command("GETSET", key, value),
    command("STRLEN", key),
    command("APPEND", key, value),
    command("SETRANGE", key, offset.filter(lambda text: len(text) < 8), value),
    command("SETRANGE", key, st.sampled_from([b"536870912", b"9223372036854775807"]), value),
    command("GETRANGE", key, offset, offset),
    command("SUBSTR", key, offset, offset),
    command("INCR", key),
    command("DECR", key),
    command("INCRBY", key, integer | st.sampled_from(NO_INTEGERS)),
    command("DECRBY", key, integer | st.sampled_from(NO_INTEGERS)),
    command("INCRBYFLOAT", key, st.sampled_from(DECIMALS + NO_DECIMALS + INTEGERS + NO_INTEGERS)),
    st.lists(key, min_size=1, max_size=4).map(lambda keys: (b"MGET", *keys)),
    st.lists(key | short_text, min_size=1, max_size=6).map(lambda words: (b"MSET", *words)),
    st.lists(key | short_text, min_size=1, max_size=6).map(lambda words: (b"MSETNX", *words)),
)
subsequences = with_tail(
    command("LCS", key, key),
    options(
        st.sampled_from([(b"LEN",), (b"IDX",), (b"idx", b"WITHMATCHLEN"), (b"FOO",)]),
        command("MINMATCHLEN", st.sampled_from([b"0", b"2", b"-1", b"x"])),
    ),
)
expiry = st.builds(
    lambda head, tail: head + tuple(tail),
    st.one_of(
        command("EXPIRE", key, st.sampled_from([*SECONDS, *WRONG_LIFETIMES])),
        command("PEXPIRE", key, st.sampled_from([b"100000", b"7000000", *WRONG_LIFETIMES])),
        command("EXPIREAT", key, st.sampled_from(MOMENTS_S + WRONG_LIFETIMES)),
        command("PEXPIREAT", key, st.sampled_from(MOMENTS_MS + WRONG_LIFETIMES)),
    ),
    conditions,
)
database = st.sampled_from([b"0", b"1", b"15", b"16", b"-1", b"x", b"2147483648"])
keyspace = st.one_of(
    st.lists(key, min_size=1, max_size=4).map(lambda keys: (b"DEL", *keys)),
    st.lists(key, min_size=1, max_size=4).map(lambda keys: (b"UNLINK", *keys)),
    st.lists(key, min_size=1, max_size=4).map(lambda keys: (b"EXISTS", *keys)),
    st.lists(key, min_size=1, max_size=4).map(lambda keys: (b"TOUCH", *keys)),
    *(command(name, key) for name in ("TYPE", "TTL", "PTTL", "EXPIRETIME", "PEXPIRETIME")),
    command("PERSIST", key),
    command("RENAME", key, key),
    command("RENAMENX", key, key),
    with_tail(
        command("COPY", key, key),
        options(st.sampled_from([(b"REPLACE",), (b"FOO",), (b"DB",)]), command("DB", database)),
    ),
    command("MOVE", key, database),
    command("KEYS", pattern),
    command("RANDOMKEY"),
    command("DBSIZE"),
    command("SELECT", st.sampled_from([b"0", b"1"])),
    with_tail(command("FLUSHDB"), options(st.sampled_from([(b"SYNC",), (b"ASYNC",), (b"FOO",)]))),
)
too_few_words = st.sampled_from(
    [(name,) for name in (b"GET", b"SET", b"MGET", b"EXPIRE", b"COPY", b"LCS", b"SCAN", b"DEL")]
)

# First most keys are written, so that what follows meets something.
writes = st.one_of(
    command("SET", key, value),
    command("SET", key, integer),
    command("SETEX", key, st.sampled_from(SECONDS), value),
)
anything = st.one_of(strings, subsequences, expiry, keyspace, too_few_words)
sequences = st.builds(
    lambda first, rest: first + rest,
    st.lists(writes, min_size=4, max_size=8),
    st.lists(anything, min_size=20, max_size=60),
)
