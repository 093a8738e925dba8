"""Any category works: what its address may be, where it leads, and what becomes of the one it had."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import resolve

from catalog.models import Category, CategoryKind, FormerSlug, Notice, Product, SearchWord
from catalog.selectors.categories import find_category
from catalog.services.categories import delete_category, save_category
from catalog.staff.category_forms import CategoryForm
from catalog.tests.factories import make_product
from catalog.tests.programs import Program, minimal
from catalog.tests.staff import PRODUCTS, send, staff_browser
from shop.core.problems import Problem
from shop.core.site import page_words

pytestmark = pytest.mark.django_db

COLLECTION = CategoryKind.COLLECTION


def make(name: str = "Jardin", **fields: Any) -> Category:
    return save_category(category=Category(name_fr=name, **{"kind": COLLECTION, **fields}))


def test_letters_written_as_one_are_spelled_out_in_an_address() -> None:
    assert make("Coups de cœur").slug == "coups-de-coeur"
    # As Germans write them, also of letters in two signs.
    row = make("Würfel", name_de="Scho\u0308ne Würfel", name_es="Pingüino")
    assert (row.slug, row.slug_de, row.slug_es) == ("wurfel", "schoene-wuerfel", "pinguino")


@pytest.mark.parametrize(
    "word",
    [
        *("admin", "api", "webhooks", "static", "media", "gestion", "fr", "en", "es", "de"),
        *(
            "produits",
            "produit",
            "panier",
            "checkout",
            "payment-success",
            "auth",
            "espace-membre",
            "cgv",
            "favoris",
        ),
        *("products", "warenkorb", "carrito", "impressum", "avis", "commande", "agb", "faq", "contact"),
        "Admin",
    ],
)
@pytest.mark.parametrize("field", ["slug", "slug_de"])
def test_a_word_that_the_shop_uses_is_refused(word: str, field: str) -> None:
    with pytest.raises(Problem) as refused:
        make(**{"slug": "jardin", field: word})
    sentence = f"«\u00a0{word.lower()}\u00a0» est déjà une adresse de la boutique. Choisissez un autre mot."
    assert refused.value.errors == {field: [sentence]}
    assert not Category.objects.exists()


def test_page_words_are_read_from_the_addresses_and_hold_no_category() -> None:
    assert {"robots.txt", "sitemap.xml", settings.ADMIN_PATH.strip("/")} <= page_words()
    assert not {"noel", "pokeball", "figurines", "mangas", ""} & page_words()


@pytest.mark.parametrize(
    ("path", "view"),
    [("/panier", "orders:cart"), ("/Panier", None), ("/warenkorb", None), ("/jardin", "catalog:collection")],
)
def test_a_categorys_page_takes_no_word_of_the_shop(path: str, view: str | None) -> None:
    assert resolve(path).view_name == (view or "shop.core.errors.page_not_found")


@pytest.mark.parametrize("taken", ["noel", "weihnachten"])
@pytest.mark.parametrize("field", ["slug", "slug_en"])
def test_another_categorys_address_is_refused_in_whatever_language(taken: str, field: str) -> None:
    make("Noël", slug="noel", slug_de="weihnachten")
    with pytest.raises(Problem) as refused:
        make(**{"slug": "jardin", field: taken})
    sentence = f"«\u00a0{taken}\u00a0» est déjà l'adresse de la catégorie «\u00a0Noël\u00a0»."
    assert refused.value.errors == {field: [sentence]}
    # In the staff area as well.
    plain = Category(name_fr="Jardin", kind=COLLECTION, slug="jardin")
    typed = {name: getattr(plain, name) for name in ("name_fr", "kind", "slug", "colour", "safety_class")}
    assert CategoryForm(typed | {field: taken}).errors == {field: [sentence]}
    assert Category.objects.count() == 1


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("é", "e"),
        ("Lumières & Lampions", "lumieres-lampions"),
        ("🐉", "collection"),
        ('«\u00a0L\'été\u00a0» "doux"', "lete-doux"),
        ("<script>alert(1)</script>", "scriptalert1script"),
        ("تماثيل مرسومة", "collection"),
        ("Admin", "admin-2"),
        ("x" * 80, "x" * 56),
    ],
)
def test_a_missing_address_is_made_of_the_name(name: str, slug: str) -> None:
    assert make(name).slug == slug
    assert make(name).slug == f"{slug.removesuffix('-2')}-{3 if slug == 'admin-2' else 2}"


def test_a_name_of_two_hundred_letters_is_refused_on_its_field() -> None:
    with pytest.raises(Problem) as refused:
        make("x" * 200)
    assert list(refused.value.errors) == ["name_fr"]
    assert not Category.objects.exists()


def test_a_collection_has_an_address_in_each_language(client: Client) -> None:
    make("Noël", name_de="Weihnachten", slug_en="christmas")
    assert client.get("/noel").status_code == 200
    assert client.get("/en/christmas").status_code == 200
    assert client.get("/de/weihnachten").status_code == 200
    # No word of its own: the French one.
    assert client.get("/es/noel").status_code == 200
    for asked, address in [
        ("/de/noel", "/de/weihnachten"), ("/weihnachten", "/noel"),
        ("/de/christmas?sort=price", "/de/weihnachten?sort=price"),
        ("/NOEL", "/noel"), ("/produits?category=noel&page=2", "/noel?page=2"),
    ]:  # fmt: skip
        answer = client.get(asked)
        assert (answer.status_code, answer["Location"]) == (301, address)
    page = client.get("/de/weihnachten").content.decode()
    assert '<link rel="canonical" href="http://localhost:8000/de/weihnachten">' in page
    for code, path in [
        ("fr", "/noel"),
        ("en", "/en/christmas"),
        ("es", "/es/noel"),
        ("de", "/de/weihnachten"),
    ]:
        assert f'<link rel="alternate" hreflang="{code}" href="http://localhost:8000{path}">' in page


def test_a_main_category_is_a_filter_in_each_languages_words(client: Client) -> None:
    make("Jeux Vidéo", slug_de="videospiele", kind=CategoryKind.MAIN)
    page = client.get("/de/produkte?category=videospiele")
    assert page.status_code == 200
    french = "http://localhost:8000/produits?category=jeux-video"
    assert f'hreflang="fr" href="{french}">' in page.content.decode()
    assert 'href="/en/products?category=jeux-video"' in page.content.decode()
    for asked, address in [
        ("/de/produkte?category=jeux-video&page=2", "/de/produkte?category=videospiele&page=2"),
        ("/jeux-video", "/produits?category=jeux-video"),
        ("/produits?categorie=videospiele", "/produits?category=jeux-video"),
    ]:
        answer = client.get(asked)
        assert (answer.status_code, answer["Location"]) == (301, address)
    assert client.get("/produits?category=inconnue").status_code == 404


def test_calls_name_a_category_in_any_language(client: Client) -> None:
    category = make("Noël", slug_de="weihnachten")
    make_product("Boule", category=category)
    for word in ("noel", "weihnachten"):
        assert client.get(f"/api/products?category={word}").json()["count"] == 1
    assert client.get("/api/products").json()["count"] == 0


def test_files_and_programs_name_a_category_by_the_address_it_had(program: Program) -> None:
    category = make("Jardin", slug_de="garten")
    category.name, category.slug, category.slug_de = "Potager", "potager", ""
    save_category(category=category)
    assert program.post(minimal(category="Garten")).json()["category_slug"] == "potager"
    file = "référence externe;catégorie;nom;prix\nR-1;jardin;Nain;12,50\n"
    answer = send(staff_browser(), "post", "/import", {"csv": file})
    assert (answer.status_code, answer.json()["added"]) == (200, 1)
    assert Product.objects.get(external_id="R-1").category == category
    assert Client().get("/api/products?category=garten").json()["count"] == 1
    # One that has it comes first.
    living = make("Autre", slug="jardin")
    assert program.post(minimal(category="jardin")).json()["category_slug"] == living.slug
    assert program.post(minimal(category="jardin\x00")).status_code == 400


def test_a_form_of_before_a_category_was_renamed_still_asks_for_its_opening(client: Client) -> None:
    category = make("Jardin")
    category.slug = "verger"
    save_category(category=category)
    form = {"email": "lea@example.com", "category_slug": "jardin"}
    assert client.post("/avis/demander", form).status_code == 303
    assert Notice.objects.get().category == category
    call = client.post("/api/notify", {**form, "email": "max@example.com"}, content_type="application/json")
    assert (call.status_code, Notice.objects.filter(category=category).count()) == (202, 2)


def test_a_category_called_by_a_number_is_none_of_that_key() -> None:
    piece, other = make_product("Golem", category=make("Jardin")), make_product("Ours", category=make("Mer"))
    numbered = make(str(piece.category_id))
    browser = staff_browser()
    change = {"ids": [other.pk], "action": "update", "fields": {"category": numbered.slug}}
    assert send(browser, "post", "/bulk", change).status_code == 200
    other.refresh_from_db()
    assert other.category == numbered
    listed = browser.get(f"{PRODUCTS}?category={numbered.slug}").json()["results"]
    assert [row["id"] for row in listed] == [other.pk]
    file = b"".join(browser.get(f"{PRODUCTS}/export.csv").streaming_content).decode()
    assert send(browser, "post", "/import", {"csv": file}).json()["unchanged"] == 2
    # A key stays one where no category is called so.
    for key in (piece.category_id, str(other.category_id)):
        assert send(browser, "patch", f"/{piece.pk}", {"category": key}).status_code == 200
    piece.refresh_from_db()
    assert piece.category == numbered


def test_a_renamed_address_leads_to_the_new_one(client: Client) -> None:
    category = make("Jardin", slug_de="garten")
    category.slug, category.slug_de = "potager", ""
    save_category(category=category)
    category.slug = "verger"
    save_category(category=category)
    for old in ("/jardin", "/garten", "/potager"):
        answer = client.get(f"{old}?page=1")
        assert (answer.status_code, answer["Location"]) == (301, "/verger?page=1")
    assert client.get("/de/jardin")["Location"] == "/de/verger"
    assert client.get("/verger").status_code == 200

    # Back again: no circle.
    category.slug = "jardin"
    save_category(category=category)
    assert client.get("/jardin").status_code == 200
    assert client.get("/verger")["Location"] == "/jardin"
    assert set(FormerSlug.objects.values_list("slug", flat=True)) == {"verger", "potager", "garten"}


def test_an_address_that_is_free_again_is_the_living_categorys(client: Client) -> None:
    first = make("Jardin")
    first.slug = "verger"
    save_category(category=first)
    second = make("Autre", slug="jardin")
    assert client.get("/jardin").status_code == 200
    assert find_category("jardin") == second
    assert not FormerSlug.objects.filter(slug="jardin").exists()


def test_a_category_made_of_a_name_leaves_former_addresses_alone(client: Client) -> None:
    first = make("Jardin")
    first.slug = "verger"
    save_category(category=first)
    assert make("Jardin").slug == "jardin-2"
    assert client.get("/jardin")["Location"] == "/verger"


def test_a_word_that_is_no_category_is_a_real_404(client: Client) -> None:
    answer = client.get("/de/unbekannt")
    assert answer.status_code == 404
    assert 'href="/en"' in answer.content.decode()
    assert client.post("/unbekannt").status_code == 404
    assert client.get("/a" * 61).status_code == 404
    make("Jardin")
    assert client.post("/jardin").status_code == 405


def test_a_category_with_products_is_not_deleted() -> None:
    category = make("Jardin")
    make_product("Nain", category=category)
    with pytest.raises(Problem) as refused:
        delete_category(category=category)
    assert (refused.value.code, refused.value.status) == ("category_in_use", 409)
    assert refused.value.detail == (
        "La catégorie «\u00a0Jardin\u00a0» a encore des produits (1). Changez-les de catégorie d'abord."
    )
    assert (Category.objects.count(), Product.objects.count()) == (1, 1)


def test_a_deleted_category_leaves_pages_whole(client: Client) -> None:
    category = make("Jardin")
    category.slug = "verger"
    save_category(category=category)
    assert b'href="/verger"' in client.get("/").content
    delete_category(category=category)
    assert b'href="/verger"' not in client.get("/").content
    assert (client.get("/verger").status_code, client.get("/jardin").status_code) == (404, 404)


def test_only_what_products_show_of_a_category_refreshes_them(django_assert_max_num_queries) -> None:
    category = make("Jardin")
    for number in range(20):
        make_product(f"Nain {number}", category=category)
    category.position = 3
    with django_assert_max_num_queries(36):
        save_category(category=category)
    # What is sold of them waits meanwhile.
    category.name_fr = "Verger"
    with django_assert_max_num_queries(130):
        save_category(category=category)
    assert set(SearchWord.objects.filter(word__in=("jardin", "verger")).values_list("word", "pieces")) == {
        ("verger", 20)
    }


@pytest.fixture
def admin(client: Client) -> Client:
    client.force_login(get_user_model().objects.create_superuser("chef@example.com", "figurine-2026"))
    return client
