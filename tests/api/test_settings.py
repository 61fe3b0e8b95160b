"""Settings and their text forms: bounds, environment, redis.conf, flags, CONFIG (INV-10)."""

import dataclasses
from pathlib import Path

import pytest

from dwell.directives import (
    Directive,
    apply,
    as_directives,
    change,
    from_conf,
    from_environment,
    from_flags,
    read_settings,
    split_words,
)
from dwell.directives_ignored import IGNORED
from dwell.errors import UsageError
from dwell.settings import FACTS, Settings


def read(*arguments: str, **environment: str) -> Settings:
    return read_settings(arguments, environment)


# The facts of the settings.


def test_every_setting_has_a_trade_off_and_a_variable() -> None:
    for name, fact in FACTS.items():
        assert fact.environment == f"DWELL_{name.upper()}"
        assert len(fact.trade_off) > 40, name
        assert fact.trade_off.endswith("."), name


def test_every_quantity_has_its_unit_last() -> None:
    units = ("_bytes", "_bytes_max", "_max", "_s", "_ms", "_us", "_mode", "_count", "_connections")
    for name, fact in FACTS.items():
        if fact.form in ("count", "bytes", "mode") and name != "port":
            assert name.endswith(units), name


def test_directives_are_unique_and_not_also_ignored() -> None:
    directives = [fact.directive for fact in FACTS.values()]
    assert len(set(directives)) == len(directives)
    assert not set(directives) & set(IGNORED)


def test_every_ignored_directive_has_a_reason_and_an_allowed_default() -> None:
    for name, ignored in IGNORED.items():
        assert len(ignored.reason) > 10, name
        assert not ignored.only or ignored.default in ignored.only, name


def test_settings_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Settings().port = 1  # type: ignore[misc]


def test_password_is_not_shown() -> None:
    assert "secret" not in repr(Settings(password="secret"))


def test_defaults_are_those_of_the_design() -> None:
    settings = Settings()
    assert (settings.placement, settings.durability, settings.log_resident) == (
        "lifetime",
        "interval",
        True,
    )
    assert (settings.port, settings.bind, settings.databases_count) == (6379, ("127.0.0.1",), 16)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("port", 65536, "port is 0 to 65535: 65536"),
        ("port", -1, "port is 0 to 65535: -1"),
        ("port", True, "port is a whole number: True"),
        ("databases_count", 0, "databases_count is 1 to 1000000: 0"),
        ("placement", "tape", "placement is one of lifetime, memory, disk: tape"),
        ("is_protected", 1, "is_protected is true or false: 1"),
        ("password", b"x", "password is a text: not shown"),
        ("directory", "data", "directory is a pathlib.Path or None: 'data'"),
        ("bind", "::1", "bind is a tuple of texts: '::1'"),
        ("database_file_name", "a/b", "database_file_name is a name without a folder: 'a/b'"),
    ],
)
def test_value_out_of_bounds_is_refused_by_name(field: str, value: object, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        Settings(**{field: value})  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_placement_disk_without_a_directory_is_refused() -> None:
    with pytest.raises(UsageError, match="placement disk needs a directory"):
        Settings(directory=None, placement="disk")


# What `save` and `appendonly` mean together.


def test_save_nothing_alone_is_memory_without_any_file() -> None:
    settings = read("--save", "")
    assert (settings.placement, settings.log_resident, settings.directory) == (
        "memory",
        False,
        None,
    )


def test_save_nothing_wins_over_a_directory_in_any_order() -> None:
    assert read("--dir", "/tmp/x", "--save", "") == read("--save", "", "--dir", "/tmp/x")
    assert read("--dir", "/tmp/x", "--save", "").directory is None


def test_save_nothing_with_appendonly_is_memory_with_the_log() -> None:
    settings = read("--appendonly", "yes", "--save", "", "--dir", "/tmp/x")
    assert (settings.placement, settings.log_resident) == ("memory", True)
    assert settings.directory == Path("/tmp/x")


def test_appendonly_no_alone_makes_memory_a_cache() -> None:
    settings = read("--appendonly", "no")
    assert (settings.placement, settings.log_resident) == ("lifetime", False)
    assert settings.directory == Path("data")


def test_save_with_points_changes_nothing() -> None:
    assert read("--save", "3600", "1", "300", "100") == Settings()


def test_the_last_save_counts() -> None:
    assert read("--save", "", "--save", "60", "1") == Settings()


def test_save_nothing_contradicts_another_placement() -> None:
    with pytest.raises(UsageError, match='save "" keeps everything in memory'):
        read("--save", "", "--placement", "disk")


# Flags.


def test_flags_of_redis_server_are_read() -> None:
    settings = read(
        *("--port", "7000", "--bind", "127.0.0.1", "::1", "--unixsocket", "/tmp/s"),
        *("--unixsocketperm", "770", "--dir", "/d", "--dbfilename", "r.sqlite"),
        *("--requirepass", "pw", "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"),
        *("--databases", "4", "--maxclients", "10", "--timeout", "9", "--protected-mode", "no"),
        *("--tcp-backlog", "64", "--enable-debug-command", "local"),
        *("--proto-max-bulk-len", "1mb", "--client-query-buffer-limit", "2mb"),
    )
    assert settings == Settings(
        port=7000,
        bind=("127.0.0.1", "::1"),
        unix_socket=Path("/tmp/s"),
        unix_socket_mode=0o770,
        directory=Path("/d"),
        database_file_name="r.sqlite",
        password="pw",
        memory_bytes_max=100 * 1024 * 1024,
        memory_policy="allkeys-lru",
        databases_count=4,
        clients_max=10,
        client_idle_s=9,
        is_protected=False,
        backlog_connections=64,
        debug_commands="local",
        value_bytes_max=1024 * 1024,
        query_bytes_max=2 * 1024 * 1024,
    )


@pytest.mark.parametrize(
    ("fsync", "durability"), [("no", "none"), ("everysec", "interval"), ("always", "always")]
)
def test_appendfsync_is_durability(fsync: str, durability: str) -> None:
    assert read("--appendfsync", fsync) == read("--durability", durability)


def test_short_flags_of_respite_are_bind_and_port() -> None:
    settings = read("-h", "0.0.0.0", "-p", "7001")
    assert (settings.bind, settings.port) == (("0.0.0.0",), 7001)


def test_flag_may_carry_its_value_behind_an_equals_sign() -> None:
    assert read("--port=7002", "--save=").port == 7002


@pytest.mark.parametrize(
    ("text", "size_bytes"),
    [
        *(("0", 0), ("512", 512), ("1b", 1), ("1k", 1000), ("1kb", 1024), ("2M", 2_000_000)),
        *(("100mb", 104857600), ("1g", 10**9), ("1GB", 2**30)),
    ],
)
def test_sizes_are_read_as_redis_reads_them(text: str, size_bytes: int) -> None:
    assert read("--maxmemory", text).memory_bytes_max == size_bytes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--prot", "1"], "unknown directive: --prot"),
        (["--port"], "--port takes one argument, given: 0"),
        (["--port", "1", "2"], "--port takes one argument, given: 2"),
        (["--port", "six"], "--port wants a whole number: six"),
        (["--port", "1_0"], "--port wants a whole number: 1_0"),
        (["--port", "99999"], "port is 0 to 65535: 99999"),
        (["--maxmemory", "1tb"], "--maxmemory wants a size such as 100mb: 1tb"),
        (["--maxmemory", "-1"], "--maxmemory wants a size such as 100mb: -1"),
        (["--appendonly", "maybe"], "--appendonly wants yes or no: maybe"),
        (["--appendfsync", "often"], "--appendfsync is no, everysec or always: often"),
        (["--unixsocketperm", "9"], "--unixsocketperm wants permission bits in octal: 9"),
        (["--save", "1"], '--save is "" or seconds and changes: 1'),
        (["--daemonize", "yes"], "--daemonize is not supported with this value: yes"),
        (["--replicaof", "h", "1"], "unknown directive: --replicaof"),
        (["-x"], "not a flag: -x"),
        (["--port", "1", "-x"], "--port takes one argument, given: 2"),
    ],
)
def test_flag_is_refused_by_name(arguments: list[str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(*arguments)
    assert str(caught.value) == message


def test_unknown_directive_suggests_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        read("--maxmemry", "1")
    assert caught.value.hint == "did you mean maxmemory?"


def test_output_limit_of_normal_clients_is_read_and_others_are_checked() -> None:
    settings = read(
        "--client-output-buffer-limit",
        *("normal", "10mb", "5mb", "7", "replica", "256mb", "64mb", "60"),
    )
    assert settings.output_bytes_max == 10 * 1024 * 1024
    assert settings.output_soft_bytes_max == 5 * 1024 * 1024
    assert settings.output_soft_s == 7
    with pytest.raises(UsageError, match="takes groups of four"):
        read("--client-output-buffer-limit", "normal", "1")
    with pytest.raises(UsageError, match="knows no such class: odd"):
        read("--client-output-buffer-limit", "odd", "0", "0", "0")


# Configuration file.


def test_redis_conf_is_read_and_flags_win(tmp_path: Path) -> None:
    conf = tmp_path / "redis.conf"
    conf.write_text('# a comment\n\nPORT 7003\nrequirepass "two \\x41\\n"\ndatabases 3\nhz 50\n')
    settings = read(str(conf), "--databases", "5")
    assert (settings.port, settings.password, settings.databases_count) == (7003, "two A\n", 5)


def test_error_in_a_file_names_file_and_line() -> None:
    with pytest.raises(UsageError, match=r"^unknown directive: redis\.conf:2 loadmodule$"):
        apply(from_conf("port 1\nloadmodule x.so\n"))
    with pytest.raises(UsageError, match=r"^redis\.conf:1 has an unbalanced quote in column: 13$"):
        list(from_conf('requirepass "a\n'))


def test_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read the configuration file, No such file"):
        read(str(tmp_path / "absent.conf"))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", []),
        ("  a  b ", ["a", "b"]),
        ('save ""', ["save", ""]),
        (r'x "\x00\"\\"', ["x", '\x00"\\']),
        (r"x 'it\'s \n'", ["x", "it's \\n"]),
    ],
)
def test_words_are_split_as_redis_splits_them(line: str, words: list[str]) -> None:
    assert split_words(line) == words


@pytest.mark.parametrize("line", ['"a', "'a", '"a"b', 'a"b"'])
def test_unbalanced_quotes_are_refused(line: str) -> None:
    with pytest.raises(UsageError, match="unbalanced quote"):
        split_words(line)


# Environment.


def test_environment_is_read_and_flags_win() -> None:
    settings = read("--port", "1", DWELL_PORT="2", DWELL_BIND="127.0.0.1 ::1", DWELL_PASSWORD="p q")
    assert (settings.port, settings.bind, settings.password) == (1, ("127.0.0.1", "::1"), "p q")


def test_unknown_variable_of_ours_is_refused_and_others_are_not_looked_at() -> None:
    assert read(HOME="/root", REDIS_PORT="x", DWELL_TEST_SERVER="x") == Settings()
    with pytest.raises(UsageError) as caught:
        read(DWELL_DURABILTY="always")
    assert caught.value.hint == "did you mean DWELL_DURABILITY?"


# CONFIG GET and SET.


def test_settings_written_as_directives_read_back_as_the_same_settings() -> None:
    settings = read("--port", "7", "--appendfsync", "always", "--unixsocketperm", "777")
    texts = as_directives(settings)
    lines = [f'{name} "{text}"' for name, text in texts.items() if name not in ("bind", "save")]
    lines = [line for line in lines if not line.startswith("client-output-buffer-limit ")]
    assert apply(from_conf("\n".join(lines))) == settings


def test_config_shows_redis_names_and_texts() -> None:
    texts = as_directives(Settings(memory_bytes_max=1024))
    assert texts["maxmemory"] == "1024"
    assert texts["appendonly"] == "yes"
    assert texts["appendfsync"] == "everysec"
    assert texts["unixsocketperm"] == "700"
    assert texts["save"] == "3600 1 300 100 60 10000"
    assert texts["hash-max-listpack-entries"] == "512"
    assert as_directives(Settings(placement="memory"))["save"] == ""


def test_config_set_changes_all_or_nothing() -> None:
    settings = Settings()
    changed = change(settings, {"MAXMEMORY": "10mb", "appendfsync": "always", "save": ""})
    assert (changed.memory_bytes_max, changed.durability) == (10 * 1024 * 1024, "always")
    assert changed.placement == "lifetime"
    with pytest.raises(UsageError, match="cannot be changed in a running server: port"):
        change(settings, {"maxmemory": "1mb", "port": "1"})
    with pytest.raises(UsageError, match="unknown directive: nonsense"):
        change(settings, {"nonsense": "1"})


def test_config_set_cannot_log_where_no_file_may_be_written() -> None:
    with pytest.raises(UsageError, match="a log needs a directory"):
        change(read("--save", ""), {"appendonly": "yes"})


def test_no_path_can_be_set_over_the_wire() -> None:
    for name in ("dir", "dbfilename", "unixsocket"):
        with pytest.raises(UsageError, match="cannot be changed"):
            change(Settings(), {name: "/etc"})


def test_every_source_makes_directives() -> None:
    assert list(from_flags(["--Port", "1"])) == [Directive("port", ("1",), "--Port")]
    assert list(from_environment({"DWELL_PORT": "1"})) == [Directive("port", ("1",), "DWELL_PORT")]
