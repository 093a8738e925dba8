"""The grid of variants by calls: written whole or not at all, by whoever may write each field."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.utils import timezone

from catalog.models import PricePoint, Product, Variant
from catalog.services.stock import StockUnit, hold_stock
from catalog.tests.factories import (
    change_product,
    change_variant,
    make_image,
    make_product,
    make_user,
    make_variation,
    variant_of,
)
from catalog.tests.grids import grid, put, stored, variant
from catalog.tests.staff import send, staff_browser
from shop.core.models import AuditEntry
from shop.core.staff_actions import StaffAction
from shop.integrations.endpoints import create_endpoint
from shop.integrations.models import WebhookEvent

pytestmark = pytest.mark.django_db


def test_grid_has_a_row_for_each_format_and_finish(admin, bear):
    photo = make_image(bear, finish="painted", variation=bear.variations.get(name_fr="Grand"))
    found = grid(admin, bear)
    rows = [(row["label"], row["unit_price"], row["image_ids"]) for row in found["rows"]]
    assert rows == [
        ("Petit · Peint", "50.00", []),
        ("Petit · Non peint", "30.00", []),
        ("Grand · Peint", "70.00", [photo.pk]),
        ("Grand · Non peint", "50.00", []),
    ]
    assert [row["name"] for row in found["formats"]] == ["Petit", "Grand"]
    assert (found["product"]["stock_quantity"], found["product"]["price"]) == (7, "40.00")


def test_units_of_a_hidden_product_are_not_sold_out(admin, bear):
    change_variant(variant(bear, "Petit", "painted"), stock_quantity=0)
    change_variant(variant(bear, "Grand", "painted"), in_stock=False)
    change_product(bear, is_published=False)
    assert [row["available"] for row in grid(admin, bear)["rows"]] == [False, True, False, True]
    change_product(bear, in_stock=False)
    assert [row["available"] for row in grid(admin, bear)["rows"]] == [False] * 4


def test_grid_is_written_at_once_with_its_prices_recorded(admin, bear):
    small, large = variant(bear, "Petit", "painted"), variant(bear, "Grand", "painted")
    answer = put(
        admin,
        bear,
        [
            {"id": small.pk, "sku": "OURS-P", "stock_quantity": 3, "seen_stock": None, "in_stock": True},
            {
                "id": large.pk, "price": "99.90", "weight_grams": 800, "weight": "600 g", "dimensions": "30 cm",
                "height_cm": "30.5", "production_days_min": 5, "production_days_max": 9,
            },
        ],
    )  # fmt: skip
    assert answer.status_code == 200, answer.json()
    small.refresh_from_db()
    large.refresh_from_db()
    assert (small.sku, small.stock_quantity) == ("OURS-P", 3)
    assert (large.price, large.weight_grams, large.weight, large.dimensions) == (
        Decimal("99.90"), 800, "600 g", "30 cm",
    )  # fmt: skip
    assert (large.height_cm, large.production_days_min, large.production_days_max) == (Decimal("30.5"), 5, 9)
    points = PricePoint.objects.filter(variation_id=large.variation_id, finish="painted").order_by("pk")
    assert points.last().amount == Decimal("99.90")
    bear.refresh_from_db()
    assert bear.price_to == Decimal("99.90")
    entry = AuditEntry.objects.get(action="product.variants_changed")
    assert entry.after == {
        "Petit · Peint · sku": "OURS-P", "Petit · Peint · stock_quantity": 3, "Grand · Peint · price": "99.90",
        "Grand · Peint · weight_grams": 800, "Grand · Peint · weight": "600 g",
        "Grand · Peint · dimensions": "30 cm", "Grand · Peint · height_cm": "30.5",
        "Grand · Peint · production_days_min": 5, "Grand · Peint · production_days_max": 9,
    }  # fmt: skip
    assert entry.before["Grand · Peint · price"] is None
    assert put(admin, bear, [{"id": small.pk, "sku": "OURS-P"}]).status_code == 200
    assert AuditEntry.objects.get(action="product.variants_changed") == entry


def test_variants_of_a_grid_exchange_their_references(admin, bear):
    small, large = variant(bear, "Petit", "painted"), variant(bear, "Grand", "painted")
    rows = [{"id": small.pk, "sku": "OURS-P"}, {"id": large.pk, "sku": "OURS-G"}]
    assert put(admin, bear, rows).status_code == 200
    answer = put(admin, bear, [{"id": small.pk, "sku": "OURS-G"}, {"id": large.pk, "sku": "OURS-P"}])
    assert answer.status_code == 200, answer.json()
    small.refresh_from_db()
    large.refresh_from_db()
    assert (small.sku, large.sku) == ("OURS-G", "OURS-P")
    entry = AuditEntry.objects.filter(action="product.variants_changed").latest("pk")
    assert (entry.before, entry.after) == (
        {"Petit · Peint · sku": "OURS-P", "Grand · Peint · sku": "OURS-G"},
        {"Petit · Peint · sku": "OURS-G", "Grand · Peint · sku": "OURS-P"},
    )
    # One that the other row keeps is not free.
    answer = put(admin, bear, [{"id": small.pk, "sku": "OURS-P"}, {"id": large.pk, "in_stock": False}])
    assert answer.json()["errors"] == {
        f"rows.{small.pk}.sku": ["Cette référence est déjà celle d'une autre déclinaison."]
    }
    small.refresh_from_db()
    assert small.sku == "OURS-G"


def test_one_wrong_row_refuses_the_grid_with_messages_by_row_and_field(admin, bear):
    small, large = variant(bear, "Petit", "painted"), variant(bear, "Grand", "painted")
    other = change_variant(variant_of(make_product("Lynx")), sku="DEJA")
    before = stored(bear)
    answer = put(
        admin,
        bear,
        [
            {"id": small.pk, "sku": "BON", "weight_grams": 500},
            {"id": large.pk, "sku": other.sku, "production_days_min": 9, "production_days_max": 5},
        ],
    )
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    assert answer.json()["errors"] == {
        f"rows.{large.pk}.sku": ["Cette référence est déjà celle d'une autre déclinaison."],
        f"rows.{large.pk}.production_days_max": ["Le délai maximum est plus court que le minimum."],
    }
    assert stored(bear) == before
    assert not AuditEntry.objects.filter(action="product.variants_changed").exists()


@pytest.mark.parametrize(
    ("values", "field", "message"),
    [
        ({"price": "0"}, "price", "Le prix doit être supérieur à 0,00\u00a0€."),
        (
            {"price": "abc"},
            "price",
            "Saisissez un montant en chiffres, avec deux décimales au plus, par exemple 49,90.",
        ),
        ({"production_days_min": 3}, "production_days_max", "Indiquez les deux délais ou aucun."),
        ({"production_days_max": 3}, "production_days_min", "Indiquez les deux délais ou aucun."),
        (
            {"production_days_min": 3, "production_days_max": 366},
            "production_days_max",
            "Un délai de plus d'un an ne peut pas être promis.",
        ),
    ],
)
def test_value_that_cannot_be_is_refused_by_row(admin, bear, values, field, message):
    row, before = variant(bear, "Grand", "painted"), stored(bear)
    answer = put(admin, bear, [{"id": row.pk, **values}])
    assert (answer.status_code, answer.json()["errors"]) == (400, {f"rows.{row.pk}.{field}": [message]})
    assert stored(bear) == before


def test_a_row_or_a_photo_of_another_product_refuses_the_grid(admin, bear):
    row, lynx = variant(bear, "Petit", "painted"), make_product("Lynx")
    photo = make_image(lynx)
    before = stored(bear), stored(lynx)
    for rows in (
        [{"id": row.pk, "sku": "OURS"}, {"id": variant_of(lynx).pk, "sku": "LYNX"}],
        [{"id": row.pk, "sku": "OURS", "image_ids": [photo.pk]}],
    ):
        answer = put(admin, bear, rows)
        assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    photo.refresh_from_db()
    assert (photo.finish, photo.variation_id) == ("", None)
    assert (stored(bear), stored(lynx)) == before


def test_nothing_of_a_product_in_the_trash_is_written(admin, bear):
    row, format_ = variant(bear, "Petit", "painted"), bear.variations.get(name_fr="Petit")
    Product.objects.filter(pk=bear.pk).update(trashed_at=timezone.now(), is_published=False)
    before = stored(bear), list(bear.variations.order_by("pk").values())
    path = f"/{bear.pk}/variations"
    answers = (
        put(admin, bear, [{"id": row.pk, "sku": "OURS"}]),
        send(admin, "post", path, {"name": "Mini"}),
        send(admin, "patch", f"{path}/{format_.pk}", {"name": "Mini"}),
        send(admin, "delete", f"{path}/{format_.pk}"),
    )
    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [(409, "trashed")] * 4
    assert (stored(bear), list(bear.variations.order_by("pk").values())) == before


def test_two_rows_with_one_reference_are_refused(admin, bear):
    rows = [variant(bear, "Grand", "painted"), variant(bear, "Petit", "painted")]
    answer = put(admin, bear, [{"id": row.pk, "sku": "MEME"} for row in rows])
    assert list(answer.json()["errors"]) == [f"rows.{rows[1].pk}.sku"]
    assert not Variant.objects.filter(sku="MEME").exists()


def test_price_without_a_format_is_the_product_s(admin):
    product = make_product()
    row = variant_of(product)
    answer = put(admin, product, [{"id": row.pk, "price": "12.00"}])
    assert answer.json()["errors"] == {f"rows.{row.pk}.price": ["Sans format, le prix est celui du produit."]}


def test_second_of_two_people_is_shown_the_first_one_s_grid(admin, bear):
    row = variant(bear, "Petit", "painted")
    version = grid(admin, bear)["version"]
    assert put(admin, bear, [{"id": row.pk, "sku": "PREMIER"}]).status_code == 200
    body = {"version": version, "rows": [{"id": row.pk, "sku": "SECOND"}]}
    answer = send(admin, "put", f"/{bear.pk}/variants", body)
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    current = {each["id"]: each["sku"] for each in answer.json()["current"]["rows"]}
    assert current[row.pk] == "PREMIER"
    row.refresh_from_db()
    assert row.sku == "PREMIER"


def test_sale_meanwhile_is_no_conflict_until_the_stock_itself_is_written(admin, bear):
    row = change_variant(variant(bear, "Petit", "painted"), stock_quantity=5)
    kinds = ["product.updated", "stock.changed"]
    create_endpoint(url="https://example.com/hook", description="", kinds=kinds, actor=make_user())
    version = grid(admin, bear)["version"]
    hold_stock(units=[StockUnit(row.pk, 2)])
    WebhookEvent.objects.all().delete()
    body = {"version": version, "rows": [{"id": row.pk, "stock_quantity": 6, "seen_stock": 5}]}
    answer = send(admin, "put", f"/{bear.pk}/variants", body)
    assert answer.json()["errors"] == {
        f"rows.{row.pk}.stock_quantity": ["Le stock a changé entre-temps\u00a0: 3 maintenant."]
    }
    assert not WebhookEvent.objects.exists()
    uncounted = variant(bear, "Grand", "painted")
    answer = put(admin, bear, [{"id": uncounted.pk, "stock_quantity": 6, "seen_stock": 5}])
    assert answer.json()["errors"] == {
        f"rows.{uncounted.pk}.stock_quantity": ["Le stock a changé entre-temps\u00a0: – maintenant."]
    }
    body["rows"] = [{"id": row.pk, "sku": "OURS"}]
    assert send(admin, "put", f"/{bear.pk}/variants", body).status_code == 200
    row.refresh_from_db()
    assert (row.stock_quantity, row.sku) == (3, "OURS")
    # Programs hear of the product, and of units where their number is another.
    assert [event.kind for event in WebhookEvent.objects.all()] == ["product.updated"]
    assert put(admin, bear, [{"id": row.pk, "stock_quantity": 6, "seen_stock": 3}]).status_code == 200
    product, stock = (WebhookEvent.objects.get(kind=kind).data for kind in kinds)
    [told] = [each for each in product["product"]["variants"] if each["id"] == row.pk]
    assert (told["sku"], told["stock_quantity"]) == ("OURS", 6)
    assert (stock["stock"]["variant_id"], stock["stock"]["stock_quantity"]) == (row.pk, 6)


def test_who_keeps_stock_writes_stock_and_nothing_else(bear):
    keeper = staff_browser(StaffAction.SEE_PRODUCTS, StaffAction.EDIT_STOCK)
    row = variant(bear, "Petit", "painted")
    assert put(keeper, bear, [{"id": row.pk, "stock_quantity": 2, "seen_stock": None}]).status_code == 200
    before = stored(bear)
    for refused in ({"price": "1.00"}, {"sku": "X"}, {"image_ids": []}):
        assert put(keeper, bear, [{"id": row.pk, **refused}]).status_code == 403
    order = list(bear.variations.values_list("pk", flat=True))[::-1]
    assert put(keeper, bear, [], format_ids=order).status_code == 403
    assert stored(bear) == before
    row.refresh_from_db()
    assert row.stock_quantity == 2


def test_photos_are_given_to_rows(admin, bear):
    row, other = variant(bear, "Petit", "painted"), variant(bear, "Grand", "painted")
    first = make_image(bear, 1)
    second = make_image(bear, 2, finish="painted", variation=row.variation)
    third = make_image(bear, 3, finish="painted", variation=other.variation)
    rows = [{"id": row.pk, "image_ids": [first.pk]}, {"id": other.pk, "sku": "OURS-G"}]
    assert put(admin, bear, rows).status_code == 200
    for photo in (first, second, third):
        photo.refresh_from_db()
    # A row that says nothing of its photos keeps them.
    assert (third.finish, third.variation_id) == ("painted", other.variation_id)
    assert (first.finish, first.variation_id) == ("painted", row.variation_id)
    assert (second.finish, second.variation_id) == ("", None)
    given = {
        entry.subject_id: entry.after for entry in AuditEntry.objects.filter(action="productimage.changed")
    }
    assert given == {
        str(first.pk): {"finish": "painted", "variation": f"Petit ({row.variation_id})"},
        str(second.pk): {"finish": "", "variation": None},
    }
    rows = [{"id": each.pk, "image_ids": [first.pk]} for each in (row, other)]
    refused = put(admin, bear, rows)
    assert refused.json()["errors"] == {
        f"rows.{other.pk}.image_ids": ["Cette photo est déjà celle d'une autre déclinaison."]
    }


def test_grid_is_read_with_four_queries(admin, bear, django_assert_max_num_queries):
    for position in range(5):
        make_image(bear, position)
        make_variation(bear, f"Format {position}")
    grid(admin, bear)
    # Session, user, and four of the grid.
    with django_assert_max_num_queries(6):
        grid(admin, bear)
