"""A server of somebody else on this machine, that answers as a test says."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Receiver:
    """What arrived, and what is answered: each status of `answers` once, then 200."""

    url: str = ""
    received: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    answer_body: bytes = b"ok"


@contextmanager
def receiver() -> Iterator[Receiver]:
    found = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            found.received.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(found.answers.pop(0) if found.answers else 200)
            self.end_headers()
            self.wfile.write(found.answer_body)

        def log_message(self, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    found.url = f"http://127.0.0.1:{server.server_address[1]}/hook"
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()


def kinds_of(server: Receiver) -> list[str]:
    """The kinds of the events that arrived, in their order."""
    return [json.loads(body)["type"] for _headers, body in server.received]
