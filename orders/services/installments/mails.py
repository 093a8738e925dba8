"""The mails of an order in installments: written with the change that causes them, each once."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from django.utils import timezone

from orders.access import payment_page_url
from orders.invoices.content import paid_copy_data
from orders.invoices.documents import paid_copy_attachment
from orders.invoices.issuing import current_invoice
from orders.mails import mail_customer, mail_workshop, order_admin_url
from orders.models import Order, Payment, StoredCard
from orders.selectors.installments import calendar, is_disputed
from shop.core.mail_content import Attachment


def mail_reminder(order: Order, payment: Payment, day: date) -> None:
    """To the customer, some days ahead: which amount is charged on which day, to which card, and how to do
    otherwise."""
    _mail("installment_reminder", order, payment, once=day.isoformat(), day=day.isoformat())


def mail_moved(order: Order, payment: Payment, *, once: str) -> None:
    """To the customer: dispatch, or a first parcel, moved an installment that would be due too late."""
    assert payment.moved_from is not None
    _mail(
        "installment_moved",
        order,
        payment,
        once=once,
        day=payment.due_on.isoformat(),
        before=payment.moved_from.isoformat(),
        in_part=not order.all_goods_have_left,
    )


def mail_received(order: Order, payment: Payment) -> None:
    """To the customer: an installment was paid, by the card or by the customer. With the last one goes the invoice as
    it is paid now, and the mail waits for it."""
    invoice = current_invoice(order)
    is_paid = invoice is not None and paid_copy_data(invoice) is not None
    plan = calendar(order)
    # No mail names a day during a dispute. The card that it was paid with is stored after this: what waited for another
    # card is told with that one.
    row = None if plan is None or plan.pause or is_disputed(order) else plan.next_open
    _mail(
        "installment_received",
        order,
        payment,
        once="paid",
        attachments=[paid_copy_attachment(order.pk)] if is_paid else [],
        has_paid_copy=is_paid,
        next_amount=str(row.payment.amount) if row else "",
        next_on=row.day.isoformat() if row and not (row.is_late or row.by_link) else "",
    )


def mail_refused(
    order: Order, payment: Payment, *, code: str, retry_on: date | None, asks_bank: bool
) -> None:
    """To the customer: an installment could not be charged; tried again on `retry_on`, or to be paid by the link."""
    _mail(
        "installment_refused",
        order,
        payment,
        # Staff may try again on the same day: what the bank says then has other words and another way out.
        once=f"{timezone.localdate().isoformat()}:{code}",
        retry_on=retry_on.isoformat() if retry_on else "",
        asks_bank=asks_bank,
        no_funds=code == "insufficient_funds",
    )


def mail_link(order: Order, payment: Payment, *, once: str) -> None:
    """To the customer: the link to the page where the installment is paid."""
    _mail("installment_link", order, payment, once=once)


def mail_resumed(order: Order, *, once: str, granted_less: bool) -> None:
    """To the customer: a withdrawal that had stopped the installments has no effect, or less than it stopped
    (`granted_less`); what is still to be paid, and when and how, unless the payments are suspended."""
    context = {**open_context(order), "granted_less": granted_less}
    mail_customer(order, "installment_resumed", context, once=once)


def mail_calendar(order: Order, *, why: str, once: str) -> None:
    """To the customer: the days of what is still to be paid changed. `why` is paused, resumed or dispatch_undone."""
    context = {**open_context(order), "why": why}
    mail_customer(order, "installment_calendar", context, once=f"{order.pk}:{once}")


def open_context(order: Order) -> dict[str, Any]:
    """What `mail/_installments` reads: what is still to be paid, when and how."""
    plan = calendar(order)
    rows = [
        {
            **_installment(row.payment),
            "day": "" if row.is_late else row.day.isoformat(),
            "by_link": row.by_link,
        }
        for row in (plan.rows if plan else ())
        if row.is_open
    ]
    return {**_context(order), "installments": rows}


def mail_overdue(order: Order, payment: Payment) -> None:
    """To the customer: no further charge is tried, the link stays."""
    _mail("installment_overdue", order, payment, once=timezone.localdate().isoformat())


def mail_card_stored(order: Order, card: StoredCard) -> None:
    """To the customer: another card replaces the former one; which amounts it is charged on which days, and what is
    left to the customer."""
    plan = calendar(order)
    assert plan is not None
    rows = [
        {**_installment(row.payment), "day": row.day.isoformat(), "is_late": row.is_late or row.by_link}
        for row in plan.rows
        if row.is_open
    ]
    context = {**_context(order), "rows": rows, "has_late": any(row["is_late"] for row in rows)}
    # The same card may be left again, with other days.
    mail_customer(order, "installment_card_kept", context, once=f"{order.pk}:{card.kept_at.isoformat()}")


def mail_if_card_expires(order: Order) -> None:
    """To the customer, once a card: the stored card expires before the last installment."""
    plan = calendar(order)
    if plan is None or plan.card is None or plan.card.refused_code or not plan.card_ends_early:
        return
    last = max(row.payment.due_on for row in plan.rows if row.is_open)
    context = {**_context(order), "last": last.isoformat()}
    once = f"{order.pk}:{plan.card.payment_method_id}"
    mail_customer(order, "installment_card_expires", context, once=once)


def mail_overdue_alert(order: Order, payment: Payment, code: str) -> None:
    """To the workshop: an installment is overdue, and nothing more happens by itself."""
    context = {
        **_installment(payment),
        "due_on": payment.due_on.isoformat(),
        "code": code,
        "admin_url": order_admin_url(order, "staff-order-installments"),
    }
    # Another card may have been tried since the last one.
    once = f"{payment.pk}:{timezone.localdate().isoformat()}"
    mail_workshop("installment_overdue_alert", context, once=once, order=order)


def _mail(
    kind: str,
    order: Order,
    payment: Payment,
    *,
    once: str,
    attachments: Sequence[Attachment] = (),
    **more: Any,
) -> None:
    context = {**_context(order), **_installment(payment), "due_on": payment.due_on.isoformat(), **more}
    mail_customer(order, kind, context, once=f"{payment.pk}:{once}", attachments=attachments)


def _installment(payment: Payment) -> dict[str, Any]:
    return {"position": payment.position, "count": payment.count, "amount": str(payment.amount)}


def _context(order: Order) -> dict[str, Any]:
    plan = calendar(order)
    card = plan.card if plan else None
    return {
        "card": {
            "brand": card.brand.title(),
            "last4": card.last4,
            "usable": not card.refused_code,
            "expiry": f"{card.expiry_month:02d}/{card.expiry_year}" if card.expiry_month else "",
        }
        if card
        else None,
        "left": str(plan.outstanding) if plan else "0.00",
        "is_settled": plan is not None and plan.is_settled,
        "is_paused": plan is not None and plan.pause is not None,
        "pay_url": payment_page_url(order),
    }
