"""Somebody tries stolen cards on a payment page: after five refusals it is closed, and the workshop told once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from catalog.models import Product
from orders.models import Attempt, AttemptState, Order
from orders.services.payments.card_change import change_card
from orders.services.payments.payment_links import pay_by_link
from orders.stripe import gateway
from orders.tests.factories import checkout_body, line
from orders.tests.fake_stripe import FakeStripe, session_of
from orders.tests.installments import SECOND, Clock, attempts, bought, charged, page_of, payment_of
from orders.tests.refunding import ledger
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail
from shop.core.problems import Problem
from tests.payment_faults.outcomes import charges, confirmed_once, mails, rows, still_waits
from tests.races.concurrency import run_concurrently, values
from tests.races.conftest import Buyer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

ALERT = "payment_review_alert"
FAILED = "payment_intent.payment_failed"


def refuse(fake_stripe: FakeStripe, page: str, times: int = 1) -> dict[str, Any]:
    """So many cards of strangers, and the message about the last of them."""
    for _ in range(times):
        assert fake_stripe.control(f"sessions/{page}/refuse")["result"] == "refused"
    return [event for event in fake_stripe.events() if event["type"] == FAILED][-1]


def closed_once(order: Order, count: int = 5) -> None:
    attempt = Attempt.objects.get(payment__order=order)
    assert (attempt.state, attempt.error_code) == (AttemptState.EXPIRED, "generic_decline")
    order.refresh_from_db()
    assert (order.status, order.paid_at, order.review_reason) == ("cancelled", None, "")
    assert (order.payments.get().state, order.stock_holds.get().state) == ("void", "released")
    assert Product.objects.get().stock_quantity == 1
    assert (ledger(order), mails(order)) == ([], [ALERT])
    told = [(event.name, event.data) for event in order.events.order_by("pk")][2:]
    refused = ("payment.cards_refused", {"attempt": str(attempt.pk), "count": count})
    assert [told[0], told[1][0]] == [refused, "payment.expired"]
    assert len(told) == 2


def test_the_fifth_refused_card_closes_the_page(fake_stripe, buyer, order, caplog):
    page = session_of(order)
    for count in range(1, 5):
        assert buyer.webhook(refuse(fake_stripe, page)) == 200
        assert buyer.verify(page).json()["payment_status"] == "pending"
        still_waits(order)
        assert len(charges(fake_stripe)) == count
    assert fake_stripe.requests(f"/v1/checkout/sessions/{page}/expire") == []
    assert buyer.webhook(refuse(fake_stripe, page)) == 200
    closed_once(order)
    before = rows()
    for event in fake_stripe.events():
        assert buyer.webhook(event) == 200
        assert buyer.webhook(event) == 200
    assert rows() == before
    assert len(fake_stripe.requests(f"/v1/checkout/sessions/{page}/expire")) == 1
    assert fake_stripe.pay(order)["result"] == "closed"
    assert charges(fake_stripe) == [(6000, False)] * 5
    assert [each.getMessage() for each in caplog.records if each.name == "shop.security"] == [
        f"order {order.pk}: 5 cards refused, its payment page is closed"
    ]
    alert = render(OutgoingMail.objects.get(kind=ALERT))
    assert (
        "Cartes refusées sur la page de paiement\u00a0: 5. La boutique la ferme\u00a0: quelqu'un essaie peut-être des "
        "cartes volées.\n\nClient"
    ) in alert.text
    assert "ne correspond pas" not in alert.text + alert.html
    # Nothing was sold: the piece can be ordered again, by this customer too.
    assert buyer.checkout(checkout_body([line(Product.objects.get())], "60.00")).status_code == 201


def test_a_card_that_pays_after_four_refusals_is_a_sale(fake_stripe, buyer, order):
    last = refuse(fake_stripe, session_of(order), 4)
    assert buyer.webhook(last) == 200
    still_waits(order)
    assert fake_stripe.pay(order)["result"] == "complete"
    for event in [*fake_stripe.events(), last]:
        assert buyer.webhook(event) == 200
    confirmed_once(order)
    assert not order.events.filter(name="payment.cards_refused").exists()


def test_a_card_that_pays_while_the_page_is_being_closed_wins(fake_stripe, buyer, order, monkeypatch):
    expire = gateway.expire_checkout_session

    def late(checkout_session_id: str) -> bool:
        assert fake_stripe.pay(order)["result"] == "complete"
        return expire(checkout_session_id)

    monkeypatch.setattr(gateway, "expire_checkout_session", late)
    fifth = refuse(fake_stripe, session_of(order), 5)
    assert buyer.webhook(fifth) == 200
    order.refresh_from_db()
    assert (order.status, order.payments.get().state) == ("confirmed", "paid")
    assert [str(amount) for _kind, amount in ledger(order)] == ["60.00"]
    assert mails(order) == ["order_confirmation", "order_new_workshop", ALERT]


def test_messages_at_once_close_the_page_once(fake_stripe, buyer, order):
    page = session_of(order)
    refuse(fake_stripe, page, 6)
    told = [event for event in fake_stripe.events() if event["type"] == FAILED]
    calls = [lambda event=event: Buyer().webhook(event) for event in told]
    assert values(run_concurrently(calls)) == [200] * 6
    closed_once(order, 6)
    assert len(fake_stripe.requests(f"/v1/checkout/sessions/{page}/expire")) == 1


def test_what_stripe_can_not_do_now_is_done_when_the_message_comes_again(fake_stripe, buyer, order):
    page = session_of(order)
    fifth = refuse(fake_stripe, page, 5)
    for path in ("/v1/charges", f"/v1/checkout/sessions/{page}/expire"):
        fake_stripe.control("faults", kind="error", path=path, status=503, times=2)
        assert buyer.webhook(fifth) == 503
        order.refresh_from_db()
        assert (order.status, Attempt.objects.get().state) == ("pending", "sent")
    assert buyer.webhook(fifth) == 200
    closed_once(order)


def test_an_installment_has_five_cards_a_day_on_all_its_pages(
    fake_stripe: FakeStripe, buyer: Buyer, clock: Clock
):
    """A new page for the same payment is no way to go on."""
    order = bought(fake_stripe, buyer)
    clock.go_to(SECOND - timedelta(days=5))
    pay_by_link(order_id=order.pk, everything=False)
    fourth = refuse(fake_stripe, page_of(payment_of(order, 2)), 4)
    pay_by_link(order_id=order.pk, everything=True)
    # The message of a page that is over comes late, and its cards count all the same.
    assert buyer.webhook(fourth) == 200
    assert attempts(order)[1:] == [(2, 1, "link", "expired", "generic_decline"), (2, 2, "link", "sent", "")]
    assert buyer.webhook(refuse(fake_stripe, page_of(payment_of(order, 2)))) == 200
    assert attempts(order)[2] == (2, 2, "link", "expired", "generic_decline")
    before = rows()
    for everything in (False, True):
        with pytest.raises(Problem) as refused:
            pay_by_link(order_id=order.pk, everything=everything)
        assert (refused.value.code, refused.value.status) == ("throttled", 429)
        assert refused.value.detail == "Trop de demandes aujourd'hui. Réessayez demain."
    # Nor is the page on which nothing is paid.
    with pytest.raises(Problem) as refused:
        change_card(order_id=order.pk)
    assert (refused.value.code, refused.value.status) == ("throttled", 429)
    assert rows() == before
    order.refresh_from_db()
    assert (order.status, payment_of(order, 2).state) == ("confirmed", "scheduled")
    assert mails(order).count(ALERT) == 1

    clock.pass_days(2)
    pay_by_link(order_id=order.pk, everything=False)
    page = page_of(payment_of(order, 2))
    assert buyer.webhook(refuse(fake_stripe, page)) == 200
    fake_stripe.control(f"sessions/{page}/pay")
    assert buyer.verify(page).json()["payment_status"] == "paid"
    assert charged(fake_stripe) == [5000, 5000]
