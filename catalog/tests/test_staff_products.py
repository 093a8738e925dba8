"""A product for staff by calls: created, changed, in conflict with another change, with a promotion of its own."""

from decimal import Decimal
from random import Random

import pytest

from catalog.models import PricePoint, Product, Promotion
from catalog.services.products import delete_variation
from catalog.tests.factories import (
    change_product,
    make_category,
    make_finish_category,
    make_product,
    make_promotion,
    make_variation,
)
from catalog.tests.staff import PRODUCTS, columns, names, send, staff_browser
from shop.core.models import AuditEntry
from shop.core.staff_actions import StaffAction

pytestmark = pytest.mark.django_db

NO_AMOUNT = "Saisissez un montant en chiffres, avec deux décimales au plus, par exemple 49,90."


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
        ({"maker": "x" * 2001}, {"maker": ["Au plus 2000 caractères."]}),
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


def test_prices_over_time_are_read_by_offer(admin):
    product = make_product(price="40.00")
    change_product(product, price=Decimal("35.00"))
    offers = admin.get(f"{PRODUCTS}/{product.pk}/prices").json()["offers"]
    assert [(offer["label"], [each["amount"] for each in offer["periods"]]) for offer in offers] == [
        ("", ["35.00", "40.00"])
    ]


def test_prices_of_what_is_sold_no_more_are_told_apart(admin):
    product = make_product(category=make_category("bust", offers_formats=True, offers_finishes=True))
    small = make_variation(product, "Petit")
    make_variation(product, "Grand", price_override="60.00")
    change_product(product, painted_price=Decimal("45.00"))
    removed = f"Format supprimé n°\u00a0{small.pk}"
    delete_variation(variation=small)
    offers = admin.get(f"{PRODUCTS}/{product.pk}/prices").json()["offers"]
    assert [(offer["label"], offer["periods"][0]["amount"]) for offer in offers] == [
        ("Grand · Peint", "60.00"),
        # The piece before it had formats, and the formats before they had finishes.
        ("", "40.00"),
        (removed, "40.00"),
        (f"{removed} · Peint", "45.00"),
        ("Grand", "60.00"),
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


def test_promotion_is_previewed_beside_a_younger_one_that_goes_before_it(admin):
    product = make_product(
        price="40.00", promotion_active=True, promotion_type="percent", promotion_percent=10
    )
    make_promotion(product, name="Toute l'année", percent=50)
    reduced = {"promotion_type": "percent", "promotion_percent": 25}
    [row] = send(admin, "post", f"/{product.pk}/promotion-preview", {"fields": reduced}).json()["rows"]
    assert (row["price_now"], row["price_then"]) == ("20.00", "20.00")
    assert row["remark"] == "Une autre promotion passe avant\u00a0: Toute l'année."


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


@pytest.mark.parametrize(
    ("word", "said"), [("cree", "Produit créé avec succès"), ("restaure", "Produit restauré")]
)
def test_page_of_a_product_that_was_just_created_or_restored_says_so(admin, word, said):
    product = make_product()
    page = admin.get(f"/admin/produits/{product.pk}?{word}=1").content.decode()
    assert said in page
    assert 'id="declinaisons"' in page
    assert said not in admin.get(f"/admin/produits/{product.pk}").content.decode()


@pytest.mark.parametrize("is_published", [True, False])
def test_page_of_a_product_leads_to_the_shop_where_visitors_see_it(admin, is_published):
    product = make_product("Ours", is_published=is_published)
    page = admin.get(f"/admin/produits/{product.pk}").content.decode()
    link = f'href="/produit/{product.pk}" data-shop-link{"" if is_published else " hidden"} aria-label'
    assert page.count(link) == 1
