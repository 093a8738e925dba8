"""`PUT /functions/v1/product-automation`: what is given is changed; an answer that is sent back changes nothing."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from catalog.models import (
    Category,
    PictureImport,
    PricePoint,
    Product,
    ProductImage,
    ProductVariation,
    Variant,
)
from catalog.services.gallery import MOST_PICTURES
from catalog.tests.factories import make_product, make_promotion, make_variation
from catalog.tests.programs import Program, minimal
from shop.core.models import AuditEntry

pytestmark = pytest.mark.django_db


def test_answer_that_is_sent_back_changes_nothing(program: Program):
    created = program.post(
        minimal(
            painted_price="55.00",
            unpainted_price="45.00",
            variations=[{"name": "Petit", "sku": ""}, {"name": "Grand"}],
            variants=[{"variation": "Grand", "finish": "painted", "sku": "G", "in_stock": False}],
            promotion_type="buy_4_get_3",
            promotion_active=True,
        )
    ).json()
    answer = program.put(created["id"], created)
    assert answer.status_code == 200, answer.content
    assert {**answer.json(), "updated_at": ""} == {**created, "updated_at": ""}


def test_answer_that_is_sent_back_keeps_a_category_whose_name_is_anothers_name_or_address(program: Program):
    twin = Category.objects.create(slug="mangas-2", name_fr="Mangas")
    for own in (twin, Category.objects.create(slug="bustes", name_fr="mangas-2")):
        product = make_product(category=own)
        read = program.get(f"?id={product.pk}").json()["results"][0]
        answer = program.put(product.pk, read).json()
        assert (answer["category"], answer["category_slug"]) == (own.name_fr, own.slug)
        assert program.put(product.pk, {"category": "mangas"}).json()["category_slug"] == "mangas"


def test_pictures_still_to_be_copied_survive_an_answer_that_is_sent_back(program: Program):
    created = program.post(
        minimal(
            gallery_images=["https://example.com/a.jpg", "https://example.com/b.jpg"],
            variations=[{"name": "Petit", "gallery_images": ["https://example.com/c.jpg"]}],
        )
    ).json()
    product = Product.objects.get()
    PictureImport.objects.filter(url__endswith="a.jpg").update(state="failed", failure="status_404")
    PictureImport.objects.get(url__endswith="b.jpg").delete()
    ProductImage.objects.create(product=product, file="products/b.jpg", width=1, height=1, position=1)
    read = program.get(f"?id={created['id']}").json()["results"][0]
    assert [(each["url"][-5:], each["state"]) for each in read["pending_images"]] == [
        ("c.jpg", "queued"),
        ("a.jpg", "failed"),
    ]
    answer = program.put(created["id"], read)
    assert answer.status_code == 200, answer.content
    assert {**answer.json(), "updated_at": ""} == {**read, "updated_at": ""}
    # The photo that came first keeps the place behind the one that is waited for.
    assert (ProductImage.objects.get().position, PictureImport.objects.get(variation=None).position) == (1, 0)
    replaced = program.put(created["id"], {"gallery_images": read["gallery_images"]}).json()
    assert [each["url"] for each in replaced["pending_images"]] == ["https://example.com/c.jpg"]


def test_as_many_photos_as_staff_may_add_come_back(program: Program):
    product = make_product("Golem", category=Category.objects.get(slug="mangas"))
    ProductImage.objects.bulk_create(
        ProductImage(product=product, file=f"products/{place}.jpg", width=1, height=1, position=place)
        for place in range(MOST_PICTURES)
    )
    read = program.get(f"?id={product.pk}").json()["results"][0]
    assert len(read["gallery_images"]) == 40
    answer = program.put(product.pk, {**read, "price": "12.00"})
    assert (answer.status_code, answer.json()["price"]) == (200, "12.00")
    assert answer.json()["gallery_images"] == read["gallery_images"]


@pytest.mark.parametrize("field", ["gallery_images", "image_url"])
def test_photo_that_staff_cropped_since_it_was_read_stays(program: Program, field: str):
    product = make_product("Golem", category=Category.objects.get(slug="mangas"))
    first, second = (
        ProductImage.objects.create(
            product=product, file=f"products/{name}.jpg", width=1, height=1, position=place, alt_fr=name
        )
        for place, name in enumerate(("face", "dos"))
    )
    read = program.get(f"?id={product.pk}").json()["results"][0]
    ProductImage.objects.filter(pk=first.pk).update(
        file="products/crop.jpg",
        whole={"file": "products/face.jpg", "width": 1, "height": 1, "colour": "", "derivatives": {}},
    )
    answer = program.put(product.pk, {field: read[field]})
    assert answer.status_code == 200, answer.content
    assert answer.json()["pending_images"] == []
    assert [url.rsplit("/")[-1] for url in answer.json()["gallery_images"]] == ["crop.jpg", "dos.jpg"]
    assert [*product.images.order_by("position")] == [first, second]


def test_no_price_between_two_steps_of_a_change_is_recorded(program: Program):
    product = make_product("Golem", price="60.00", category=Category.objects.get(slug="mangas"))
    large = make_variation(product, "Grand", price_adjustment=Decimal("20.00"))
    points = PricePoint.objects.filter(product_id=product.pk, variation_id=large.pk).order_by("pk")
    assert [point.amount for point in points.all()] == [Decimal("80.00")]
    change = {"price": "50.00", "variations": [{"id": large.pk, "price_adjustment": "30.00"}]}
    assert program.put(product.pk, change).json()["price_from"] == "80.00"
    # It cost 80,00 € all the time, and never 70,00 €.
    assert [point.amount for point in points.all()] == [Decimal("80.00")]
    assert program.put(product.pk, {"price": "55.00"}).json()["price_from"] == "85.00"
    assert [point.amount for point in points.all()] == [Decimal("80.00"), Decimal("85.00")]


def test_reduction_of_a_product_is_switched_and_its_answer_sent_back(program: Program):
    product = make_product(price=Decimal("40.00"))
    own = make_promotion(product=product, type="percent", percent=20)
    read = program.get().json()["results"][0]
    assert (read["promotion_type"], read["promotion_active"], read["price_from"]) == (
        "percent",
        True,
        "32.00",
    )
    answer = program.put(product.pk, read)
    assert answer.status_code == 200, answer.content
    assert {**answer.json(), "updated_at": ""} == {**read, "updated_at": ""}
    off = program.put(product.pk, {"promotion_active": False}).json()
    assert (off["promotion_type"], off["promotion_active"], off["price_from"]) == ("percent", False, "40.00")
    refused = program.put(product.pk, {"promotion_type": "amount", "promotion_active": True})
    assert refused.json()["errors"] == {"promotion_type": ["Ce choix n'existe pas."]}
    own.refresh_from_db()
    assert (own.type, own.percent, own.is_active) == ("percent", 20, False)


def test_put_changes_what_is_given_and_nothing_else(program: Program):
    created = program.post(
        minimal(description="Petit.", stock_quantity=3, variations=[{"name": "Petit"}])
    ).json()
    answer = program.put(created["id"], {"price": "59.00", "category": "manga"})
    assert answer.status_code == 200, answer.content
    changed = {name for name, value in answer.json().items() if created[name] != value}
    assert changed == {"price", "price_from", "price_to", "updated_at", "variants"}
    assert answer.json()["variants"][0]["full_price"] == "59.00"
    entry = AuditEntry.objects.get(action="product.changed_by_key")
    assert (entry.before, entry.after) == (
        {"price": "49.99"},
        {"price": "59.00", "api_key": program.key.row.prefix},
    )


def test_put_matches_variations_by_name_or_id_and_removes_what_is_not_named(program: Program):
    product = make_product()
    small, large = make_variation(product, "Petit"), make_variation(product, "Grand")
    make_variation(product, "Moyen")
    answer = program.put(
        product.pk,
        {
            "variations": [
                {"name": "Petit", "price_adjustment": 2},
                {"id": large.pk, "name": "Très grand"},
                {"name": "Mini"},
            ]
        },
    )
    assert answer.status_code == 200, answer.content
    found = {each["name"]: each["id"] for each in answer.json()["variations"]}
    assert found == {"Petit": small.pk, "Très grand": large.pk, "Mini": found["Mini"]}
    # A new one goes behind those that are named before it, whatever was removed.
    for place, row in enumerate((small, large)):
        ProductVariation.objects.filter(pk=row.pk).update(sort_order=7 + place)
    listed = ["Petit", "Très grand", "Géant"]
    answer = program.put(product.pk, {"variations": [{"name": name} for name in listed]})
    assert [each["name"] for each in answer.json()["variations"]] == listed
    twice = program.put(
        product.pk, {"variations": [{"id": small.pk, "name": "Nain"}, {"name": "Petit"}, {"id": large.pk}]}
    )
    assert twice.json()["errors"] == {"variations.1": ["Deux variations ont le même nom ou le même numéro."]}
    stranger = make_variation(make_product("Autre"), "Petit")
    refused = program.put(product.pk, {"variations": [{"id": stranger.pk, "name": "X"}], "price": "1.00"})
    assert refused.json()["errors"] == {"variations.0.id": ["Cette variation n'est pas de ce produit."]}
    product.refresh_from_db()
    assert (product.variations.count(), product.price) == (3, Decimal("40.00"))


def test_two_formats_of_a_piece_have_two_names_and_may_exchange_them(program: Program):
    product = make_product()
    small, large = make_variation(product, "Petit"), make_variation(product, "Géant")
    said = ["Un autre format de cette pièce porte déjà ce nom."]
    listed = [{"id": small.pk}, {"id": large.pk}]
    for third in ("geant", " GÉANT "):
        answer = program.put(product.pk, {"variations": [*listed, {"name": third}]})
        assert (answer.status_code, answer.json()["errors"]) == (400, {"variations.2.name": said})
    twins = program.put(product.pk, {"variations": [*listed, {"name": "Nain"}, {"name": "nain"}]})
    assert twins.json()["errors"] == {"variations.2.name": said, "variations.3.name": said}
    assert list(product.variations.values_list("name_fr", flat=True)) == ["Petit", "Géant"]
    swapped = [{"id": small.pk, "name": "Géant"}, {"id": large.pk, "name": "Petit"}]
    assert program.put(product.pk, {"variations": swapped}).status_code == 200
    assert dict(product.variations.values_list("pk", "name_fr")) == {small.pk: "Géant", large.pk: "Petit"}
    # Two of former days keep theirs until somebody changes one.
    ProductVariation.objects.filter(pk=large.pk).update(name_fr="geant")
    read = program.get(f"?id={product.pk}").json()["results"][0]
    assert program.put(product.pk, read).status_code == 200


def test_format_whose_name_staff_wrote_otherwise_keeps_its_units(program: Program):
    product = make_product(category=Category.objects.get(slug="mangas"))
    large, small = make_variation(product, "Géant", stock_quantity=3), make_variation(product, "Petit")
    make_variation(product, "GEANT")
    for names in (["PETIT", "Geant"], ["Petit", "Géant"]):
        answer = program.put(product.pk, {"variations": [{"name": name} for name in names]}).json()
        assert {row["name"]: row["id"] for row in answer["variations"]} == dict(
            zip(names, (small.pk, large.pk), strict=True)
        )
        assert [row["stock_quantity"] for row in answer["variants"]] == [3, None]


def test_mark_and_reference_of_a_format_are_those_of_its_variants(program: Program):
    product = make_product(category=Category.objects.get(), painted_price="50.00", unpainted_price="30.00")
    make_variation(product, "Grand")
    Variant.objects.filter(finish="unpainted").update(in_stock=False)

    def put(**said: Any) -> Any:
        return program.put(product.pk, {"variations": [{"name": "Grand", **said}]})

    def marks() -> list[tuple[bool, str]]:
        rows = Variant.objects.filter(variation__name_fr="Grand").order_by("finish")
        return list(rows.values_list("in_stock", "sku"))

    # What the answer says of both is not written over the one that is off sale.
    assert put(in_stock=True, sku="").json()["variations"][0]["in_stock"] is True
    assert marks() == [(True, ""), (False, "")]
    assert put(in_stock=False).status_code == 200
    assert marks() == [(False, ""), (False, "")]
    assert put(in_stock=True).status_code == 200
    assert marks() == [(True, ""), (True, "")]
    assert put(sku="G-1", in_stock=False).json()["errors"] == {
        "variations.0.sku": [
            "Ce format existe en plusieurs finitions\u00a0: donnez la référence de chaque déclinaison."
        ]
    }
    assert marks() == [(True, ""), (True, "")]
    raw = Variant.objects.get(variation__name_fr="Grand", finish="unpainted")
    assert program.put(product.pk, {"variants": [{"id": raw.pk, "sku": "G-1"}]}).status_code == 200
    assert marks() == [(True, ""), (True, "G-1")]
    # Variants exchange theirs, and so do formats of one variant.
    painted = Variant.objects.get(variation__name_fr="Grand", finish="painted")
    assert program.put(product.pk, {"variants": [{"id": painted.pk, "sku": "G-2"}]}).status_code == 200
    exchanged = [{"id": painted.pk, "sku": "G-1"}, {"id": raw.pk, "sku": "G-2"}]
    assert program.put(product.pk, {"variants": exchanged}).status_code == 200
    assert marks() == [(True, "G-1"), (True, "G-2")]
    single = program.post(minimal(variations=[{"name": "S", "sku": "S"}, {"name": "L", "sku": "L"}])).json()
    exchanged = [{"name": "S", "sku": "L"}, {"name": "L", "sku": "S"}]
    answer = program.put(single["id"], {"variations": exchanged})
    assert [(row["name"], row["sku"]) for row in answer.json()["variations"]] == [("S", "L"), ("L", "S")]


def test_mark_and_reference_of_a_format_are_not_those_of_a_finish_that_is_gone(program: Program):
    product = make_product(category=Category.objects.get(), painted_price="50.00", unpainted_price="30.00")
    for name in ("Petit", "Grand"):
        make_variation(product, name)
    assert program.put(product.pk, {"unpainted_price": None}).status_code == 200
    painted = Variant.objects.filter(variation__in=product.variations.all(), finish="painted").order_by("pk")
    painted.update(in_stock=False)

    def put(*variations: Any) -> Any:
        return program.put(product.pk, {"variations": [*variations]})

    answer = put({"name": "Petit"}, {"name": "Grand"})
    assert [each["in_stock"] for each in answer.json()["variations"]] == [False, False]
    answer = put({"name": "Petit", "sku": "P-1", "in_stock": True}, {"name": "Grand", "sku": "G-1"})
    assert answer.status_code == 200, answer.content
    assert [(each["sku"], each["in_stock"]) for each in answer.json()["variations"]] == [
        ("P-1", True),
        ("G-1", False),
    ]
    assert list(painted.values_list("sku", "in_stock")) == [("P-1", True), ("G-1", False)]
    answer = put({"name": "Petit", "sku": "G-1"}, {"name": "Grand", "sku": "P-1"})
    assert answer.status_code == 200, answer.content
    assert list(painted.values_list("sku", flat=True)) == ["G-1", "P-1"]
    # What is not on sale keeps what it had.
    raw = Variant.objects.filter(variation__in=product.variations.all(), finish="unpainted")
    assert set(raw.values_list("sku", "in_stock")) == {("", True)}


def test_put_of_an_older_version_is_refused(program: Program):
    created = program.post(minimal()).json()
    program.put(created["id"], {"price": "10.00"})
    answer = program.put(created["id"], {"price": "12.00", "updated_at": created["updated_at"]})
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    assert Product.objects.get().price == Decimal("10.00")


def test_units_sold_since_a_product_was_read_stay_sold_when_it_comes_back(program: Program):
    created = program.post(minimal(stock_quantity=3)).json()
    variant = Variant.objects.get(product=created["id"])
    Variant.objects.filter(pk=variant.pk).update(stock_quantity=1)
    read = program.get(f"?id={created['id']}").json()["results"][0]
    # What an order does.
    Product.objects.update(stock_quantity=2)
    Variant.objects.filter(pk=variant.pk).update(stock_quantity=0)
    assert program.put(created["id"], {**read, "name": "Golem sage"}).status_code == 200
    product = Product.objects.get()
    variant.refresh_from_db()
    assert (product.name_fr, product.stock_quantity, variant.stock_quantity) == ("Golem sage", 2, 0)

    for counted in (
        {"stock_quantity": 8, "seen_stock_quantity": 3},
        {"variants": [{"id": variant.pk, "stock_quantity": 8, "seen_stock_quantity": 1}]},
    ):
        refused = program.put(created["id"], {"price": "12.00", **counted})
        assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    counted = {"stock_quantity": 8, "seen_stock_quantity": 2}
    assert (
        program.put(
            created["id"], {**counted, "variants": [{"id": variant.pk, "stock_quantity": 5}]}
        ).status_code
        == 200
    )
    product.refresh_from_db()
    variant.refresh_from_db()
    assert (product.price, product.stock_quantity, variant.stock_quantity) == (Decimal("49.99"), 8, 5)


def test_gallery_is_fetched_later_and_own_photos_stay(
    program: Program, queued_tasks: Any, run_on_commit: Any
):
    with run_on_commit():
        created = program.post(
            minimal(
                image_url="https://example.com/main.jpg",
                gallery_images=["https://example.com/b.jpg", "https://example.com/main.jpg"],
                variations=[{"name": "Petit", "gallery_images": ["https://example.com/petit.jpg"]}],
            )
        ).json()
    assert (created["gallery_images"], created["image_url"]) == ([], None)
    assert [(each["url"], each["state"]) for each in created["pending_images"]] == [
        ("https://example.com/petit.jpg", "queued"),
        ("https://example.com/main.jpg", "queued"),
        ("https://example.com/b.jpg", "queued"),
    ]
    assert queued_tasks.names.count("catalog.tasks.fetch_picture") == 3
    product = Product.objects.get()
    PictureImport.objects.all().delete()
    first, second = (
        ProductImage.objects.create(
            product=product, file=f"products/{name}.jpg", width=1, height=1, position=number
        )
        for number, name in enumerate("ab")
    )
    document = program.get(f"?id={product.pk}").json()["results"][0]
    assert document["gallery_images"] == [
        "http://localhost:8000/media/products/a.jpg",
        "http://localhost:8000/media/products/b.jpg",
    ]
    answer = program.put(
        product.pk, {"gallery_images": ["/media/products/b.jpg", "https://example.com/c.jpg"]}
    )
    assert answer.status_code == 200, answer.content
    # The one that is not named stays until that which takes its place is there.
    assert answer.json()["gallery_images"] == document["gallery_images"][::-1]
    assert [each["url"] for each in answer.json()["pending_images"]] == ["https://example.com/c.jpg"]
    assert list(ProductImage.objects.values_list("pk", "position")) == [(second.pk, 0), (first.pk, 1)]
    answer = program.put(product.pk, {"gallery_images": ["/media/products/b.jpg"]})
    assert answer.json()["gallery_images"] == ["http://localhost:8000/media/products/b.jpg"]
    assert ProductImage.objects.get() == second
