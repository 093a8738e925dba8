"""One sandbox process for all tests here, emptied before each, and a small receiver in the shop's place."""

import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests
import stripe

from orders.stripe_sandbox.testing import RunningSandbox


class Receiver:
    """Stands where the shop's webhook is. `answer` decides the status of each delivery."""

    def __init__(self) -> None:
        self.received: list[tuple[bytes, str]] = []
        self.answer: Callable[[int], int] = lambda number: 200
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.received.append((body, self.headers["Stripe-Signature"]))
                self.send_response(receiver.answer(len(receiver.received)))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/webhooks/stripe"

    def __enter__(self) -> "Receiver":
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *args: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def types(self) -> list[str]:
        return [
            stripe.Webhook.construct_event(body, sign, "whsec_sandbox").type for body, sign in self.received
        ]


def until(condition: Callable[[], bool]) -> None:
    """Waits for another process to get there; fails after 10 s."""
    give_up = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < give_up, "waited for 10 s"
        time.sleep(0.03)


def make_client(
    sandbox: RunningSandbox, *, key: str | None = None, retries: int = 0, timeout: float = 5
) -> stripe.StripeClient:
    return stripe.StripeClient(
        key or sandbox.secret_key,
        base_addresses={"api": sandbox.url},
        http_client=stripe.RequestsClient(timeout=timeout),
        max_network_retries=retries,
    )


@pytest.fixture(scope="session", autouse=True)
def _no_telemetry() -> Iterator[None]:
    before, stripe.enable_telemetry = stripe.enable_telemetry, False
    yield
    stripe.enable_telemetry = before


@pytest.fixture(scope="session")
def _receiver() -> Iterator[Receiver]:
    with Receiver() as running:
        yield running


@pytest.fixture(scope="session")
def _sandbox(tmp_path_factory: pytest.TempPathFactory, _receiver: Receiver) -> Iterator[RunningSandbox]:
    folder = tmp_path_factory.mktemp("sandbox")
    with RunningSandbox(
        0, folder, _receiver.url, variables={"STRIPE_SANDBOX_WEBHOOK_RETRY": "10,60"}
    ) as running:
        yield running


@pytest.fixture
def receiver(_receiver: Receiver) -> Receiver:
    return _receiver


@pytest.fixture
def sandbox(_sandbox: RunningSandbox, _receiver: Receiver) -> RunningSandbox:
    """Empty, at the machine's time, its webhooks off: tests of webhooks switch them on."""
    _sandbox.control("reset")
    _sandbox.control("webhooks", on=False)
    _receiver.received.clear()
    _receiver.answer = lambda number: 200
    return _sandbox


@pytest.fixture
def client(sandbox: RunningSandbox) -> stripe.StripeClient:
    return make_client(sandbox)


@pytest.fixture
def open_session(client: stripe.StripeClient) -> Callable[..., stripe.checkout.Session]:
    """Creates a session over 24,68 €; keyword arguments add to or replace its parameters (None removes)."""

    def create(**changes: object) -> stripe.checkout.Session:
        params = session_params() | changes
        return client.v1.checkout.sessions.create(
            {name: value for name, value in params.items() if value is not None}
        )

    return create


def session_params() -> dict[str, object]:
    return {
        "mode": "payment",
        "allowed_payment_method_types": ["card"],
        "success_url": "http://localhost:8000/payment-success?session_id={CHECKOUT_SESSION_ID}",
        "cancel_url": "http://localhost:8000/panier",
        "customer_email": "camille@example.com",
        "client_reference_id": "order-1",
        "metadata": {"order": "order-1"},
        "payment_intent_data": {"metadata": {"attempt": "attempt-1"}},
        "line_items": [
            {
                "quantity": 2,
                "price_data": {
                    "currency": "eur",
                    "unit_amount": 1234,
                    "product_data": {"name": "Dragon peint"},
                },
            },
            {
                "quantity": 1,
                "price_data": {
                    "currency": "eur",
                    "unit_amount": 0,
                    "product_data": {"name": "Gobelin offert"},
                },
            },
        ],
    }


@pytest.fixture
def save_card(
    client: stripe.StripeClient, sandbox: RunningSandbox, open_session
) -> Callable[[str], tuple[str, str]]:
    """A customer who paid once and left a card that behaves like `later` afterwards: (customer, payment method)."""

    def save(later: str) -> tuple[str, str]:
        customer = client.v1.customers.create({"email": "camille@example.com", "name": "Camille Martin"})
        session = open_session(
            customer=customer.id,
            customer_email=None,
            payment_intent_data={"setup_future_usage": "off_session"},
        )
        sandbox.control(f"sessions/{session.id}/pay", card="4242", later=later)
        intent = client.v1.checkout.sessions.retrieve(
            session.id, {"expand": ["payment_intent"]}
        ).payment_intent
        return customer.id, intent.payment_method

    return save


@pytest.fixture
def browser() -> Iterator[requests.Session]:
    with requests.Session() as session:
        session.trust_env = False
        yield session
