"""`POST /functions/v1/product-automation`: a product that a program makes, all of it or nothing."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.test import Client
from django.utils import timezone

from catalog.api.product_fields import read_period
from catalog.models import Product, ProductImage, Variant
from catalog.services.products import delete_product
from catalog.tests.factories import make_category, make_product
from catalog.tests.programs import URL, Program, minimal
from shop.core.models import AuditEntry
from shop.integrations.keys import READ_AND_WRITE, create_api_key

pytestmark = pytest.mark.django_db


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


@pytest.mark.parametrize(
    ("name", "slug"),
    [("mangas", "mangas"), ("MANGAS", "mangas"), ("Manga", "mangas"), (" goodies ", "goodies")],
)
def test_category_is_found_by_name_or_slug(program: Program, name: str, slug: str):
    make_category("goodies", name_fr="Goodies et jouets")
    assert program.post(minimal(category=name)).json()["category_slug"] == slug


@pytest.mark.parametrize(
    ("text", "most"),
    [("description", 2000), ("full_description", 20_000), ("warnings", 2000), ("maker", 2000)],
)
def test_texts_are_as_long_as_staff_may_write_them(program: Program, text: str, most: int):
    refused = program.post(minimal(**{text: "a" * (most + 1)}))
    sentence = f"Au plus {most} caractères."
    assert (refused.status_code, refused.json()["errors"]) == (400, {text: [sentence]})
    assert not Product.objects.exists()
    assert program.post(minimal(**{text: "a" * most})).json()[text] == "a" * most


@pytest.mark.parametrize(
    ("written", "days"),
    [
        ("2 à 4 semaines", (14, 28)), ("10 jours", (10, 10)), ("3-4 semaines", (21, 28)), ("1 week", (7, 7)),
        ("2 to 3 weeks", (14, 21)), ("5 a 8 días", (5, 8)), ("2 bis 4 Wochen", (14, 28)), ("1 Tag", (1, 1)), ("", None),
    ],
)  # fmt: skip
def test_production_time_is_read_as_people_write_it(written: str, days: tuple[int, int] | None):
    assert read_period(written) == days
