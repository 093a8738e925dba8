"""Promotions in the admin: planned, previewed, ended, and a product's own on its page."""

from datetime import timedelta
from decimal import Decimal

import pytest
import time_machine
from django.utils import timezone

from catalog.models import Product, Promotion
from catalog.tests.factories import make_product, make_promotion
from catalog.tests.test_admin import PRODUCTS, errors

pytestmark = pytest.mark.django_db

PROMOTIONS = PRODUCTS.replace("product", "promotion")


def add(client, **fields):
    sent = {"name": "Soldes", "is_active": "on", "type": "percent", "percent": "20", **fields}
    return client.post(f"{PROMOTIONS}add/", sent)


def test_one_of_a_category_is_planned_and_previewed_before_it_starts(admin_client):
    with time_machine.travel(timezone.now() - timedelta(days=60), tick=False):
        product = make_product(price="100.00")
    answer = add(
        admin_client, categories=[product.category_id], starts_at_0="01/12/2030", starts_at_1="08:00"
    )
    assert answer.status_code == 302
    promotion = Promotion.objects.get()
    assert list(promotion.categories.all()) == [product.category]
    assert promotion.next_boundary == promotion.starts_at
    product.refresh_from_db()
    assert product.price_from == Decimal("100.00")
    page = admin_client.get(f"{PROMOTIONS}{promotion.pk}/change/").content.decode()
    assert "<td>100,00\u00a0€</td><td>80,00\u00a0€</td><td><s>100,00\u00a0€</s></td>" in page


def test_what_is_incomplete_is_said_on_its_field(admin_client):
    answer = add(admin_client, percent="")
    assert errors(answer) == ["Indiquez le pourcentage."]
    answer = add(
        admin_client,
        starts_at_0="02/12/2030", starts_at_1="08:00", ends_at_0="01/12/2030", ends_at_1="08:00",
    )  # fmt: skip
    assert errors(answer) == ["La fin doit venir après le début."]
    assert not Promotion.objects.exists()


def test_the_list_says_where_each_stands_and_filters_by_it(admin_client):
    now = timezone.now()
    make_promotion(name="Prévue", starts_at=now + timedelta(days=1))
    running = make_promotion(make_product(), name="En vigueur")
    make_promotion(name="Passée", starts_at=now - timedelta(days=2), ends_at=now - timedelta(days=1))
    make_promotion(name="Éteinte", is_active=False)
    for state, name in (
        ("planned", "Prévue"),
        ("running", "En vigueur"),
        ("ended", "Passée"),
        ("off", "Éteinte"),
    ):
        found = admin_client.get(PROMOTIONS, {"state": state}).context["cl"].queryset
        assert [row.name for row in found] == [name]
    admin_client.post(PROMOTIONS, {"action": "end", "_selected_action": [running.pk]})
    found = admin_client.get(PROMOTIONS, {"state": "running"}).context["cl"].queryset
    assert list(found) == []
    assert Product.objects.get().price_from == Decimal("40.00")


def test_deleted_from_the_list_the_full_price_is_back(admin_client):
    product = make_product()
    promotion = make_promotion(product)
    admin_client.post(
        PROMOTIONS, {"action": "delete_selected", "_selected_action": [promotion.pk], "post": "yes"}
    )
    product.refresh_from_db()
    assert (product.price_from, product.running_promotion, Promotion.objects.count()) == (
        Decimal("40.00"), None, 0,
    )  # fmt: skip
