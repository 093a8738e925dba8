"""The process itself: when it refuses to start, what a restart keeps, who may steer it."""

import subprocess
import sys

import pytest
import requests

from orders.stripe_sandbox.testing import PROJECT_DIR, RunningSandbox, SandboxRefused

from .conftest import make_client, session_params, until


def start(tmp_path, *, secret_key="sk_test_x", webhook_secret="whsec_x", port="0", **variables):
    return subprocess.run(
        [
            *(sys.executable, "-m", "orders.stripe_sandbox", "--data-dir", str(tmp_path), "--port", port),
            *("--secret-key", secret_key, "--webhook-secret", webhook_secret),
        ],
        cwd=PROJECT_DIR,
        env={"PATH": "/usr/bin:/bin", "DEBUG": "true"} | variables,
        capture_output=True,
        text=True,
        timeout=30,
    )


def test_the_garbage_collector_is_left_on(tmp_path):
    """The shop turns it off until its apps are loaded; this process loads none of them."""
    answer = subprocess.run(
        [sys.executable, "-c", "import gc, orders.stripe_sandbox.settings; print(gc.isenabled())"],
        cwd=PROJECT_DIR,
        env={
            "PATH": "/usr/bin:/bin",
            "DEBUG": "true",
            "DATA_DIR": str(tmp_path),
            "STRIPE_SECRET_KEY": "sk_test_x",
            "STRIPE_WEBHOOK_SECRET": "whsec_x",
        },
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert answer.stdout == "True\n"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"secret_key": "sk_live_1"}, "The payment sandbox needs a key that begins with sk_test_"),
        ({"secret_key": ""}, "The payment sandbox needs a key that begins with sk_test_"),
        ({"webhook_secret": "x"}, "The payment sandbox needs a webhook secret that begins with whsec_"),
        ({"port": "many"}, "The payment sandbox can't read a number"),
        ({"STRIPE_SANDBOX_WEBHOOK_DELAY": "2-1"}, "STRIPE_SANDBOX_WEBHOOK_DELAY: unreadable value '2-1'."),
        (
            {"STRIPE_SANDBOX_WEBHOOK_URL": "ftp://x"},
            "STRIPE_SANDBOX_WEBHOOK_URL must be an absolute http address.",
        ),
    ],
)
def test_it_says_in_one_sentence_what_is_missing(tmp_path, changes, sentence):
    ended = start(tmp_path, **changes)

    assert ended.returncode == 2
    assert ended.stderr.startswith(sentence)
    assert "Traceback" not in ended.stderr


def test_a_taken_port_is_said(tmp_path, sandbox):
    ended = start(tmp_path, port=str(sandbox.port))

    assert ended.returncode == 2
    assert ended.stderr.startswith(f"The payment sandbox can't listen on port {sandbox.port}")


def test_a_restart_keeps_everything(tmp_path, receiver, sandbox):
    receiver.answer = lambda number: 503
    with RunningSandbox(
        0, tmp_path, receiver.url, variables={"STRIPE_SANDBOX_WEBHOOK_RETRY": "600,600"}
    ) as own:
        client = make_client(own)
        paid = client.v1.checkout.sessions.create(session_params(), {"idempotency_key": "k"})
        opened = client.v1.checkout.sessions.create(session_params())
        own.control(f"sessions/{paid.id}/pay")
        own.control("clock", advance=100)
        own.wait_for_event("charge.updated", state="pending")
        until(lambda: all(event["tries"] == 1 for event in own.look("events")["events"]))
        before = own.look("events")["events"]

        own.restart()

        assert client.v1.checkout.sessions.retrieve(paid.id).payment_status == "paid"
        assert client.v1.checkout.sessions.create(session_params(), {"idempotency_key": "k"}).id == paid.id
        assert requests.get(opened.url, timeout=5).status_code == 200
        assert own.look("events")["events"] == before
        receiver.answer = lambda number: 200
        receiver.received.clear()
        own.control("clock", advance=601)
        own.wait_for_event("checkout.session.completed")


def test_webhooks_can_be_switched_off_by_the_environment(tmp_path, receiver):
    with RunningSandbox(0, tmp_path, receiver.url, variables={"STRIPE_SANDBOX_WEBHOOKS": "0"}) as own:
        assert own.look("health")["webhooks"] is False


@pytest.mark.parametrize(
    ("action", "body", "reason"),
    [
        ("nothing", {}, "no such control: POST nothing"),
        ("faults", {}, "KeyError: 'kind'"),
        ("faults", {"kind": "earthquake"}, "ValueError: kind is error, hang or drop"),
        ("faults", {"kind": "error", "status": 200}, "ValueError: status is 400 to 599, times at least 1"),
        ("sessions/cs_x/pay", {}, "No such checkout.session: 'cs_x'"),
        ("disputes/dp_x/close", {"status": "drawn"}, "ValueError: status is won or lost"),
        ("refunds/next", {"ends": "maybe"}, "ValueError: begins is succeeded or pending, ends is failed"),
    ],
)
def test_the_control_surface_says_why_not(sandbox, action, body, reason):
    with pytest.raises(SandboxRefused) as caught:
        sandbox.control(action, **body)

    assert str(caught.value).startswith(reason)


def test_a_foreign_page_can_not_steer_it(sandbox):
    answer = requests.post(f"{sandbox.url}/_control/reset", data={"a": "b"}, timeout=5)
    assert answer.status_code == 415
    answer = requests.get(f"{sandbox.url}/", headers={"Host": "evil.example"}, timeout=5)
    assert answer.status_code == 400


def test_recorded_requests_show_parameters_but_no_key(client, sandbox):
    client.v1.customers.create({"email": "a@example.com"}, {"idempotency_key": "k"})

    (row,) = sandbox.look("requests", path="/v1/customers", method="post")["requests"]
    assert (row["method"], row["path"], row["status"]) == ("POST", "/v1/customers", 200)
    assert (row["params"], row["idempotency_key"]) == ({"email": "a@example.com"}, "k")
    assert "sk_test" not in str(row)
