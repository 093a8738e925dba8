"""Erasing a person: everything about them goes, what the law keeps stays without them, and the books hold."""

from __future__ import annotations

import errno
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.apps import apps
from django.contrib.sessions.models import Session
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import JSONField, TextField
from django.test import Client
from django.utils import timezone

from accounts.models import SignUp, User, UserRole
from accounts.services import grant_role
from accounts.tests.people import PASSWORD, add_app, app_code, make_admin, make_member, post, prove, sign_up
from blog.models import Subscriber
from blog.tests.subscribers import make_subscriber
from catalog.models import Favourite, Notice, Review, ReviewDecision
from catalog.services.favourites import watch_favourites
from catalog.services.notices import send_due_notices
from catalog.services.reviews import moderate_review
from orders.books.audit import audit_books
from orders.models import (
    Attempt,
    CardChange,
    DiscardedCard,
    InstallmentPause,
    Invoice,
    InvoiceDraft,
    Order,
    OrderNote,
    OrderTracking,
    PiecePhoto,
    Shipment,
    StockHold,
    StoredCard,
    StripeEvent,
    Withdrawal,
)
from orders.services.fulfilment.status_changes import update_status
from orders.services.withdrawals.declarations import Declaration, declare_withdrawal
from orders.tests.factories import make_order, make_product, pay_order
from shop.core import personal_data
from shop.core.file_storage import private_storage
from shop.core.models import AuditEntry, DiscardedFile, MailState, OutgoingMail
from shop.pages.models import ContactImage, ContactRequest, DataExport, Erasure, ErasureState
from shop.pages.services import erasures
from shop.pages.services.data_exports import make_export, request_export
from shop.pages.services.erasures import cancel_erasure, request_erasure, run_due_erasures, run_erasure
from shop.pages.tests.personal_data import add_return, delivered_order, make_person, send_mails

pytestmark = pytest.mark.django_db

PAGE = "/espace-membre/donnees"


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def erase(user: User) -> Erasure:
    """Registered, run, its mail sent, run again."""
    erasure = request_erasure(user=user, language="fr")
    run_erasure(erasure.pk)
    send_mails()
    Erasure.objects.filter(pk=erasure.pk).update(next_try_at=timezone.now())
    run_erasure(erasure.pk)
    return Erasure.objects.get(pk=erasure.pk)


def everything_but(*labels: str) -> str:
    """Every text that the database holds, but for the tables named; what sessions hold is read, not its coding."""
    found = [f"sessions.Session {session.get_decoded()}" for session in Session.objects.all()]
    for model in apps.get_models(include_auto_created=True):
        if model._meta.label in (*labels, "sessions.Session"):
            continue
        names = [
            field.attname
            for field in model._meta.concrete_fields
            if isinstance(field, TextField | JSONField)
            or field.get_internal_type() in ("CharField", "EmailField")
        ]
        rows = model._base_manager.values_list(*names) if names else []
        found += [
            f"{model._meta.label} {DjangoJSONEncoder(ensure_ascii=False).encode(list(row))}" for row in rows
        ]
    return "\n".join(found)


@pytest.mark.both_engines
def test_gdpr_17_nothing_of_the_person_is_left_but_what_the_law_keeps(run_on_commit):
    # Longer than what a random key or token spells by accident.
    zoe, max_ = make_person("Zoraide", "zoe@example.com"), make_person("Max", "max@example.com")
    browser(zoe)
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
    # Nothing of another person's goes.
    assert parts_of(other) == before
    assert StripeEvent.objects.get(event_id="evt_eoZ").body == {}
    assert StripeEvent.objects.get(event_id="evt_xaM").body != {}
    # One that is still to be processed says what happened.
    assert StripeEvent.objects.get(event_id="evt_new").body == body


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


def test_what_is_open_is_named_and_waited_for():
    zoe = make_member("zoe@example.com")
    order = pay_order(make_order(user=zoe, email="zoe@example.com"))
    send_mails()
    erasure = erase(zoe)
    assert erasure.state == ErasureState.REGISTERED
    assert User.objects.get(pk=zoe.pk).is_active
    mail = OutgoingMail.objects.get(kind="account_erasure_registered")
    assert f"- Commande {order.reference}\u00a0: elle n'est pas encore livrée." in mail.text
    update_status(order_id=order.pk, status="shipped", actor=None)
    update_status(order_id=order.pk, status="delivered", actor=None)
    send_mails()
    for _ in range(2):
        Erasure.objects.update(next_try_at=timezone.now())
        run_due_erasures(timezone.now())
        send_mails()
    Erasure.objects.update(next_try_at=timezone.now())
    run_due_erasures(timezone.now())
    assert Erasure.objects.get().state == ErasureState.DONE
    order.refresh_from_db()
    assert order.email == ""


def test_no_letter_and_no_alert_goes_to_who_waits_for_an_open_order():
    zoe = make_member("zoe@example.com")
    pay_order(make_order(user=zoe, email="zoe@example.com"))
    subscriber = make_subscriber("zoe@example.com", cart_reminders_at=timezone.now())
    EmailAddress.objects.create(user=zoe, email="zoe@example.org", verified=True)
    other = make_subscriber("zoe@example.org")
    piece = make_product()
    Notice.objects.create(email="zoe@example.org", token="n" * 43, product=piece, confirmed_at=timezone.now())
    Favourite.objects.create(
        user=zoe, product=piece, notify_when_back=True, missing_since=timezone.now(), language="fr"
    )

    assert erase(zoe).state == ErasureState.REGISTERED
    assert (send_due_notices(), watch_favourites(now=timezone.now())) == (0, 0)
    assert not OutgoingMail.objects.filter(kind__in=("notice_available", "favourite_available")).exists()

    subscriber.refresh_from_db()
    assert (subscriber.receives, subscriber.cart_reminders_at) == (False, None)
    other.refresh_from_db()
    assert not other.receives
    answers = subscriber.consents.order_by("pk").values_list("purpose", "action", "source")
    assert list(answers) == [
        ("cart_reminders", "withdrawn", "profile"),
        ("newsletter", "withdrawn", "profile"),
    ]


@pytest.mark.parametrize(("by_inactivity", "mails"), [(True, 0), (False, 1)])
def test_only_who_asked_reads_that_their_request_arrived(by_inactivity, mails):
    zoe = make_member("zoe@example.com")
    pay_order(make_order(user=zoe, email="zoe@example.com"))
    OutgoingMail.objects.all().delete()
    request_erasure(user=zoe, language="fr", by_inactivity=by_inactivity)
    assert Erasure.objects.get().state == ErasureState.REGISTERED
    assert OutgoingMail.objects.count() == mails
    assert OutgoingMail.objects.filter(kind="account_erasure_registered").count() == mails


def test_after_a_month_the_account_goes_and_an_open_order_keeps_what_it_needs():
    zoe = make_member("zoe@example.com", first_name="Zoé")
    order = pay_order(make_order(user=zoe, email="zoe@example.com"))
    erasure = request_erasure(user=zoe, language="fr")
    assert erasure.due_by - erasure.requested_at == timedelta(days=30)
    Erasure.objects.update(due_by=timezone.now())

    run_erasure(erasure.pk)

    zoe.refresh_from_db()
    assert (zoe.is_active, zoe.first_name) == (False, "")
    order.refresh_from_db()
    assert order.email == "zoe@example.com"
    send_mails()
    assert f"- Commande {order.reference}\u00a0: elle n'est pas encore livrée." in (
        OutgoingMail.objects.get(kind="account_erased").text
    )
    assert Erasure.objects.get().state == ErasureState.RUNNING
    update_status(order_id=order.pk, status="shipped", actor=None)
    update_status(order_id=order.pk, status="delivered", actor=None)
    send_mails()
    for _ in range(2):
        Erasure.objects.update(next_try_at=timezone.now())
        run_erasure(erasure.pk)
    order.refresh_from_db()
    assert (order.email, order.user) == ("", None)
    assert Erasure.objects.get().state == ErasureState.DONE


def test_an_address_that_was_given_up_meanwhile_is_nobodys_affair():
    lea = make_member("lea@example.com")
    pay_order(make_order(user=lea))
    erasure = request_erasure(user=lea, language="fr")
    assert run_erasure(erasure.pk) is False
    lea.email = "neuve@example.com"
    lea.save()
    EmailAddress.objects.filter(user=lea).update(email=lea.email)
    make_subscriber(lea.email)
    next_owner = make_order(email="lea@example.com", first_name="Mia")
    Erasure.objects.update(next_try_at=timezone.now(), due_by=timezone.now())

    run_erasure(erasure.pk)
    send_mails()

    assert OutgoingMail.objects.get(kind="account_erased").to == "neuve@example.com"
    assert not Subscriber.objects.filter(email="neuve@example.com").exists()
    next_owner.refresh_from_db()
    assert (next_owner.email, next_owner.first_name) == ("lea@example.com", "Mia")


def test_an_open_withdrawal_is_waited_for_and_its_declaration_stays():
    zoe = make_member("zoe@example.com")
    order = delivered_order(zoe, email="zoe@example.com")
    declare_withdrawal(
        declaration=Declaration(
            name="Zoé", email="zoe@example.com", order_text=order.reference, language="fr", order=order
        ),
        key="k" * 20,
        caller="10.0.0.1",
    )
    erasure = erase(zoe)
    assert erasure.state == ErasureState.REGISTERED
    assert "un paiement, un remboursement ou une rétractation n'est pas terminé" in (
        OutgoingMail.objects.get(kind="account_erasure_registered").text
    )
    assert Withdrawal.objects.get().email == "zoe@example.com"


def test_the_last_mail_is_sent_and_then_erased(mailoutbox):
    zoe = make_member("zoe@example.com")
    erasure = request_erasure(user=zoe, language="de")
    run_erasure(erasure.pk)
    waiting = OutgoingMail.objects.get()
    assert (waiting.kind, waiting.to, waiting.language) == ("account_erased", "zoe@example.com", "de")
    assert Erasure.objects.get().state == ErasureState.RUNNING

    send_mails()
    Erasure.objects.update(next_try_at=timezone.now())
    assert run_erasure(erasure.pk)

    assert [mail.to for mail in mailoutbox] == [["zoe@example.com"]]
    assert not OutgoingMail.objects.exists()
    assert not run_erasure(erasure.pk)


def test_a_mail_that_can_t_be_delivered_holds_an_erasure_up_for_a_week():
    erasure = request_erasure(user=make_member("zoe@example.com"), language="fr")
    run_erasure(erasure.pk)
    OutgoingMail.objects.update(state=MailState.QUEUED, created_at=timezone.now() - timedelta(days=8))
    Erasure.objects.update(next_try_at=timezone.now())
    assert run_erasure(erasure.pk)
    assert not OutgoingMail.objects.exists()


def test_an_erasure_whose_worker_died_goes_on(monkeypatch, caplog):
    zoe = make_person("Zoe", "zoe@example.com")
    erasure = request_erasure(user=zoe, language="fr")

    def die(_erasure, _left):
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(erasures, "_announce", die)
        with pytest.raises(KeyboardInterrupt):
            run_erasure(erasure.pk)
    Erasure.objects.update(lease_until=timezone.now() + timedelta(minutes=1), next_try_at=timezone.now())
    assert not run_erasure(erasure.pk)
    Erasure.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    run_erasure(erasure.pk)
    send_mails()
    Erasure.objects.update(next_try_at=timezone.now())
    assert run_erasure(erasure.pk)
    assert AuditEntry.objects.filter(action="erasure.done").count() == 1


@pytest.mark.parametrize("column", ["next_try_at", "lease_until"])
@pytest.mark.parametrize(
    ("wait", "done"), [(timedelta(hours=1, minutes=9), 0), (timedelta(hours=1, minutes=11), 1)]
)
def test_an_erasure_that_a_clock_ahead_put_off_goes_on(monkeypatch, column, wait, done):
    now = timezone.now()
    Erasure.objects.create(**{"next_try_at": now, "due_by": now, column: now + wait})
    monkeypatch.setattr(erasures, "run_erasure", lambda key: True)
    assert run_due_erasures(now) == done


def test_an_erasure_that_a_clock_ahead_registered_waits_a_month_at_most():
    zoe = make_member("zoe@example.com")
    pay_order(make_order(user=zoe, email="zoe@example.com"))
    request_erasure(user=zoe, language="fr")
    now = timezone.now()
    for written, kept in ((30, 30), (365, 30)):
        Erasure.objects.update(due_by=now + timedelta(days=written))
        assert run_due_erasures(now) == 0
        assert Erasure.objects.get().due_by == now + timedelta(days=kept)
    Erasure.objects.update(due_by=now + timedelta(days=365), state=ErasureState.DONE, done_at=now)
    run_due_erasures(now)
    assert Erasure.objects.get().due_by == now + timedelta(days=365)


def test_what_waits_longest_goes_first_and_the_rest_the_next_time(monkeypatch):
    now = timezone.now()
    soon, past = now + timedelta(seconds=1), now - timedelta(hours=1)
    keys = [
        Erasure.objects.create(next_try_at=next_try_at, lease_until=lease_until, due_by=now).pk
        for next_try_at, lease_until in (
            (now, None), (past, None), (now - timedelta(minutes=1), now),
            (soon, None), (past, soon),
        )
    ]  # fmt: skip
    Erasure.objects.create(next_try_at=past, due_by=now, state=ErasureState.DONE, done_at=now)
    tried: list[int] = []
    monkeypatch.setattr(erasures, "run_erasure", lambda pk: tried.append(pk) or pk != keys[1])
    assert run_due_erasures(now, limit=2) == 1
    assert tried == [keys[1], keys[2]]
    assert run_due_erasures(now) == 2
    assert tried[2:] == [keys[1], keys[2], keys[0]]


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


def test_the_last_admin_stays():
    admin = make_admin()
    client = browser(admin)
    answer = client.delete("/api/me", {"password": PASSWORD}, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (409, "last_admin")
    assert answer.json()["detail"] == "Impossible d'effacer le dernier administrateur de la boutique."
    assert not Erasure.objects.exists()
    assert User.objects.get().is_active
    assert "nommez-en un autre" in client.get(PAGE).content.decode()


def test_of_two_admins_who_go_at_once_one_stays(caplog):
    first, second = make_admin(), make_admin("second@example.com")
    both = [request_erasure(user=user, language="fr") for user in (first, second)]
    for erasure in both:
        run_erasure(erasure.pk)
    assert list(UserRole.objects.filter(role="admin").values_list("user_id", flat=True)) == [second.pk]
    assert Erasure.objects.get(user_key=second.pk).state == ErasureState.REGISTERED


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


def test_asked_for_on_the_page_with_the_password(queued_tasks, run_on_commit):
    zoe = make_member("zoe@example.com")
    client = browser(zoe)
    answer = client.post(f"{PAGE}/effacement", {"password": "wrong"})
    assert "Mot de passe incorrect" in answer.content.decode()
    assert not Erasure.objects.exists()
    with run_on_commit():
        assert client.post(f"{PAGE}/effacement", {"password": PASSWORD}).status_code == 303
    assert queued_tasks.names == ["shop.pages.tasks.run_erasure"]
    assert "Votre demande est enregistrée" in client.get(PAGE).content.decode()


def test_a_second_factor_is_asked_for_beside_the_password():
    zoe = make_member("zoe@example.com")
    secret = add_app(zoe)
    client = browser(zoe)
    prove(client, zoe)
    confirm = f"/espace-membre/confirmer?next={PAGE}%23effacement"

    refused = client.post(f"{PAGE}/effacement", {"password": PASSWORD})
    answer = client.delete("/api/me", {"password": PASSWORD}, content_type="application/json")

    assert f'href="{confirm}"' in refused.content.decode()
    assert (answer.status_code, answer.json()["code"]) == (403, "reauthentication_required")
    assert not Erasure.objects.exists()
    proved = client.post(confirm, {"next": f"{PAGE}#effacement", "proof_code": app_code(secret)})
    assert (proved.status_code, proved["Location"]) == (302, f"{PAGE}#effacement")
    assert (
        "Mot de passe incorrect" in client.post(f"{PAGE}/effacement", {"password": "wrong"}).content.decode()
    )
    assert not Erasure.objects.exists()
    assert client.post(f"{PAGE}/effacement", {"password": PASSWORD}).status_code == 303
    assert Erasure.objects.get().user_key == zoe.pk


def test_a_registered_erasure_may_be_taken_back():
    zoe = make_member("zoe@example.com")
    pay_order(make_order(user=zoe, email="zoe@example.com"))
    client = browser(zoe)
    client.post(f"{PAGE}/effacement", {"password": PASSWORD})
    run_erasure(Erasure.objects.get().pk)
    page = client.get(PAGE).content.decode()
    assert "Annuler ma demande" in page
    # The letters that end with the request stay off when it is taken back.
    assert (
        "La newsletter, les rappels de panier et vos alertes se sont arrêtés avec votre demande. Si vous l'annulez, "
        "ils restent arrêtés, car votre accord est retiré\xa0: redonnez-le quand vous voulez, pour la newsletter et"
        ' les rappels sous <a href="/espace-membre?tab=profile#newsletter">Newsletter</a>.'
    ) in page
    client.post(f"{PAGE}/effacement", {"cancel": "1"})
    assert not Erasure.objects.exists()
    assert User.objects.get(pk=zoe.pk).is_active
    assert AuditEntry.objects.latest("pk").action == "erasure.cancelled"


def test_an_erasure_that_has_begun_is_not_taken_back():
    zoe = make_member("zoe@example.com")
    erasure = request_erasure(user=zoe, language="fr")
    run_erasure(erasure.pk)
    assert not cancel_erasure(user=zoe)
    assert Erasure.objects.exists()


def test_the_call_registers_the_erasure():
    zoe = make_member("zoe@example.com")
    client = browser(zoe)
    wrong = client.delete("/api/me", {"password": "wrong"}, content_type="application/json")
    assert (wrong.status_code, wrong.json()["code"]) == (400, "invalid_credentials")
    assert client.delete("/api/me", {}, content_type="application/json").status_code == 400
    assert not Erasure.objects.exists()
    answer = client.delete("/api/me", {"password": PASSWORD}, content_type="application/json")
    assert answer.status_code == 202
    assert (answer.json()["state"], answer.json()["open_matters"]) == ("registered", [])
    again = client.delete("/api/me", {"password": PASSWORD}, content_type="application/json")
    assert again.json()["due_by"] == answer.json()["due_by"]
    assert (
        Client().delete("/api/me", {"password": PASSWORD}, content_type="application/json").status_code == 401
    )


def test_a_sign_up_of_the_address_goes_too():
    zoe = make_member("zoe@example.com")
    sign_up("zoe@example.com")
    erase(zoe)
    assert not SignUp.objects.exists()


def test_a_storage_that_is_away_keeps_the_erasure_from_being_done(monkeypatch, caplog):
    zoe = make_person("Zoe", "zoe@example.com")
    export = request_export(user=zoe, language="fr")
    make_export(export.pk)
    models = (ContactImage, PiecePhoto, DataExport)
    files = {model.objects.get().file for model in models}

    def away(_storage, _name):
        raise OSError(errno.EIO, "Media storage: away")

    with monkeypatch.context() as patch:
        patch.setattr(type(private_storage()), "delete", away)
        assert erase(zoe).state == ErasureState.RUNNING
    assert {file.name for file in DiscardedFile.objects.all()} == files
    assert Erasure.objects.get().announced_at is None
    Erasure.objects.update(next_try_at=timezone.now())
    run_erasure(Erasure.objects.get().pk)
    send_mails()
    Erasure.objects.update(next_try_at=timezone.now())
    assert run_erasure(Erasure.objects.get().pk)
    assert [model.objects.count() for model in models] == [0, 0, 0]
    assert not any(private_storage().exists(name) for name in files)


def test_an_activity_that_fails_keeps_the_others_from_nothing(monkeypatch, caplog):
    zoe = make_person("Zoe", "zoe@example.com")
    known = personal_data.activities()

    def fail(_person):
        raise OSError("disk full")

    broken = replace(known[0], erase=fail)
    erasure = request_erasure(user=zoe, language="fr")
    with monkeypatch.context() as patch:
        patch.setattr(erasures, "activities", lambda: [broken, *known])
        assert not run_erasure(erasure.pk)
    zoe.refresh_from_db()
    assert (zoe.first_name, Erasure.objects.get().announced_at) == ("", None)
    Erasure.objects.update(next_try_at=timezone.now())
    run_erasure(erasure.pk)
    assert Erasure.objects.get().announced_at is not None
