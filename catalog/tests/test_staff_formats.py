"""Formats of a product by calls: added, changed, put in order, made the default one, removed."""

from __future__ import annotations

from decimal import Decimal

import pytest

from catalog.models import ProductVariation, Variant
from catalog.services import variant_grid
from catalog.services.products import save_product
from catalog.tests.factories import (
    change_variant,
    make_category,
    make_finish_category,
    make_product,
    variant_of,
)
from catalog.tests.grids import grid, put, stored
from catalog.tests.staff import send
from shop.core.models import AuditEntry

pytestmark = pytest.mark.django_db


def test_formats_are_put_in_order(admin, bear):
    keys = list(bear.variations.order_by("sort_order").values_list("pk", flat=True))
    answer = put(admin, bear, [], format_ids=keys[::-1])
    entry = AuditEntry.objects.get(action="product.variants_changed")
    names = ["Petit", "Grand"]
    assert (entry.before, entry.after) == ({"formats": names}, {"formats": names[::-1]})
    assert put(admin, bear, [], format_ids=keys[::-1]).status_code == 200
    assert AuditEntry.objects.get(action="product.variants_changed") == entry
    assert [row["id"] for row in answer.json()["formats"]] == keys[::-1]
    assert put(admin, bear, [], format_ids=keys[:1]).json()["code"] == "conflict"


def test_formats_that_a_program_gave_are_put_in_order(admin, bear):
    for number in range(48):
        ProductVariation.objects.create(product=bear, name_fr=f"{number} cm", sort_order=2 + number)
    keys = list(bear.variations.values_list("pk", flat=True))
    answer = put(admin, bear, [], format_ids=keys[::-1])
    assert [row["id"] for row in answer.json()["formats"]] == keys[::-1]


def test_format_is_added_changed_made_default_and_removed(admin, bear):
    path = f"/{bear.pk}/variations"
    answer = send(admin, "post", path, {"name": "Géant", "name_de": "Riese", "price_override": "150.00"})
    assert answer.status_code == 201, answer.json()
    key = answer.json()["id"]
    row = ProductVariation.objects.get(pk=key)
    assert (row.name_fr, row.name_de, row.price_override, row.sort_order, row.is_default) == (
        "Géant", "Riese", Decimal("150.00"), 2, False,
    )  # fmt: skip
    assert Variant.objects.filter(variation=row).count() == 2
    for _again in range(2):
        assert send(admin, "patch", f"{path}/{key}", {"name": "Énorme"}).json()["name"] == "Énorme"
    renamed = AuditEntry.objects.get(action="variation.changed")
    assert (renamed.before, renamed.after) == ({"name_fr": "Géant"}, {"name_fr": "Énorme"})
    assert send(admin, "post", f"{path}/{key}/default").json()["is_default"] is True
    small = bear.variations.get(name_fr="Petit")
    assert send(admin, "post", f"{path}/{small.pk}/default").status_code == 200
    row.refresh_from_db()
    assert (row.is_default, row.name_fr) == (False, "Énorme")
    assert send(admin, "delete", f"{path}/{key}").status_code == 204
    assert not ProductVariation.objects.filter(pk=key).exists()
    assert [entry.action for entry in AuditEntry.objects.filter(action__startswith="variation").order_by("pk")] == [
        "variation.added", "variation.changed", "variation.changed", "variation.changed", "variation.deleted",
    ]  # fmt: skip


def test_format_that_was_removed_since_its_call_is_not_found(admin, bear):
    path, key = f"/{bear.pk}/variations", {"idempotency-key": "one format"}
    made = send(admin, "post", path, {"name": "Géant"}, headers=key).json()["id"]
    assert send(admin, "delete", f"{path}/{made}").status_code == 204
    again = send(admin, "post", path, {"name": "Géant"}, headers=key)
    assert (again.status_code, again.json()["detail"]) == (404, "Ce format n'existe plus.")
    assert sorted(bear.variations.values_list("name_fr", flat=True)) == ["Grand", "Petit"]


def test_a_format_is_read_and_written_with_the_stock_mark_and_reference_of_its_variants(admin):
    product = make_product("Lynx", category=make_category(offers_formats=True))
    path = f"/{product.pk}/variations"
    answer = send(admin, "post", path, {"name": "Grand", "sku": "LYN-G", "in_stock": False})
    assert answer.status_code == 201, answer.json()
    large = answer.json()
    row = product.variations.get()
    assert large == {
        "id": row.pk, "product_id": product.pk, "name": "Grand", "name_en": "", "name_es": "", "name_de": "",
        "price_adjustment": "0.00", "price_override": None, "in_stock": False, "sku": "LYN-G", "image_url": None,
        "gallery_images": [], "is_default": False, "sort_order": 0,
    }  # fmt: skip
    stored_variant = Variant.objects.get(variation=row)
    assert (stored_variant.in_stock, stored_variant.sku) == (False, "LYN-G")
    back = send(admin, "patch", f"{path}/{row.pk}", {"in_stock": True}).json()
    assert (back["in_stock"], back["sku"]) == (True, "LYN-G")
    changed = AuditEntry.objects.get(action="variation.changed")
    assert (changed.before, changed.after) == ({"in_stock": False}, {"in_stock": True})


def test_a_format_in_two_finishes_has_no_reference_of_its_own(admin, bear):
    small = bear.variations.get(name_fr="Petit")
    before = stored(bear)
    answer = send(admin, "patch", f"/{bear.pk}/variations/{small.pk}", {"name": "Mini", "sku": "OUR-P"})
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["sku"])
    assert stored(bear) == before
    small.refresh_from_db()
    assert small.name_fr == "Petit"


def test_a_format_is_added_behind_the_others_when_some_before_were_removed(admin, bear):
    path = f"/{bear.pk}/variations"
    for name in ("Géant", "Colossal"):
        send(admin, "post", path, {"name": name})
    for name in ("Petit", "Grand"):
        send(admin, "delete", f"{path}/{bear.variations.get(name_fr=name).pk}")
    send(admin, "post", path, {"name": "Mini"})
    assert [row["name"] for row in grid(admin, bear)["formats"]] == ["Géant", "Colossal", "Mini"]


def test_a_product_has_so_many_formats_at_most(admin, bear, monkeypatch):
    monkeypatch.setattr(variant_grid, "MOST_FORMATS", 3)
    answers = [send(admin, "post", f"/{bear.pk}/variations", {"name": name}) for name in ("Géant", "Mini")]
    assert [answer.status_code for answer in answers] == [201, 409]
    problem = answers[1].json()
    assert (problem["code"], problem["detail"]) == ("too_many_formats", "Un produit a 3 formats au plus.")
    assert list(bear.variations.values_list("name_fr", flat=True)) == ["Petit", "Grand", "Géant"]


def test_format_needs_a_name_and_a_price_above_nothing(admin, bear):
    path = f"/{bear.pk}/variations"
    for body in ({}, {"name": " "}):
        answer = send(admin, "post", path, body)
        assert answer.json()["errors"] == {"name": ["Le nom de la variation est obligatoire"]}
    for body, errors in (
        ({"name": "\u2800"}, {"name": ["Ce texte ne contient que des signes invisibles."]}),
        ({"name": "Mini", "priceAdjustment": "9.00"}, {"priceAdjustment": ["Ce champ n'existe pas."]}),
    ):
        answer = send(admin, "post", path, body)
        assert (answer.status_code, answer.json()["errors"]) == (400, errors)
    answer = send(admin, "post", path, {"name": "Mini", "price_adjustment": "-31.00"})
    assert answer.json()["errors"] == {"price_adjustment": ["Cet écart donnerait un prix nul ou négatif."]}
    assert bear.variations.count() == 2


def test_two_formats_of_a_piece_have_two_names(admin, bear):
    path = f"/{bear.pk}/variations"
    key = send(admin, "post", path, {"name": "Géant"}).json()["id"]
    small = bear.variations.exclude(pk=key).first()
    said = "Un autre format de cette pièce porte déjà ce nom."
    for answer in (
        send(admin, "post", path, {"name": " geant"}),
        send(admin, "patch", f"{path}/{small.pk}", {"name": "GÉANT"}),
    ):
        assert (answer.status_code, answer.json()["errors"]) == (400, {"name": [said]})
    assert bear.variations.filter(name_fr__icontains="ant").count() == 1
    assert send(admin, "patch", f"{path}/{key}", {"name": "géant"}).status_code == 200


def test_format_changed_on_another_grid_is_a_conflict(admin, bear):
    row = bear.variations.get(name_fr="Petit")
    version = grid(admin, bear)["version"]
    send(admin, "patch", f"/{bear.pk}/variations/{row.pk}", {"name": "Mini"})
    answer = send(admin, "patch", f"/{bear.pk}/variations/{row.pk}", {"name": "Nain", "version": version})
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    row.refresh_from_db()
    assert row.name_fr == "Mini"


def test_first_format_has_the_units_that_were_counted_without_one(admin):
    """They would be made to order, also a piece that there is once."""
    product = make_product(
        price="40.00", category=make_finish_category(offers_formats=True), painted_price="40.00",
        unpainted_price="30.00",
    )  # fmt: skip
    change_variant(variant_of(product, finish="painted"), stock_quantity=1)
    change_variant(variant_of(product, finish="unpainted"), in_stock=False)
    for name in ("12 cm", "18 cm"):
        assert send(admin, "post", f"/{product.pk}/variations", {"name": name}).status_code == 201
    made = product.variants.exclude(variation=None).order_by("variation", "finish")
    assert list(made.values_list("variation__name_fr", "finish", "stock_quantity", "in_stock")) == [
        ("12 cm", "painted", 1, True),
        ("12 cm", "unpainted", None, False),
        ("18 cm", "painted", None, True),
        ("18 cm", "unpainted", None, True),
    ]


def test_without_its_last_format_a_product_has_the_units_of_that(admin):
    """What was counted before the formats was sold since."""
    product = make_product(category=make_category(offers_formats=True))
    change_variant(variant_of(product), stock_quantity=1)
    for name in ("12 cm", "18 cm"):
        assert send(admin, "post", f"/{product.pk}/variations", {"name": name}).status_code == 201
    small, large = product.variations.order_by("sort_order")
    change_variant(product.variants.get(variation=small), stock_quantity=0)
    change_variant(product.variants.get(variation=large), stock_quantity=4, in_stock=False)
    for row, left in ((large, (small.pk, 0, True)), (small, (None, 0, True))):
        assert send(admin, "delete", f"/{product.pk}/variations/{row.pk}").status_code == 204
        assert product.variants.values_list("variation", "stock_quantity", "in_stock").get() == left
    product.refresh_from_db()
    assert not product.is_available


def test_what_formats_of_former_days_left_without_one_makes_room(admin):
    """The number from before them stood there still."""
    product = make_product(category=make_category(offers_formats=True))
    assert send(admin, "post", f"/{product.pk}/variations", {"name": "12 cm"}).status_code == 201
    only = change_variant(product.variants.get(), stock_quantity=2, price=Decimal("45.00"))
    Variant.objects.create(product=product, stock_quantity=7)
    assert send(admin, "delete", f"/{product.pk}/variations/{only.variation_id}").status_code == 204
    left = product.variants.values_list("pk", "variation", "stock_quantity", "price").get()
    assert left == (only.pk, None, 2, None)


def test_first_finish_has_the_units_that_were_counted_without_one_and_leaves_them():
    product = make_product(price="40.00", category=make_finish_category())
    change_variant(variant_of(product), stock_quantity=1)
    product.painted_price, product.unpainted_price = Decimal("40.00"), Decimal("30.00")
    save_product(product=product)
    counted = product.variants.order_by("finish").values_list("finish", "stock_quantity")
    assert list(counted.all()) == [("painted", 1), ("unpainted", None)]
    product.painted_price = None
    save_product(product=product)
    assert list(counted.all()) == [("painted", 1), ("unpainted", None)]
    product.unpainted_price = None
    save_product(product=product)
    assert list(counted.all()) == [("", 1), ("unpainted", None)]
    product.painted_price = Decimal("40.00")
    save_product(product=product)
    assert list(counted.all()) == [("painted", 1), ("unpainted", None)]
