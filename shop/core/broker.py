"""The connection to the Celery broker: a folder of files on a machine with nothing installed, else Redis.

Kombu's filesystem transport writes into the folders that others read, so that a reader can pick up a file before its
content is there and crash the worker. Here both appear by an atomic rename.
A message only starts work sooner: rows in the database (outgoing mails, payments, scheduled jobs) are the truth,
and jobs that sweep them find whatever a lost message should have started.
"""

import fcntl
import os
import time
import uuid
from contextlib import suppress
from typing import Any

from celery.app.amqp import AMQP
from kombu import Connection
from kombu.exceptions import ChannelError
from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.encoding import str_to_bytes
from kombu.utils.json import dumps

ALIAS = "folder"
# Workers and beat ask a broker that is away again after 2, 4, 4, 4 … seconds; Kombu's own pauses grow to 30.
LONGEST_PAUSE_SECONDS = 4


class PatientConnection(Connection):
    """A connection that comes back within seconds of its server, however long that was away."""

    def _ensure_connection(self, *args: Any, **kwargs: Any) -> Any:
        kwargs.setdefault("interval_max", LONGEST_PAUSE_SECONDS)
        return super()._ensure_connection(*args, **kwargs)


class PatientAMQP(AMQP):
    """Celery's interface to its broker, through such connections."""

    Connection = PatientConnection
    BrokerConnection = PatientConnection


class FolderChannel(filesystem.Channel):
    """A channel whose messages and tables appear in their folders whole."""

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str | None, queue: str) -> None:
        table = self.control_folder / f"{exchange}.exchange"
        self.control_folder.mkdir(exist_ok=True)
        # Kombu makes it empty and locks it then: another process would read nothing and die, or empty it again.
        if not table.exists():
            with (self.control_folder / "tables.lock").open("w") as gate:
                fcntl.flock(gate, fcntl.LOCK_EX)
                if not table.exists():
                    hidden = table.with_suffix(".partial")
                    hidden.write_bytes(b"[]")
                    os.replace(hidden, table)
        super()._queue_bind(exchange, routing_key, pattern, queue)

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]
        name = f"{time.time_ns() // 1_000_000}_{uuid.uuid4()}.{queue}.msg"
        target = os.path.join(self.data_folder_out, name)
        hidden = f"{target}.partial"
        try:
            with open(hidden, "wb") as stream:
                stream.write(str_to_bytes(dumps(payload)))
            os.replace(hidden, target)
        except OSError as error:
            # Of a full disk: nobody else would ever take it away.
            with suppress(OSError):
                os.remove(hidden)
            raise ChannelError(f"Cannot add file {target!r} to directory") from error


class FolderTransport(filesystem.Transport):
    """Kombu's `folder://`."""

    Channel = FolderChannel


def register() -> None:
    """Make ``folder://`` known to Kombu, and the shop's own ``redis://``, each by its name: without Redis its client is
    not loaded."""
    TRANSPORT_ALIASES[ALIAS] = f"{__name__}:FolderTransport"
    for name in ("redis", "rediss"):
        TRANSPORT_ALIASES[name] = "shop.core.redis_broker:RedisTransport"
