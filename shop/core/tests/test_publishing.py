"""A message to a worker costs a request a quarter of a second at most, and nothing while Redis is silent."""

from __future__ import annotations

from time import monotonic
from types import SimpleNamespace

import pytest
from celery import Celery
from django.conf import settings as shop_settings
from faulty_proxy import faulty_proxy
from kombu.transport import redis, virtual
from redis.exceptions import TimeoutError as RedisTimeoutError

from shop.core import enqueue, redis_cache
from shop.core.broker import (
    LONGEST_PAUSE_SECONDS,
    PatientAMQP,
    PatientConnection,
    register,
)
from shop.core.circuit import Circuit
from shop.core.redis_broker import RedisQoS, RedisTransport
from shop.core.tests.redis_servers import answering

SILENCES = redis_cache.redis_circuit._silences


class Task:
    """A task of an app with a broker of the test's own: the suite's tasks reach none."""

    name = "publishing.nothing"

    def __init__(self, url: str) -> None:
        self.app = Celery("publishing", amqp=PatientAMQP, broker=url, set_as_current=False)
        self.app.conf.task_publish_retry = shop_settings.CELERY_TASK_PUBLISH_RETRY
        self.app.conf.broker_connection_timeout = shop_settings.CELERY_BROKER_CONNECTION_TIMEOUT
        self.app.conf.broker_transport_options = shop_settings.REDIS_OPTIONS_OF_REQUESTS
        self.tries = 0

    def apply_async(self, args, **options):
        self.tries += 1
        self.app.send_task(self.name, args=args, ignore_result=True, **options)


@pytest.fixture(autouse=True)
def circuit(settings, monkeypatch):
    settings.REDIS_URL = "redis://somewhere"
    monkeypatch.setattr(redis_cache, "redis_circuit", Circuit(SILENCES, patience=0.0, limit=1, pause=60.0))


def published_twenty_times(task: Task) -> float:
    started = monotonic()
    for number in range(20):
        enqueue.publish(task, number)
    return monotonic() - started


def test_publish_refused_connection_is_tried_once():
    task = Task("redis://127.0.0.1:9/0")
    # Kombu alone asks again for six seconds, each time.
    assert published_twenty_times(task) < 2
    assert task.tries == 1


def test_publish_silent_redis_waits_once():
    with faulty_proxy() as silent:
        task = Task(f"redis://127.0.0.1:{silent.port}/0")
        assert published_twenty_times(task) < 2
    assert task.tries == 1


def test_publish_full_redis_harms_nobody():
    with answering(b"-OOM command not allowed when used memory > 'maxmemory'.\r\n") as server:
        task = Task(server.url)
        assert published_twenty_times(task) < 5


def test_connection_asks_again_within_seconds(monkeypatch):
    pauses = {}
    monkeypatch.setattr(
        "kombu.connection.Connection._ensure_connection", lambda self, *args, **kwargs: pauses.update(kwargs)
    )
    PatientConnection("redis://127.0.0.1:9/0").ensure_connection(None, None)
    assert pauses == {"interval_max": LONGEST_PAUSE_SECONDS}


def test_qos_lost_acknowledgement_leaves_room_for_the_next_message(monkeypatch):
    """A worker holds one message at a time: one that it could never acknowledge would be its last."""

    def lost(*args):
        raise RedisTimeoutError("Timeout reading from socket")

    channel = SimpleNamespace(do_restore=False, connection_errors=(RedisTimeoutError,))
    for kind, goes_on in ((redis.QoS, False), (RedisQoS, True)):
        monkeypatch.setattr(redis.QoS, "_remove_from_indices", lost)
        qos = kind(channel, prefetch_count=1)
        virtual.QoS.append(qos, object(), "tag")
        assert not qos.can_consume()
        with pytest.raises(RedisTimeoutError):
            qos.ack("tag")
        assert qos.can_consume() is goes_on
    register()
    assert PatientConnection("redis://127.0.0.1:9/0").get_transport_cls() is RedisTransport
