"""The role staff at a product's page: the stock is theirs to correct, nothing else is."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.urls import reverse

from accounts.services import grant_role
from accounts.tests.people import make_member
from catalog.models import PricePoint, Product, Variant
from catalog.tests.factories import make_product, make_variation

pytestmark = pytest.mark.django_db


@pytest.fixture
def piece() -> Product:
    piece = make_product("Golem de poche", price="40.00", stock_quantity=3)
    make_variation(piece, "Grand", price_override=Decimal("60.00"), stock_quantity=2)
    return piece


def of_format(piece: Product) -> Variant:
    return piece.variants.exclude(variation=None).get()


@pytest.fixture
def staff(client):
    user = make_member("equipe@example.com")
    grant_role(user=user, role="staff")
    client.force_login(user)
    return client


def sent(piece, **changes):
    """What a browser sends for the whole form, as if every field could be edited."""
    variation, variant = piece.variations.get(), of_format(piece)
    plain = piece.variants.get(variation=None)
    own = {
        f"variants-{number}-{name}": value
        for number, (row, stock) in enumerate(((variant, "5"), (plain, "")))
        for name, value in {
            "id": row.pk,
            "product": piece.pk,
            "in_stock": "on",
            "stock_quantity": stock,
            "price": "1.00",
            "sku": "AUTRE",
            "weight_grams": "1",
            "weight": "1 g",
            "dimensions": "1 cm",
            "height_cm": "1.0",
            "production_days_min": "1",
            "production_days_max": "1",
        }.items()
    }
    return {
        **own,
        "variants-TOTAL_FORMS": "2", "variants-INITIAL_FORMS": "2", "variants-0-DELETE": "on",
        "version": piece.updated_at.isoformat(),
        "name_fr": "Autre nom", "price": "1.00", "original_price": "90.00", "is_published": "",
        "promotion_active": "on", "in_stock": "on", "stock_quantity": "7", "category": piece.category_id,
        "images-TOTAL_FORMS": "0", "images-INITIAL_FORMS": "0",
        "model_3d-TOTAL_FORMS": "0", "model_3d-INITIAL_FORMS": "0",
        "variations-TOTAL_FORMS": "2", "variations-INITIAL_FORMS": "1",
        "variations-0-id": variation.pk, "variations-0-product": piece.pk, "variations-0-name_fr": "Petit",
        "variations-0-price_override": "1.00",
        "variations-0-DELETE": "on", "variations-1-name_fr": "Ajouté", "variations-1-product": piece.pk,
        **changes,
    }  # fmt: skip


def test_product_saved_by_staff_in_the_admin_changes_stock_of_its_variants_alone(staff, piece):
    page = reverse("admin:catalog_product_change", args=[piece.pk])
    before = Product.objects.filter(pk=piece.pk).values().get()
    row_before = Variant.objects.filter(pk=of_format(piece).pk).values().get()
    prices = PricePoint.objects.count()

    answer = staff.post(page, sent(piece))

    assert (answer.status_code, answer["Location"]) == (302, reverse("admin:catalog_product_changelist"))
    assert Product.objects.filter(pk=piece.pk).values().get() == before
    variation = piece.variations.get()
    assert (variation.name, variation.price_override) == ("Grand", Decimal("60.00"))
    row = Variant.objects.filter(pk=row_before["id"]).values().get()
    assert {name for name in row if row[name] != row_before[name]} == {"stock_quantity"}
    assert row["stock_quantity"] == 5
    assert PricePoint.objects.count() == prices


def test_product_changed_by_staff_takes_its_stock_alone(staff, piece):
    address = reverse("api-admin-product", args=[piece.pk])

    def change(**fields):
        return staff.patch(address, fields, content_type="application/json").status_code

    assert change(stock_quantity=7, in_stock=False) == 200
    assert change(stock_quantity=9, price="1.00") == change(name="Autre nom") == 403
    stored = Product.objects.get()
    assert (stored.stock_quantity, stored.in_stock, stored.price, stored.name) == (
        7,
        False,
        Decimal("40.00"),
        "Golem de poche",
    )


def test_product_page_of_staff_has_fields_for_stock_alone(staff, piece):
    form = staff.get(reverse("admin:catalog_product_change", args=[piece.pk])).context
    assert not form["adminform"].form.fields
    groups = {group.formset.prefix: group.formset for group in form["inline_admin_formsets"]}
    assert [set(one.fields) for one in groups["variants"].forms] == [
        {"id", "product", "in_stock", "stock_quantity"}
    ] * 2
    assert all(not set(one.fields) - {"id", "product"} for one in groups["variations"].forms)
    assert len(groups["variations"].forms) == 1


def test_product_of_nobody_is_added_published_or_deleted_by_staff(staff, piece):
    answers = [
        staff.get(reverse("admin:catalog_product_add")),
        staff.post(reverse("admin:catalog_product_delete", args=[piece.pk]), {"post": "yes"}),
        staff.delete(reverse("api-admin-product", args=[piece.pk])),
        staff.post(reverse("api-admin-product-action", args=[piece.pk, "archive"])),
        staff.get(reverse("staff-product-new")),
    ]
    assert [answer.status_code for answer in answers] == [403] * 5
    assert Product.objects.get().is_published is True
