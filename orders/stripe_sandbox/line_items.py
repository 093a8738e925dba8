"""The lines of a Checkout Session: checked and shaped as Stripe does."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from orders.stripe_sandbox import documents, store
from orders.stripe_sandbox.errors import Document, invalid, no_such_reference, not_simulated
from orders.stripe_sandbox.models import StoredObject

MAX_LINES = 100
MAX_IMAGES = 8
MAX_TOTAL = 99_999_999


def read_lines(params: dict[str, Any]) -> list[Document]:
    """The items to show and to add up. Amounts are cents. Raises ApiError (400)."""
    items = params.get("line_items")
    if not items:
        raise invalid("Missing required param: line_items.", code="parameter_missing", param="line_items")
    if len(items) > MAX_LINES:
        raise invalid(f"`line_items` can contain at most {MAX_LINES} items.", param="line_items")
    return [_line(item, f"line_items[{number}]") for number, item in enumerate(items)]


def _line(item: dict[str, Any], path: str) -> Document:
    if "price" in item:
        raise no_such_reference("price", item["price"], param=f"{path}[price]")
    for name in ("adjustable_quantity", "tax_rates"):
        if name in item:
            raise not_simulated(f"{path}[{name}]")
    price = item.get("price_data")
    if price is None:
        raise invalid(
            "You must specify either `price` or `price_data`.", code="parameter_missing", param=path
        )
    path_price = f"{path}[price_data]"
    for name in ("recurring", "product"):
        if name in price:
            raise not_simulated(f"{path_price}[{name}]")
    if "product_data" not in price:
        raise invalid(
            "Missing required param: product_data.",
            code="parameter_missing",
            param=f"{path_price}[product_data]",
        )
    if price["currency"].lower() != "eur":
        raise invalid(
            f"Invalid currency: {price['currency']}. The sandbox only knows eur.",
            param=f"{path_price}[currency]",
        )
    if "unit_amount_decimal" in price:
        raise not_simulated(f"{path_price}[unit_amount_decimal]")
    if "unit_amount" not in price:
        raise invalid(
            "Missing required param: unit_amount.",
            code="parameter_missing",
            param=f"{path_price}[unit_amount]",
        )
    amount = price["unit_amount"]
    if not 0 <= amount <= MAX_TOTAL:
        raise invalid(
            "Invalid non-negative integer",
            code="parameter_invalid_integer",
            param=f"{path_price}[unit_amount]",
        )
    quantity = item.get("quantity")
    if quantity is None:
        raise invalid(f"Quantity is required. Add `quantity` to `{path}`", param=f"{path}[quantity]")
    if not 1 <= quantity <= 999_999:
        raise invalid("This value must be greater than or equal to 1.", param=f"{path}[quantity]")
    return _line_document(item, price, _product(price["product_data"], path_price), amount, quantity)


def _product(data: dict[str, Any], path: str) -> StoredObject:
    images = data.get("images", [])
    if len(images) > MAX_IMAGES:
        raise invalid(f"You can specify up to {MAX_IMAGES} images.", param=f"{path}[product_data][images]")
    for number, image in enumerate(images):
        if not is_absolute(image):
            raise invalid(
                "Not a valid URL", code="url_invalid", param=f"{path}[product_data][images][{number}]"
            )
    return store.create(
        {
            "id": store.new_id("prod", 14),
            "object": "product",
            "active": False,
            "description": data.get("description"),
            "images": images,
            "livemode": False,
            "metadata": data.get("metadata") or {},
            "name": data["name"],
            "type": "service",
            "unit_label": data.get("unit_label"),
        }
    )


def _line_document(
    item: dict[str, Any], price: dict[str, Any], product: StoredObject, amount: int, quantity: int
) -> Document:
    total = amount * quantity
    return {
        "id": store.new_id("li"),
        "object": "item",
        "adjustable_quantity": None,
        "amount_discount": 0,
        "amount_subtotal": total,
        "amount_tax": 0,
        "amount_total": total,
        "currency": "eur",
        "description": product.body["name"],
        "metadata": item.get("metadata") or {},
        "price": {
            **documents.nothing("custom_unit_amount", "lookup_key", "nickname", "recurring", "tiers_mode"),
            "id": store.new_id("price"),
            "object": "price",
            "active": False,
            "billing_scheme": "per_unit",
            "created": int(store.now()),
            "currency": "eur",
            "livemode": False,
            "metadata": {},
            "product": product.id,
            "tax_behavior": price.get("tax_behavior", "unspecified"),
            "transform_quantity": None,
            "type": "one_time",
            "unit_amount": amount,
            "unit_amount_decimal": str(amount),
        },
        "quantity": quantity,
    }


def is_absolute(url: str) -> bool:
    """Whether this is an absolute http address."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
