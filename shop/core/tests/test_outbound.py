"""Calls of addresses that people typed reach the open internet and nothing else."""

from __future__ import annotations

import ipaddress
import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from shop.core import outbound
from shop.core.outbound import AddressRefused, CallFailed, check_address, fetch, is_public, post

PRIVATE = (
    *("127.0.0.1", "127.1.2.3", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"),
    *("169.254.169.254", "100.64.0.1", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.5"),
    *("224.0.0.1", "240.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fc00::1", "fd12:3456::1"),
    *("ff02::1", "2001:db8::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::1"),
    *("2002:a00:1::1", "fec0::1", "::7f00:1", "::ffff:0:a00:1", "64:ff9b:1::a00:1"),
    *("192.0.0.192", "::ffff:192.0.0.192", "192.88.99.1", "3fff::1"),
)
PUBLIC = (
    "8.8.8.8",
    "93.184.216.34",
    "2606:2800:220:1:248:1893:25c8:1946",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
)


@pytest.mark.parametrize("address", PRIVATE)
def test_address_of_a_private_network_is_refused_written_and_resolved(address: str, resolver: Any):
    assert not is_public(ipaddress.ip_address(address))
    host = f"[{address}]" if ":" in address else address
    with pytest.raises(AddressRefused) as refused:
        check_address(f"https://{host}/a")
    assert refused.value.reason == "private"
    resolver["pictures.example.com"] = [address]
    with pytest.raises(AddressRefused) as refused:
        fetch("https://pictures.example.com/a.jpg", seconds=1, most=10)
    assert refused.value.reason == "private"


@pytest.mark.parametrize("address", PUBLIC)
def test_address_of_the_internet_is_accepted(address: str):
    assert is_public(ipaddress.ip_address(address))
    host = f"[{address}]" if ":" in address else address
    assert check_address(f"https://{host}/a").hostname == address


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://example.com/", "scheme"),
        ("ftp://example.com/", "scheme"),
        ("file:///etc/passwd", "scheme"),
        ("javascript:alert(1)", "scheme"),
        ("//example.com/", "scheme"),
        ("https://", "malformed"),
        ("https:///a", "malformed"),
        ("https://example.com:99999/", "malformed"),
        ("https://example.com:0/", "malformed"),
        ("https://exa mple.com/", "malformed"),
        ("https://example.com/\r\nHost: other", "malformed"),
        ("https://example.com\\@127.0.0.1/", "malformed"),
        ("https://éxample.com/", "malformed"),
        ("https://[::1/", "malformed"),
        ("https://" + "a" * 2000 + ".com/", "malformed"),
        ("https://user:password@example.com/", "credentials"),
        ("https://example.com@127.0.0.1/", "credentials"),
        ("https://localhost/", "private"),
        ("https://LOCALHOST./", "private"),
        ("https://redis:6379/", "private"),
        ("https://shop.internal/", "private"),
        ("https://printer.local/", "private"),
        ("https://metadata.google.internal./", "private"),
        ("https://127.1/", "private"),
        ("https://0x7f.0.0.1/", "private"),
        ("https://0177.0.0.1/", "private"),
        ("https://2130706433/", "private"),
        ("https://[::ffff:7f00:1]/", "private"),
        ("https://[fe80::1%25eth0]/", "private"),
    ],
)
def test_what_an_address_itself_says_is_refused_without_looking_it_up(url: str, reason: str, resolver: Any):
    with pytest.raises(AddressRefused) as refused:
        check_address(url)
    assert refused.value.reason == reason
    assert resolver == {}


def test_name_with_a_public_and_a_private_address_is_refused(resolver: Any):
    resolver["both.example.com"] = ["93.184.216.34", "127.0.0.1"]
    with pytest.raises(AddressRefused, match="private"):
        fetch("https://both.example.com/", seconds=1, most=10)


def test_name_is_looked_up_once_and_the_checked_address_is_called(
    monkeypatch: pytest.MonkeyPatch, resolver: Any
):
    """A name that stands for a private address at the second question is never asked a second time."""
    resolver["rebinding.example.com"] = ["93.184.216.34"]
    called = []

    def connect(address: Any, timeout: float) -> socket.socket:
        called.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(CallFailed, match="unreachable"):
        fetch("http://rebinding.example.com/a.jpg", seconds=1, most=10)
    assert called == [("93.184.216.34", 80)]
    assert resolver.asked == ["rebinding.example.com"]


def test_name_that_nobody_knows_fails(resolver: Any):
    with pytest.raises(CallFailed, match="unresolved"):
        fetch("https://nowhere.example.com/", seconds=1, most=10)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    requests: list[tuple[str, str, dict[str, str], bytes]]


@pytest.fixture
def server() -> Iterator[Server]:
    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            names = {name.lower(): value for name, value in self.headers.items()}
            running.requests.append((self.command, self.path, names, self.rfile.read(length)))
            if self.path.startswith("/to/"):
                self.send_response(302)
                self.send_header("Location", self.path.removeprefix("/to/"))
                self.end_headers()
            elif self.path == "/drip":
                self.send_response(200)
                self.end_headers()
                for _ in range(100):
                    time.sleep(0.1)
                    try:
                        self.wfile.write(b".")
                    except OSError:
                        return
            elif self.path == "/silent":
                time.sleep(3)
            else:
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"x" * 1000)

        do_GET = do_POST = _answer  # noqa: N815

        def log_message(self, *args: Any) -> None:
            return

    running = Server(("127.0.0.1", 0), Handler)
    running.requests = []
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield running
    running.shutdown()
    running.server_close()


class Resolver(dict[str, list[str]]):
    asked: list[str]


@pytest.fixture
def resolver(monkeypatch: pytest.MonkeyPatch) -> Resolver:
    """What names stand for; addresses stand for themselves."""
    names = Resolver()
    names.asked = []

    def look_up(host: str, port: int, **kwargs: Any) -> list[Any]:
        names.asked.append(host)
        found = names.get(host, [host] if host.replace(".", "").isdigit() or ":" in host else [])
        if not found:
            raise socket.gaierror
        return [(0, 0, 0, "", (address, port)) for address in found]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return names


@pytest.fixture
def on_the_internet(
    monkeypatch: pytest.MonkeyPatch, resolver: Resolver, server: Server
) -> Callable[[str], str]:
    """The local server under the public name of another, at a public address that leads to it."""
    resolver["pictures.example.com"] = ["93.184.216.34"]
    port = server.server_address[1]

    def lead(address: Any, timeout: float) -> socket.socket:
        assert address[0] == "93.184.216.34", f"calls {address}"
        sock = socket.socket()
        sock.settimeout(timeout)
        sock.connect(("127.0.0.1", port))
        return sock

    monkeypatch.setattr(socket, "create_connection", lead)
    return lambda path: f"http://pictures.example.com{path}"


def test_file_is_fetched_with_the_host_that_was_asked_for(on_the_internet: Any, server: Server):
    answer = fetch(on_the_internet("/a.jpg?size=2"), seconds=2, most=1000, accept="image/*")
    assert (answer.status, len(answer.body)) == (200, 1000)
    [(method, path, headers, _body)] = server.requests
    assert (method, path) == ("GET", "/a.jpg?size=2")
    assert (headers["host"], headers["accept"]) == ("pictures.example.com", "image/*")
    assert "cookie" not in headers
    assert "authorization" not in headers


def test_redirect_to_a_public_address_is_followed(on_the_internet: Any, server: Server):
    target = on_the_internet("/a.jpg")
    assert fetch(on_the_internet(f"/to/{target}"), seconds=2, most=1000).status == 200
    assert [path for _method, path, _headers, _body in server.requests] == [f"/to/{target}", "/a.jpg"]


@pytest.mark.parametrize(
    "target",
    ["http://127.0.0.1/", "http://169.254.169.254/latest/meta-data", "http://localhost/", "file:///etc"],
)
def test_redirect_into_the_network_of_the_shop_is_refused(on_the_internet: Any, server: Server, target: str):
    with pytest.raises(AddressRefused):
        fetch(on_the_internet(f"/to/{target}"), seconds=2, most=1000)
    assert len(server.requests) == 1


def test_redirects_without_end_are_given_up_after_three(on_the_internet: Any, server: Server):
    path = "/to/" * 6
    with pytest.raises(CallFailed, match="too_many_redirects"):
        fetch(on_the_internet(path), seconds=2, most=1000)
    assert len(server.requests) == 4


def test_file_above_the_limit_is_refused(on_the_internet: Any):
    with pytest.raises(CallFailed, match="too_large"):
        fetch(on_the_internet("/a.jpg"), seconds=2, most=999)


@pytest.mark.parametrize("path", ["/drip", "/silent"])
def test_server_that_is_slow_is_given_up_in_time(on_the_internet: Any, path: str):
    began = time.monotonic()
    with pytest.raises(CallFailed, match="timeout"):
        fetch(on_the_internet(path), seconds=0.5, most=1000)
    assert time.monotonic() - began < 2


def test_post_reads_the_beginning_of_the_answer_and_follows_no_redirect(server: Server):
    port = server.server_address[1]
    url = f"http://127.0.0.1:{port}"
    answer = post(
        f"{url}/hook",
        body=b"{}",
        headers={"X-Test": "1"},
        seconds=2,
        most=10,
        schemes=("http",),
        allow_loopback=True,
    )
    assert (answer.status, answer.body) == (200, b"x" * 10)
    answer = post(
        f"{url}/to/{url}/other",
        body=b"{}",
        headers={},
        seconds=2,
        most=10,
        schemes=("http",),
        allow_loopback=True,
    )
    assert answer.status == 302
    assert [path for _method, path, _headers, _body in server.requests] == ["/hook", f"/to/{url}/other"]
    assert server.requests[0][3] == b"{}"


def test_loopback_is_refused_unless_it_is_allowed(server: Server):
    url = f"http://127.0.0.1:{server.server_address[1]}/"
    with pytest.raises(AddressRefused):
        post(url, body=b"", headers={}, seconds=1, most=1, schemes=("http",))
    with pytest.raises(AddressRefused):
        post(
            "http://10.0.0.1/",
            body=b"",
            headers={},
            seconds=1,
            most=1,
            schemes=("http",),
            allow_loopback=True,
        )
    assert server.requests == []


def test_proxies_of_the_environment_are_not_used(
    on_the_internet: Any, server: Server, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert fetch(on_the_internet("/a.jpg"), seconds=2, most=1000).status == 200


def test_encrypted_calls_check_the_name_of_the_host():
    context = outbound._encryption()
    assert context.check_hostname is True
    assert context.verify_mode.name == "CERT_REQUIRED"
