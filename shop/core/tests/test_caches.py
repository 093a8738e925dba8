"""A cache that fails reads as empty, whatever it fails with, and is then left alone for a while."""

from __future__ import annotations

import errno
import pickle
from pathlib import Path
from time import monotonic

import pytest
from faulty_proxy import faulty_proxy

from shop.core import redis_cache
from shop.core.caches import TolerantFileBasedCache
from shop.core.circuit import Circuit
from shop.core.redis_cache import SignedSerializer, TolerantRedisCache
from shop.core.tests.redis_servers import answering

NOBODY_LISTENS = "redis://127.0.0.1:9/0"
REFUSALS = {
    "full": b"-OOM command not allowed when used memory > 'maxmemory'.\r\n",
    "read-only": b"-READONLY You can't write against a read only replica.\r\n",
    "password": b"-NOAUTH Authentication required.\r\n",
    "loading": b"-LOADING Redis is loading the dataset in memory\r\n",
    "not-redis": b"HTTP/1.1 400 Bad Request\r\n\r\n",
}


@pytest.fixture(autouse=True)
def circuit(monkeypatch):
    """One of each test's own, with a clock that the test moves."""
    clock = [1000.0]
    circuit = Circuit(
        redis_cache.redis_circuit._silences, patience=0.0, limit=1, pause=5.0, clock=lambda: clock[0]
    )
    monkeypatch.setattr(redis_cache, "redis_circuit", circuit)
    return clock


def reads_as_empty(cache) -> None:
    """Every method of Django's caches."""
    cache.set("a", 1)
    assert cache.get("a") is None
    assert cache.get("a", "else") == "else"
    assert cache.add("a", 1) is True
    assert cache.touch("a") is False
    assert cache.delete("a") is False
    assert cache.get_many(["a", "b"]) == {}
    assert cache.set_many({"a": 1, "b": 2}) == ["a", "b"]
    assert cache.delete_many(["a", "b"]) is None
    assert cache.has_key("a") is False
    assert "a" not in cache
    assert cache.get_or_set("a", lambda: 7) == 7
    for count in (cache.incr, cache.decr):
        with pytest.raises(ValueError, match="Key 'a' not found"):
            count("a")
    with pytest.raises(ValueError, match="not found"):
        cache.incr_version("a")
    assert cache.clear() is None


def test_a_redis_that_refuses_reads_as_empty():
    reads_as_empty(TolerantRedisCache(NOBODY_LISTENS, {}))


@pytest.mark.parametrize("words", REFUSALS.values(), ids=REFUSALS)
def test_a_redis_that_answers_errors_reads_as_empty(words):
    with answering(words) as server:
        reads_as_empty(TolerantRedisCache(server.url, {}))


def test_a_silent_redis_costs_one_wait_and_is_asked_again_after_the_pause(circuit, monkeypatch):
    with faulty_proxy() as silent:
        cache = TolerantRedisCache(f"redis://127.0.0.1:{silent.port}/0", {})
        started = monotonic()
        reads_as_empty(cache)
        reads_as_empty(cache)
        assert monotonic() - started < 1.5  # 34 calls; a wait each would be eight seconds and more
    with answering(b"$-1\r\n") as server:
        # The same process, another Redis: still left alone.
        cache = TolerantRedisCache(server.url, {})
        cache.get("a")
        assert server.connections == 0
        circuit[0] += 5.0
        cache.get("a")
        assert server.connections == 1


def test_a_slow_redis_is_left_alone(monkeypatch):
    slow = Circuit((OSError,), patience=0.0, slow=0.05, limit=1, pause=60.0)
    monkeypatch.setattr(redis_cache, "redis_circuit", slow)
    with answering(b"$-1\r\n") as server, faulty_proxy(int(server.url.split(":")[2][:-2])) as proxy:
        proxy.delay = 0.1
        cache = TolerantRedisCache(f"redis://127.0.0.1:{proxy.port}/0", {})
        cache.get("a")
        assert server.connections == 1
        started = monotonic()
        for _ in range(50):
            cache.get("a")
        assert monotonic() - started < 2


def test_a_value_without_the_shops_signature_is_not_unpickled(tmp_path):
    """Whoever may write to Redis could otherwise run what they like in the shop."""
    proof = tmp_path / "ran"

    class Attack:
        def __reduce__(self):
            return Path.touch, (proof,)

    attack = pickle.dumps(Attack())
    with answering(b"$%d\r\n%s\r\n" % (len(attack), attack)) as server:
        assert TolerantRedisCache(server.url, {}).get("a", "nothing") == "nothing"
        assert server.connections == 1
    assert not proof.exists()


def test_a_signed_value_comes_back_and_counts_stay_plain(settings):
    serializer = SignedSerializer()
    for value in ({"prix": 3}, "texte", None, True, 0.5, [1, 2]):
        assert serializer.loads(serializer.dumps(value)) == value
    assert serializer.dumps(41) == 41
    assert serializer.loads(b"41") == 41
    kept = serializer.dumps("texte")
    settings.SECRET_KEY = "another"
    with pytest.raises(ValueError, match="signature"):
        serializer.loads(kept)


def test_a_full_disk_is_an_empty_cache(tmp_path, monkeypatch):
    cache = TolerantFileBasedCache(str(tmp_path / "cache"), {})
    cache.set("a", 1)
    assert cache.get("a") == 1

    def full(*args, **kwargs):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("django.core.cache.backends.filebased.tempfile.mkstemp", full)
    cache.set("a", 2)
    assert cache.add("b", 2) is True
    assert cache.get("b") is None
    assert cache.set_many({"c": 1}) in ([], ["c"])


def test_a_file_that_is_no_value_is_an_empty_cache(tmp_path):
    cache = TolerantFileBasedCache(str(tmp_path), {})
    cache.set("a", 1)
    [file] = tmp_path.glob("*.djcache")
    file.write_bytes(b"not a value")
    assert cache.get("a", "else") == "else"
