"""Rows that tests of orders start from."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from decimal import Decimal
from importlib import import_module
from itertools import zip_longest
from typing import Any

from django.apps import apps
from django.db import connection, transaction
from django.utils import timezone

from catalog.models import Category, Product, ProductVariation
from catalog.services.products import save_product, save_variant, save_variation
from catalog.services.promotions import set_own_promotion
from orders.models import Attempt, AttemptState, Order, Payment, ShippingRateStep, ShippingZone, Territory
from orders.selectors.quotes import RequestedLine, quote_cart
from orders.services.checkout.placement import (
    BillingDetails,
    CheckoutRequest,
    CustomerDetails,
    GiftDetails,
    place_order,
)
from orders.services.payments import settlement
from orders.stripe import gateway
from orders.stripe.facts import ChargeFacts, CheckoutSessionFacts
from shop.core.models import ShopSettings
from shop.core.shop_settings import save_shop_settings
from shop.terms.versions import current_number

_shipped: dict[Any, list[Any]] = {}


def make_zones() -> None:
    """The zones and territories of the migrations, which tests with real transactions empty away."""
    if ShippingZone.objects.exists():
        return
    if not _shipped:
        import_module("orders.migrations.0002_shipped_rows").create_zones(apps, connection.schema_editor())
        for model in (ShippingZone, ShippingRateStep, Territory):
            _shipped[model] = list(model.objects.all())
        return
    # One by one they take as long as the purchase that they are for.
    for model, rows in _shipped.items():
        model.objects.bulk_create(rows)


def make_seller() -> None:
    """A seller who may sell: every mention that the law asks for is filled in."""
    mentions = dict.fromkeys(ShopSettings.REQUIRED_LEGAL_FIELDS, "renseigné")
    save_shop_settings(
        ShopSettings(
            **{**mentions, "email": "atelier@example.com", "mediator_url": "https://mediateur.example"}
        )
    )


def make_category(slug: str = "mangas", **fields: Any) -> Category:
    values = {"name": "Mangas", "kind": "main", "offers_finishes": False, "colour": "mangas", **fields}
    return Category.objects.get_or_create(slug=slug, defaults=values)[0]


def make_product(name: str = "Golem de poche", price: str = "40.00", **fields: Any) -> Product:
    category = fields.pop("category", None) or make_category()
    own = {field: fields.pop(field) for field in list(fields) if field.startswith("promotion_")}
    product = save_product(
        product=Product(name=name, description=f"{name}.", price=Decimal(price), category=category, **fields)
    )
    if own:
        set_own_promotion(product=product, **{"promotion_active": False, "promotion_type": "", **own})
    return product


def make_finished_product(
    name: str = "Hibou", painted: str | None = "80.00", unpainted: str | None = "40.00", **fields: Any
) -> Product:
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
    """A format; `stock_quantity` goes to each of its finishes."""
    stock = fields.pop("stock_quantity", None)
    variation = save_variation(variation=ProductVariation(product=product, name=name, **fields))
    if stock is not None:
        for variant in variation.variants.all():
            variant.stock_quantity = stock
            save_variant(variant=variant)
    return variation


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


def make_order(
    *lines: tuple[Product, int],
    payment_mode: str = "full",
    language: str = "fr",
    user: Any = None,
    finish: str = "",
    variations: Sequence[ProductVariation] = (),
    **customer: Any,
) -> Order:
    """An order as checkout places it, `pending`; one piece at 40.00 € (49.99 € with delivery) unless told.

    `variations` are the lines' formats, in their order; a line without one is of the default format.
    """
    make_zones()
    wanted = tuple(
        RequestedLine(product.pk, variation and variation.pk, finish, quantity)
        for (product, quantity), variation in zip_longest(lines or ((make_product(), 1),), variations)
    )
    details = {
        "email": "lea@example.com", "first_name": "Léa", "last_name": "Martin", "address": "3 rue des Carmes",
        "postal_code": "69003", "city": "Lyon", "country": "FR", **customer,
    }  # fmt: skip
    request = CheckoutRequest(
        idempotency_key=new_key(),
        lines=wanted,
        customer=CustomerDetails(**details),
        payment_mode=payment_mode,
        expected_total=quote_cart(
            wanted,
            destination=details["country"],
            custom_country=details.get("custom_country", ""),
            postal_code=details["postal_code"],
        ).quote.total,
        language=language,
        terms_version=current_number(),
    )
    return place_order(request, find_buyer=lambda _order: user).order


def pay_order(order: Order) -> Order:
    """The provider says that the first payment succeeded; `settle` is called for it, without HTTP."""
    attempt = Attempt.objects.filter(payment__order=order, payment__position=1).latest("number")
    name = attempt.pk.hex
    attempt.state = AttemptState.SENT
    attempt.checkout_session_id = f"cs_{name}"
    attempt.save()
    facts = CheckoutSessionFacts(
        checkout_session_id=attempt.checkout_session_id, url="",
        status="complete", payment_status="paid", mode="payment",
        livemode=gateway.is_live(), currency="eur", amount_cents=attempt.amount_cents,
        client_reference_id=str(order.pk), metadata={"attempt": str(attempt.pk)}, intent_id=f"pi_{name}",
        intent_status="succeeded", error_code="",
        charge=ChargeFacts(f"ch_{name}", attempt.amount_cents, "eur", 0, False, timezone.now()),
    )  # fmt: skip
    with transaction.atomic():
        locked = Order.objects.select_for_update().get(pk=order.pk)
        payment = Payment.objects.select_for_update().get(pk=attempt.payment_id)
        settlement._apply_complete(locked, payment, Attempt.objects.get(pk=attempt.pk), facts)
    order.refresh_from_db()
    return order


def gift_order(language: str = "fr", **changes: object) -> Order:
    """Léa Martin of Bern gives Zoé Petit of Lyon a golem."""
    details = {
        "billing": BillingDetails(
            name="Ana Duval", company="Atelier Duval", address="9 quai Sud", postal_code="1000", city="Berne",
            country="CH",
        ),
        "gift": GiftDetails("Zoé Petit", "Joyeux Noël !\nAna"),
        **changes,
    }  # fmt: skip
    return make_order(language=language, **details)
