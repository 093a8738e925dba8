"""What happened after a backup is forgotten: nothing of it is done twice, nobody gets in by what was ended."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone

from accounts.models import EmailChange, SignUp, User
from accounts.passwords import ResetTokens
from accounts.services.members import user_of_reset_key
from blog.models import Campaign, CampaignState
from orders import access
from orders.books.audit import audit_books
from orders.invoices.documents import ensure_document
from orders.invoices.series import reserve_number
from orders.models import Invoice, InvoiceGap, InvoiceSeries
from orders.tests.factories import make_order, pay_order
from shop.core.mail import queue_mail
from shop.core.models import AuditEntry, MailState, OutgoingMail
from shop.core.restored import Restored, finish_restore
from shop.integrations.keys import READ_ONLY, create_api_key, find_api_key

pytestmark = pytest.mark.django_db

NAME = "2026-11-23T02-00-00Z"


def finish(**values: Any) -> Restored:
    now = timezone.now()
    restored = Restored(name=NAME, made_at=now - timedelta(hours=9), now=now, **values)
    assert [(name, str(error)) for name, error in finish_restore(restored)] == [
        ("Stripe", "STRIPE_SECRET_KEY is empty")
    ]
    # A test's transaction never commits, which is when the copy is dropped.
    cache.clear()
    return restored


def paid_orders(count: int) -> list[Invoice]:
    orders = [pay_order(make_order()) for _ in range(count)]
    invoices = [Invoice.objects.get(order=order) for order in orders]
    for invoice in invoices:
        ensure_document(invoice)
    return invoices


def next_number() -> str:
    with transaction.atomic():
        return reserve_number().number


def test_number_that_was_sent_after_the_backup_is_not_given_again() -> None:
    last = paid_orders(2)[-1]
    year = last.year
    restored = finish(highest_invoices={year: 9})

    assert next_number() == f"F-{year}-00010"
    gap = InvoiceGap.objects.get()
    assert (gap.year, gap.first_number, gap.last_number, gap.backup) == (year, 3, 9, NAME)
    assert AuditEntry.objects.get(action="invoice_series.skipped").after == {
        "numbers": str(gap),
        "backup": NAME,
    }
    assert f"Numbers of documents that are lost, never given again: {gap}." in restored.notes

    report = audit_books(timezone.now(), with_provider=False)
    assert (report.faults, report.lost_numbers) == ([], [f"F-{year}-00003 – F-{year}-00009 ({NAME})"])
    after = paid_orders(1)[0]
    assert (after.number, after.previous_hash) == (f"F-{year}-00010", last.hash)
    assert audit_books(timezone.now(), with_provider=False).faults == []


def test_two_restores_skip_both_times_and_the_audit_knows_both() -> None:
    year = paid_orders(1)[0].year
    finish(highest_invoices={year: 4})
    finish(highest_invoices={year: 4})
    finish(highest_invoices={year: 6})
    assert list(InvoiceGap.objects.values_list("first_number", "last_number")) == [(2, 4), (5, 6)]
    assert paid_orders(1)[0].number == f"F-{year}-00007"
    assert audit_books(timezone.now(), with_provider=False).faults == []


def test_number_below_the_last_one_skips_nothing() -> None:
    year = paid_orders(2)[0].year
    finish(highest_invoices={year: 2})
    assert not InvoiceGap.objects.exists()
    assert next_number() == f"F-{year}-00003"


def test_audit_with_a_gap_that_nobody_recorded_finds_it() -> None:
    year = paid_orders(1)[0].year
    finish(highest_invoices={year: 4})
    InvoiceSeries.objects.update(last_number=7)
    paid_orders(1)
    faults = audit_books(timezone.now(), with_provider=False).faults
    assert [(fault.check, fault.subject) for fault in faults] == [("gap", f"F-{year}-00005")]


def test_sessions_and_waiting_sign_ups_end(member: User) -> None:
    SessionStore().create()
    SignUp.objects.create(email="new@example.com", password="!", language="fr")
    finish()
    assert (Session.objects.count(), SignUp.objects.count(), EmailChange.objects.count()) == (0, 0, 0)


def test_reset_link_from_before_is_dead_and_a_new_one_is_not(member: User) -> None:
    from django.utils.http import int_to_base36

    def key() -> str:
        return f"{int_to_base36(member.pk)}-{ResetTokens().make_token(member)}"

    earlier = key()
    assert user_of_reset_key(earlier) == member
    finish()
    assert user_of_reset_key(earlier) is None
    assert user_of_reset_key(key()) == member


def test_link_of_an_order_goes_on_opening_it() -> None:
    order = make_order()
    token = access.access_token(order)
    finish()
    assert access.token_is_valid(order, token)


def test_mails_that_waited_are_held_and_those_that_left_stay_sent() -> None:
    waiting = queue_mail(kind="x", to="a@example.com", language="fr", context={})
    sent = queue_mail(kind="x", to="b@example.com", language="fr", context={})
    OutgoingMail.objects.filter(pk=sent.pk).update(state=MailState.SENT)
    restored = finish()
    waiting.refresh_from_db()
    sent.refresh_from_db()
    assert (waiting.state, sent.state) == (MailState.FAILED, MailState.SENT)
    assert waiting.last_error == (
        "Retenu par la restauration d'une sauvegarde\u00a0: cet e-mail est peut-être déjà parti. Il n'y a rien à "
        "corriger\u00a0; renvoyez-le s'il n'est pas arrivé."
    )
    assert (
        "Mails that waited and are held: 1 (/admin, E-mails envoyés, En échec, Renvoyer)." in restored.notes
    )


@pytest.mark.parametrize("keeps", [False, True])
def test_keys_of_programs_are_revoked_unless_the_operator_keeps_them(keeps: bool) -> None:
    key = create_api_key(name="Import", scopes=READ_ONLY, actor=None)
    restored = finish(keeps_api_keys=keeps)
    assert (find_api_key(key.text) is not None) is keeps
    assert ("Keys of programs revoked: Import. Make new ones." in restored.notes) is not keeps


def test_letter_that_was_being_sent_pauses_and_one_for_later_stays_planned() -> None:
    now = timezone.now()
    states = [
        (CampaignState.SENDING, None),
        (CampaignState.SCHEDULED, now - timedelta(hours=1)),
        (CampaignState.SCHEDULED, now + timedelta(days=1)),
    ]
    rows = [Campaign.objects.create(title="L", state=state, scheduled_at=at) for state, at in states]
    finish()
    found = [Campaign.objects.get(pk=row.pk).state for row in rows]
    assert found == [CampaignState.PAUSED, CampaignState.DRAFT, CampaignState.SCHEDULED]


def test_step_that_fails_leaves_none_of_the_others_done(monkeypatch: pytest.MonkeyPatch) -> None:
    from shop.core import restored as registry

    SessionStore().create()

    def fail(restored: Restored) -> None:
        raise RuntimeError("no")

    monkeypatch.setitem(registry._steps, "zz last", fail)
    with pytest.raises(RuntimeError), transaction.atomic():
        finish()
    assert Session.objects.count() == 1


@pytest.fixture
def member() -> User:
    return User.objects.create_user("lea@example.com", "figurine-atelier-2026")
