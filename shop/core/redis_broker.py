"""Redis as Celery's broker."""

from typing import Any

from kombu.transport import redis, virtual


class RedisQoS(redis.QoS):
    """Kombu's own, for a worker that goes on after an acknowledgement was lost.

    A worker takes one message at a time and the next one when that is acknowledged. If Redis does not answer just then,
    Kombu logs it and keeps counting the message as held: the worker lives, is connected, and never takes another one.
    """

    def ack(self, delivery_tag: Any) -> None:
        try:
            super().ack(delivery_tag)
        except self.channel.connection_errors:  # type: ignore[attr-defined]
            # Redis still has the message and hands it out again after `visibility_timeout`; tasks bear that.
            virtual.QoS.ack(self, delivery_tag)
            raise


class RedisChannel(redis.Channel):
    QoS = RedisQoS


class RedisTransport(redis.Transport):
    """Kombu's `redis://`, with the acknowledgements above."""

    Channel = RedisChannel
