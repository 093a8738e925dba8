"""What an audit compares: the series, its chain and documents, orders against documents, ledger against both."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, QuerySet, Sum
from django.db.models.expressions import Combinable
from django.utils.translation import gettext as _

from orders.invoices.series import chain_hash
from orders.models import (
    Contract,
    ContractDocument,
    Invoice,
    InvoiceDocument,
    InvoiceGap,
    InvoiceKind,
    InvoiceSeries,
    LedgerEntry,
    LedgerKind,
    Order,
    Payment,
    PaymentState,
    PurgedYear,
    Refund,
    RefundReason,
    RefundRequest,
    RefundState,
    WithdrawalCase,
)
from orders.models.payment import AUTOMATIC_REFUNDS, COLLECTED_KINDS, OPEN_PAYMENTS, REFUNDS_UNDER_WAY
from shop.core.dates import shop_day
from shop.core.money import ZERO, from_cents, quantize


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is not as it must be. `check` is a stable English word, `subject` a number or reference, `detail`
    a sentence in the active language."""

    check: str
    subject: str
    detail: str


CHUNK = 500
DOCUMENT_WITHIN = timedelta(hours=1)


def check_series() -> Iterator[Fault]:
    """Numbers 1, 2, 3 … of each year in the order of issue, each linked to the one before. Four queries.

    Of a purged year some documents may be left: `check_purged_years` counts them. Numbers that were lost before a
    backup was brought back are recorded as `InvoiceGap`.
    """
    series = {row.year: row for row in InvoiceSeries.objects.all()}
    purged = {row.year: row for row in PurgedYear.objects.all()}
    lost = {(row.year, row.first_number): row.last_number for row in InvoiceGap.objects.all()}
    expected: dict[int, int] = {}
    previous: dict[int, tuple[str, datetime]] = {}
    for invoice in Invoice.objects.order_by("year", "sequence").iterator(chunk_size=CHUNK):
        year = invoice.year
        wanted = _after_lost(lost, year, expected.get(year, 0)) + 1
        follows = invoice.sequence == wanted
        if not follows and year not in purged:
            yield Fault(
                "gap",
                f"F-{year}-{wanted:05d}",
                _("manque, le suivant est %(next)s") % {"next": invoice.number},
            )
        expected[year] = invoice.sequence
        before, issued = previous.get(year, ("", invoice.issued_at))
        if invoice.previous_hash != before and (follows or year not in purged):
            yield Fault("chain", invoice.number, _("n'est pas lié au document précédent"))
        yield from _own_faults(invoice)
        if invoice.issued_at < issued:
            yield Fault("chronology", invoice.number, _("a été émis avant le document du numéro précédent"))
        previous[year] = (invoice.hash, invoice.issued_at)
    for year in sorted({*series, *expected}):
        row, end = series.get(year), purged.get(year)
        last_hash = previous[year][0] if year in previous else ""
        wanted_end = (_after_lost(lost, year, expected.get(year, 0)), last_hash)
        if end is not None and wanted_end[0] != end.last_number:
            wanted_end = (end.last_number, end.last_hash)
        if row is None or (row.last_number, row.last_hash) != wanted_end:
            yield Fault("series", str(year), _("le compteur n'est pas au dernier document"))


def _after_lost(lost: Mapping[tuple[int, int], int], year: int, number: int) -> int:
    """The number after which the series goes on: itself, or the last of those that were lost behind it."""
    while (year, number + 1) in lost:
        number = lost[year, number + 1]
    return number


def check_purged_years() -> Iterator[Fault]:
    """What went with the purged years and what is left of them is all that they held. Three queries, none without such
    years but the first."""
    years = list(PurgedYear.objects.order_by("year"))
    if not years:
        return
    documents = Invoice.objects.filter(year__lte=years[-1].year)
    movements = LedgerEntry.objects.filter(occurred_at__lt=years[-1].ends_at)
    for rows, column, issued, gone in (
        (
            documents,
            "total",
            [(row.last_number, row.total) for row in years],
            [(row.purged_documents, row.purged_total) for row in years],
        ),
        (
            movements,
            "amount",
            [(row.movements, row.moved) for row in years],
            [(row.purged_movements, row.purged_moved) for row in years],
        ),
    ):
        left = rows.order_by().aggregate(count=Count("pk"), sum=Sum(column))
        found = (
            sum(count for count, _amount in gone) + left["count"],
            sum((amount for _count, amount in gone), ZERO) + quantize(left["sum"] or ZERO),
        )
        wanted = (sum(count for count, _amount in issued), sum((amount for _count, amount in issued), ZERO))
        if found != wanted:
            yield Fault(
                "purged year",
                str(years[-1].year),
                _("jusque-là %(found)s (%(amount)s) et non %(wanted)s (%(wanted_amount)s)")
                % {
                    "found": found[0],
                    "amount": found[1],
                    "wanted": wanted[0],
                    "wanted_amount": wanted[1],
                },
            )


def _own_faults(invoice: Invoice) -> Iterator[Fault]:
    """What a single document says about itself."""
    number = f"F-{invoice.year}-{invoice.sequence:05d}"
    if invoice.number != number or invoice.data["number"] != invoice.number:
        yield Fault("number", invoice.number, _("devrait être %(number)s") % {"number": number})
    if (
        chain_hash(number=invoice.number, data=invoice.data, previous_hash=invoice.previous_hash)
        != invoice.hash
    ):
        yield Fault("hash", invoice.number, _("son contenu n'est pas celui qui a été émis"))
    if invoice.country != invoice.data["delivery"]["country"]:
        yield Fault(
            "country",
            invoice.number,
            _("la ligne dit %(found)s, le document %(wanted)s")
            % {"found": invoice.country, "wanted": invoice.data["delivery"]["country"]},
        )
    if shop_day(invoice.issued_at).year != invoice.year:
        yield Fault("year", invoice.number, _("a été émis une autre année"))
    yield from _arithmetic(invoice)


def _arithmetic(invoice: Invoice) -> Iterator[Fault]:
    """Lines, delivery, tax and total of the printed content, and the row's own columns."""
    data = invoice.data
    total, tax = Decimal(data["total"]), data["tax"]
    lines = sum((Decimal(line["total"]) for line in data["lines"]), ZERO)
    sign = -1 if invoice.kind == InvoiceKind.CREDIT_NOTE else 1
    parts = lines + Decimal(data["shipping"])
    taxed = Decimal(tax["net"]) + Decimal(tax["vat"])
    if parts != total:
        yield Fault(
            "lines",
            invoice.number,
            _("lignes et livraison font %(found)s et non %(wanted)s") % {"found": parts, "wanted": total},
        )
    if taxed != total:
        yield Fault(
            "tax",
            invoice.number,
            _("base et TVA font %(found)s et non %(wanted)s") % {"found": taxed, "wanted": total},
        )
    if (invoice.total, invoice.vat) != (sign * total, sign * Decimal(tax["vat"])):
        yield Fault(
            "total",
            invoice.number,
            _("la ligne dit %(found)s, le document %(wanted)s")
            % {"found": invoice.total, "wanted": sign * total},
        )


def check_documents(now: datetime) -> Iterator[Fault]:
    """Every PDF is there an hour after the issue, and its bytes are those that were stored. Four queries."""
    for number in Invoice.objects.filter(document=None, issued_at__lt=now - DOCUMENT_WITHIN).values_list(
        "number", flat=True
    ):
        yield Fault("document", number, _("n'a pas de PDF"))
    stored = InvoiceDocument.objects.order_by("pk").values_list("invoice__number", "pdf", "sha256")
    for reference in Contract.objects.filter(document=None, created_at__lt=now - DOCUMENT_WITHIN).values_list(
        "order__reference", flat=True
    ):
        yield Fault("contract", reference, _("n'a pas de PDF"))
    contracts = ContractDocument.objects.order_by("pk").values_list(
        "contract__order__reference", "pdf", "sha256"
    )
    for reference, pdf, digest in contracts.iterator(chunk_size=20):
        if hashlib.sha256(bytes(pdf)).hexdigest() != digest:
            yield Fault("contract", reference, _("son PDF n'est pas celui qui a été conservé"))
    for number, pdf, digest in stored.iterator(chunk_size=20):
        if hashlib.sha256(bytes(pdf)).hexdigest() != digest:
            yield Fault("document", number, _("son PDF n'est pas celui qui a été conservé"))


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
    """A credit note for each refund decision that is through, of its amount, and never more than the invoice.

    Three queries.
    """
    credited: Sums = defaultdict(lambda: ZERO)
    notes = (
        Invoice.objects.filter(kind=InvoiceKind.CREDIT_NOTE).select_related("refund_request").defer("data")
    )
    for note in notes.iterator():
        credited[note.credits_id] += note.total
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
    for invoice in Invoice.objects.filter(kind=InvoiceKind.INVOICE).defer("data"):
        if invoice.total + credited[invoice.pk] < 0:
            yield Fault(
                "credit note",
                invoice.number,
                _("créditée de %(found)s sur %(wanted)s")
                % {"found": -credited[invoice.pk], "wanted": invoice.total},
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


def check_ledger() -> Iterator[Fault]:
    """What moved is what payments and refunds say, and what the documents of each order add up to."""
    yield from _payments()
    yield from _refunds()
    yield from _documents()


def _payments() -> Iterator[Fault]:
    """Four queries."""
    moved = _sums(LedgerEntry.objects.filter(kind__in=COLLECTED_KINDS), "payment")
    leaving = _leaving("attempt__payment")
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

    Thirteen queries. What a decision has moved before its credit note is issued is added back.
    """
    documents = _sums(Invoice.objects.all(), "order", "total")
    kept = _sums(LedgerEntry.objects.filter(kind__in=COLLECTED_KINDS), "order")
    to_come = _sums(Payment.objects.filter(state__in=(*OPEN_PAYMENTS, PaymentState.WRITTEN_OFF)), "order")
    leaving = _leaving("order")
    announced = RefundRequest.objects.filter(settled_at=None, credit_note=None)
    returned = _sums(_succeeded(announced), "order")
    voided = _sums(announced, "order", "voided")
    owed = _still_owed()
    declared = _sums(
        WithdrawalCase.objects.filter(withdrawal__refund_requests=None, order__isnull=False),
        "order",
        "voided",
    )
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


def _leaving(by: str) -> Sums:
    """What goes back by itself; of a charge of which a part was given back at the provider, the rest. Two queries."""
    sums: Sums = defaultdict(lambda: ZERO)
    gone = _sums(Refund.objects.filter(state=RefundState.SUCCEEDED), "attempt")
    automatic = Refund.objects.filter(reason__in=AUTOMATIC_REFUNDS, state__in=REFUNDS_UNDER_WAY)
    for key, attempt, amount, cents in automatic.values_list(
        by, "attempt", "amount", "attempt__amount_cents"
    ):
        sums[key] += min(amount, max(from_cents(cents) - gone[attempt], ZERO))
    return sums


def _still_owed() -> Sums:
    """What credit notes say was given back while the bank has refused it, which `check_credit_notes` reports.

    Five queries. What went back outside the shop beyond a decision of its own has made it good.
    """
    noted = RefundRequest.objects.filter(credit_note__isnull=False)
    bounced, through = noted.filter(settled_at=None), noted.filter(settled_at__isnull=False)
    undecided = Refund.objects.filter(request=None, reason=RefundReason.EXTERNAL, state=RefundState.SUCCEEDED)
    automatic = Refund.objects.filter(reason__in=AUTOMATIC_REFUNDS).values("attempt")
    back, more = _sums(_succeeded(bounced), "order"), _sums(_succeeded(through), "order")
    needed = _sums(through, "order", F("amount") - F("voided"))
    outside = _sums(undecided.exclude(attempt__in=automatic), "order")
    owed = _sums(bounced, "order", F("amount") - F("voided"))
    for key, amount in owed.items():
        spare = max(more[key] - needed[key] + outside[key], ZERO)
        owed[key] = max(amount - back[key] - spare, ZERO)
    return owed


def _succeeded(requests: QuerySet[RefundRequest]) -> QuerySet[Refund]:
    return Refund.objects.filter(request__in=requests, state=RefundState.SUCCEEDED)


def _sums(rows: QuerySet[Any], by: str, column: str | Combinable = "amount") -> Sums:
    sums: Sums = defaultdict(lambda: ZERO)
    for key, total in rows.order_by().values_list(by).annotate(sum=Sum(column)).values_list(by, "sum"):
        sums[key] = quantize(total)
    return sums
