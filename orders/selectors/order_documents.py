"""An order as programs of others read it: numbers, pieces and dates."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from orders.models import Order
from orders.selectors.addresses import delivery_address
from shop.core.money import amount_string


def order_document(order: Order) -> dict[str, Any]:
    """The order without a word of its customer: what is reported leaves the shop. One query for its lines, none where
    they were read with it."""
    return {
        "id": str(order.pk),
        "reference": order.reference,
        "status": order.status,
        "payment_mode": order.payment_mode,
        "country": order.country,
        "subtotal": amount_string(order.subtotal),
        "shipping_cost": amount_string(order.shipping_cost),
        "total": amount_string(order.total),
        "items": [
            {
                "product_id": item.product_id,
                "variant_id": item.variant_id,
                "sku": item.sku,
                "name": item.product_name,
                "variation": item.variation_name or None,
                "finish": item.finish or None,
                "quantity": item.quantity,
                "free_quantity": item.free_quantity,
                "unit_price": amount_string(item.unit_price),
                "line_total": amount_string(item.line_total),
            }
            for item in order.items.all()
        ],
        "created_at": _moment(order.created_at),
        "paid_at": _moment(order.paid_at),
        "shipped_at": _moment(order.shipped_at),
        "delivered_at": _moment(order.delivered_at),
        "cancelled_at": _moment(order.cancelled_at),
    }


def order_with_customer(order: Order) -> dict[str, Any]:
    """The same with who ordered and where the parcel goes, for programs whose key may read that."""
    place = delivery_address(order)
    return {
        **order_document(order),
        "customer": {"email": order.email, "name": order.customer_name, "phone": order.phone},
        "delivery_address": {
            "name": place.name,
            "street": place.street,
            "postal_code": place.postal_code,
            "city": place.city,
            "country": place.country_code,
        },
    }


def _moment(value: datetime | None) -> str | None:
    return None if value is None else value.isoformat()
