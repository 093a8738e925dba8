"""Calls of the sandbox that tests of several subjects make."""

from __future__ import annotations


def charge_params(customer, method, **changes):
    return {
        "amount": 5000,
        "currency": "eur",
        "customer": customer,
        "payment_method": method,
        "off_session": True,
        "confirm": True,
        "allowed_payment_method_types": ["card"],
        "metadata": {"payment": "2"},
    } | changes


def paid_intent(client, sandbox, open_session):
    session = open_session()
    sandbox.control(f"sessions/{session.id}/pay")
    return client.v1.checkout.sessions.retrieve(session.id).payment_intent


def press(browser, session, action, **fields):
    return browser.post(
        session.url, data={"card": "4242"} | fields | {"action": action}, allow_redirects=False, timeout=10
    )
