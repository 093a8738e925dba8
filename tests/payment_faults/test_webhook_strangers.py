"""Case 11: events of another shop, of an unknown type, or about what is not known yet."""

from __future__ import annotations

import json
import uuid

import pytest
from django.conf import settings as live_settings
from django.utils import timezone

from orders.models import Attempt, Discrepancy, StripeEvent
from orders.services.fulfilment.archiving import Removal, remove_order
from orders.stripe import gateway
from orders.tests.fake_stripe import session_of, signature
from orders.watched import oldest_unprocessed_event
from shop.core.models import OutgoingMail
from tests.payment_faults.outcomes import confirmed_once, rows, sent_event
from tests.payment_faults.webhook_posts import COMPLETED, message, post
from tests.races.conftest import Buyer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("site", [None, "https://another-shop.example"])
def test_case_11_a_payment_of_another_shop_is_acknowledged(fake_stripe, client, order, site):
    """A signed event for an unknown order or another shop: 5xx if ours by metadata, else 200; nothing created."""
    payload = message(
        metadata={"shop": site, "attempt": "6f0cbb3a-1c41-4df1-9a7e-7a7d1d3e5a10"} if site else {}
    )
    before = rows()
    assert post(client, payload, signature(payload)).status_code == 200
    assert rows() == before
    kept = StripeEvent.objects.get()
    assert (kept.kind, kept.error, kept.processed_at is None) == (COMPLETED, "", False)


def test_case_11_an_unknown_type_is_acknowledged(fake_stripe, client, order):
    """A signed event for an unknown order or another shop: 5xx if ours by metadata, else 200; nothing created."""
    payload = message("product.created")
    before = rows()
    assert post(client, payload, signature(payload)).status_code == 200
    assert rows() == before


@pytest.mark.parametrize("kind", [COMPLETED, "payment_intent.succeeded", "charge.succeeded"])
def test_case_11_a_payment_of_ours_that_is_not_known_must_come_again(fake_stripe, client, order, kind):
    """A signed event for an unknown order or another shop: 5xx if ours by metadata, else 200; nothing created."""
    ours = {"shop": live_settings.SITE_URL, "attempt": "6f0cbb3a-1c41-4df1-9a7e-7a7d1d3e5a10"}
    payload = message(kind, metadata=ours)
    before = rows()
    for tries in (1, 2):
        assert post(client, payload, signature(payload)).status_code == 503
        kept = StripeEvent.objects.get()
        assert (kept.processed_at, kept.tries) == (None, tries)
        assert kept.error.startswith("NotYetKnown")
    assert rows() == before


def test_case_11_a_message_that_overtook_its_page_is_acted_on_when_it_comes_again(client, order, paid_event):
    """A signed event of ours that is not known yet: 5xx, and the same event confirms the order when it comes again."""
    page = Attempt.objects.values("checkout_session_id", "checkout_session_url", "intent_id").get()
    Attempt.objects.update(checkout_session_id=None, checkout_session_url="", intent_id=None)
    assert post(client, paid_event, signature(paid_event)).status_code == 503
    Attempt.objects.update(**page)
    assert post(client, paid_event, signature(paid_event)).status_code == 200
    confirmed_once(order)
    assert StripeEvent.objects.get().tries == 2


def test_case_11_money_of_another_shop_on_the_account_is_left_alone(client, order):
    """Foreign by its metadata: 200, nothing recorded, nobody told."""
    payload = message(
        payment_status="paid", amount_total=6000, metadata={"shop": "https://other.example", "attempt": "x"}
    )
    assert post(client, payload, signature(payload)).status_code == 200
    assert not Discrepancy.objects.exists()
    assert not OutgoingMail.objects.exists()


def test_an_event_that_stays_unknown_is_shown_when_it_is_given_up(client, order):
    known_nowhere = {"shop": live_settings.SITE_URL, "attempt": str(uuid.uuid4())}
    payload = message(payment_status="paid", amount_total=6000, metadata=known_nowhere)
    assert post(client, payload, signature(payload)).status_code == 503
    assert not Discrepancy.objects.exists()
    StripeEvent.objects.update(tries=19)
    assert post(client, payload, signature(payload)).status_code == 200
    # Nothing is late for ever.
    assert oldest_unprocessed_event(timezone.now()) is None
    assert Discrepancy.objects.get().detail == f"attempt {known_nowhere['attempt']} is not known"


@pytest.fixture
def deleted_meanwhile(order, fake_stripe, monkeypatch):
    """Staff delete the order while Stripe is asked about its page, which is over."""
    fake_stripe.expire(order)
    look = gateway.fetch_checkout_session

    def look_late(checkout_session_id):
        facts = look(checkout_session_id)
        monkeypatch.setattr(gateway, "fetch_checkout_session", look)
        assert remove_order(order_id=order.pk, actor=None) == Removal.DELETED
        return facts

    monkeypatch.setattr(gateway, "fetch_checkout_session", look_late)


def test_a_message_about_an_order_that_is_deleted_meanwhile_comes_again(
    fake_stripe, client, deleted_meanwhile
):
    payload = json.dumps(sent_event(fake_stripe, "checkout.session.expired")).encode()
    assert post(client, payload, signature(payload)).status_code == 503
    assert StripeEvent.objects.get().error == "NotYetKnown: its order was deleted meanwhile"
    assert post(client, payload, signature(payload)).status_code == 200


def test_the_page_of_an_order_that_is_deleted_meanwhile_is_not_ours(order, deleted_meanwhile):
    assert Buyer().verify(session_of(order)).status_code == 404
