"""The role staff at a product's page: the stock is theirs to correct, nothing else is."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.urls import reverse

from accounts.services import grant_role
from accounts.tests.people import make_member
from catalog.models import PricePoint, Product, Variant
from catalog.tests.factories import make_image, make_product, make_variation

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


def test_grid_saved_by_staff_takes_stock_of_its_variants_alone(staff, piece):
    address = reverse("api-admin-variants", args=[piece.pk])
    row = of_format(piece)
    prices = PricePoint.objects.count()

    def save(**fields):
        body = {"version": staff.get(address).json()["version"], "rows": [{"id": row.pk, **fields}]}
        return staff.put(address, body, content_type="application/json").status_code

    assert save(stock_quantity=5, seen_stock=2, in_stock=False) == 200
    stored = Variant.objects.filter(pk=row.pk).values().get()
    assert (stored["stock_quantity"], stored["in_stock"]) == (5, False)
    assert save(price="1.00") == save(sku="AUTRE") == save(weight_grams=1) == save(image_ids=[]) == 403
    assert Variant.objects.filter(pk=row.pk).values().get() == stored
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


def test_photos_and_formats_are_not_changed_by_staff(staff, piece):
    photo = make_image(piece)
    format_ = piece.variations.get()
    json = {"content_type": "application/json"}
    answers = [
        staff.post(reverse("api-admin-pictures", args=[piece.pk])),
        staff.put(reverse("api-admin-pictures-order", args=[piece.pk]), {"ids": [photo.pk]}, **json),
        staff.put(reverse("api-admin-pictures-main", args=[piece.pk]), {"id": photo.pk}, **json),
        staff.patch(reverse("api-admin-picture", args=[piece.pk, photo.pk]), {"alt": "Autre"}, **json),
        staff.delete(reverse("api-admin-picture", args=[piece.pk, photo.pk])),
        staff.post(reverse("api-admin-uploads")),
        staff.post(reverse("api-admin-variations", args=[piece.pk]), {"name": "Autre"}, **json),
        staff.patch(reverse("api-admin-variation", args=[piece.pk, format_.pk]), {"name": "Autre"}, **json),
        staff.delete(reverse("api-admin-variation", args=[piece.pk, format_.pk])),
        staff.post(reverse("api-admin-variation-default", args=[piece.pk, format_.pk])),
        staff.post(reverse("admin:catalog_product_change", args=[piece.pk]), {}),
    ]
    assert [answer.status_code for answer in answers] == [403] * 11
    assert (piece.images.count(), piece.variations.get().name) == (1, "Grand")


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
