"""What an invoice says, gathered once when it is issued: texts and amounts ("49.99"), nothing looked up later."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from orders.invoices import mentions
from orders.invoices.series import ReservedNumber
from orders.invoices.tax import LIABLE, share_by_rate, tax_rates
from orders.models import (
    Invoice,
    InvoiceDraft,
    Order,
    OrderItem,
    Payment,
    RefundRequest,
    RefundState,
)
from orders.models.payment import COLLECTED_PAYMENTS
from orders.pricing.territories import Place
from orders.pricing.vat import Tax
from orders.selectors.addresses import billing_address, delivery_address, is_delivered_elsewhere
from orders.selectors.company_numbers import company_number
from orders.selectors.installments import calendar
from orders.selectors.refund_rules import paid_amounts
from orders.selectors.refund_words import promotion_share_text
from orders.selectors.rules import country_name
from shop.core.dates import shop_day
from shop.core.models import ShopSettings
from shop.core.money import ZERO, amount_string, quantize

FORMAT = 1
"""Version of this layout, for whoever reads it in ten years."""


def invoice_data(
    order: Order,
    items: Sequence[OrderItem],
    *,
    reserved: ReservedNumber,
    tax: Tax,
    draft: InvoiceDraft | None,
    place: Place,
) -> dict[str, Any]:
    """The content of an order's invoice. Every mention of art. 242 nonies A CGI ann. II is in here."""
    payments = list(order.payments.order_by("position"))
    with translation.override(order.language):
        lines = [_line(item) for item in items]
        data = {
            **_head(order, reserved=reserved, kind="invoice"),
            "customer": _customer(order, draft),
            "delivery": {
                "promised_by": order.promised_by.isoformat(),
                "delivered_on": _day(order.delivered_at),
                "country": place.country,
                "territory": place.territory,
                "country_name": country_name(order.country, order.custom_country),
                "ship_to": _ship_to(order),
            },
            "lines": lines,
            "original_total": amount_string(order.original_total),
            "promotion_savings": amount_string(order.promotion_savings),
            "subtotal": amount_string(order.subtotal),
            "shipping": amount_string(order.shipping_cost),
            "total": amount_string(order.total),
            "tax": tax_data(tax),
            "payment": _payment(order, payments),
            "notes": draft.notes if draft is not None else "",
        }
        data["mentions"] = mentions.for_document(tax, data)
    return data


def paid_copy_data(invoice: Invoice) -> dict[str, Any] | None:
    """The content of an issued invoice with its installments as they are now, once all were collected; else None. Four
    queries."""
    plan = calendar(invoice.order)
    if plan is None or not plan.is_settled:
        return None
    payments = [row.payment for row in plan.rows if not row.paid_early]
    last = max(payment.paid_at for payment in payments if payment.paid_at is not None)
    payment = {**_payment(invoice.order, payments), "paid_on": _day(last)}
    return {**invoice.data, "payment": payment, "is_paid_copy": True}


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
        money = request.amount - voided
        return _credit(
            credited,
            reserved=reserved,
            tax=tax,
            lines=lines,
            shipping=shipping,
            reason=request.reason,
            refund={
                "refunded": amount_string(money),
                "refunded_on": _day(_last_given_back(request) or reserved.issued_at) if money else None,
                "voided": amount_string(voided),
            },
        )


def _last_given_back(request: RefundRequest) -> datetime | None:
    """When the last of a decision's money left the shop."""
    back = request.refunds.filter(state=RefundState.SUCCEEDED, settled_at__isnull=False)
    return back.order_by("-settled_at").values_list("settled_at", flat=True).first()


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
            **_head(order, reserved=reserved, kind="invoice"),
            "seller": credited.data["seller"],
            "customer": _customer(order, draft),
            "notes": draft.notes,
            "replaces": {
                "number": credited.number,
                "issued_on": credited.data["issued_on"],
                "credit_note": credit_note,
                "reason": reason,
            },
        }
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
    data = {
        **_head(credited.order, reserved=reserved, kind="credit_note"),
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


def _head(order: Order, *, reserved: ReservedNumber, kind: str) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "kind": kind,
        "number": reserved.number,
        "issued_on": _day(reserved.issued_at),
        "language": order.language,
        "currency": "EUR",
        "order": {
            "id": str(order.pk),
            "reference": order.reference,
            "invoice_reference": f"INV-{order.reference}",
            "placed_on": _day(order.created_at),
        },
        "seller": _seller(shop_day(reserved.issued_at)),
    }


def _seller(issued_on: date) -> dict[str, Any]:
    shop = ShopSettings.load()
    siret = "".join(shop.siret.split())
    return {
        "shop_name": shop.shop_name,
        "name": shop.trader_name if shop.trader_name.endswith("EI") else f"{shop.trader_name} EI".strip(),
        "siren": siret[:9],
        "siret": siret,
        "address_lines": _lines_of(shop.address),
        "email": shop.email,
        "phone": shop.phone,
        "site": settings.SITE_URL,
        "oss_number": shop.oss_number,
        "vat_number": shop.vat_number if shop.is_vat_liable(issued_on) else "",
        "packaging_id": shop.packaging_id,
        "is_demonstration": shop.is_demonstration,
    }


def _customer(order: Order, draft: InvoiceDraft | None) -> dict[str, Any]:
    billed = billing_address(order)
    number = (draft.customer_number if draft is not None else "") or order.billing_company_number
    written = _lines_of(draft.customer_address) if draft is not None else []
    return {
        "name": (draft.customer_name if draft is not None else "") or billed.name,
        "contact": billed.contact,
        **asdict(company_number(number)),
        "is_edited": bool(written),
        "address_lines": written or billed.lines,
        "email": order.email,
        "street": billed.street,
        "postal_code": billed.postal_code,
        "city": billed.city,
        "country": billed.country,
        "country_code": billed.country_code,
        "country_name": country_name(billed.country, billed.custom_country),
    }


def _ship_to(order: Order) -> dict[str, Any] | None:
    """Where the parcel goes, when the invoice goes elsewhere."""
    if not is_delivered_elsewhere(order):
        return None
    delivery = delivery_address(order)
    return {
        "name": delivery.name,
        "street": delivery.street,
        "postal_code": delivery.postal_code,
        "city": delivery.city,
        "address_lines": delivery.lines,
    }


def _line(item: OrderItem) -> dict[str, Any]:
    product = item.product
    return {
        "item": item.pk,
        "name": item.product_name,
        "detail": item.detail,
        "sku": item.sku,
        "quantity": item.quantity,
        "free_quantity": item.free_quantity,
        "unit_price": amount_string(item.unit_price),
        "discount": amount_string(item.free_quantity * item.unit_price),
        "total": amount_string(item.line_total),
        "hs_code": product.hs_code if product is not None else "",
        "origin": str(product.origin_country) if product is not None else "",
    }


def credited_lines(credited: Invoice, request: RefundRequest) -> tuple[list[dict[str, Any]], Decimal]:
    """Return what the credit note lists, and its share of the delivery; both add up to the credited amount."""
    with translation.override(credited.order.language):
        return _credited_lines(credited, request)


def _credited_lines(credited: Invoice, request: RefundRequest) -> tuple[list[dict[str, Any]], Decimal]:
    parts = list(request.lines.select_related("item__product").order_by("item__position", "pk"))
    if not parts and request.amount == credited.total:
        return credited.data["lines"], Decimal(credited.data["shipping"])
    lines, paid = [], paid_amounts(credited.order)
    for part in parts:
        gross = part.quantity * part.item.unit_price
        lines.append(
            {
                **_line(part.item),
                "quantity": part.quantity,
                "free_quantity": 0,
                "discount": amount_string(max(gross - part.amount, ZERO)),
                "total": amount_string(part.amount),
                "explanation": promotion_share_text(
                    part.item, quantity=part.quantity, amount=part.amount, paid=paid
                ),
            }
        )
    shipping = quantize(Decimal(request.shipping))
    rest = request.amount - shipping - sum((part.amount for part in parts), ZERO)
    if rest > 0:
        lines += _amount_lines(_("Geste commercial") if parts else _("Remboursement partiel"), rest, credited)
    if rest < 0:
        return _amount_lines(_("Remboursement partiel"), request.amount, credited), ZERO
    if shipping and not lines:
        # Delivery given back alone is a line: it bears the rates of the goods that it went with.
        return _amount_lines(_("Livraison"), shipping, credited), ZERO
    return lines, shipping


def percents_of(data: dict[str, Any], lines: Sequence[dict[str, Any]]) -> list[Decimal]:
    """Return the rate of each line of a credit note: that of the same line of the credited document's `data`."""
    tax = data["tax"]
    percents = tax.get("line_percents") or [tax["percent"]] * len(data["lines"])
    charged = {line["item"]: percent for line, percent in zip(data["lines"], percents, strict=True)}
    # A line of the credited document itself, or of one credited in part, names its item; an amount names its rate.
    return [Decimal(line.get("percent") or charged.get(line["item"], tax["percent"])) for line in lines]


def _amount_lines(name: str, amount: Decimal, credited: Invoice) -> list[dict[str, Any]]:
    """An amount without pieces, by rate where the credited document bears several."""
    rates = tax_rates(credited.data["tax"])
    if len(rates) == 1:
        return [_amount_line(name, amount)]
    return [
        {**_amount_line(name, part), "percent": f"{rate.percent:.2f}"}
        for rate, part in zip(rates, share_by_rate(amount, rates), strict=True)
        if part
    ]


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


def tax_data(tax: Tax) -> dict[str, Any]:
    """Return a tax as documents freeze it. `percent` is 0.00 where there are several `rates`."""
    values: dict[str, Any] = {
        "treatment": str(tax.treatment),
        "percent": f"{tax.percent:.2f}",
        "net": amount_string(tax.net),
        "vat": amount_string(tax.vat),
    }
    if tax.is_liable:
        values["regime"] = LIABLE
    if tax.beyond:
        values["beyond"] = tax.beyond
    if tax.rates:
        values["line_nets"] = [amount_string(net) for net in tax.line_nets]
        values["line_percents"] = [f"{percent:.2f}" for percent in tax.line_percents]
        values["shipping_net"] = amount_string(sum((rate.shipping_net for rate in tax.rates), ZERO))
        values["rates"] = [
            {
                "percent": f"{rate.percent:.2f}",
                "net": amount_string(rate.net),
                "vat": amount_string(rate.vat),
                "shipping_net": amount_string(rate.shipping_net),
            }
            for rate in tax.rates
        ]
    return values


def _payment(order: Order, payments: Sequence[Payment]) -> dict[str, Any]:
    paid = sum((payment.amount for payment in payments if payment.state in COLLECTED_PAYMENTS), ZERO)
    return {
        "mode": order.payment_mode,
        "paid": amount_string(paid),
        "due": amount_string(order.total - paid),
        "paid_on": _day(order.paid_at) if paid == order.total else None,
        "calendar": [
            {
                "position": payment.position,
                "due_on": payment.due_on.isoformat(),
                "amount": amount_string(payment.amount),
                "paid_on": _day(payment.paid_at) if payment.state in COLLECTED_PAYMENTS else None,
            }
            for payment in payments
        ],
    }


def _day(moment: datetime | date | None) -> str | None:
    """The civil day in France of a moment."""
    if isinstance(moment, datetime):
        return shop_day(moment).isoformat()
    return moment.isoformat() if moment else None


def _lines_of(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
