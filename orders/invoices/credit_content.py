"""What a credit note says, and an invoice that is issued anew: texts and amounts of the document that is credited."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.utils import translation
from django.utils.translation import gettext as _

from orders.invoices import mentions
from orders.invoices.content import customer_data, document_head, iso_day, line_data, tax_data
from orders.invoices.series import ReservedNumber
from orders.invoices.tax import tax_rates
from orders.models import (
    Invoice,
    InvoiceDraft,
    RefundReason,
    RefundRequest,
    RefundState,
)
from orders.pricing.shares import share_out
from orders.pricing.vat import RateShare, Tax
from orders.selectors.refund_debts import taken_instead
from orders.selectors.refund_rules import paid_amounts
from orders.selectors.refund_words import promotion_share_text
from shop.core.money import ZERO, amount_string, from_cents, quantize, to_cents


def credit_note_data(
    credited: Invoice,
    request: RefundRequest,
    *,
    reserved: ReservedNumber,
    tax: Tax,
    lines: list[dict[str, Any]],
    shipping: Decimal,
) -> dict[str, Any]:
    """The content of a credit note. Amounts are positive: the document's title says which way they go."""
    order = credited.order
    with translation.override(order.language):
        # A row that was just made has the plain 0 of its default.
        voided = quantize(Decimal(request.voided))
        taken = taken_instead(order)[request.pk]
        money = request.amount - voided - taken
        return _credit(
            credited,
            reserved=reserved,
            tax=tax,
            lines=lines,
            shipping=shipping,
            reason=request.reason,
            refund={
                "refunded": amount_string(money),
                "refunded_on": iso_day(_last_given_back(request) or reserved.issued_at) if money else None,
                "voided": amount_string(voided),
                "taken_back": amount_string(taken),
            },
        )


def _last_given_back(request: RefundRequest) -> datetime | None:
    """When the last of a decision's money left the shop; that of refunds made outside it, where it has none of its
    own."""
    back = request.order.refunds.filter(state=RefundState.SUCCEEDED, settled_at__isnull=False)
    days = back.order_by("-settled_at").values_list("settled_at", flat=True)
    return days.filter(request=request).first() or days.filter(reason=RefundReason.EXTERNAL).first()


def correction_data(credited: Invoice, *, reserved: ReservedNumber, tax: Tax, reason: str) -> dict[str, Any]:
    """The content of the credit note that takes a whole invoice back before it is issued anew."""
    with translation.override(credited.language):
        return _credit(
            credited,
            reserved=reserved,
            tax=tax,
            lines=credited.data["lines"],
            shipping=Decimal(credited.data["shipping"]),
            reason=reason,
            refund={"refunded": amount_string(ZERO), "refunded_on": None, "voided": amount_string(ZERO)},
        )


def reissued_data(
    credited: Invoice, *, reserved: ReservedNumber, draft: InvoiceDraft, credit_note: str, reason: str
) -> dict[str, Any]:
    """The content of an invoice issued anew: that of the one it replaces, with the customer and notes corrected."""
    order = credited.order
    with translation.override(order.language):
        data = {
            **credited.data,
            **document_head(order, reserved=reserved, kind="invoice"),
            "seller": credited.data["seller"],
            "customer": customer_data(order, draft),
            "notes": draft.notes,
            "replaces": {
                "number": credited.number,
                "issued_on": credited.data["issued_on"],
                "credit_note": credit_note,
                "reason": reason,
            },
        }
        data["mentions"] = mentions.for_other_customer(data)
    return data


def _credit(
    credited: Invoice,
    *,
    reserved: ReservedNumber,
    tax: Tax,
    lines: list[dict[str, Any]],
    shipping: Decimal,
    reason: str,
    refund: dict[str, Any],
) -> dict[str, Any]:
    total = tax.net + tax.vat
    head = document_head(credited.order, reserved=reserved, kind="credit_note")
    if tax.is_liable:
        # The number that the VAT was charged under, whether or not the seller is liable still.
        head["seller"]["vat_number"] = credited.data["seller"]["vat_number"]
    data = {
        **head,
        "customer": credited.data["customer"],
        "delivery": credited.data["delivery"],
        "credits": {"number": credited.number, "issued_on": credited.data["issued_on"]},
        "reason": reason,
        "lines": lines,
        "subtotal": amount_string(total - shipping),
        "shipping": amount_string(shipping),
        "total": amount_string(total),
        "tax": tax_data(tax),
        "refund": refund,
        "notes": "",
    }
    data["mentions"] = mentions.for_document(tax, data)
    return data


@dataclass(frozen=True, slots=True)
class Uncredited:
    """What the credit notes of a document left at each of its `rates`. By percent, VAT included: what it `charged`, and
    what they left of its `delivery`.

    No rate gives back more than it was charged. What has no room left at its own, as a piece whose price was reduced
    by a gesture before it came back, goes to the rates that have some.
    """

    rates: list[RateShare]
    charged: dict[Decimal, Decimal]
    delivery: dict[Decimal, Decimal]

    def within(self, lines: Sequence[tuple[Decimal, Decimal]]) -> list[Decimal]:
        """Return what of each line of (total, percent) its rate has room for, the first ones first."""
        parts: list[tuple[Decimal, Decimal]] = []
        for total, percent in lines:
            parts.append((min(total, self._room(parts)[percent]), percent))
        return [part for part, _percent in parts]

    def share(
        self, amount: Decimal, beside: Sequence[tuple[Decimal, Decimal]], *, is_delivery: bool = False
    ) -> list[tuple[Decimal, Decimal]]:
        """Share an amount without pieces out over the rates, as (amount, percent): in proportion to what is left of
        delivery or to what was charged, then to the room that the lines `beside` it leave."""
        weights = self.delivery if is_delivery and any(self.delivery.values()) else self.charged
        room = self._room(beside)
        wanted = share_out(to_cents(amount), [to_cents(weight) for weight in weights.values()])
        parts = [min(cents, to_cents(room[percent])) for cents, percent in zip(wanted, weights, strict=True)]
        free = [to_cents(room[percent]) - cents for cents, percent in zip(parts, weights, strict=True)]
        rest = to_cents(amount) - sum(parts)
        # More than was charged has a note all the same, and the audit says so: money went back.
        more = share_out(rest, free if rest <= sum(free) else wanted)
        return [
            (from_cents(cents + extra), percent)
            for cents, extra, percent in zip(parts, more, weights, strict=True)
        ]

    def _room(self, beside: Sequence[tuple[Decimal, Decimal]]) -> dict[Decimal, Decimal]:
        return {rate.percent: max(rate.total - _sum_at(rate.percent, beside), ZERO) for rate in self.rates}


def uncredited_of(charged: dict[str, Any], notes: Iterable[dict[str, Any]]) -> Uncredited:
    """Return what is left of a document, by its frozen content and that of its credit notes."""
    rates = {rate.percent: rate for rate in tax_rates(charged["tax"])}
    whole = {percent: rate.total for percent, rate in rates.items()}
    delivery = _delivery_of(charged, charged)
    for note in notes:
        for rate in tax_rates(note["tax"]):
            had = rates[rate.percent]
            rates[rate.percent] = RateShare(rate.percent, had.net - rate.net, had.vat - rate.vat)
        for percent, amount in _delivery_of(charged, note).items():
            delivery[percent] = max(delivery[percent] - amount, ZERO)
    return Uncredited(list(rates.values()), whole, delivery)


def _delivery_of(charged: dict[str, Any], data: dict[str, Any]) -> dict[Decimal, Decimal]:
    """What a document bears at each rate beside its goods."""
    goods = with_rates(charged, [line for line in data["lines"] if not line.get("is_shipping")])
    return {rate.percent: rate.total - _sum_at(rate.percent, goods) for rate in tax_rates(data["tax"])}


def _sum_at(percent: Decimal, lines: Sequence[tuple[Decimal, Decimal]]) -> Decimal:
    return sum((total for total, each in lines if each == percent), ZERO)


def credited_lines(
    credited: Invoice, request: RefundRequest, left: Uncredited
) -> tuple[list[dict[str, Any]], Decimal]:
    """Return what the credit note lists, and its share of the delivery; both add up to the credited amount."""
    with translation.override(credited.order.language):
        return _credited_lines(credited, request, left)


def _credited_lines(
    credited: Invoice, request: RefundRequest, left: Uncredited
) -> tuple[list[dict[str, Any]], Decimal]:
    parts = list(request.lines.select_related("item").order_by("item__position", "pk"))
    if not parts and request.amount == credited.total:
        return credited.data["lines"], Decimal(credited.data["shipping"])
    granted = [{**line_data(part.item), "total": amount_string(part.amount)} for part in parts]
    totals = left.within(with_rates(credited.data, granted))
    lines, paid = [], paid_amounts(credited.order)
    for part, line, total in zip(parts, granted, totals, strict=True):
        gross = part.quantity * part.item.unit_price
        lines.append(
            {
                **line,
                "quantity": part.quantity,
                "free_quantity": 0,
                "discount": amount_string(max(gross - total, ZERO)),
                "total": amount_string(total),
                "explanation": promotion_share_text(
                    part.item, quantity=part.quantity, amount=total, paid=paid
                ),
            }
        )
    shipping = quantize(Decimal(request.shipping))
    rest = request.amount - shipping - sum(totals, ZERO)
    if rest > 0:
        beside = with_rates(credited.data, lines)
        beside += left.share(shipping, beside, is_delivery=True)
        name = _("Geste commercial") if parts else _("Remboursement partiel")
        lines += _amount_lines(name, left.share(rest, beside))
    if not lines:
        # Delivery given back alone is a line: it bears the rates at which it was charged.
        lines = _amount_lines(_("Livraison"), left.share(shipping, [], is_delivery=True))
        return [{**line, "is_shipping": True} for line in lines], ZERO
    return lines, shipping


def with_rates(data: dict[str, Any], lines: Sequence[dict[str, Any]]) -> list[tuple[Decimal, Decimal]]:
    """Return (total, percent) of each line of a credit note: the rate is that of the same line of the credited
    document's `data`."""
    tax = data["tax"]
    percents = tax.get("line_percents") or [tax["percent"]] * len(data["lines"])
    charged = {line["item"]: percent for line, percent in zip(data["lines"], percents, strict=True)}
    # A line of the credited document itself, or of one credited in part, names its item; an amount names its rate.
    return [
        (Decimal(line["total"]), Decimal(line.get("percent") or charged.get(line["item"], tax["percent"])))
        for line in lines
    ]


def _amount_lines(name: str, shares: Sequence[tuple[Decimal, Decimal]]) -> list[dict[str, Any]]:
    """An amount without pieces, by rate where the credited document bears several."""
    if len(shares) == 1:
        return [_amount_line(name, shares[0][0])]
    return [{**_amount_line(name, part), "percent": f"{percent:.2f}"} for part, percent in shares if part]


def _amount_line(name: str, amount: Decimal) -> dict[str, Any]:
    return {
        "item": None,
        "name": name,
        "detail": "",
        "sku": "",
        "quantity": 1,
        "free_quantity": 0,
        "unit_price": amount_string(amount),
        "discount": amount_string(ZERO),
        "total": amount_string(amount),
        "hs_code": "",
        "origin": "",
    }
