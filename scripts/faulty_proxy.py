"""A way to a server that can be broken: for tests and figures of what the shop does meanwhile."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import sleep


class FaultyProxy:
    """Passes TCP connections on to a server on this machine, or does not.

    `forward()` as if it were not there; `hang()` keeps connections open and passes nothing on, those that are open
    for good; `refuse()` closes everything and listens no more. `target` is the server's port on this machine, or the
    path of its socket; without one only `hang` makes sense.
    """

    def __init__(self, target: int | str | None = None) -> None:
        self._target = target
        self._ends: list[socket.socket] = []
        self._lock = threading.Lock()
        self._hanging = threading.Event()
        self._listener: socket.socket | None = None
        self.delay = 0.0
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        if target is None:
            self.hang()
        else:
            self.forward()

    def forward(self) -> None:
        """New connections work. Those that hung stay silent, as they would after a failure of the network."""
        self._hanging.clear()
        self._listen()

    def hang(self) -> None:
        """New connections are accepted and stay silent."""
        self._hanging.set()
        self._listen()

    def refuse(self) -> None:
        """New connections are refused."""
        self.close()

    def close(self) -> None:
        """Stop listening and end every connection."""
        listener, self._listener = self._listener, None
        if listener is not None:
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        with self._lock:
            ends, self._ends = self._ends, []
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _listen(self) -> None:
        if self._listener is not None:
            return
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port))
        listener.listen(128)
        self._listener = listener
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            with self._lock:
                self._ends.append(client)
            if self._hanging.is_set() or self._target is None:
                continue
            try:
                server = self._connect(self._target)
            except OSError:
                client.close()
                continue
            with self._lock:
                self._ends.append(server)
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self._pass_on, args=(source, sink), daemon=True).start()

    def _connect(self, target: int | str) -> socket.socket:
        if isinstance(target, int):
            return socket.create_connection(("127.0.0.1", target))
        server = socket.socket(socket.AF_UNIX)
        server.connect(target)
        return server

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if self._hanging.is_set():
                    # Lost for good, and everything after it.
                    while source.recv(65536):
                        pass
                    return
                if self.delay:
                    sleep(self.delay)
                sink.sendall(data)
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@contextmanager
def faulty_proxy(target: int | str | None = None) -> Iterator[FaultyProxy]:
    """A proxy before a server; None: a server that takes every connection and never answers."""
    proxy = FaultyProxy(target)
    try:
        yield proxy
    finally:
        proxy.close()
