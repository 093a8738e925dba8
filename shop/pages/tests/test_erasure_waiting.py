"""An erasure that waits: for an open order, for its last mail, for what is away or failed, and for a month at most."""

from __future__ import annotations

import errno
from dataclasses import replace
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.forms.models import model_to_dict
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.tests.people import make_member, sign_up
from blog.models import Subscriber
from blog.tests.subscribers import make_subscriber
from catalog.models import Favourite, Notice, Review
from catalog.services.favourites import watch_favourites
from catalog.services.notices import send_due_notices
from orders.models import PiecePhoto, Withdrawal
from orders.services.fulfilment.status_changes import update_status
from orders.services.withdrawals.declarations import Declaration, declare_withdrawal
from orders.tests.factories import make_order, make_product, pay_order
from shop.core import personal_data
from shop.core.file_storage import private_storage
from shop.core.models import AuditEntry, DiscardedFile, MailState, OutgoingMail
from shop.pages.models import ContactImage, ContactRequest, DataExport, Erasure, ErasureState
from shop.pages.services import erasures
from shop.pages.services.data_exports import make_export, request_export
from shop.pages.services.erasures import (
    request_erasure,
    request_erasure_by_link,
    run_due_erasures,
    run_erasure,
)
from shop.pages.tests.contact import send
from shop.pages.tests.personal_data import delivered_order, erase, make_person, send_mails

pytestmark = pytest.mark.django_db


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


@pytest.mark.both_engines
@pytest.mark.parametrize("is_guest", [False, True])
def test_what_is_written_under_the_address_after_its_erasure_is_not_taken(is_guest):
    """An order keeps the erasure open: the address may have a new account by then, or be somebody else's."""
    zoe = None if is_guest else make_member("zoe@example.com")
    order = pay_order(make_order(user=zoe, email="zoe@example.com"))
    if zoe is None:
        erasure = request_erasure_by_link(email="zoe@example.com", language="fr")
    else:
        erasure = request_erasure(user=zoe, language="fr")
    Erasure.objects.update(due_by=timezone.now())
    run_erasure(erasure.pk)
    send_mails()
    asked, later = sign_up("zoe@example.com"), make_order(email="zoe@example.com")
    subscriber, piece = make_subscriber("zoe@example.com"), make_product("Renard")
    notice = Notice.objects.create(email="zoe@example.com", token="n" * 43, product=piece)
    send(Client())
    message = ContactRequest.objects.get(email="zoe@example.com")
    review = Review.objects.create(
        product=piece, guest_email="zoe@example.com", rating=5, title="Beau", text="Beau.",
        experience_date=timezone.localdate(),
    )  # fmt: skip
    send_mails()

    update_status(order_id=order.pk, status="shipped", actor=None)
    update_status(order_id=order.pk, status="delivered", actor=None)
    send_mails()
    Erasure.objects.update(next_try_at=timezone.now())
    assert run_erasure(erasure.pk) is True

    order.refresh_from_db()
    assert (order.email, Erasure.objects.get().state) == ("", ErasureState.DONE)
    for row in (asked, subscriber, notice, message, review, later):
        before = model_to_dict(row)
        row.refresh_from_db()
        assert model_to_dict(row) == before
    assert set(OutgoingMail.objects.filter(to="zoe@example.com").values_list("kind", flat=True)) == {
        "account_confirm_email",
        "contact_acknowledgement",
    }


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
