"""Promotions in the staff area: planned, previewed, ended, and a product's own."""

import re
from datetime import timedelta
from decimal import Decimal

import pytest
import time_machine
from django.utils import timezone

from catalog.models import Product, Promotion
from catalog.services.product_removal import restore_products, trash_products
from catalog.services.promotions import save_promotion
from catalog.tests.factories import make_product, make_promotion
from catalog.tests.staff import send, sent
from shop.core.models import AuditEntry

pytestmark = pytest.mark.django_db

LIST = "/admin/promotions"


def add(client, query="", **fields):
    sent = {"name": "Week-end", "is_active": "on", "type": "percent", "percent": "20", **fields}
    return client.post(f"{LIST}/nouveau{query}", sent)


def test_one_of_a_category_is_planned_and_previewed_before_it_starts(admin_client):
    with time_machine.travel(timezone.now() - timedelta(days=60), tick=False):
        product = make_product(price="100.00")
    answer = add(admin_client, categories=[product.category_id], starts_at="2030-12-01T08:00:00")
    promotion = Promotion.objects.get()
    assert answer.url == f"{LIST}/{promotion.pk}#apercu"
    assert list(promotion.categories.all()) == [product.category]
    assert promotion.next_boundary == promotion.starts_at
    product.refresh_from_db()
    assert product.price_from == Decimal("100.00")
    page = admin_client.get(f"{LIST}/{promotion.pk}").content.decode()
    assert "80,00\u00a0€ au lieu de 100,00\u00a0€, barré\u00a0: 100,00\u00a0€" in page
    assert "celles qui sont offertes" not in page
    assert AuditEntry.objects.filter(subject_id=str(promotion.pk)).count() == 1


def test_one_that_offers_pieces_changes_no_price(admin_client):
    product = make_product(price="69.00")
    add(admin_client, type="buy_2_get_1", percent="", categories=[product.category_id])
    page = admin_client.get(f"{LIST}/{Promotion.objects.get().pk}").content.decode()
    assert "69,00\u00a0€, prix inchangé<" in page
    assert "au lieu de" not in page
    assert "Une pièce garde le sien\u00a0: celles qui sont offertes le sont au panier." in page


def test_one_whose_answer_was_lost_is_made_once_and_what_was_changed_since_is_told(admin_client):
    page = admin_client.get(f"{LIST}/nouveau").content.decode()
    key = page.split('name="creation_key" value="')[1].split('"')[0]
    refused = add(admin_client, percent="", creation_key=key)
    assert key not in refused.content.decode()
    first, again = (add(admin_client, creation_key=key) for _ in range(2))
    assert again.url == first.url
    changed = add(admin_client, percent="30", creation_key=key)
    assert changed.status_code == 422
    assert "Votre premier envoi est bien arrivé" in changed.content.decode()
    assert [(row.name, row.percent) for row in Promotion.objects.all()] == [("Week-end", 20)]
    assert AuditEntry.objects.count() == 1


@pytest.mark.parametrize(
    ("typed", "moment"),
    [
        # The hour that comes twice in autumn is the first, and one that spring leaves out the one after it.
        ("2030-10-27T02:30", "2030-10-27T00:30:00+00:00"),
        ("2030-03-31T02:30", "2030-03-31T01:30:00+00:00"),
    ],
)
def test_one_begins_on_a_night_when_the_clocks_change(admin_client, typed, moment):
    product = make_product()
    assert add(admin_client, categories=[product.category_id], starts_at=typed).status_code == 302
    assert Promotion.objects.get().starts_at.isoformat() == moment


def test_pieces_chosen_in_their_list_are_its_pieces(admin_client):
    chosen, other = make_product("Golem"), make_product("Hibou")
    page = admin_client.get(f"{LIST}/nouveau?produits={chosen.pk},x,{10**30}")
    assert page.status_code == 200
    choices = page.context["form"].fields["products"].queryset
    assert list(choices) == [chosen]
    assert page.content.decode().count(" checked") == 2
    add(admin_client, products=[chosen.pk])
    assert [product.price_from for product in (Product.objects.get(pk=chosen.pk), other)] == [
        Decimal("32.00"), Decimal("40.00"),
    ]  # fmt: skip


def test_pieces_are_added_to_one_that_runs(admin_client):
    kept, added = make_product("Golem"), make_product("Hibou")
    promotion = make_promotion(kept)
    address = f"{LIST}/{promotion.pk}"
    help_text = f'<a href="/admin/produits?promotion={promotion.pk}">liste des produits</a>'
    assert help_text in admin_client.get(address).content.decode()
    assert (
        '<a href="/admin/produits">liste des produits</a>'
        in admin_client.get(f"{LIST}/nouveau").content.decode()
    )
    page = f"{address}?produits={added.pk}"
    assert admin_client.get(page).content.decode().count(" checked") == 3
    assert list(promotion.products.all()) == [kept]
    # Meanwhile somebody renamed it.
    body = sent(admin_client, page)
    promotion.name = "Autre"
    save_promotion(promotion=promotion)
    assert admin_client.post(page, body)["Location"] == f"{address}#apercu"
    promotion.refresh_from_db()
    assert (promotion.name, set(promotion.products.all())) == ("Autre", {kept, added})
    assert [row.price_from for row in Product.objects.all()] == [Decimal("32.00")] * 2


def test_what_is_incomplete_is_said_on_its_field(admin_client):
    empty = admin_client.get(f"{LIST}/nouveau").content.decode()
    assert ('<option value="" selected>Choisir…</option>' in empty, "-----" in empty) == (True, False)
    answer = add(admin_client, percent="")
    assert answer.context["form"].errors["percent"] == ["Indiquez le pourcentage."]
    answer = add(admin_client, starts_at="2030-12-02T08:00:00", ends_at="2030-12-01T08:00:00")
    assert answer.context["form"].errors["ends_at"] == ["La fin doit venir après le début."]
    for moment in ("0001-01-01T00:00:00", "9999-12-31T23:59:59"):
        answer = add(admin_client, starts_at=moment)
        assert answer.context["form"].errors["starts_at"] == ["Choisissez un jour entre 2000 et 2199."]
    forged = "9" * 400
    for name in ("categories", "products"):
        answer = add(admin_client, **{name: [forged]})
        assert answer.context["form"].errors[name] == [f"«\xa0{forged}\xa0» n’est pas une valeur correcte."]
    assert not Promotion.objects.exists()


def test_the_list_says_where_each_stands(admin_client):
    now = timezone.now()
    make_promotion(name="Prévue", starts_at=now + timedelta(days=1))
    running = make_promotion(make_product(), name="En vigueur")
    make_promotion(name="Passée", starts_at=now - timedelta(days=2), ends_at=now - timedelta(days=1))
    make_promotion(name="Éteinte", is_active=False)

    make_promotion(name="Noël", starts_at="2030-12-01T08:00:00+01:00", ends_at="2031-01-02T08:00:00+01:00")
    [noel] = [line for _key, line in admin_client.get(LIST).context["lines"] if line.title == "Noël"]
    assert "du 1er\xa0décembre 2030\xa0à\xa008:00 au 2\xa0janvier 2031\xa0à\xa008:00" in noel.detail
    Promotion.objects.get(name="Noël").delete()

    def states():
        return {line.title: line.state for _key, line in admin_client.get(LIST).context["lines"]}

    assert states() == {
        "Prévue": "Programmée", "En vigueur": "En cours", "Passée": "Terminée", "Éteinte": "Désactivée",
    }  # fmt: skip
    admin_client.post(f"{LIST}/{running.pk}/terminer")
    assert states()["En vigueur"] != "En cours"
    assert Product.objects.get().price_from == Decimal("40.00")
    assert AuditEntry.objects.filter(action="promotion.ended").count() == 1


def test_which_goes_first_is_said_as_the_prices_know_it(admin_client):
    """Who leaves the start empty, « dès maintenant », has the one that started last."""
    product = make_product(price="100.00")
    make_promotion(product, percent=10, starts_at=timezone.now() - timedelta(days=3))
    add(admin_client, products=[product.pk], percent="30")
    product.refresh_from_db()
    assert product.price_from == Decimal("70.00")
    html = admin_client.get(LIST).content.decode()
    assert "Celle d&#x27;une fiche, qui n&#x27;a pas de dates, compte comme la plus ancienne." in html


@pytest.mark.parametrize(
    ("days", "asked"),
    [
        (-1, "Terminer cette promotion maintenant\u00a0? Les prix d'avant reviennent aussitôt."),
        (1, "Terminer cette promotion avant son début\u00a0? Elle ne changera aucun prix."),
    ],
)
def test_ending_one_is_asked_by_what_it_does(admin_client, days, asked):
    row = make_promotion(starts_at=timezone.now() + timedelta(days=days))
    assert f'data-confirm="{asked}"' in admin_client.get(f"{LIST}/{row.pk}").content.decode()


def test_deleted_the_full_price_is_back(admin_client):
    product = make_product()
    promotion = make_promotion(product)
    assert admin_client.post(f"{LIST}/{promotion.pk}/supprimer").status_code == 302
    product.refresh_from_db()
    assert (product.price_from, product.running_promotion, Promotion.objects.count()) == (
        Decimal("40.00"), None, 0,
    )  # fmt: skip


def test_a_type_that_somebody_else_chose_stands_beside_a_new_name(admin_client):
    promotion = make_promotion(make_product())
    page = f"{LIST}/{promotion.pk}"
    body = sent(admin_client, page, name="Autre")
    promotion.type, promotion.percent = "buy_2_get_1", None
    save_promotion(promotion=promotion)
    assert admin_client.post(page, body)["Location"] == f"{page}#apercu"
    promotion.refresh_from_db()
    assert (promotion.name, promotion.type, promotion.percent) == ("Autre", "buy_2_get_1", None)


def test_a_piece_of_the_trash_stays_in_its_promotion(admin_client):
    kept, trashed = make_product("Golem"), make_product("Hibou")
    promotion = make_promotion(kept, trashed)
    trash_products(product_ids=[trashed.pk], actor=None)
    page = f"{LIST}/{promotion.pk}"
    shown = admin_client.get(page).context
    assert [row.product for row in shown["preview"].rows] == [kept]
    drawn = shown["form"].fields["products"].queryset
    body = sent(admin_client, page, name="Autre", products=[product.pk for product in drawn])
    assert admin_client.post(page, body).status_code == 302
    restore_products(product_ids=[trashed.pk], actor=None)
    trashed.refresh_from_db()
    assert (trashed.running_promotion, trashed.price_from) == (promotion, Decimal("32.00"))


def test_one_that_names_nothing_says_so_in_the_list_and_how_to_choose(admin_client):
    page = admin_client.get(add(admin_client).url).content.decode()
    assert (
        "Aucun produit n'est concerné\u00a0: cochez une catégorie ci-dessus, ou des pièces dans la liste des produits, "
        "dont le lien est ci-dessus."
    ) in page
    assert f'<a href="/admin/produits?promotion={Promotion.objects.get().pk}">liste des produits</a>' in page
    line = re.search(
        r"PROMO \u221220\u00a0% · (à partir du) .* · (aucune pièce)<", admin_client.get(LIST).content.decode()
    )
    assert line is not None
    assert line.groups() == ("à partir du", "aucune pièce")


@pytest.mark.parametrize("is_deleted", [False, True])
def test_who_has_the_page_of_a_product_open_is_told_that_its_promotion_changed(admin_client, is_deleted):
    product = make_product("Golem", price="50.00")
    offer = {"promotion_type": "percent", "promotion_percent": 20, "promotion_active": True}
    seen = send(admin_client, "patch", f"/{product.pk}", offer).json()["updated_at"]
    own = Promotion.objects.get()
    page = f"{LIST}/{own.pk}"
    form = admin_client.get(page)
    # What it has not is not asked for.
    assert {"starts_at", "ends_at", "categories", "products"}.isdisjoint(form.context["form"].fields)
    assert [
        "Sur quoi" in form.content.decode(),
        "cette pièce seule, sans dates" in form.content.decode(),
    ] == [False, True]
    if is_deleted:
        admin_client.post(f"{page}/supprimer")
    else:
        admin_client.post(page, sent(admin_client, page, percent="30"))
    change = {**offer, "promotion_percent": 10, "expected_updated_at": seen}
    answer = send(admin_client, "patch", f"/{product.pk}", change)
    assert answer.status_code == 409
    assert answer.json()["current"]["promotion_percent"] == (None if is_deleted else 30)
    assert [row.percent for row in Promotion.objects.all()] == ([] if is_deleted else [30])
