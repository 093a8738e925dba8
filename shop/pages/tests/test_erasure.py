"""Erasing a person: everything about them goes, what the law keeps stays without them, and the books hold."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.email_changes import Mailbox, email_change_key
from accounts.models import SignUp, User
from accounts.services import grant_role
from accounts.services.email_changes import confirm_email_change, request_email_change
from accounts.tests.people import PASSWORD, make_admin, make_member, post, sign_up
from catalog.models import Favourite, Notice, Review, ReviewDecision, ReviewState
from catalog.services.reviews import moderate_review
from orders.books.audit import audit_books
from orders.journal import record_event
from orders.models import (
    Attempt,
    CardChange,
    DiscardedCard,
    InstallmentPause,
    Invoice,
    InvoiceDraft,
    Order,
    OrderEvent,
    OrderNote,
    OrderTracking,
    PiecePhoto,
    Shipment,
    StockHold,
    StoredCard,
    StripeEvent,
    Withdrawal,
)
from orders.services.fulfilment.order_links import request_order_link
from orders.services.fulfilment.status_changes import update_status
from orders.tests.factories import make_order
from shop.core.file_storage import private_storage
from shop.core.models import AuditEntry, OutgoingMail
from shop.pages.models import ContactRequest, DataExport, ErasureState
from shop.pages.services.data_exports import make_export, request_export
from shop.pages.services.erasures import request_erasure
from shop.pages.tests.personal_data import (
    PAGE,
    add_return,
    delivered_order,
    erase,
    everything_but,
    fill_orders,
    make_person,
    send_mails,
)
from shop.pages.tests.staff import signed_in

pytestmark = pytest.mark.django_db


@pytest.mark.both_engines
def test_gdpr_17_nothing_of_the_person_is_left_but_what_the_law_keeps(run_on_commit):
    # Longer than what a random key or token spells by accident.
    zoe, max_ = make_person("Zoraide", "zoe@example.com"), make_person("Max", "max@example.com")
    signed_in(zoe)
    sign_up("zoe@example.com")
    file = ContactRequest.objects.get(email="zoe@example.com").images.get().file
    export = request_export(user=zoe, language="fr")
    make_export(export.pk)
    archive = DataExport.objects.get().file
    before = everything_but("orders.Invoice", "orders.Contract")

    with run_on_commit():
        erasure = erase(zoe)

    assert erasure.state == ErasureState.DONE
    assert erasure.emails == []
    left = everything_but("orders.Invoice", "orders.Contract", "catalog.ProductModel")
    assert "zoe@example.com" in before
    assert "zoe@example.com" not in left.lower()
    assert "+33 6 11 22 33 44" in left, "Max's telephone is his own"
    # The invoice and the receipts book name the customer and the address that was billed.
    lines = [line for line in left.splitlines() if "Zoraide" in line]
    assert [line.split()[0] for line in lines] == ["orders.Order"]
    order = Order.objects.get(first_name="Zoraide")
    assert (order.user, order.email, order.phone, order.notes) == (None, "", "", "")
    assert (order.last_name, order.address, order.city) == ("Petit", "1 rue Zoraide", "Ville-Zoraide")
    assert order.archived_at is not None
    assert not private_storage().exists(file)
    assert not private_storage().exists(archive)
    zoe.refresh_from_db()
    assert (zoe.email, zoe.first_name, zoe.is_active) == (f"{zoe.pk}@erased.invalid", "", False)
    # Everybody else keeps everything.
    assert Order.objects.get(user=max_).phone == "+33 6 11 22 33 44"
    assert Favourite.objects.get().user == max_
    assert Notice.objects.get().email == "max@example.com"
    assert ContactRequest.objects.get().email == "max@example.com"
    assert StoredCard.objects.get().order.user == max_
    assert InvoiceDraft.objects.get().customer_name == "Max"


def test_a_withdrawal_that_was_declared_is_kept_as_it_was_after_an_erasure():
    """Proof of what was declared and answered (L221-21); the register says so."""
    zoe = make_person("Zoraide", "zoe@example.com")
    declared = add_return(zoe, "Zoraide")
    assert erase(zoe).state == ErasureState.DONE
    kept = Withdrawal.objects.values_list("name", "email", "reason", "statement").get(pk=declared.pk)
    assert kept == ("Zoraide Petit", "zoe@example.com", "Zoraide en a deux.", "Zoraide se rétracte.")
    left = everything_but("orders.Invoice", "orders.Contract", "catalog.ProductModel")
    lines = {line.split()[0] for line in left.splitlines() if "Zoraide" in line or "zoe@example.com" in line}
    assert lines == {
        *("orders.Order", "orders.Withdrawal", "orders.WithdrawalCase"),
        *("orders.Refund", "orders.RefundRequest", "orders.Dispute"),
    }


@pytest.mark.both_engines
def test_the_books_hold_after_an_erasure():
    zoe = make_person("Zoe", "zoe@example.com")
    invoice = Invoice.objects.get()
    assert audit_books(timezone.now(), with_provider=False).faults == []

    erase(zoe)

    report = audit_books(timezone.now(), with_provider=False)
    assert (report.faults, report.documents, report.orders, report.movements) == ([], 1, 1, 1)
    assert Invoice.objects.get().data == invoice.data
    assert Invoice.objects.get().data["customer"]["name"] == "Zoe Petit"


def test_the_review_stays_without_its_author():
    zoe = make_person("Zoe", "zoe@example.com")
    pending = Review.objects.create(
        product_id=make_order().items.get().product_id, user=zoe, rating=1, title="Zoe", text="Pas lu.",
        author_name="Zoe", experience_date=timezone.localdate(),
    )  # fmt: skip
    erase(zoe)
    assert not Review.objects.filter(pk=pending.pk).exists()
    review = Review.objects.get()
    assert (review.user, review.author_name, review.order_reference) == (None, "", "")
    assert review.text == "Une très belle pièce."


def test_the_stored_card_is_discarded_at_stripe(queued_tasks, run_on_commit):
    zoe = make_person("Zoe", "zoe@example.com")
    with run_on_commit():
        erase(zoe)
    assert DiscardedCard.objects.get().payment_method_id == "pm_eoZ"
    assert "orders.tasks.detach_card" in queued_tasks.names
    assert not StoredCard.objects.exists()


def parts_of(order: Order) -> dict[str, set[tuple[str, ...]]]:
    """What an order holds beside what the law keeps, by kind."""
    own: dict[Any, tuple[str, ...]] = {
        OrderTracking: ("message", "tracking_number"),
        Shipment: ("tracking_number", "undo_reason"),
        StockHold: ("network", "mailbox"),
        InstallmentPause: ("reason",),
        OrderNote: ("text",),
        StoredCard: ("customer_id",),
        CardChange: ("mandate_text",),
        InvoiceDraft: ("customer_name",),
    }
    found = {rows.__name__: set(rows.objects.filter(order=order).values_list(*own[rows])) for rows in own}
    columns = ("gift_recipient", "gift_message", "demand_digest", "request_fingerprint")
    return {
        **found,
        "Order": set(Order.objects.filter(pk=order.pk).values_list(*columns)),
        "PiecePhoto": set(PiecePhoto.objects.filter(piece__item__order=order).values_list("message")),
        "Attempt": set(Attempt.objects.filter(payment__order=order).values_list("checkout_session_url")),
    }


def test_parts_of_the_order_that_nobody_needs_are_emptied():
    zoe, max_ = make_person("Zoe", "zoe@example.com"), make_person("Max", "max@example.com")
    Order.objects.update(
        gift_recipient="Ana", gift_message="Bravo", demand_digest="d", request_fingerprint="f"
    )
    Shipment.objects.update(tracking_number="6A1", undo_reason="Adresse")
    StockHold.objects.update(network="n", mailbox="m")
    Attempt.objects.update(checkout_session_url="https://checkout.stripe.com/c")
    order, other = Order.objects.get(user=zoe), Order.objects.get(user=max_)
    before = parts_of(other)
    assert all(before.values())
    body = StripeEvent.objects.get(event_id="evt_eoZ").body
    StripeEvent.objects.create(event_id="evt_new", kind="charge.updated", body=body)
    erase(zoe)
    order.refresh_from_db()
    assert order.personal_data_erased_at is not None
    assert parts_of(order) == {
        "Order": {("", "", "", "")}, "Attempt": {("",)}, "Shipment": {("", "")}, "InstallmentPause": {("",)},
        "OrderTracking": {("", "")}, "StockHold": {("", "")}, "OrderNote": set(), "StoredCard": set(),
        "CardChange": set(), "InvoiceDraft": set(), "PiecePhoto": set(),
    }  # fmt: skip
    assert order.events.get(name="card.kept").data == {}
    assert other.events.get(name="card.kept").data == {"brand": "visa", "last4": "4242"}
    # Nothing of another person's goes.
    assert parts_of(other) == before
    assert StripeEvent.objects.get(event_id="evt_eoZ").body == {}
    assert StripeEvent.objects.get(event_id="evt_xaM").body != {}
    # One that is still to be processed says what happened.
    assert StripeEvent.objects.get(event_id="evt_new").body == body


@pytest.mark.both_engines
def test_the_upgrade_takes_cards_out_of_the_journals_of_orders_that_were_erased_before():
    card = {"brand": "visa", "last4": "4242"}
    erased, other = (delivered_order(None, email=email) for email in ("zoe@example.com", "max@example.com"))
    Order.objects.filter(pk=erased.pk).update(personal_data_erased_at=timezone.now())
    for order in (erased, other):
        record_event(order, "card.kept", **card)
    record_event(erased, "order.personal_data_erased")
    import_module("orders.migrations.0018_erased_cards").forwards(apps, connection.schema_editor())
    kept = dict(OrderEvent.objects.filter(name="card.kept").values_list("order", "data"))
    assert kept == {erased.pk: {}, other.pk: card}


def test_every_text_of_an_order_is_emptied_or_one_that_is_kept():
    zoe = make_member("zoe@example.com")
    delivered_order(zoe, email="zoe@example.com")
    fill_orders("Zoraide")
    Order.objects.update(review_reason="")
    erase(zoe)
    left = Order.objects.values().get().items()
    assert {name for name, value in left if value and f"Zoraide {name}".startswith(str(value))} == {
        *("billing_name", "billing_company", "billing_company_number", "billing_address"),
        *(
            "billing_postal_code",
            "billing_city",
            "billing_country",
            "billing_custom_country",
            "custom_country",
        ),
        *("mandate_text", "retention_reason", "retention_decision"),
    }


def test_an_order_with_a_billing_address_of_its_own_loses_the_delivery_s():
    zoe = make_member("zoe@example.com")
    order = delivered_order(zoe, email="zoe@example.com", address="1 rue Zoe", city="Lyon")
    Order.objects.filter(pk=order.pk).update(
        billing_name="Zoe Petit", billing_address="2 quai Sud", billing_city="Paris", billing_country="FR"
    )
    erase(zoe)
    order.refresh_from_db()
    assert (order.address, order.city, order.country, order.postal_code) == ("", "", "FR", "69003")
    assert (order.billing_address, order.billing_city) == ("2 quai Sud", "Paris")


def test_orders_that_the_person_placed_as_a_guest_are_theirs():
    zoe = make_member("zoe@example.com")
    guest = delivered_order(None, email="Zoe@example.com")
    foreign = delivered_order(None, email="other@example.com")
    erase(zoe)
    guest.refresh_from_db()
    foreign.refresh_from_db()
    assert (guest.email, foreign.email) == ("", "other@example.com")


def test_the_page_of_an_erased_order_is_shown_to_nobody(client):
    zoe = make_member("zoe@example.com")
    order = delivered_order(zoe, email="zoe@example.com")
    [url] = {
        part
        for part in OutgoingMail.objects.get(kind="order_confirmation").text.split()
        if "acces=" in part and "/commande/" in part
    }
    path = url.removeprefix("http://localhost:8000")
    assert client.get(path).status_code == 200
    erase(zoe)
    assert client.get(path).status_code == 404
    assert order.pk


def test_an_unpaid_order_goes_whole():
    zoe = make_member("zoe@example.com")
    order = make_order(user=zoe, email="zoe@example.com")
    update_status(order_id=order.pk, status="cancelled", actor=None)
    Attempt.objects.update(state="expired")
    assert erase(zoe).state == ErasureState.DONE
    assert not Order.objects.exists()


def test_the_audit_trail_tells_of_it_by_key_alone():
    zoe = make_member("zoe@example.com")
    erase(zoe)
    entries = AuditEntry.objects.order_by("pk")
    assert [(entry.action, entry.actor_id, entry.subject_id) for entry in entries] == [
        ("erasure.requested", zoe.pk, str(zoe.pk)),
        ("erasure.done", None, str(zoe.pk)),
    ]
    assert "zoe" not in str(list(entries.values()))


def test_every_session_ends():
    zoe, other = make_member("zoe@example.com"), make_member("other@example.com")
    clients = [Client() for _ in range(3)]
    for client, user in zip(clients, (zoe, zoe, other), strict=True):
        assert post(client, "signin", email=user.email, password=PASSWORD).status_code == 302
    erase(zoe)
    assert Session.objects.count() == 1
    assert [client.get(PAGE).status_code for client in clients] == [302, 302, 200]


def test_the_address_may_have_a_new_account():
    erase(make_member("zoe@example.com"))
    again = make_member("zoe@example.com")
    assert request_erasure(user=again, language="fr").state == ErasureState.REGISTERED


def test_a_person_of_the_staff_leaves_no_name():
    make_admin()
    staff = make_member("staff@example.com", first_name="Camille")
    grant_role(user=staff, role="staff")
    review = Review.objects.get(pk=make_review().pk)
    moderate_review(
        review_id=review.pk, seen="pending", state="published", reason="", moderator_id=staff.pk,
        moderator=f"#{staff.pk}",
    )  # fmt: skip
    erase(User.objects.get(pk=staff.pk))
    assert ReviewDecision.objects.get().actor == f"#{staff.pk}"
    assert "staff@example.com" not in everything_but()
    assert "Camille" not in everything_but()
    assert AuditEntry.objects.filter(action="role.changed", subject_id=str(staff.pk)).exists()


def make_review() -> Review:
    product_id = make_order(email="buyer@example.com").items.get().product_id
    return Review.objects.create(
        product_id=product_id, rating=5, title="Beau", text="Beau.", experience_date=timezone.localdate()
    )


def test_a_sign_up_of_the_address_goes_too():
    zoe = make_member("zoe@example.com")
    sign_up("zoe@example.com")
    erase(zoe)
    assert not SignUp.objects.exists()


@pytest.mark.both_engines
def test_what_was_written_under_an_earlier_address_goes_too():
    zoe = make_person("Zoraide", "zoe@example.com")
    review, order = Review.objects.get(), zoe.orders.get()
    request_order_link(reference=order.reference, email=zoe.email, caller="192.0.2.1", language="fr")
    moderate_review(
        review_id=review.pk,
        seen=ReviewState.PUBLISHED,
        state=ReviewState.REFUSED,
        reason="Hors sujet.",
        moderator_id=None,
        moderator="#1",
    )
    send_mails()
    change = request_email_change(user=zoe, email="nouvelle@example.com", language="fr")
    for mailbox in Mailbox:
        confirm_email_change(key=email_change_key(change, mailbox))
    zoe.refresh_from_db()
    assert ContactRequest.objects.get().email == "nouvelle@example.com"
    assert erase(zoe).state == ErasureState.DONE
    left = everything_but("orders.Invoice", "orders.Contract", "catalog.ProductModel")
    assert {line.split()[0] for line in left.splitlines() if "Zoraide" in line} == {"orders.Order"}
    assert not OutgoingMail.objects.filter(to="zoe@example.com").exists()
