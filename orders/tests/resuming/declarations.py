"""Declarations from an order in installments, refused again, and what the refusal left."""

from __future__ import annotations

from datetime import UTC, datetime

from django.utils import timezone

from orders.books.audit_checks import check_ledger
from orders.models import Order, OrderEvent, Payment, WithdrawalCase
from orders.selectors.refund_rules import ReturnedLine
from orders.services.withdrawals import cases
from orders.services.withdrawals.declarations import Declaration, declare_withdrawal
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail

# Installments of 100.00 on 23 November (paid), 23 December and 22 January.
NOON = datetime(2026, 11, 23, 11, 0, tzinfo=UTC)
PAID = ("100.00", "2026-11-23", "paid")


def declare(order, *, units=0, line=None, reason=""):
    lines = (ReturnedLine((line or order.items.get()).pk, units),) if units else ()
    declaration = Declaration(
        name="Léa Martin", email=order.email, order_text=order.reference, language="fr", order=order, lines=lines,
        reason=reason,
    )  # fmt: skip
    key = declaration.submission_key(timezone.localdate())
    return declare_withdrawal(declaration=declaration, key=key, caller="192.0.2.1").case


def refuse(case, *, resume=True):
    cases.refuse_case(
        case_id=case.pk, reason="Retirée par le client.", actor=None, resume=resume, **revoked()
    )
    case.refresh_from_db()


def revoked():
    return {"revocation_text": "Je garde finalement les pièces.", "revoked_on": timezone.localdate()}


def later(order):
    rows = order.payments.filter(position__gt=1).order_by("position")
    return list(rows.values_list("announced_at", "next_try_on", "stopped_code"))


def resumed_mail():
    return render(OutgoingMail.objects.get(kind="installment_resumed")).text


def rows():
    models = (Order, Payment, WithdrawalCase, OrderEvent, OutgoingMail)
    return [sorted(model.objects.values_list(), key=repr) for model in models]


def in_order():
    """Documents, money received, to come and given up agree."""
    return list(check_ledger()) == []
