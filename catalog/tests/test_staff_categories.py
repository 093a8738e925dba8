"""Categories in the staff area: saved with their picture, moved, and not deleted while they have products."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from catalog.models import Category, CategoryPicture, FormerSlug, Product, RetiredPicture
from catalog.selectors.categories import category_cards
from catalog.services.product_removal import restore_products, trash_products
from catalog.tests.factories import make_category, make_image, make_product, picture
from catalog.tests.staff import sent, staff_browser
from shop.core.models import AuditEntry
from shop.core.staff_actions import StaffAction
from shop.core.staff_translations import CHOOSE_AGAIN, STALE

pytestmark = pytest.mark.django_db
LIST = "/admin/categories"


def uploaded(name: str) -> SimpleUploadedFile:
    """A JPEG by this name."""
    return SimpleUploadedFile(name, picture().getvalue())


def test_category_is_renamed_with_a_picture_and_its_products_follow(
    admin_client: Client, run_on_commit: Any
) -> None:
    category = make_category("mangas", name_fr="Mangas")
    product = make_product("Ours", category=category)
    page = f"{LIST}/{category.pk}"
    with run_on_commit():
        answer = admin_client.post(
            page, sent(admin_client, page, name_fr="Animés", new_picture=uploaded("a.jpg"))
        )
    assert answer["Location"] == LIST
    assert Product.objects.get(pk=product.pk).search_text == " animes ours"
    assert CategoryPicture.objects.get().category == category
    entry = AuditEntry.objects.get(action="category.changed")
    assert (entry.before["name_fr"], entry.after["name_fr"]) == ("Mangas", "Animés")
    refused = admin_client.post(page, sent(admin_client, page, new_picture=uploaded("a.png")))
    assert "Fichier invalide" in refused.content.decode()
    listing = admin_client.get(LIST).content.decode()
    assert "Animés" in listing
    assert "1 pièce<" in listing


def test_without_its_picture_a_category_shows_its_newest_piece_again(admin_client: Client) -> None:
    category = make_category("mangas", name_fr="Mangas")
    piece = make_image(make_product("Ours", category=category), 1)
    page = f"{LIST}/{category.pk}"
    shown = []
    for change in (
        {"new_picture": uploaded("a.jpg")},
        {},
        {"remove_picture": "on"},
        {"remove_picture": "on"},
    ):
        assert admin_client.post(page, sent(admin_client, page, **change))["Location"] == LIST
        (card,) = category_cards()
        shown.append(card.image.url.partition("/media/")[2].partition("/")[0])
    assert shown == ["categories", "categories", "products", "products"]
    assert card.image.url == piece.file.url
    assert RetiredPicture.objects.get().file.name.startswith("categories/")
    name = RetiredPicture.objects.get().file.name
    trail = AuditEntry.objects.filter(action="category.changed").order_by("pk")
    assert list(trail.values_list("before", "after")) == [
        ({"picture": ""}, {"picture": name}),
        ({"picture": name}, {"picture": ""}),
    ]


def test_a_forged_count_of_lines_is_not_drawn(admin_client: Client) -> None:
    body = sent(admin_client, f"{LIST}/nouveau", name_fr="Dragons") | {"features-TOTAL_FORMS": str(2**31)}
    answer = admin_client.post(f"{LIST}/nouveau", body)
    assert (answer.status_code, len(answer.context["formset"].forms)) == (200, 10)
    assert not Category.objects.filter(name_fr="Dragons").exists()


def test_new_category_gets_its_address_and_stands_last(admin_client: Client) -> None:
    make_category("mangas", name_fr="Mangas", position=7)
    body = sent(admin_client, f"{LIST}/nouveau", name_fr="Dragons du lac")
    assert admin_client.post(f"{LIST}/nouveau", body)["Location"] == LIST
    row = Category.objects.get(name_fr="Dragons du lac")
    assert (row.slug, row.position) == ("dragons-du-lac", 8)


def test_word_of_the_shop_is_refused_as_an_address(admin_client: Client) -> None:
    category = make_category("mangas", name_fr="Mangas")
    page = f"{LIST}/{category.pk}"
    answer = admin_client.post(page, sent(admin_client, page, slug="panier"))
    assert "est déjà une adresse de la boutique" in answer.content.decode()
    assert Category.objects.get().slug == "mangas"


def test_renamed_address_leads_to_the_new_one(admin_client: Client) -> None:
    category = make_category("mangas", name_fr="Mangas")
    page = f"{LIST}/{category.pk}"
    admin_client.post(page, sent(admin_client, page, slug="animes"))
    assert FormerSlug.objects.get(slug="mangas").category == category


def test_category_with_products_is_not_deleted(admin_client: Client) -> None:
    category = make_product().category
    page = f"{LIST}/{category.pk}/supprimer"
    asked = admin_client.get(page).content.decode()
    assert "a encore des produits (1). Changez-les de catégorie d&#x27;abord." in asked
    assert "Êtes-vous sûr" not in asked
    answer = admin_client.post(page, follow=True)
    assert "a encore des produits (1)" in answer.content.decode()
    assert Category.objects.get() == category
    assert not AuditEntry.objects.filter(action="category.deleted").exists()


def test_a_category_whose_products_are_in_the_trash_says_so(admin_client: Client) -> None:
    product = make_product()
    page = f"{LIST}/{product.category_id}/supprimer"
    trash_products(product_ids=[product.pk], actor=None)
    asked = admin_client.get(page).content.decode()
    assert "n&#x27;a plus que des produits de la corbeille (1)." in asked
    restore_products(product_ids=[product.pk], actor=None)
    make_product(category=product.category)
    trash_products(product_ids=[product.pk], actor=None)
    asked = admin_client.get(page).content.decode()
    assert "a encore des produits (1). Changez-les de catégorie d&#x27;abord." in asked
    # In the list too, that of the trash is not counted.
    assert "1 pièce<" in admin_client.get(LIST).content.decode()


def test_categories_are_moved_by_one_place(admin_client: Client) -> None:
    rows = [make_category(f"c{number}", name_fr=f"C{number}", position=number) for number in range(3)]
    admin_client.post(f"{LIST}/{rows[2].pk}/deplacer", {"vers": "haut"})
    assert [row.slug for row in Category.objects.all()] == ["c0", "c2", "c1"]
    assert AuditEntry.objects.filter(action="category.changed").exists()
    assert admin_client.get(f"{LIST}/{rows[2].pk}/deplacer").status_code == 405


def test_a_category_is_dropped_before_another_or_at_the_end(admin_client: Client) -> None:
    rows = [make_category(f"c{number}", name_fr=f"C{number}", position=number) for number in range(4)]
    places = (
        (3, str(rows[0].pk), "3012"),
        (3, "fin", "0123"),
        (1, "999", "0123"),
        (0, str(rows[0].pk), "0123"),
    )
    for moved, before, expected in places:
        admin_client.post(f"{LIST}/{rows[moved].pk}/deplacer", {"avant": before})
        assert "".join(row.slug[1] for row in Category.objects.all()) == expected


def test_category_list_takes_one_query_however_many_there_are(
    admin_client: Client, django_assert_num_queries: Any
) -> None:
    for number in range(12):
        make_category(f"c{number}", name_fr=f"C{number}")
    admin_client.get(LIST)
    # Session and person 2, the categories with picture and count 1.
    with django_assert_num_queries(3):
        admin_client.get(LIST)


def test_french_warnings_change_once_their_translations_were_looked_at(admin_client: Client) -> None:
    category = make_category(
        "mangas", name_fr="Mangas", warnings_fr="Fragile", warnings_en="Fragile!", warnings_de="Bruch"
    )
    page = f"{LIST}/{category.pk}"
    body = sent(admin_client, page, warnings_fr="Coupant", warnings_de="Scharf", intro_fr="Neuf")
    asked = admin_client.post(page, body | {"new_picture": uploaded("a.jpg")})
    assert asked.context["form"].errors == {"warnings_en": [STALE], "new_picture": [CHOOSE_AGAIN]}
    assert Category.objects.get().warnings_fr == "Fragile"
    seen = body | {"reread": asked.context["reread"]}
    again = admin_client.post(page, seen | {"warnings_fr": "Pointu"})
    assert again.context["form"].errors == {"warnings_en": [STALE]}
    assert admin_client.post(page, seen)["Location"] == LIST
    row = Category.objects.get()
    assert (row.warnings_fr, row.warnings_en, row.warnings_de) == ("Coupant", "Fragile!", "Scharf")


def test_how_the_order_is_changed_is_told_where_it_can_be(admin_client: Client) -> None:
    team = staff_browser(StaffAction.SEE_PRODUCTS)
    told = [
        "glissez les lignes" in browser.get(LIST, {"recherche": words}).content.decode()
        for browser, words in ((admin_client, ""), (admin_client, "manga"), (team, ""))
    ]
    assert told == [True, False, False]
