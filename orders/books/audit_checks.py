"""What an audit compares beyond single documents: orders with their documents, and the ledger with both."""

from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from django.db.models import Exists, F, OuterRef, QuerySet, Sum
from django.db.models.expressions import Combinable
from django.utils.translation import gettext as _

from orders.books.audit_documents import Fault
from orders.invoices.tax import tax_rates
from orders.models import (
    Dispute,
    DisputeState,
    Invoice,
    InvoiceKind,
    LedgerEntry,
    LedgerKind,
    Order,
    Payment,
    PaymentState,
    Refund,
    RefundReason,
    RefundRequest,
    RefundState,
    WithdrawalCase,
)
from orders.models.payment import AUTOMATIC_REFUNDS, COLLECTED_KINDS, OPEN_PAYMENTS
from orders.selectors.refund_debts import balances, going_back
from shop.core.money import ZERO, quantize

Sums = defaultdict[Any, Decimal]


def check_orders() -> Iterator[Fault]:
    """Every order that was confirmed has one invoice in force, of its own total. Two queries."""
    current = {
        invoice.order_id: invoice
        for invoice in Invoice.objects.filter(kind=InvoiceKind.INVOICE).defer("data").order_by("version")
    }
    confirmed = Order.objects.filter(paid_at__isnull=False).order_by("created_at")
    for order in confirmed.only("reference", "total").iterator():
        invoice = current.pop(order.pk, None)
        if invoice is None:
            yield Fault("order", order.reference, _("payée, sans facture"))
        elif invoice.total != order.total:
            yield Fault(
                "order",
                order.reference,
                _("total %(total)s, facture %(number)s de %(found)s")
                % {"total": order.total, "number": invoice.number, "found": invoice.total},
            )
    for invoice in current.values():
        yield Fault("order", invoice.number, _("facture une commande jamais payée"))


def check_credit_notes() -> Iterator[Fault]:
    """A credit note for each refund decision that is through, of its amount, and never more than the invoice, nor more
    than it charged at a rate.

    Three queries.
    """
    credited: Sums = defaultdict(lambda: ZERO)
    taxes: defaultdict[int | None, list[dict[str, Any]]] = defaultdict(list)
    documents = Invoice.objects.defer("data").annotate(tax=F("data__tax"))
    notes = documents.filter(kind=InvoiceKind.CREDIT_NOTE).select_related("refund_request")
    for note in notes.iterator():
        credited[note.credits_id] += note.total
        taxes[note.credits_id].append(note.tax)
        request = note.refund_request
        if request is not None and -note.total != request.amount:
            yield Fault(
                "credit note",
                note.number,
                _("%(found)s pour un remboursement de %(wanted)s")
                % {"found": -note.total, "wanted": request.amount},
            )
        if request is not None and request.settled_at is None:
            yield Fault("credit note", note.number, _("son remboursement a échoué après l'émission"))
    for invoice in documents.filter(kind=InvoiceKind.INVOICE).iterator():
        if invoice.total + credited[invoice.pk] < 0:
            yield Fault(
                "credit note",
                invoice.number,
                _("créditée de %(found)s sur %(wanted)s")
                % {"found": -credited[invoice.pk], "wanted": invoice.total},
            )
            continue
        for percent, net, vat in _beyond_rates(invoice.tax, taxes[invoice.pk]):
            yield Fault(
                "credit note",
                invoice.number,
                _("au taux de %(percent)s, reste une base de %(net)s et une TVA de %(vat)s")
                % {"percent": f"{percent}\u00a0%", "net": net, "vat": vat},
            )
    lacking = RefundRequest.objects.filter(
        settled_at__isnull=False, credit_note=None, order__invoices__isnull=False
    )
    for reference, amount in lacking.values_list("order__reference", "amount").distinct():
        yield Fault(
            "credit note",
            reference,
            _("aucun avoir pour son remboursement de %(amount)s") % {"amount": amount},
        )


def _beyond_rates(
    charged: dict[str, Any], credited: list[dict[str, Any]]
) -> Iterator[tuple[Decimal, Decimal, Decimal]]:
    """Each rate at which credit notes gave back more net or VAT than was charged, with what is left of both."""
    nets: Sums = defaultdict(lambda: ZERO)
    vats: Sums = defaultdict(lambda: ZERO)
    for sign, tax in ((1, charged), *((-1, tax) for tax in credited)):
        for rate in tax_rates(tax):
            nets[rate.percent] += sign * rate.net
            vats[rate.percent] += sign * rate.vat
    for percent, net in nets.items():
        if net < 0 or vats[percent] < 0:
            yield percent, net, vats[percent]


def check_ledger() -> Iterator[Fault]:
    """What moved is what payments and refunds say, and what the documents of each order add up to."""
    yield from _payments()
    yield from _refunds()
    yield from _documents()


def _payments() -> Iterator[Fault]:
    """Four queries."""
    moved = _sums(LedgerEntry.objects.filter(kind__in=COLLECTED_KINDS), "payment")
    leaving = going_back(Refund.objects.all(), by="attempt__payment")
    for payment in Payment.objects.select_related("order").order_by("pk").iterator():
        kept = moved[payment.pk]
        # A charge on its way back (paid twice, or for a closed order) counts for nothing already.
        if not any(_fits(payment, amount) for amount in (kept, kept - leaving[payment.pk])):
            yield Fault(
                "payment",
                str(payment),
                _("%(state)s, de %(amount)s, et le grand livre garde %(kept)s")
                % {"state": payment.get_state_display(), "amount": payment.amount, "kept": kept},
            )


def _fits(payment: Payment, kept: Decimal) -> bool:
    if payment.state == PaymentState.PAID:
        return kept == payment.amount
    if payment.state == PaymentState.PARTLY_REFUNDED:
        return ZERO < kept < payment.amount
    return kept == ZERO


def _refunds() -> Iterator[Fault]:
    """Two queries, and one for the references of what differs."""
    booked = _sums(
        LedgerEntry.objects.filter(kind__in=(LedgerKind.REFUND, LedgerKind.REFUND_FAILED)), "order"
    )
    done = _sums(Refund.objects.filter(state=RefundState.SUCCEEDED), "order")
    wrong = [key for key in {*booked, *done} if booked[key] + done[key]]
    for order in Order.objects.filter(pk__in=wrong).order_by("reference"):
        yield Fault(
            "refund",
            order.reference,
            _("%(done)s remboursés, %(booked)s au grand livre")
            % {"done": done[order.pk], "booked": -booked[order.pk]},
        )


def _documents() -> Iterator[Fault]:
    """Invoices less credit notes of an order are the money that it kept, is still to come, or was written off.

    Fourteen queries, and up to eleven an order with a decision that has no credit note yet. What a decision has moved
    before its credit note is issued is added back.
    """
    documents = _sums(Invoice.objects.all(), "order", "total")
    kept = _sums(LedgerEntry.objects.filter(kind__in=COLLECTED_KINDS), "order")
    to_come = _sums(Payment.objects.filter(state__in=(*OPEN_PAYMENTS, PaymentState.WRITTEN_OFF)), "order")
    leaving = going_back(Refund.objects.all(), by="order")
    announced = RefundRequest.objects.filter(settled_at=None, credit_note=None)
    returned = _counting_for(announced)
    voided = _sums(announced, "order", "voided")
    owed = _still_owed()
    declared = _declared()
    invoiced = Order.objects.filter(Exists(Invoice.objects.filter(order=OuterRef("pk")))).order_by(
        "reference"
    )
    for order in invoiced.only("reference").iterator():
        key = order.pk
        money = kept[key] + to_come[key] - leaving[key]
        money += returned[key] + voided[key] + declared[key] - owed[key]
        if documents[key] != money:
            yield Fault(
                "ledger",
                order.reference,
                _("factures moins avoirs %(documents)s, argent %(money)s")
                % {"documents": documents[key], "money": money},
            )


def _declared() -> Sums:
    """What declarations stopped and no decision about them has credited. One query."""
    sums: Sums = defaultdict(lambda: ZERO)
    cases = WithdrawalCase.objects.filter(order__isnull=False, voided__gt=0)
    credited = cases.annotate(credited=Sum("withdrawal__refund_requests__voided"))
    for key, stopped, gone in credited.values_list("order", "voided", "credited"):
        sums[key] += max(stopped - quantize(gone or ZERO), ZERO)
    return sums


def _counting_for(announced: QuerySet[RefundRequest]) -> Sums:
    """What went back for decisions without their credit note: by refunds of their own, or of what was refunded outside
    the shop beyond a decision of its own. One query, and three an order with such a decision."""
    sums: Sums = defaultdict(lambda: ZERO)
    for order in Order.objects.filter(refund_requests__in=announced).only("pk").distinct():
        [balance] = balances(order, (RefundState.SUCCEEDED,))
        for request in announced.filter(order=order):
            missing = balance.lacking[request.pk] + balance.taken[request.pk]
            sums[order.pk] += request.amount - request.voided - missing
    return sums


def _undecided() -> Sums:
    """What was refunded outside the shop beyond a decision of its own. One query."""
    automatic = Refund.objects.filter(reason__in=AUTOMATIC_REFUNDS).values("attempt")
    outside = Refund.objects.filter(request=None, reason=RefundReason.EXTERNAL, state=RefundState.SUCCEEDED)
    return _sums(outside.exclude(attempt__in=automatic), "order")


def _still_owed() -> Sums:
    """What credit notes say was given back while the bank has refused it, which `check_credit_notes` reports, or by a
    dispute that was lost.

    Six queries. What went back outside the shop beyond a decision of its own has made it good.
    """
    noted = RefundRequest.objects.filter(credit_note__isnull=False)
    bounced, through = noted.filter(settled_at=None), noted.filter(settled_at__isnull=False)
    back, more = _sums(_succeeded(bounced), "order"), _sums(_succeeded(through), "order")
    needed = _sums(through, "order", F("amount") - F("voided"))
    outside = _undecided()
    owed = _sums(bounced, "order", F("amount") - F("voided"))
    for key, amount in owed.items():
        spare = max(more[key] - needed[key] + outside[key], ZERO)
        owed[key] = max(amount - back[key] - spare, ZERO)
    for key, lost in _sums(Dispute.objects.filter(state=DisputeState.LOST), "order").items():
        owed[key] += min(max(needed[key] - more[key] - outside[key], ZERO), lost)
    return owed


def _succeeded(requests: QuerySet[RefundRequest]) -> QuerySet[Refund]:
    return Refund.objects.filter(request__in=requests, state=RefundState.SUCCEEDED)


def _sums(rows: QuerySet[Any], by: str, column: str | Combinable = "amount") -> Sums:
    sums: Sums = defaultdict(lambda: ZERO)
    for key, total in rows.order_by().values_list(by).annotate(sum=Sum(column)).values_list(by, "sum"):
        sums[key] = quantize(total)
    return sums
