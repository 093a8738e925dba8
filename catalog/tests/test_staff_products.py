"""Products for staff by calls: list, create, change, conflicts, copies, archive and trash."""

from base64 import urlsafe_b64encode
from datetime import timedelta
from decimal import Decimal
from random import Random

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from catalog.models import PricePoint, Product, ProductImage, ProductVariation, Promotion, SearchEntry
from catalog.services import product_removal
from catalog.services.media import delete_product_image, remove_retired_files
from catalog.services.product_copies import duplicate_product
from catalog.services.product_removal import purge_trash
from catalog.tests.factories import (
    change_product,
    change_variant,
    make_category,
    make_finish_category,
    make_image,
    make_product,
    make_variation,
    variant_of,
)
from catalog.tests.staff import PRODUCTS, send, staff_browser
from shop.core.models import AuditEntry
from shop.core.staff_actions import StaffAction

pytestmark = pytest.mark.django_db


NO_AMOUNT = "Saisissez un montant en chiffres, avec deux décimales au plus, par exemple 49,90."


@pytest.fixture
def admin():
    return staff_browser()


def names(answer) -> list[str]:
    assert answer.status_code == 200, answer.json()
    return [row["name"] for row in answer.json()["results"]]


def columns(product: Product) -> dict:
    return Product.objects.filter(pk=product.pk).values().get()


def test_list_is_newest_first_with_what_a_row_shows(admin):
    make_product("Ours", full_description="\nUn ours.\nAssis.", description="Court", featured=True)
    lynx = make_product("Lynx", price="25.00", original_price="30.00", in_stock=False)
    answer = admin.get(PRODUCTS)
    assert names(answer) == ["Lynx", "Ours"]
    assert answer["Cache-Control"] == "no-store"
    body = answer.json()
    assert (body["count"], body["next"], body["previous"], body["next_cursor"]) == (2, None, None, None)
    row, ours = body["results"]
    assert (row["id"], row["price"], row["original_price"], row["sold_out"]) == (
        lynx.pk,
        "25.00",
        "30.00",
        True,
    )
    assert (ours["summary"], ours["featured"], ours["sold_out"], ours["image"]) == (
        "Un ours.",
        True,
        False,
        None,
    )


@pytest.mark.both_engines
@pytest.mark.parametrize("ordering", ["newest", "oldest", "name", "-name", "price", "-price", "-updated"])
def test_pages_by_cursor_give_every_product_once_in_every_order(admin, ordering):
    moment = timezone.now()
    for number in range(7):
        make_product(f"pièce {number % 3}", price=f"{10 + number % 2}.00")
    # Equal moments, names and prices: the key decides.
    Product.objects.update(created_at=moment, updated_at=moment)
    whole = names(admin.get(PRODUCTS, {"ordering": ordering, "page_size": 50}))
    keys, cursor = [], ""
    for _page in range(4):
        body = admin.get(PRODUCTS, {"ordering": ordering, "page_size": 2, "cursor": cursor}).json()
        keys += [row["id"] for row in body["results"]]
        cursor = body["next_cursor"]
    assert cursor is None
    assert sorted(keys) == sorted(Product.objects.values_list("pk", flat=True))
    in_order = {product.pk: product.name for product in Product.objects.all()}
    assert [in_order[key] for key in keys] == whole


def test_names_are_ordered_without_regard_to_case_and_accents(admin):
    for name in ("Renard", "ours", "Œuf", "Écureuil"):
        make_product(name)
    assert names(admin.get(PRODUCTS, {"ordering": "name"})) == ["Écureuil", "Œuf", "ours", "Renard"]
    assert names(admin.get(PRODUCTS, {"ordering": "-name"})) == ["Renard", "ours", "Œuf", "Écureuil"]


def test_pages_by_number_lead_to_each_other(admin):
    for number in range(3):
        make_product(f"Pièce {number}")
    first = admin.get(PRODUCTS, {"page_size": 2}).json()
    second = admin.get(f"{PRODUCTS}?page=2&page_size=2").json()
    assert names(admin.get(first["next"])) == ["Pièce 0"] == [row["name"] for row in second["results"]]
    assert second["previous"] == f"{PRODUCTS}?page_size=2&page=1"


@pytest.mark.parametrize(
    "asked",
    [
        {"cursor": "bad"},
        {"cursor": "bnVsbA=="},
        {"cursor": "WyJuYW1lIiwgIngiLCAxXQ=="},
        {"cursor": "WyJuZXdlc3QiLCAiMjAyNiIsIDFd"},
        # The calendar's ends, half of a surrogate pair, NUL.
        {"cursor": "WyJuZXdlc3QiLCAiOTk5OS0xMi0zMVQyMzo1OTo1OS0xMjowMCIsIDFd"},
        {"ordering": "-updated", "cursor": "WyItdXBkYXRlZCIsICIwMDAxLTAxLTAxVDAwOjAwOjAwKzE0OjAwIiwgMV0="},
        {"ordering": "name", "cursor": "WyJuYW1lIiwgIlx1ZDgwMCIsIDFd"},
        {"ordering": "name", "cursor": "WyJuYW1lIiwgIlx1MDAwMCIsIDFd"},
        {"state": "sold"},
        {"page": "0"},
        {"page_size": "201"},
    ],
)
def test_list_refuses_what_it_does_not_know(admin, asked):
    answer = admin.get(PRODUCTS, asked)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")


def test_a_crafted_cursor_is_refused(admin):
    def status(text: str, ordering: str = "newest") -> int:
        cursor = urlsafe_b64encode(text.encode()).decode()
        return admin.get(PRODUCTS, {"ordering": ordering, "cursor": cursor}).status_code

    moment = '"2026-01-01T00:00:00+00:00"'
    for key, expected in (
        ("1", 200), (str(2**63 - 1), 200),
        ("0", 400), ("-1", 400), (str(2**63), 400), ("1.5", 400), ("true", 400), ('"1"', 400), ("null", 400),
    ):  # fmt: skip
        assert status(f'["newest", {moment}, {key}]') == expected, key
    # Of another order, and values that the order has not.
    assert status(f'["oldest", {moment}, 1]') == 400
    assert status('["name", "x", 1]', "name") == 200
    assert status('["name", 5, 1]', "name") == 400
    assert status('["price", "10.00", 1]', "price") == 200
    for price in ('"NaN"', '"Infinity"', '"x"', "10"):
        assert status(f'["price", {price}, 1]', "price") == 400, price
    assert status("[" * 450) == 400


def test_list_is_searched_and_filtered(admin):
    bust = make_category("bust")
    elan = make_product("Élan des neiges", external_id="ext-7", category=bust)
    lynx = make_product("Lynx", is_published=False)
    make_variation(lynx, sku="LYN-09")
    make_product("Ours", featured=True, stock_quantity=0)

    def found(**asked: str) -> list[str]:
        return sorted(names(admin.get(PRODUCTS, asked)))

    assert found(search="elan") == ["Élan des neiges"]
    assert found(search="ext-7") == ["Élan des neiges"]
    assert found(search="LYN-09") == ["Lynx"]
    assert found(search=str(elan.pk)) == ["Élan des neiges"]
    assert found(search="zébu") == found(search="%zzz") == []
    assert found(category="bust") == found(category=str(bust.pk)) == ["Élan des neiges"]
    assert found(state="hidden") == ["Lynx"]
    assert found(state="published") == ["Ours", "Élan des neiges"]
    assert found(state="featured") == ["Ours"]
    assert found(state="sold_out") == ["Ours"]
    assert found(state="archived") == found(state="trashed") == found(state="promoted") == []
    assert admin.get(PRODUCTS, {"category": "nulle-part"}).json()["code"] == "unknown_category"


@pytest.mark.both_engines
@pytest.mark.parametrize("is_published", [True, False])
@pytest.mark.parametrize(
    ("search", "is_found"),
    [
        ("rago", True),
        ("DRAGONS rouge", True),
        # In another language than the other word, and in the category's name.
        ("rouge hobbit", True),
        ("buste", True),
        # One letter or two begin a word.
        ("d", True),
        ("r", True),
        ("ag", False),
        # Words that the shop's index leaves out, alone and beside one that it has.
        ("avec", True),
        ("dragon avec", True),
        ("dragon sans", False),
        # Letters that it does not have.
        ("дракон", True),
        ("ракон dragon", True),
        ("rouge zebu", False),
    ],
)
def test_a_search_finds_parts_of_words_of_every_product(admin, search, is_found, is_published):
    product = make_product(
        "Les dragons d'argile",
        description_fr="Rouge, avec écailles. Дракон",
        name_en="Hobbit friend",
        is_published=is_published,
        category=make_category("toys", name_fr="Bustes"),
    )
    make_product("Ours", is_published=is_published, category=make_category("games"))
    assert names(admin.get(PRODUCTS, {"search": search})) == [product.name] * is_found


@pytest.mark.both_engines
def test_a_part_of_very_many_words_finds_them_all(admin):
    words = [f"bou{letter}{other}" for letter in "bcdfglm" for other in "aeiouy"]
    for number in range(2):
        make_product(f"Pièce {number}", full_description_fr=" ".join(words[number::2]), name_en="Zebra")
    assert names(admin.get(PRODUCTS, {"search": "ou"})) == []
    assert names(admin.get(PRODUCTS, {"search": "bou"})) == ["Pièce 1", "Pièce 0"]
    assert names(admin.get(PRODUCTS, {"search": "bou zebra bouby"})) == ["Pièce 1"]


@pytest.mark.both_engines
def test_list_costs_no_more_with_more_products(admin, django_assert_num_queries):
    for number in range(8):
        make_image(make_product(f"Pièce {number}", promotion_active=True, promotion_type="buy_2_get_1"))
    # session, person; count, products, photos
    with django_assert_num_queries(5):
        assert len(names(admin.get(PRODUCTS))) == 8


def test_new_product_needs_name_category_and_price(admin):
    answer = send(admin, "post", "", {})
    assert answer.status_code == 400
    assert answer.json()["errors"] == {
        name: ["Ce champ est obligatoire."] for name in ("name", "category", "price")
    }
    assert not Product.objects.exists()


def test_new_product_with_every_field(admin):
    category = make_finish_category("mangas")
    other = make_product("Lynx")
    sent = {
        "name": "Ours boulanger", "name_en": "Baker Bear", "description": "Court", "description_de": "Kurz",
        "full_description": "Long\ntexte", "category": "mangas", "price": "89.90", "original_price": "99",
        "painted_price": 89.9, "unpainted_price": "49.00", "featured": True, "in_stock": True,
        "stock_quantity": 4, "is_published": False, "dimensions": "12 × 8 × 8 cm", "height_cm": "12.5",
        "weight": "300 g", "weight_grams": 420, "hs_code": "95030041", "origin_country": "FR",
        "material": "Résine", "paint_type": "Acrylique", "production_days_min": 7, "production_days_max": 14,
        "picked_similar": [other.pk], "external_id": "ours-1",
        "promotion_active": True, "promotion_type": "buy_2_get_1",
    }  # fmt: skip
    answer = send(admin, "post", "", sent)
    assert answer.status_code == 201, answer.json()
    body = answer.json()
    expected = {
        **sent, "category": "Mangas", "category_id": category.pk, "category_slug": "mangas", "original_price": "99.00",
        "painted_price": "89.90", "name_es": "", "slug": "ours-boulanger", "slug_en": "baker-bear",
        "source": "manual", "promotion_buy_quantity": 2, "promotion_get_quantity": 1, "promotion_percent": None,
        "promotion_label": "2 achetés, 1 offert", "picked_similar_names": [{"id": other.pk, "name": "Lynx"}],
        "stale_texts": [], "images": [], "image_url": None, "gallery_images": [], "trashed_at": None,
        "production_time": "1 à 2 semaines",
    }  # fmt: skip
    assert {name: body[name] for name in expected} == expected
    assert [(row["finish"], row["label"]) for row in body["variants"]] == [
        ("painted", "Peint"),
        ("unpainted", "Non peint"),
    ]
    entry = AuditEntry.objects.get(action="product.added")
    assert (entry.subject_id, entry.after["price"]) == (str(body["id"]), "89.90")
    assert admin.get(f"{PRODUCTS}/{body['id']}").json() == body
    points = PricePoint.objects.filter(product_id=body["id"])
    assert points.count() == 0
    assert send(admin, "patch", f"/{body['id']}", {"is_published": True}).status_code == 200
    assert points.count() == 2


def test_a_production_time_in_words_sets_both_days_unless_one_is_given(admin):
    product = make_product("Lynx")

    def change(**fields: object) -> tuple[object, ...]:
        answer = send(admin, "patch", f"/{product.pk}", fields)
        assert answer.status_code == 200, answer.json()
        body = answer.json()
        return body["production_time"], body["production_days_min"], body["production_days_max"]

    assert change(production_time="10 jours") == ("10 jours", 10, 10)
    assert change(production_time="2 semaines", production_days_max=14) == ("10 à 14 jours", 10, 14)
    # What was read may be sent back: the shop's own time does not become the product's.
    assert change(production_time="") == ("2 à 4 semaines", None, None)
    read = admin.get(f"{PRODUCTS}/{product.pk}").json()
    assert read["promotion_type"] is None
    assert change(**read) == ("2 à 4 semaines", None, None)


@pytest.mark.parametrize(
    ("changes", "errors"),
    [
        (
            {"production_time": "bientôt"},
            {
                "production_time": [
                    "Écrivez un délai en jours ou en semaines\u00a0: «\u00a010 jours\u00a0», "
                    "«\u00a02 à 4 semaines\u00a0»."
                ]
            },
        ),
        ({"price": "0"}, {"price": ["Le prix doit être supérieur à 0,00\u00a0€."]}),
        ({"price": "1e3"}, {"price": [NO_AMOUNT]}),
        ({"name": "  "}, {"name": ["Ce champ est obligatoire."]}),
        ({"name": "x" * 161}, {"name": ["Au plus 160 caractères."]}),
        ({"name": "\u200b\u3164"}, {"name": ["Ce texte ne contient que des signes invisibles."]}),
        ({"name": "Our\ns"}, {"name": ["Un saut de ligne ou un signe invisible n'est pas permis ici."]}),
        ({"external_id": "a\x1b"}, {"external_id": ["Un saut de ligne ou un signe invisible n'est pas permis ici."]}),
        ({"category": "nulle-part"}, {"category": ["Cette catégorie n'existe pas."]}),
        ({"hs_code": "95"}, {"hs_code": ["6, 8 ou 10 chiffres, sans espace."]}),
        ({"production_days_min": 7}, {"production_days_max": ["Indiquez les deux délais ou aucun."]}),
        ({"promotion_active": True}, {"promotion_type": ["Choisissez le type de la promotion."]}),
        ({"promotion_type": "percent"}, {"promotion_percent": ["Indiquez le pourcentage."]}),
        ({"picked_similar": [10**9]}, {"picked_similar": ["Ce choix n'existe pas."]}),
        ({"isPublished": False}, {"isPublished": ["Ce champ n'existe pas."]}),
    ],
)  # fmt: skip
def test_refused_change_names_its_field_and_changes_nothing(admin, changes, errors):
    product = make_product()
    before = columns(product)
    answer = send(admin, "patch", f"/{product.pk}", changes)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    assert answer.json()["errors"] == errors
    assert columns(product) == before
    assert not AuditEntry.objects.exists()


def test_external_reference_of_another_product_is_refused(admin):
    make_product("Lynx", external_id="lynx-1")
    product = make_product("Ours")
    answer = send(admin, "patch", f"/{product.pk}", {"external_id": "lynx-1"})
    assert answer.status_code == 400
    assert list(answer.json()["errors"]) == ["external_id"]
    assert send(admin, "patch", f"/{product.pk}", {"external_id": ""}).json()["external_id"] is None


def test_change_writes_the_sent_fields_alone_and_records_them(admin):
    product = make_product("Ours", price="40.00", stock_quantity=5, name_en="Bear")
    # An order takes a piece without making a new version.
    Product.objects.filter(pk=product.pk).update(stock_quantity=4)
    version = admin.get(f"{PRODUCTS}/{product.pk}").json()["updated_at"]
    answer = send(admin, "patch", f"/{product.pk}", {"price": "35.00", "expected_updated_at": version})
    assert answer.status_code == 200, answer.json()
    assert (answer.json()["price"], answer.json()["stock_quantity"]) == ("35.00", 4)
    amounts = PricePoint.objects.filter(product_id=product.pk).order_by("pk").values_list("amount", flat=True)
    assert list(amounts) == [Decimal("40.00"), Decimal("35.00")]
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.before, entry.after) == (
        "product.changed",
        {"price": "40.00"},
        {"price": "35.00"},
    )


def test_change_of_an_older_version_is_refused_with_the_fresh_product(admin):
    product = make_product("Ours")
    version = admin.get(f"{PRODUCTS}/{product.pk}").json()["updated_at"]
    change_product(product, name_fr="Ours blanc")
    answer = send(admin, "patch", f"/{product.pk}", {"price": "1.00", "expected_updated_at": version})
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    assert answer.json()["current"]["name"] == "Ours blanc"
    assert Product.objects.get().price == Decimal("40.00")


def test_stock_that_an_order_changed_meanwhile_is_not_overwritten(admin):
    product = make_product(stock_quantity=5)
    Product.objects.filter(pk=product.pk).update(stock_quantity=4)
    answer = send(admin, "patch", f"/{product.pk}", {"stock_quantity": 7, "seen_stock_quantity": 5})
    assert (answer.status_code, answer.json()["current"]["stock_quantity"]) == (409, 4)
    assert Product.objects.get().stock_quantity == 4
    assert (
        send(admin, "patch", f"/{product.pk}", {"stock_quantity": 7, "seen_stock_quantity": 4}).status_code
        == 200
    )


def test_translation_is_marked_when_the_french_text_changes_after_it(admin):
    product = make_product(
        "Ours", name_en="Bear", name_de="Bär", description_fr="Doux", description_en="Soft"
    )

    def change(**sent) -> list[str]:
        answer = send(admin, "patch", f"/{product.pk}", sent)
        assert answer.status_code == 200, answer.json()
        return answer.json()["stale_texts"]

    assert change(name="Ours blanc", name_de="Weißer Bär") == ["name_en"]
    assert names(admin.get(PRODUCTS, {"state": "stale"})) == ["Ours blanc"]
    assert change(description="Très doux") == ["name_en", "description_en"]
    assert change(name_en="White bear") == ["description_en"]
    assert change(confirmed_texts=["description_en"]) == []
    assert change(name="Ours noir", confirmed_texts=["name_de"]) == ["name_en"]
    assert change(name_en="") == []
    assert names(admin.get(PRODUCTS, {"state": "stale"})) == []


def test_staff_without_the_right_change_stock_alone(admin):
    product = make_product(stock_quantity=3)
    packer = staff_browser(StaffAction.SEE_PRODUCTS, StaffAction.EDIT_STOCK, email="emballe@example.com")
    assert send(packer, "patch", f"/{product.pk}", {"stock_quantity": 2}).status_code == 200
    for sent in ({"price": "1.00"}, {"name": "Autre"}, {"stock_quantity": 9, "promotion_active": False}):
        assert send(packer, "patch", f"/{product.pk}", sent).status_code == 403
    assert send(packer, "post", "/bulk", {"ids": [product.pk], "action": "delete"}).status_code == 403
    assert (
        send(
            packer, "post", "/bulk", {"ids": [product.pk], "action": "update", "fields": {"price": "1"}}
        ).status_code
        == 403
    )
    assert (Product.objects.get().stock_quantity, Product.objects.get().trashed_at) == (2, None)


def test_copy_has_texts_prices_and_formats_and_nothing_of_its_own(admin):
    product = make_product(
        "Ours", price="40.00", name_en="Bear", external_id="ours-1", stock_quantity=3, featured=True,
        category=make_finish_category(offers_formats=True), painted_price="40.00", unpainted_price="30.00",
        promotion_active=True, promotion_type="buy_2_get_1",
    )  # fmt: skip
    large = make_variation(product, "Grand", price_adjustment="20.00", is_default=True)
    change_variant(
        variant_of(product, large, "painted"), price=Decimal("75.00"), sku="OUR-G", stock_quantity=2
    )
    make_image(product)
    answer = send(admin, "post", f"/{product.pk}/duplicate")
    assert answer.status_code == 201, answer.json()
    copy = answer.json()
    assert (copy["name"], copy["name_en"], copy["slug"]) == ("Ours (copie)", "Bear (copy)", "ours-copie")
    assert (copy["is_published"], copy["featured"], copy["external_id"], copy["stock_quantity"]) == (
        False,
        False,
        None,
        0,
    )
    assert (copy["price_from"], copy["price_to"], copy["promotion_type"], copy["images"]) == (
        "50.00",
        "75.00",
        None,
        [],
    )
    of_format = [row for row in copy["variants"] if row["variation_id"]]
    assert [(row["label"], row["price"], row["sku"], row["stock_quantity"]) for row in of_format] == [
        ("Grand · Peint", "75.00", "", 0),
        ("Grand · Non peint", None, "", None),
    ]
    assert send(admin, "patch", f"/{copy['id']}", {"is_published": True}).status_code == 200
    # One point an offer: a copy never cost anything else.
    amounts = PricePoint.objects.filter(product_id=copy["id"]).exclude(variation=None).order_by("finish")
    assert [(point.finish, point.amount) for point in amounts] == [
        ("painted", Decimal("75.00")),
        ("unpainted", Decimal("50.00")),
    ]


def test_copy_of_a_long_name_without_a_number_of_units(admin):
    """What is made to order is so as a copy too, and shows the same pieces beside it."""
    product = make_product("O" * 160)
    lynx = make_product("Lynx")
    product.picked_similar.add(lynx)
    copy = send(admin, "post", f"/{product.pk}/duplicate").json()
    assert (copy["name"], copy["stock_quantity"]) == ("O" * 152 + " (copie)", None)
    assert list(Product.objects.get(pk=copy["id"]).picked_similar.all()) == [lynx]
    entry = AuditEntry.objects.get(action="product.added", subject_id=str(copy["id"]))
    assert entry.after == {"name": copy["name"], "copy_of": product.pk}


def test_product_a_copy_and_a_format_are_made_once_by_calls_of_one_key(admin):
    category = make_category()
    fields = {"name": "Ours", "price": "40.00", "category": category.slug}
    for path, body, other in (
        ("", fields, {**fields, "name": "Ourse"}),
        ("/{pk}/duplicate", {}, {"with_photos": True}),
        ("/{pk}/variations", {"name": "Petit"}, {"name": "Grand"}),
    ):
        path = path.format(pk=Product.objects.order_by("pk").values_list("pk", flat=True).first())
        key = {"idempotency-key": f"key of {path}"}
        first = send(admin, "post", path, body, headers=key)
        again = send(admin, "post", path, body, headers=key)
        refused = send(admin, "post", path, other, headers=key)
        assert (first.status_code, again.status_code, refused.status_code) == (201, 201, 422)
        assert again.json()["id"] == first.json()["id"]
        assert refused.json()["code"] == "idempotency_mismatch"
    assert list(Product.objects.order_by("pk").values_list("name_fr", flat=True)) == ["Ours", "Ours (copie)"]
    assert ProductVariation.objects.count() == 1
    # Without a key each press makes one.
    send(admin, "post", path, {"name": "Petit"})
    assert ProductVariation.objects.count() == 2


def test_photos_of_a_copy_outlive_those_of_the_first(admin, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    product = make_product("Ours")
    large = make_variation(product, "Grand")
    name = default_storage.save("products/a.jpg", ContentFile(b"photo"))
    first = make_image(product, file=name, alt="Face", variation=large, focus_x=20, focus_y=30)
    answer = send(admin, "post", f"/{product.pk}/duplicate", {"with_photos": True})
    photo = ProductImage.objects.get(product_id=answer.json()["id"])
    assert (photo.file.name, photo.alt, photo.focus_x, photo.derivatives) == (
        name,
        "Face",
        20,
        first.derivatives,
    )
    assert (photo.variation.name, photo.variation.product_id) == ("Grand", photo.product_id)
    week = timezone.now() + timedelta(days=7)
    delete_product_image(image=first)
    assert (remove_retired_files(now=week), default_storage.exists(name)) == (0, True)
    delete_product_image(image=photo)
    assert (remove_retired_files(now=week), default_storage.exists(name)) == (2, False)


def test_a_part_shown_of_a_copied_photo_keeps_the_whole_one(admin, settings, tmp_path):
    """The whole picture is another file than the one on show."""
    settings.MEDIA_ROOT = tmp_path
    whole = default_storage.save("products/whole.jpg", ContentFile(b"photo"))
    columns = {"file": whole, "width": 10, "height": 10, "colour": "", "derivatives": {}}
    first = make_image(make_product("Ours"), file="products/cut.jpg", crop={"x": 1}, whole=columns)
    duplicate_product(product_id=first.product_id, actor=None, with_photos=True)
    delete_product_image(image=first)
    assert remove_retired_files(now=timezone.now() + timedelta(days=7)) == 0
    assert default_storage.exists(whole)


def gone(client, product: Product) -> bool:
    return client.get(f"/api/products/{product.pk}").status_code == 404


def test_trash_takes_a_product_out_of_the_shop_and_gives_it_back(admin, client):
    product = make_product("Ours")
    assert admin.delete(f"{PRODUCTS}/{product.pk}").status_code == 204
    assert admin.delete(f"{PRODUCTS}/{product.pk}").status_code == 204
    assert gone(client, product)
    assert not SearchEntry.objects.exists()
    assert names(admin.get(PRODUCTS)) == []
    assert names(admin.get(PRODUCTS, {"state": "trashed"})) == ["Ours"]
    answer = send(admin, "patch", f"/{product.pk}", {"price": "1.00"})
    assert (answer.status_code, answer.json()["code"]) == (409, "trashed")
    restored = send(admin, "post", f"/{product.pk}/restore").json()
    assert (restored["is_published"], restored["trashed_at"]) == (True, None)
    assert not gone(client, product)
    assert [entry.action for entry in AuditEntry.objects.order_by("pk")] == [
        "product.trashed",
        "product.restored",
    ]


def test_archive_survives_the_trash(admin, client):
    product = make_product("Ours")
    assert send(admin, "post", f"/{product.pk}/archive").json()["archived_at"]
    assert gone(client, product)
    assert names(admin.get(PRODUCTS, {"state": "archived"})) == ["Ours"]
    admin.delete(f"{PRODUCTS}/{product.pk}")
    assert send(admin, "post", f"/{product.pk}/restore").json()["is_published"] is False
    assert send(admin, "post", f"/{product.pk}/unarchive").json()["is_published"] is True
    answer = send(admin, "post", f"/{product.pk}/archive")
    refused = send(admin, "patch", f"/{product.pk}", {"is_published": True})
    assert (answer.status_code, refused.status_code) == (200, 400)
    assert Product.objects.get().is_published is False


def test_hidden_product_stays_hidden_after_the_trash(admin):
    product = make_product(is_published=False)
    admin.delete(f"{PRODUCTS}/{product.pk}")
    assert send(admin, "post", f"/{product.pk}/restore").json()["is_published"] is False


def test_trash_is_emptied_after_thirty_days(admin):
    old, young, kept = make_product("Ours"), make_product("Lynx"), make_product("Élan")
    make_image(old)
    for product in (old, young):
        admin.delete(f"{PRODUCTS}/{product.pk}")
    now = timezone.now()
    Product.objects.filter(pk=old.pk).update(trashed_at=now - timedelta(days=30))
    Product.objects.filter(pk=young.pk).update(trashed_at=now - timedelta(days=30) + timedelta(minutes=1))
    assert purge_trash(now=now) == 1
    assert purge_trash(now=now) == 0
    assert set(Product.objects.all()) == {young, kept}
    assert not ProductImage.objects.exists()
    assert PricePoint.objects.filter(product_id=old.pk).exists()
    entry = AuditEntry.objects.get(action="product.deleted")
    assert (entry.actor_id, entry.before["name"]) == (None, "Ours")


def test_only_the_trash_is_deleted_for_ever(admin):
    product, other = make_product(), make_product("Lynx")
    admin.delete(f"{PRODUCTS}/{other.pk}")
    answer = admin.delete(f"{PRODUCTS}/{product.pk}?permanently=true")
    assert (answer.status_code, answer.json()["code"]) == (409, "not_trashed")
    admin.delete(f"{PRODUCTS}/{product.pk}")
    assert admin.delete(f"{PRODUCTS}/{product.pk}?permanently=true").status_code == 204
    assert Product.objects.get() == other
    assert admin.get(f"{PRODUCTS}/{product.pk}").status_code == 404


def test_prices_over_time_are_read_by_offer(admin):
    product = make_product(price="40.00")
    change_product(product, price=Decimal("35.00"))
    offers = admin.get(f"{PRODUCTS}/{product.pk}/prices").json()["offers"]
    assert [(offer["label"], [each["amount"] for each in offer["periods"]]) for offer in offers] == [
        ("", ["35.00", "40.00"])
    ]


def test_promotion_is_previewed_by_the_rule_and_not_stored(admin):
    product = make_product(price="40.00")
    asked = {"promotion_type": "buy_4_get_3", "promotion_active": True, "price": "10.00"}
    answer = send(admin, "post", f"/{product.pk}/promotion-preview", {"fields": asked}).json()
    assert answer["badge"] == "4 ACHETÉS 3 OFFERTS"
    assert answer["example"] == {"units": 7, "paid_units": 4, "total": "40.00", "full_total": "70.00"}
    reduced = {"promotion_type": "percent", "promotion_percent": 25}
    answer = send(admin, "post", f"/{product.pk}/promotion-preview", {"fields": reduced}).json()
    # What the page will say: no figure without the prices of thirty days.
    assert (answer["badge"], answer["text"], answer["example"]) == ("PROMO", "", None)
    assert [(row["price_now"], row["price_then"], row["crossed_out"]) for row in answer["rows"]] == [
        ("40.00", "30.00", None)
    ]
    refused = send(
        admin, "post", f"/{product.pk}/promotion-preview", {"fields": {"promotion_type": "percent"}}
    )
    assert refused.json()["errors"] == {"promotion_percent": ["Indiquez le pourcentage."]}
    assert columns(product)["running_promotion_id"] is None
    assert Product.objects.get().price == Decimal("40.00")


def test_own_promotion_is_changed_switched_off_and_removed(admin):
    product = make_product(price="40.00")

    def change(**sent):
        answer = send(admin, "patch", f"/{product.pk}", sent)
        assert answer.status_code == 200, answer.json()
        return answer.json()

    on = change(promotion_active=True, promotion_type="percent", promotion_percent=25)
    assert (on["price_from"], on["promotion_label"]) == ("30.00", "PROMO −25\u00a0%")
    off = change(promotion_active=False)
    assert (off["price_from"], off["promotion_type"], off["promotion_percent"]) == ("40.00", "percent", 25)
    change(promotion_type="", promotion_active=False)
    assert not Promotion.objects.exists()
    amounts = PricePoint.objects.order_by("pk").values_list("amount", flat=True)
    assert list(amounts) == [Decimal("40.00"), Decimal("30.00"), Decimal("40.00")]


def test_two_people_lose_nothing_in_fifty_edits_at_once(admin):
    product = make_product("Ours", price="40.00")
    people = {
        "material": admin,
        "weight": staff_browser(email="atelier@example.com"),
    }
    seen = {field: admin.get(f"{PRODUCTS}/{product.pk}").json() for field in people}
    written = {"material": "", "weight": ""}
    order = Random(7)
    refused = 0
    for number in range(50):
        field = order.choice(list(people))
        sent = {field: f"essai {number}", "expected_updated_at": seen[field]["updated_at"]}
        answer = send(people[field], "patch", f"/{product.pk}", sent)
        if answer.status_code == 409:
            refused += 1
            seen[field] = answer.json()["current"]
            # Whoever is refused is shown what the other wrote last, and sends theirs again.
            assert {name: seen[field][name] for name in written} == written
            sent["expected_updated_at"] = seen[field]["updated_at"]
            answer = send(people[field], "patch", f"/{product.pk}", sent)
        assert answer.status_code == 200
        seen[field] = answer.json()
        written[field] = sent[field]
        stored = Product.objects.get()
        assert (stored.material, stored.weight) == (written["material"], written["weight"])
    assert refused > 12


def test_page_of_a_product_that_was_just_created_says_so(admin):
    product = make_product()
    said = "Produit créé avec succès"
    assert said in admin.get(f"/admin/produits/{product.pk}?cree=1").content.decode()
    assert said not in admin.get(f"/admin/produits/{product.pk}").content.decode()


def test_a_product_that_can_t_be_deleted_keeps_no_other_in_the_trash(admin, fail_first):
    for name in ("Ours", "Lynx"):
        admin.delete(f"{PRODUCTS}/{make_product(name).pk}")
    fail_first(product_removal, "delete_product")
    with pytest.raises(RuntimeError, match="unforeseen"):
        purge_trash(now=timezone.now() + timedelta(days=30))
    assert [product.name for product in Product.objects.all()] == ["Ours"]
