"""Servers in the place of Redis: one that answers everything with the same words."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass


@dataclass
class FakeServer:
    """Where the server listens and how many connections came."""

    url: str
    connections: int = 0


@contextmanager
def answering(words: bytes) -> Iterator[FakeServer]:
    """A server that greets as Redis does and answers every other command with `words`."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(16)
        server = FakeServer(f"redis://127.0.0.1:{listener.getsockname()[1]}/0")

        def serve(client: socket.socket) -> None:
            with client, suppress(OSError):
                while data := client.recv(65536):
                    # HELLO and CLIENT … open a connection; several may come in one packet.
                    greetings = data.count(b"HELLO") + data.count(b"CLIENT\r\n")
                    client.sendall(b"+OK\r\n" * greetings or words)

        def accept() -> None:
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                server.connections += 1
                threading.Thread(target=serve, args=(client,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield server
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
