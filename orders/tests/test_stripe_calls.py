"""How Stripe is reached: through the proxy that the server's environment names, and not where it says so."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from orders.stripe import stripe_api


class Proxy(BaseHTTPRequestHandler):
    """Answers each call itself, and keeps what was asked for and with which right."""

    asked: list[tuple[str, str]] = []

    def do_GET(self) -> None:
        self.asked.append((self.path, self.headers["Authorization"]))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"id": "cs_1", "object": "checkout.session"}')

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch):
    server = HTTPServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setattr(Proxy, "asked", [])
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{server.server_port}")
    stripe_api.stripe_client.cache_clear()
    yield server
    stripe_api.stripe_client.cache_clear()
    server.shutdown()
    server.server_close()


def test_calls_go_through_the_proxy_of_the_environment_with_the_shop_s_key(
    proxy, monkeypatch, tmp_path, settings
):
    # Names and passwords of the machine's user are none of the shop's.
    (tmp_path / ".netrc").write_text("machine stripe.example login somebody password x")
    monkeypatch.setenv("HOME", str(tmp_path))
    settings.STRIPE_SECRET_KEY, settings.STRIPE_API_BASE = "sk_test_1", "http://stripe.example"

    with stripe_api.calling() as services:
        found = services.checkout.sessions.retrieve("cs_1")

    assert found.id == "cs_1"
    assert Proxy.asked == [("http://stripe.example/v1/checkout/sessions/cs_1", "Bearer sk_test_1")]


def test_an_address_that_needs_no_proxy_is_called_itself(proxy, monkeypatch, settings):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    settings.STRIPE_SECRET_KEY = "sk_test_1"
    settings.STRIPE_API_BASE = f"http://127.0.0.1:{proxy.server_port}"

    with stripe_api.calling() as services:
        services.checkout.sessions.retrieve("cs_1")

    assert Proxy.asked == [("/v1/checkout/sessions/cs_1", "Bearer sk_test_1")]
