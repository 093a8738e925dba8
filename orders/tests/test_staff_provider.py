"""Stripe's events and states in the staff area: processed again and asked for, each with the same end as the first."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.tests.people import make_admin
from orders import tasks
from orders.models import AttemptState, PaymentState, StripeEvent
from orders.services.payments import reviews
from orders.services.reconciliation import webhook_events
from orders.services.reconciliation.reconcile import reprocess_events
from orders.services.reconciliation.webhook_events import NotYetKnown
from orders.staff import provider
from orders.stripe import gateway
from orders.tests.factories import make_order, pay_order
from shop.core.models import AuditEntry
from shop.core.tests.reading import text

pytestmark = pytest.mark.django_db


def store(event_id: str, **values: Any) -> StripeEvent:
    return StripeEvent.objects.create(
        event_id=event_id, kind="product.created", livemode=False, body={}, **values
    )


@pytest.fixture
def browser() -> Client:
    client = Client()
    client.force_login(make_admin())
    return client


def test_only_the_ticked_events_are_processed(
    browser: Client, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:

    failed, other = store("evt_1", error="GatewayError: away", tries=20), store("evt_2")
    page = text(browser.get("/admin/stripe/evenements"))
    assert "GatewayError: away" in page
    assert "evt_2" in page
    published: list[tuple[Any, ...]] = []
    monkeypatch.setattr("shop.core.enqueue.enqueue", lambda *message: published.append(message))
    with django_capture_on_commit_callbacks(execute=True):
        answer = browser.post("/admin/stripe/evenements", {"evenement": [failed.pk]}, follow=True)
    assert "Un évènement est traité à nouveau" in text(answer)
    assert "Nouvel essai en cours" in text(answer)
    assert "Nouvel essai en cours" not in page
    assert published == [("orders.tasks.process_event", failed.pk)]
    failed.refresh_from_db()
    assert (failed.processed_at, failed.tries, failed.error) == (None, 19, "")
    tasks.process_event(failed.pk)
    failed.refresh_from_db()
    other.refresh_from_db()
    assert (failed.processed_at is not None, failed.tries, failed.error) == (True, 20, "")
    assert other.processed_at is None


def test_a_try_whose_message_was_lost_is_the_scheduled_job_s(browser: Client) -> None:
    received = timezone.now() - timedelta(hours=1)
    failed = store("evt_1", error="GatewayError: away", tries=20, received_at=received)
    assert reprocess_events(timezone.now()) == 0
    browser.post("/admin/stripe/evenements", {"evenement": [failed.pk]})
    assert reprocess_events(timezone.now()) == 1


def test_what_never_succeeds_is_set_aside_with_its_error(browser: Client) -> None:
    failed, untried = store("evt_1", error="GatewayUnavailable: 500"), store("evt_2")
    body = {"evenement": [failed.pk, untried.pk], "action": "mettre-de-cote"}
    page = text(browser.post("/admin/stripe/evenements", body, follow=True))
    assert "Un évènement est mis de côté" in page
    failed.refresh_from_db()
    untried.refresh_from_db()
    assert (failed.processed_at is not None, failed.error) == (True, "GatewayUnavailable: 500")
    assert untried.processed_at is None
    entry = AuditEntry.objects.get(action="stripe_event.set_aside")
    assert (entry.subject_id, entry.after) == (str(failed.pk), {"event": "evt_1"})
    assert "Mis de côté le" in text(browser.get("/admin/stripe/evenements?liste=traites"))
    again = browser.post("/admin/stripe/evenements", body, follow=True)
    assert "Aucun des évènements choisis n'a échoué." in text(again)


@pytest.mark.parametrize(
    ("failure", "tries", "goes_on"),
    [
        (RuntimeError("unforeseen"), 1, True),
        (gateway.GatewayRefused("no such payment"), 1, True),
        # What the provider could not answer is no try, however long it lasts.
        (gateway.GatewayUnavailable("500", stored=True), 0, True),
        (gateway.GatewayUnreachable("silence"), 0, False),
        (gateway.GatewayNotConfigured("revoked"), 0, False),
    ],
    ids=["unforeseen", "refused", "500", "silence", "no key"],
)
def test_an_event_that_fails_keeps_no_other_waiting(
    monkeypatch: pytest.MonkeyPatch, failure: Exception, tries: int, goes_on: bool
) -> None:
    received = timezone.now() - timedelta(hours=1)
    failed, other = (
        store(f"evt_{number}", received_at=received + timedelta(minutes=number)) for number in (1, 2)
    )

    def fail_once(event: StripeEvent) -> None:
        if event == failed:
            raise failure

    monkeypatch.setattr(webhook_events, "_act", fail_once)
    with suppress(RuntimeError, gateway.GatewayRefused):
        reprocess_events(timezone.now())
    failed.refresh_from_db()
    other.refresh_from_db()
    assert (failed.processed_at, failed.tries) == (None, tries)
    assert failed.error == f"{type(failure).__name__}: {failure}"
    assert (other.processed_at is not None) is goes_on


@pytest.mark.parametrize("error", [NotYetKnown("attempt is not known"), gateway.GatewayError("x")])
def test_what_stays_unprocessed_is_told(
    browser: Client, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    row = store("evt_1")

    def refuse(_event: StripeEvent) -> None:
        raise error

    monkeypatch.setattr(webhook_events, "_act", refuse)
    browser.post("/admin/stripe/evenements", {"evenement": [row.pk]})
    tasks.process_event(row.pk)
    page = text(browser.get("/admin/stripe/evenements"))
    assert f"{type(error).__name__}: {error}" in page
    assert "Nouvel essai en cours" not in page


def test_what_is_no_event_to_be_processed_is_told(browser: Client) -> None:
    nothing = browser.post("/admin/stripe/evenements", {"evenement": ["x", "99"]}, follow=True)
    assert "Aucun des évènements choisis n'est à traiter." in text(nothing)


def test_asking_settles_each_attempt_of_the_order(browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    order = pay_order(make_order())
    attempt = order.payments.get().attempts.get()
    if attempt.checkout_session_id is None:
        attempt.checkout_session_id = "cs_1"
        attempt.save()
    asked: list[Any] = []
    monkeypatch.setattr(reviews, "settle", asked.append)
    address = f"/admin/commandes/{order.pk}/etat-paiement"
    assert "Rien n'est débité." in text(browser.get(address))
    assert asked == []
    assert "1 paiement vérifié." in text(browser.post(address, follow=True))
    assert asked == [attempt.pk]


def test_a_provider_that_is_away_is_told(browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(_attempt: object) -> None:
        raise gateway.GatewayError("x")

    order = pay_order(make_order())
    order.payments.get().attempts.update(checkout_session_id="cs_1")
    monkeypatch.setattr(reviews, "settle", away)
    page = text(browser.post(f"/admin/commandes/{order.pk}/etat-paiement", follow=True))
    assert provider.PROVIDER_AWAY.replace("\u00a0", " ") in page


def test_a_payment_that_still_does_not_fit_is_told(browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    order = make_order()
    order.review_reason = "amount: 5998 instead of 6000"
    order.save()
    attempts = order.payments.get().attempts
    attempts.update(checkout_session_id="cs_1", state=AttemptState.REVIEW)
    monkeypatch.setattr(reviews, "settle", lambda _attempt: attempts.update(state=AttemptState.REVIEW))
    page = text(browser.post(f"/admin/commandes/{order.pk}/etat-paiement", follow=True))
    assert "Un paiement ne correspond toujours pas à la commande : remboursez-le chez Stripe" in page
    order.refresh_from_db()
    assert order.review_reason == "amount: 5998 instead of 6000"


def test_an_installment_that_waits_for_staff_is_told(
    browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = pay_order(make_order())
    order.payments.update(state=PaymentState.DUE, stopped_code="not_accepted")
    order.review_reason = "charge not accepted: resource"
    order.save()
    monkeypatch.setattr(reviews, "settle", lambda _attempt: None)
    page = text(browser.post(f"/admin/commandes/{order.pk}/etat-paiement", follow=True))
    assert "Une échéance n'a jamais été débitée : débitez-la, envoyez le lien ou abandonnez-la" in page
    order.refresh_from_db()
    assert order.review_reason == "charge not accepted: resource"
