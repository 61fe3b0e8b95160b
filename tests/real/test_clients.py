"""redis-py as it is installed: RESP2 and RESP3, threads and asyncio, with no setting of ours."""

from __future__ import annotations

import asyncio
import random
import threading
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
import redis
import redis.asyncio
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError
from redis.retry import Retry

from tests.commands.running import needs_dwell
from tests.seeds import new_seed
from tests.servers import Server, data_flags, needs_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = needs_server

# What redis-py's methods return depends on how the client was made, which its types do not tell.
RedisPy: TypeAlias = Any
PROTOCOLS = [2, 3]
THREADS = 8
INCREMENTS = 25
CANCELLATIONS = 60


@pytest.fixture(params=PROTOCOLS)
def protocol(request: pytest.FixtureRequest) -> int:
    version: int = request.param
    return version


@pytest.fixture
def client(server: Server, protocol: int) -> Iterator[RedisPy]:
    with redis.Redis(port=server.port, protocol=protocol) as connected:
        yield connected


def test_a_client_without_any_setting_reads_what_it_wrote(server: Server) -> None:
    with redis.Redis(port=server.port) as client:
        assert client.ping()
        assert client.set("k", b"\x00\xff\r\n")
        assert client.get("k") == b"\x00\xff\r\n"
        assert client.get("absent") is None
    with redis.from_url(f"redis://127.0.0.1:{server.port}/3") as client:
        assert client.get("k") is None


def test_the_unix_socket_serves_the_same_keys(
    server: Server, unix_path: Path, client: RedisPy
) -> None:
    client.set("k", "v")
    with redis.Redis(unix_socket_path=str(unix_path)) as other:
        assert other.get("k") == b"v"


def test_a_password_opens_the_door_and_a_wrong_one_does_not(
    tmp_path_factory: pytest.TempPathFactory, protocol: int
) -> None:
    with Server(tmp_path_factory.mktemp("password") / "data", data_flags()) as locked:
        told: RedisPy = {"port": locked.port, "protocol": protocol}
        with redis.Redis(**told) as owner:
            assert owner.config_set("requirepass", "secret") is True
        with redis.Redis(**told, password="secret") as client:
            assert client.set("k", "v")
        for password in ("guess", None):
            guest: RedisPy = redis.Redis(**told, password=password, retry=Retry(NoBackoff(), 0))
            with guest, pytest.raises(AuthenticationError):
                guest.get("k")


def test_texts_are_decoded_where_that_is_asked_for(server: Server, protocol: int) -> None:
    with redis.Redis(port=server.port, protocol=protocol, decode_responses=True) as client:
        client.mset({"ä": "ö", "b": "2"})
        assert client.mget("ä", "b", "absent") == ["ö", "2", None]
        assert sorted(client.keys()) == ["b", "ä"]
        assert client.type("b") == "string"
        assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}


def test_options_of_set_and_lifetimes_have_their_python_types(client: RedisPy) -> None:
    assert client.set("k", "v", ex=100, nx=True) is True
    assert client.set("k", "w", nx=True) is None
    assert client.set("k", "w", keepttl=True, get=True) == b"v"
    assert 90 < client.ttl("k") <= 100
    assert client.getex("k", persist=True) == b"w"
    assert client.ttl("k") == -1
    assert client.expire("k", 5, nx=True) is True
    assert client.expire("k", 6, nx=True) is False
    assert client.pexpiretime("k") > 1_700_000_000_000
    assert client.incrbyfloat("f", 0.1) == pytest.approx(0.1)
    assert client.incr("i", 2**40) == 2**40
    assert client.exists("k", "i", "absent") == 2
    assert client.rename("k", "l") is True
    assert client.copy("l", "m") is True
    assert client.unlink("l", "m") == 2


def test_client_calls_tell_and_set_what_the_server_knows(server: Server, protocol: int) -> None:
    with redis.Redis(port=server.port, protocol=protocol, client_name="me") as client:
        assert client.client_getname() in {"me", b"me"}
        number = client.client_id()
        told = client.client_info()
        assert (told["id"], told["name"], told["resp"]) == (number, "me", str(protocol))
        assert client.client_setname("other") is True
        assert "other" in [each["name"] for each in client.client_list()]
        assert client.client_no_evict("ON") == b"OK"
        with redis.Redis(port=server.port) as victim:
            victims = victim.client_id()
            assert client.client_kill_filter(_id=str(victims)) == 1
            assert victim.client_id() != victims


def test_the_server_describes_itself_in_forms_that_are_parsed(client: RedisPy) -> None:
    client.set("k", "v", ex=100)
    told = client.info()
    assert told["redis_version"].startswith("7.")
    assert told["db0"]["keys"] == 1
    assert client.info("commandstats")["cmdstat_set"]["calls"] >= 1
    assert client.dbsize() == 1
    assert client.config_set("timeout", 100) is True
    assert client.config_get("timeout") == {"timeout": "100"}
    assert client.config_set("timeout", 0) is True
    seconds, microseconds = client.time()
    assert seconds > 1_700_000_000
    assert 0 <= microseconds < 1_000_000
    assert client.command_count() == len(client.command())
    assert client.object("encoding", "k") == b"embstr"
    assert client.role()[0] == b"master"
    assert client.lastsave().year >= 2020


@pytest.mark.parametrize("is_transaction", [True, False])
def test_a_pipeline_answers_each_of_its_commands(client: RedisPy, is_transaction: bool) -> None:
    with client.pipeline(transaction=is_transaction) as pipeline:
        for number in range(1000):
            pipeline.set(f"k{number}", number).get(f"k{number}")
        replies = pipeline.execute()
    assert replies[::2] == [True] * 1000
    assert replies[1::2] == [b"%d" % number for number in range(1000)]


def test_an_error_in_a_pipeline_stands_in_its_own_place(client: RedisPy) -> None:
    # KEY-05
    for is_transaction in (True, False):
        client.set("k", "text")
        with client.pipeline(transaction=is_transaction) as pipeline:
            before, error, after = (
                pipeline.set("a", 1).incr("k").incr("a").execute(raise_on_error=False)
            )
        assert (before, after) == (True, 2)
        assert isinstance(error, redis.ResponseError)


def test_an_error_while_queueing_applies_nothing(client: RedisPy) -> None:
    # KEY-05
    with (
        client.pipeline() as pipeline,
        pytest.raises(redis.ResponseError, match="wrong number of arguments for 'get'"),
    ):
        pipeline.set("a", 1).execute_command("GET").execute()
    assert client.exists("a") == 0


def test_watch_loses_no_increment_among_threads(server: Server, protocol: int) -> None:
    failures: list[BaseException] = []

    def increment(pipeline: RedisPy) -> None:
        value = int(pipeline.get("counter") or 0)
        pipeline.multi()
        pipeline.set("counter", value + 1)

    def count() -> None:
        try:
            with redis.Redis(port=server.port, protocol=protocol) as own:
                for _ in range(INCREMENTS):
                    own.transaction(increment, "counter")
        except redis.RedisError as failure:
            failures.append(failure)

    threads = [threading.Thread(target=count) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    with redis.Redis(port=server.port) as client:
        assert client.get("counter") == b"%d" % (THREADS * INCREMENTS)


def test_a_watched_key_that_changes_is_a_watch_error(client: RedisPy) -> None:
    with client.pipeline() as pipeline:
        pipeline.watch("k")
        client.set("k", "other")
        pipeline.multi()
        pipeline.set("k", "own")
        with pytest.raises(redis.WatchError):
            pipeline.execute()
    assert client.get("k") == b"other"


def test_scan_iter_finds_every_key_once(client: RedisPy) -> None:
    with client.pipeline(transaction=False) as pipeline:
        for number in range(3000):
            pipeline.set(f"user:{number}", number, ex=1000 if number % 3 == 0 else None)
            pipeline.set(f"post:{number}", number)
        pipeline.execute()
    found = list(client.scan_iter(match="user:*", count=100))
    assert sorted(found) == sorted(b"user:%d" % number for number in range(3000))
    assert len(list(client.scan_iter(_type="string"))) == 6000


@needs_dwell
@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda client: client.publish("c", "m"), "publish"),
        (lambda client: client.lpush("l", 1), "lpush"),
        (lambda client: client.eval("return 1", 0), "eval"),
        (lambda client: client.swapdb(0, 1), "swapdb"),
    ],
)
def test_what_is_not_supported_is_refused_by_name(
    client: RedisPy, call: Callable[[RedisPy], object], name: str
) -> None:
    # INV-10
    with pytest.raises(redis.ResponseError, match=f"(?i)unknown command '{name}'.*not supported"):
        call(client)
    assert client.ping()


@needs_dwell
def test_subscribing_is_refused_by_name(client: RedisPy) -> None:
    # INV-10
    with client.pubsub() as pubsub:
        pubsub.subscribe("channel")
        with pytest.raises(redis.ResponseError, match=r"(?i)unknown command 'subscribe'"):
            pubsub.get_message(timeout=5)


async def test_asyncio_clients_share_a_pool(server: Server, protocol: int) -> None:
    connected: RedisPy = redis.asyncio.Redis(port=server.port, protocol=protocol)
    async with connected as client:

        async def round_trip(number: int) -> bool:
            await client.set(f"k{number}", number, ex=100)
            value: object = await client.get(f"k{number}")
            return value == b"%d" % number

        assert all(await asyncio.gather(*(round_trip(number) for number in range(100))))
        async with client.pipeline(transaction=True) as pipeline:
            replies = await pipeline.set("a", 1).incr("a").execute()
        assert replies == [True, 2]
        assert len([key async for key in client.scan_iter(match="k*")]) == 100


def on_one_connection(server: Server, protocol: int) -> RedisPy:
    pool = redis.asyncio.ConnectionPool(port=server.port, protocol=protocol, max_connections=1)
    return redis.asyncio.Redis.from_pool(pool)


async def test_a_cancelled_call_leaves_its_reply_to_nobody(server: Server, protocol: int) -> None:
    # WIRE-09
    choices = random.Random(new_seed())
    async with on_one_connection(server, protocol) as client:
        await client.mset({"mine": "mine", "cancelled": "cancelled"})
        for _ in range(CANCELLATIONS):
            task = asyncio.ensure_future(client.get("cancelled"))
            await asyncio.sleep(choices.random() * 0.002)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            assert await client.get("mine") == b"mine"


async def test_a_call_that_is_cancelled_while_the_server_works_leaves_its_reply_to_nobody(
    server: Server, protocol: int
) -> None:
    # WIRE-09
    async with on_one_connection(server, protocol) as client:
        await client.set("mine", "mine")
        for _ in range(3):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await client.execute_command("DEBUG", "SLEEP", "0.2")
            assert await client.get("mine") == b"mine"
