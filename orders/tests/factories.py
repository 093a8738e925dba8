"""Rows that tests of orders start from."""

from __future__ import annotations

import uuid
from decimal import Decimal
from typing import Any

from catalog.models import Category, Product, ProductVariation
from catalog.services.products import save_product, save_variation


def make_category(slug: str = "mangas", **fields: Any) -> Category:
    values = {"name": "Mangas", "kind": "main", "offers_finishes": False, "colour": "mangas", **fields}
    return Category.objects.get_or_create(slug=slug, defaults=values)[0]


def make_product(name: str = "Golem de poche", price: str = "40.00", **fields: Any) -> Product:
    category = fields.pop("category", None) or make_category()
    return save_product(
        product=Product(name=name, description=f"{name}.", price=Decimal(price), category=category, **fields)
    )


def make_finished_product(name: str = "Hibou", painted: str | None = "80.00", unpainted: str | None = "40.00", **fields: Any) -> Product:
    category = make_category("bust", name="Bust", offers_finishes=True, colour="bust")
    return make_product(
        name,
        price=fields.pop("price", "99.00"),
        category=category,
        painted_price=Decimal(painted) if painted else None,
        unpainted_price=Decimal(unpainted) if unpainted else None,
        **fields,
    )


def make_variation(product: Product, name: str, **fields: Any) -> ProductVariation:
    return save_variation(variation=ProductVariation(product=product, name=name, **fields))


def line(product: Product, quantity: int = 1, **fields: Any) -> dict[str, Any]:
    return {"product_id": product.pk, "quantity": quantity, **fields}


CUSTOMER = {
    "email": "lea@example.com",
    "firstName": "Léa",
    "lastName": "Martin",
    "address": "3 rue des Carmes",
    "city": "Lyon",
    "postalCode": "69003",
    "country": "FR",
}


def checkout_body(lines: list[dict[str, Any]], total: str, **changes: Any) -> dict[str, Any]:
    customer = {**CUSTOMER, **changes.pop("customer", {})}
    return {
        "lines": lines,
        "customer": customer,
        "payment_mode": "full",
        "expected_total": total,
        "accept_terms": True,
        **changes,
    }


def new_key() -> str:
    return str(uuid.uuid4())
