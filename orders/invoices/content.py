"""What an invoice says, gathered once when it is issued: texts and amounts ("49.99"), nothing looked up later."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import date, datetime
from typing import Any

from django.conf import settings
from django.utils import translation

from orders.invoices import mentions
from orders.invoices.series import ReservedNumber
from orders.invoices.tax import LIABLE
from orders.models import (
    Invoice,
    InvoiceDraft,
    Order,
    OrderItem,
    Payment,
)
from orders.models.payment import COLLECTED_PAYMENTS
from orders.pricing.territories import Place
from orders.pricing.vat import Tax
from orders.selectors.addresses import billing_address, delivery_address, is_delivered_elsewhere
from orders.selectors.company_numbers import company_number
from orders.selectors.installments import calendar
from orders.selectors.rules import country_name
from shop.core.dates import shop_day
from shop.core.models import ShopSettings
from shop.core.money import ZERO, amount_string

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
        lines = [line_data(item) for item in items]
        data = {
            **document_head(order, reserved=reserved, kind="invoice"),
            "customer": customer_data(order, draft),
            "delivery": {
                "promised_by": order.promised_by.isoformat(),
                "delivered_on": iso_day(order.delivered_at),
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
    """The content of an issued invoice with its installments as they are now, once all were collected or credited; else
    None. Five queries at most."""
    plan = calendar(invoice.order)
    if plan is None or not plan.is_settled:
        return None
    payments = [row.payment for row in plan.rows if row.payment.state in COLLECTED_PAYMENTS]
    last = max(payment.paid_at for payment in payments if payment.paid_at is not None)
    payment = {
        **_payment(invoice.order, payments),
        "due": amount_string(ZERO),
        "credited": amount_string(plan.credited),
        "paid_on": iso_day(last),
    }
    data = {**invoice.data, "payment": payment, "is_paid_copy": True}
    with translation.override(invoice.language):
        data["mentions"] = mentions.for_paid_copy(data)
    return data


def document_head(order: Order, *, reserved: ReservedNumber, kind: str) -> dict[str, Any]:
    """Return what stands at the head of every document of an order, in the active language."""
    return {
        "format": FORMAT,
        "kind": kind,
        "number": reserved.number,
        "issued_on": iso_day(reserved.issued_at),
        "language": order.language,
        "currency": "EUR",
        "order": {
            "id": str(order.pk),
            "reference": order.reference,
            "invoice_reference": f"INV-{order.reference}",
            "placed_on": iso_day(order.created_at),
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
        "oss_number": shop.oss_number if shop.is_oss_registered(issued_on) else "",
        "vat_number": shop.vat_number if shop.is_vat_liable(issued_on) else "",
        "packaging_id": shop.packaging_id,
        "is_demonstration": shop.is_demonstration,
    }


def company_number_of(order: Order, draft: InvoiceDraft | None) -> str:
    """Return the number of the company that is billed, "" for a consumer."""
    return (draft.customer_number if draft is not None else "") or order.billing_company_number


def customer_data(order: Order, draft: InvoiceDraft | None) -> dict[str, Any]:
    """Return who is billed: as the order says it, or as `draft` corrects it."""
    billed = billing_address(order)
    written = _lines_of(draft.customer_address) if draft is not None else []
    return {
        "name": (draft.customer_name if draft is not None else "") or billed.name,
        "contact": billed.contact,
        **asdict(company_number(company_number_of(order, draft))),
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


def line_data(item: OrderItem) -> dict[str, Any]:
    """Return a line of an order as documents name it, in the active language."""
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
        "hs_code": item.hs_code,
        "origin": item.origin_country,
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
        "paid_on": iso_day(order.paid_at) if paid == order.total else None,
        "calendar": [
            {
                "position": payment.position,
                "due_on": payment.due_on.isoformat(),
                "amount": amount_string(payment.amount),
                "paid_on": iso_day(payment.paid_at) if payment.state in COLLECTED_PAYMENTS else None,
            }
            for payment in payments
        ],
    }


def iso_day(moment: datetime | date | None) -> str | None:
    """Return the civil day in France of a moment, as 2026-12-31."""
    if isinstance(moment, datetime):
        return shop_day(moment).isoformat()
    return moment.isoformat() if moment else None


def _lines_of(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
