"""`/functions/v1/product-automation`: what programs may write, all of it or nothing."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from catalog.api import automation
from catalog.api.product_fields import read_period
from catalog.models import Category, PictureImport, Product, ProductImage, ProductVariation, Variant
from catalog.selectors.product_documents import product_documents
from catalog.services.categories import save_category
from catalog.services.products import delete_product
from catalog.services.promotions import delete_promotion
from catalog.tests.factories import (
    make_category,
    make_finish_category,
    make_product,
    make_promotion,
    make_user,
    make_variation,
)
from shop.core.models import AuditEntry
from shop.integrations.endpoints import create_endpoint
from shop.integrations.keys import READ_AND_WRITE, READ_ONLY, NewKey, create_api_key
from shop.integrations.models import Scope, WebhookEvent

pytestmark = pytest.mark.django_db

URL = "/functions/v1/product-automation"


class Program:
    """A client with a key."""

    def __init__(self, key: NewKey) -> None:
        self.key = key
        self.client = Client()

    def _send(self, method: str, url: str, body: Any = None, **headers: str) -> Any:
        named = {"authorization": f"Bearer {self.key.text}", "accept-language": "fr", **headers}
        call = getattr(self.client, method)
        if method == "get":
            return call(url, headers=named)
        return call(url, body, content_type="application/json", headers=named)

    def post(self, body: Any, **headers: str) -> Any:
        return self._send("post", URL, body, **headers)

    def put(self, product_id: Any, body: Any) -> Any:
        return self._send("put", f"{URL}?id={product_id}", body)

    def get(self, query: str = "") -> Any:
        return self._send("get", f"{URL}{query}")


@pytest.fixture
def program() -> Program:
    make_finish_category("mangas", offers_formats=True, name_fr="Mangas", name_en="Manga")
    return Program(create_api_key(name="Import", scopes=READ_AND_WRITE, actor=None))


def minimal(**fields: Any) -> dict[str, Any]:
    return {"name": "Golem de poche", "price": "49.99", "category": "Mangas", **fields}


def test_product_with_few_fields_is_created_and_on_sale(program: Program):
    answer = program.post(minimal())
    assert answer.status_code == 201, answer.content
    document = answer.json()
    product = Product.objects.get()
    assert (product.pk, product.name_fr, product.price) == (
        document["id"],
        "Golem de poche",
        Decimal("49.99"),
    )
    assert (product.source, product.is_published, product.external_id) == ("automation", True, None)
    assert document["url"] == f"http://localhost:8000/produit/{product.pk}-golem-de-poche"
    assert (document["price"], document["category"], document["category_slug"]) == (
        "49.99",
        "Mangas",
        "mangas",
    )
    assert answer.headers["Cache-Control"] == "no-store"
    assert Client().get(f"/api/products/{product.pk}").json()["price"] == "49.99"


def test_every_field_of_the_specification_is_written_and_read(program: Program):
    body = minimal(
        description="Petit.",
        full_description="Très petit.",
        original_price=60,
        painted_price="55.00",
        unpainted_price=45.5,
        featured=True,
        in_stock=True,
        stock_quantity=7,
        is_published=False,
        dimensions="10 × 5 cm",
        height_cm="10.5",
        weight="200 g",
        weight_grams=350,
        hs_code="950300",
        origin_country="FR",
        material="Résine",
        paint_type="Acrylique",
        production_time="2 à 4 semaines",
        promotion_active=True,
        promotion_type="buy_2_get_1",
        source="erp",
        external_id="A-1",
        translations={"en": {"name": "Pocket golem"}},
        variations=[
            {"name": "Petit", "price_adjustment": "-5.00"},
            {"name": "Grand", "price_override": "99.00", "is_default": True},
        ],
        variants=[
            {"variation": "Grand", "finish": "painted", "sku": "G-P", "price": "109.00", "stock_quantity": 2},
            {"variation": "Petit", "finish": "unpainted", "in_stock": False},
        ],
    )
    answer = program.post(body)
    assert answer.status_code == 201, answer.content
    document = answer.json()
    expected = {
        **body,
        "original_price": "60.00",
        "unpainted_price": "45.50",
        "promotion_buy_quantity": 2,
        "promotion_get_quantity": 1,
        "production_days_min": 14,
        "production_days_max": 28,
    }
    for name in set(expected) - {"variations", "variants", "translations"}:
        assert document[name] == expected[name], name
    assert document["translations"]["en"]["name"] == "Pocket golem"
    assert [
        (each["name"], each["price_adjustment"], each["price_override"], each["is_default"])
        for each in document["variations"]
    ] == [("Petit", "-5.00", None, False), ("Grand", "0.00", "99.00", True)]
    assert [
        (each["variation"], each["finish"], each["sku"], each["price"], each["full_price"], each["in_stock"])
        for each in document["variants"]
    ] == [
        ("Petit", "painted", "", None, "50.00", True),
        ("Petit", "unpainted", "", None, "40.50", False),
        ("Grand", "painted", "G-P", "109.00", "109.00", True),
        ("Grand", "unpainted", "", None, "99.00", True),
    ]  # fmt: skip
    assert program.get(f"?id={document['id']}").json()["results"] == [document]


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


def test_main_picture_given_alone_goes_before_the_others(program: Program):
    product = make_product()
    for number, name in enumerate("ab"):
        ProductImage.objects.create(
            product=product, file=f"products/{name}.jpg", width=1, height=1, position=number
        )
    first, second = (f"http://localhost:8000/media/products/{name}.jpg" for name in "ab")
    assert program.put(product.pk, {"image_url": second}).json()["gallery_images"] == [second, first]
    assert program.put(product.pk, {"image_url": "/media/products/a.jpg"}).json()["gallery_images"] == [
        first,
        second,
    ]
    for name in "yz":
        answer = program.put(product.pk, {"image_url": f"https://example.com/{name}.jpg"}).json()
    assert answer["gallery_images"] == [first, second]
    assert [each["url"][-5:] for each in answer["pending_images"]] == ["z.jpg", "y.jpg"]
    assert list(ProductImage.objects.values_list("position", flat=True)) == [2, 3]


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


def test_production_time_is_taken_away_by_an_empty_one_and_stands_behind_days(program: Program):
    product = make_product(production_days_min=3, production_days_max=5)
    refused = program.put(product.pk, {"production_time": "10 jours", "production_days_max": 2})
    assert refused.json()["errors"] == {
        "production_days_max": ["Le délai maximum est plus court que le minimum."]
    }
    answer = program.put(product.pk, {"production_time": ""}).json()
    assert (answer["production_days_min"], answer["production_days_max"]) == (None, None)


def test_variant_that_is_given_twice_is_refused(program: Program):
    product = make_product()
    variant = Variant.objects.get()
    twice = [{"id": variant.pk, "sku": "A"}, {"sku": "B"}]
    refused = program.put(product.pk, {"variants": twice})
    assert refused.json()["errors"] == {"variants.1": ["Cette déclinaison est donnée deux fois."]}
    variant.refresh_from_db()
    assert variant.sku == ""


def test_every_wrong_field_has_its_line_and_nothing_is_written(program: Program):
    answer = program.post(
        {
            "price": "-1",
            "category": "Inconnue",
            "original_price": "abc",
            "stock_quantity": -1,
            "hs_code": "12",
            "colour": "red",
            "production_time": "bientôt",
            "promotion_type": "everything_free",
            "gallery_images": ["https://example.com/a.jpg", "http://127.0.0.1/b.jpg", "nothing"],
            "variations": [{"name": "Petit", "price_override": "0"}, {"price_adjustment": "x"}],
            "variants": [{"finish": "gold"}],
            "translations": {"it": {}, "en": {"name": "\u200b"}},
        }
    )
    assert answer.status_code == 400
    assert answer.headers["Content-Type"] == "application/problem+json"
    problem = answer.json()
    assert problem["code"] == "invalid"
    assert problem["errors"] == {
        "name": ["Ce champ est obligatoire."],
        "price": ["Le prix doit être supérieur à 0,00\u00a0€."],
        "category": ["Cette catégorie n'existe pas."],
        "original_price": ["Ce n'est pas un nombre."],
        "stock_quantity": ["Au moins 0."],
        "hs_code": ["6, 8 ou 10 chiffres, sans espace."],
        "colour": ["Ce champ n'existe pas."],
        "production_time": [
            "Écrivez un délai en jours ou en semaines\u00a0: «\u00a010 jours\u00a0», «\u00a02 à 4 semaines\u00a0»."
        ],
        "promotion_type": ["Ce choix n'existe pas."],
        "gallery_images.1": ["Cette adresse n'est pas sur l'internet public."],
        "gallery_images.2": ["Ce n'est pas une adresse web complète."],
        "variations.0.price_override": ["Le prix doit être supérieur à 0,00\u00a0€."],
        "variations.1.price_adjustment": ["Ce n'est pas un nombre."],
        "variants.0.finish": ["Ce choix n'existe pas."],
        "translations.it": ["Ce champ n'existe pas."],
        "translations.en.name": ["Ce texte ne contient que des signes invisibles."],
    }
    assert not Product.objects.exists()
    assert not AuditEntry.objects.filter(action__startswith="product.").exists()


def test_fault_that_only_the_rows_tell_undoes_everything(program: Program):
    make_product(external_id="other")
    Variant.objects.update(sku="TAKEN")
    answer = program.post(
        minimal(
            production_days_min=9,
            production_days_max=3,
        )
    )
    assert (answer.status_code, answer.json()["errors"]) == (
        400,
        {"production_days_max": ["Le délai maximum est plus court que le minimum."]},
    )
    answer = program.post(
        minimal(
            variations=[{"name": "Petit", "price_adjustment": "-80.00"}, {"name": "Grand", "sku": "TAKEN"}],
            variants=[{"variation": "Moyen"}],
            promotion_type="buy_n_get_m",
            promotion_buy_quantity=1,
            promotion_get_quantity=2,
        )
    )
    assert answer.status_code == 400
    assert answer.json()["errors"] == {
        "variations.0.price_adjustment": ["Cet écart donnerait un prix nul ou négatif."],
        "variations.1.non_field_errors": ["Cette référence est déjà celle d'une autre déclinaison."],
        "variants.0": ["Cette déclinaison n'existe pas\u00a0: vérifiez format et finition."],
        "promotion_get_quantity": ["La quantité offerte ne peut pas dépasser la quantité achetée."],
    }
    assert Product.objects.count() == 1
    # Without the product itself nothing else is looked at.
    answer = program.post(minimal(production_days_min=9, variations=[{"name": "Petit"}]))
    assert (answer.status_code, answer.json()["errors"]) == (
        400, {"production_days_max": ["Indiquez les deux délais ou aucun."]},
    )  # fmt: skip
    assert Product.objects.count() == 1


def test_same_external_id_again_is_200_with_the_same_product_unchanged(program: Program):
    first = program.post(minimal(external_id="ERP-1"))
    again = program.post(minimal(external_id="ERP-1", name="Autre", price="1.00"))
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == first.json()
    assert Product.objects.count() == 1
    Product.objects.update(trashed_at=timezone.now(), is_published=False)
    refused = program.post(minimal(external_id="ERP-1"))
    assert (refused.status_code, refused.json()["code"]) == (409, "trashed")
    unread = program._send("get", URL, accept="text/html")
    assert (unread.status_code, unread.json()["title"]) == (406, "Format non accepté")


def test_an_empty_external_id_is_none(program: Program):
    for refused in (
        program.post(minimal(external_id="")),
        program.put(make_product().pk, {"external_id": ""}),
    ):
        assert list(refused.json()["errors"]) == ["external_id"]
    for product in (make_product(external_id="A"), make_product(external_id="B")):
        assert program.put(product.pk, {"external_id": None}).json()["external_id"] is None


def test_idempotency_key_stands_in_for_an_external_id(program: Program):
    first = program.post(minimal(), **{"idempotency-key": "import-1"})
    again = program.post(minimal(), **{"idempotency-key": "import-1"})
    other = program.post(minimal(name="Autre"), **{"idempotency-key": "import-1"})
    assert (first.status_code, again.status_code, other.status_code) == (201, 200, 422)
    assert again.json()["id"] == first.json()["id"]
    assert other.json()["code"] == "idempotency_mismatch"
    assert Product.objects.count() == 1
    # Another key's own.
    stranger = Program(create_api_key(name="Autre", scopes=READ_AND_WRITE, actor=None))
    assert stranger.post(minimal(), **{"idempotency-key": "import-1"}).status_code == 201
    # A product that is gone is not made again.
    delete_product(product=Product.objects.get(pk=first.json()["id"]))
    gone = program.post(minimal(), **{"idempotency-key": "import-1"})
    assert (gone.status_code, gone.json()["code"]) == (410, "gone")
    assert gone.json()["detail"] == "Le produit créé par cette demande a été supprimé depuis."
    assert Product.objects.count() == 1
    assert program.post(minimal()).status_code == 201


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


def test_put_of_an_older_version_is_refused(program: Program):
    created = program.post(minimal()).json()
    program.put(created["id"], {"price": "10.00"})
    answer = program.put(created["id"], {"price": "12.00", "updated_at": created["updated_at"]})
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    assert Product.objects.get().price == Decimal("10.00")


def test_a_product_that_a_program_makes_is_reported_once_and_whole(program: Program):
    create_endpoint(
        url="https://example.com/hook", description="", kinds=["product.created"], actor=make_user()
    )
    made = program.post(minimal(variations=[{"name": "Grand"}])).json()
    event = WebhookEvent.objects.get()
    assert ("seen_stock_quantity" in made, '"seen_stock_quantity"' in json.dumps(event.data)) == (True, False)
    assert [row["name"] for row in event.data["product"]["variations"]] == ["Grand"]


def test_what_is_made_has_its_units_whatever_was_read_of_another(program: Program):
    """A program fills in an answer of another product: of a new row there is no number that could have changed."""
    units = {"stock_quantity": 3, "seen_stock_quantity": 3}
    made = program.post(
        minimal(
            **units, updated_at="2026-01-01T00:00:00Z", variations=[{"name": "Petit"}],
            variants=[{"variation": "Petit", **units}],
        )
    )  # fmt: skip
    assert made.status_code == 201, made.content
    assert (made.json()["stock_quantity"], made.json()["variants"][0]["stock_quantity"]) == (3, 3)
    formats = [{"name": "Petit"}, {"name": "Grand"}]
    counted = [{"variation": each["name"], "stock_quantity": 5, "seen_stock_quantity": 5} for each in formats]
    answer = program.put(made.json()["id"], {"variations": formats, "variants": counted})
    assert answer.status_code == 200, answer.content
    assert [row["stock_quantity"] for row in answer.json()["variants"]] == [3, 5]


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


def test_unknown_products_and_pages_are_404(program: Program):
    assert program.put(999, {"price": "1.00"}).json()["code"] == "not_found"
    assert program.put("abc", {"price": "1.00"}).status_code == 400
    assert program.put("", {"price": "1.00"}).status_code == 400
    assert program.get("?page=2").status_code == 404
    assert program.get("?page=0").status_code == 404
    refused = program.get("?page=x")
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["page"])
    assert program.get().json() == {"count": 0, "next": None, "previous": None, "results": []}


def test_list_gives_all_products_in_pages_with_a_steady_number_of_queries(
    program: Program, django_assert_num_queries: Any
):
    for number in range(51):
        make_product(f"Pièce {number}", is_published=number % 2 == 0)
    program.get()
    # Limits of network and key: a read and a write each. The key. The count, the keys, the six of the documents.
    with django_assert_num_queries(4 + 1 + 2 + 6):
        page = program.get().json()
    assert (page["count"], len(page["results"]), page["previous"]) == (51, 50, None)
    assert page["next"] == f"http://localhost:8000{URL}?page=2"
    assert len(program.get("?page=2").json()["results"]) == 1
    assert program.get("?external_id=none").json()["count"] == 0


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer x", "Basic abc", "Bearer atelier_000000000000_" + "a" * 43]
)
def test_without_a_right_key_nothing_is_answered(program: Program, header: str | None):
    headers = {} if header is None else {"authorization": header}
    for method in ("get", "post", "put"):
        answer = getattr(Client(), method)(URL, content_type="application/json", headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (401, "invalid_key")
        assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_key_that_reads_writes_nothing(program: Program):
    reader = Program(create_api_key(name="Lecture", scopes=READ_ONLY, actor=None))
    assert reader.get().status_code == 200
    answer = reader.post(minimal())
    assert (answer.status_code, answer.json()["code"]) == (403, "scope_missing")
    assert reader.put(1, {}).status_code == 403
    assert reader._send("delete", URL).status_code == 405
    assert not Product.objects.exists()


def test_session_of_an_admin_opens_nothing(program: Program, admin_client: Client):
    assert admin_client.get(URL).status_code == 401


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
    assert answer.json()["gallery_images"] == ["http://localhost:8000/media/products/b.jpg"]
    assert [each["url"] for each in answer.json()["pending_images"]] == ["https://example.com/c.jpg"]
    assert list(ProductImage.objects.values_list("pk", flat=True)) == [second.pk]
    assert first.pk != second.pk


def test_key_is_in_no_log(program: Program, caplog: pytest.LogCaptureFixture):
    program.post({})
    program.put(1, {"price": "x"})
    Client().get(URL, headers={"authorization": f"Bearer {program.key.text[:-1]}x"})
    assert program.key.text[-12:-4] not in caplog.text


@pytest.mark.parametrize(
    ("name", "slug"),
    [("mangas", "mangas"), ("MANGAS", "mangas"), ("Manga", "mangas"), (" goodies ", "goodies")],
)
def test_category_is_found_by_name_or_slug(program: Program, name: str, slug: str):
    make_category("goodies", name_fr="Goodies et jouets")
    assert program.post(minimal(category=name)).json()["category_slug"] == slug


def test_stock_is_read_by_its_own_scope(program: Program, django_assert_num_queries: Any):
    product = make_product(stock_quantity=4)
    small = make_variation(product, "Petit", stock_quantity=1, sku="P")
    make_variation(product, "Grand")
    assert program._send("get", "/functions/v1/stock").status_code == 403
    reader = Program(create_api_key(name="Stock", scopes=[Scope.READ_STOCK], actor=None))
    reader._send("get", "/functions/v1/stock")
    # Limits of network and key: a read and a write each. The key. The count, the page.
    with django_assert_num_queries(4 + 1 + 2):
        document = reader._send("get", "/functions/v1/stock").json()
    rows = {row["sku"]: row for row in document["results"] if row["variation_id"]}
    assert (rows["P"]["stock_quantity"], rows["P"]["variation_id"]) == (1, small.pk)
    assert rows[""]["stock_quantity"] == 4
    assert reader.get().status_code == 403


@pytest.mark.parametrize(
    ("written", "days"),
    [
        ("2 à 4 semaines", (14, 28)), ("10 jours", (10, 10)), ("3-4 semaines", (21, 28)), ("1 week", (7, 7)),
        ("2 to 3 weeks", (14, 21)), ("5 a 8 días", (5, 8)), ("2 bis 4 Wochen", (14, 28)), ("1 Tag", (1, 1)), ("", None),
    ],
)  # fmt: skip
def test_production_time_is_read_as_people_write_it(written: str, days: tuple[int, int] | None):
    assert read_period(written) == days


def test_what_is_in_the_trash_is_nowhere_and_what_is_archived_says_so(program: Program):
    trashed, archived = make_product("Golem"), make_product("Hibou")
    Product.objects.filter(pk=trashed.pk).update(trashed_at=timezone.now(), is_published=False)
    Product.objects.filter(pk=archived.pk).update(archived_at=timezone.now(), is_published=False)
    listed = program.get().json()
    assert [(row["id"], row["archived"]) for row in listed["results"]] == [(archived.pk, True)]
    assert program.get(f"?id={trashed.pk}").json()["count"] == 0
    assert program.put(trashed.pk, {"price": "1.00"}).status_code == 404
    assert Product.objects.get(pk=trashed.pk).price == Decimal("40.00")
    assert program.put(archived.pk, {"price": "41.00"}).status_code == 200


def test_what_a_promotion_or_a_category_changes_of_products_is_reported():
    create_endpoint(
        url="https://example.com/hook", description="", kinds=["product.updated"], actor=make_user()
    )
    products = [make_product("Golem"), make_product("Hibou")]
    WebhookEvent.objects.all().delete()
    promotion = make_promotion(*products, name="Week-end", percent=50, type="percent")
    told = {event.subject: event.data["product"]["price_from"] for event in WebhookEvent.objects.all()}
    assert told == {f"product:{product.pk}": "20.00" for product in products}
    assert not [
        event for event in WebhookEvent.objects.all() if "seen_stock_quantity" in json.dumps(event.data)
    ]
    # What still waits is told once, as it is by then.
    category = products[0].category
    category.name_fr = "Créatures"
    save_category(category=category)
    delete_promotion(promotion=promotion)
    assert WebhookEvent.objects.count() == 2
    for event in WebhookEvent.objects.all():
        assert (event.data["product"]["category"], event.data["product"]["price_from"]) == (
            "Créatures",
            "40.00",
        )


def test_product_deleted_while_it_is_read_is_left_out_and_not_found(program: Program, monkeypatch):
    stays, goes = make_product("Lynx"), make_product("Ours")

    def documents_without_it(keys: list[int]) -> Any:
        Product.objects.filter(pk=goes.pk).delete()
        return product_documents(keys)

    monkeypatch.setattr(automation, "product_documents", documents_without_it)
    assert [row["id"] for row in program.get().json()["results"]] == [stays.pk]
    goes = make_product("Ours")
    answer = program.put(goes.pk, {"featured": True})
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
