"""The mails about withdrawals and late deliveries: written with the change that causes them, each once."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from django.urls import reverse
from django.utils import timezone, translation

from orders.access import payment_page_url, statement_token
from orders.mails import mail_customer, mail_workshop, order_admin_url
from orders.models import Order, Withdrawal, WithdrawalCase
from orders.selectors.installments import open_pause, outstanding
from orders.selectors.mail_contexts import seller_context
from orders.selectors.withdrawals import named_order, nothing_left, units_to_return
from shop.core import limits
from shop.core.dates import shop_day
from shop.core.law import RETURN_DAYS
from shop.core.mail import queue_mail
from shop.core.money import amount_string
from shop.core.site import absolute_url


def mail_received(withdrawal: Withdrawal, *, proven: bool) -> None:
    """To the customer, at once: the full text with its date and time, received and nothing more (L221-21, D221-5). Of a
    letter the days of its sending and of its receipt.

    The law owes that text to the customer of a contract, and anybody can type any address. So the words go to the
    address of the order, or to the one that staff entered. Any other address gets the reference, the date and the
    order's number, with a link to the text, and only a few times a day. `proven`: the customer came from their order's
    page; whoever only typed its number and address is counted too.
    """
    order, full = withdrawal.order, {**_declared(withdrawal), "seller": seller_context()}
    if withdrawal.filed_by is not None:
        _acknowledge(withdrawal, withdrawal.email, full)
        return
    if order is not None and (proven or limits.consume(limits.WITHDRAWAL_ORDER_MAIL, order.email)):
        _acknowledge(withdrawal, order.email, full)
    is_customers = order is not None and order.email.lower() == withdrawal.email.lower()
    if not is_customers and limits.consume_mail(limits.WITHDRAWAL_MAIL, withdrawal.email):
        with translation.override(withdrawal.language):
            path = reverse("orders:withdrawal-received", query={"a": statement_token(withdrawal)})
        short = {
            "reference": withdrawal.reference,
            "declared_at": withdrawal.declared_at.isoformat(),
            "order_number": named_order(withdrawal.order_text),
            "statement_url": absolute_url(path),
        }
        _acknowledge(withdrawal, withdrawal.email, short)


def _acknowledge(withdrawal: Withdrawal, to: str, context: dict[str, Any]) -> None:
    queue_mail(
        kind="withdrawal_received",
        to=to,
        language=withdrawal.language,
        context=context,
        dedupe_key=f"withdrawal_received:{withdrawal.pk}:{'full' if 'statement' in context else 'short'}",
        reference=withdrawal.reference,
    )


def mail_declared(case: WithdrawalCase) -> None:
    """To the workshop, in French: what was declared, what it stopped, until when the money must be back."""
    withdrawal = case.withdrawal
    mail_workshop(
        "withdrawal_workshop",
        {
            **_declared(withdrawal),
            "order": None,
            "in_time": case.in_time,
            "voided": amount_string(case.voided),
            "state": case.state,
            "nothing_left": case.order is not None and not case.voided and nothing_left(case.order),
            "refund_by": _iso(case.refund_by),
            "admin_url": case_url(case),
        },
        once=withdrawal.pk,
        order=case.order,
        reference=withdrawal.reference,
    )


def mail_return_instructions(case: WithdrawalCase, order: Order, *, once: object) -> None:
    """To the customer: where the goods go, until when, at whose expense (L221-23)."""
    withdrawal = case.withdrawal
    context = {
        **_declared(withdrawal),
        "return_by": _iso(_return_by(withdrawal)),
        "pieces": [case.goods] if case.goods else _pieces_to_return(order, withdrawal),
    }
    mail_customer(order, "withdrawal_return", context, once=once)


def _pieces_to_return(order: Order, withdrawal: Withdrawal) -> list[str]:
    units = units_to_return(order, withdrawal)
    with translation.override(order.language):
        return [f"{units[item.pk]} × {item.label}" for item in order.items.all() if units.get(item.pk)]


def mail_refused(case: WithdrawalCase) -> None:
    """To whoever declared: the shop does not act on it, and why."""
    withdrawal = case.withdrawal
    queue_mail(
        kind="withdrawal_refused",
        to=case.address,
        language=withdrawal.language,
        context={**_declared(withdrawal), "decision": case.decision, "seller": seller_context()},
        dedupe_key=f"withdrawal_refused:{withdrawal.pk}",
        reference=withdrawal.reference,
    )


def mail_alert(case: WithdrawalCase, *, day: int, waiting: bool) -> None:
    """To the workshop: so many days have passed since a declaration. `waiting`: the refund may still wait."""
    withdrawal = case.withdrawal
    mail_workshop(
        "withdrawal_alert",
        {
            **_declared(withdrawal),
            "day": day,
            "waiting": waiting,
            "order_reference": "" if case.order is None else case.order.reference,
            "refund_by": _iso(case.refund_by),
            "admin_url": case_url(case),
        },
        once=f"{withdrawal.pk}:{day}",
        reference=withdrawal.reference,
    )


def mail_overdue(order: Order) -> None:
    """To the customer and to the workshop: the promised date has passed (L216-6, L216-7). Who still owes something
    reads that payment can be suspended, and where."""
    once = f"{order.pk}:{order.promised_by.isoformat()}"
    may_suspend = bool(outstanding(order)) and open_pause(order) is None
    told = {
        "in_part": order.goods_have_left,
        "pay_url": payment_page_url(order) if may_suspend else "",
    }
    mail_customer(order, "delivery_overdue", told, once=once)
    context = {"admin_url": order_admin_url(order)}
    mail_workshop("delivery_overdue_workshop", context, once=once, order=order)


def mail_postponed(order: Order, *, before: date, reason: str, once: object) -> None:
    """To the customer: there is a new promised date, and what they may do (L216-6)."""
    mail_customer(
        order,
        "delivery_postponed",
        {"before": before.isoformat(), "reason": reason},
        once=once,
    )


def case_url(case: WithdrawalCase) -> str:
    """Return the absolute address of the case in the admin."""
    return absolute_url(reverse("staff-withdrawal", args=[case.pk]))


def _return_by(withdrawal: Withdrawal) -> date:
    """Fourteen days from the declaration (L221-23), or from now when the return is asked for later: no mail names a
    day that has passed."""
    asked = max(shop_day(withdrawal.declared_at), timezone.localdate())
    return asked + timedelta(days=RETURN_DAYS)


def _declared(withdrawal: Withdrawal) -> dict[str, Any]:
    return {
        "reference": withdrawal.reference,
        "declared_at": withdrawal.declared_at.isoformat()
        if withdrawal.by_site
        else _iso(shop_day(withdrawal.declared_at)),
        "channel": withdrawal.channel,
        "sent_on": _iso(withdrawal.sent_on),
        "filed_by": "" if withdrawal.filed_by is None else withdrawal.filed_by.email,
        "name": withdrawal.name,
        "declared_email": withdrawal.email,
        "order_text": withdrawal.order_text,
        "statement": withdrawal.statement,
    }


def _iso(day: date | None) -> str:
    return "" if day is None else day.isoformat()
