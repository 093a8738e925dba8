"""Four visitors who ask for one thing again and again: prints how many answers they had.

    python tests/load/visitors.py PORT SECONDS < request

Each keeps a connection. A process of its own and bare sockets, so that asking costs as little as it can.
"""

from __future__ import annotations

import re
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

VISITORS = 4
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.I)


def visit(port: int, request: bytes, seconds: float) -> int:
    """The number of answers. Raises AssertionError on one that is neither 2xx nor 304."""
    done, ends = 0, perf_counter() + seconds
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while perf_counter() < ends:
            connection.sendall(request)
            received = b""
            while b"\r\n\r\n" not in received:
                received += _more(connection)
            head, _, body = received.partition(b"\r\n\r\n")
            assert re.match(rb"HTTP/1\.1 (2\d\d|304) ", head), head[:200]
            length = _LENGTH.search(head)
            if length:
                missing = int(length[1]) - len(body)
                while missing > 0:
                    missing -= len(_more(connection))
            else:
                while not body.endswith(b"0\r\n\r\n"):
                    body += _more(connection)
            done += 1
    return done


def _more(connection: socket.socket) -> bytes:
    received = connection.recv(1 << 18)
    assert received, "The server hung up."
    return received


def main() -> None:
    port, seconds = int(sys.argv[1]), float(sys.argv[2])
    request = sys.stdin.buffer.read()
    with ThreadPoolExecutor(VISITORS) as pool:
        done = sum(pool.map(lambda _: visit(port, request, seconds), range(VISITORS)))
    print(done)


if __name__ == "__main__":
    main()
