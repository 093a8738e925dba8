"""Ordering again what an order held: what can be had, at which price, and what cannot."""

from __future__ import annotations

import json
from decimal import Decimal
from html import unescape

import pytest

from accounts.tests.people import make_member
from catalog.models import Product, Variant
from orders.access import access_token
from orders.tests.factories import make_finished_product, make_order, make_product, make_variation, pay_order

pytestmark = pytest.mark.django_db


def open_page(client, order, path="/commande/{}/a-nouveau"):
    answer = client.get(f"{path.format(order.pk)}?acces={access_token(order)}")
    assert answer.status_code == 200
    assert answer["Referrer-Policy"] == "no-referrer"
    return unescape(answer.content.decode())


def cart_of(page):
    return (
        json.loads(page.split('data-reorder="')[1].split('" data-cart')[0]) if "data-reorder=" in page else []
    )


def test_everything_at_the_same_price(client):
    piece = make_finished_product("Hibou")
    order = pay_order(make_order((piece, 2), finish="unpainted"))
    page = open_page(client, order)
    assert cart_of(page) == [
        {"product_id": piece.pk, "variation_id": None, "finish": "unpainted", "quantity": 2}
    ]
    assert "ont changé" not in page
    # Without JavaScript: the piece with its finish chosen.
    assert f'href="/produit/{piece.pk}-hibou?finition=unpainted"' in page


def test_what_can_be_had_is_called_as_the_page_speaks(client):
    piece, gone = (
        make_finished_product(name, name_de=german)
        for name, german in (("Hibou", "Eule"), ("Golem", "Riese"))
    )
    big = make_variation(piece, "Grand", name_de="Groß", is_default=True)
    order = pay_order(make_order((piece, 1), (gone, 1), finish="unpainted"))
    gone.delete()
    page = open_page(client, order, "/de/bestellung/{}/erneut")
    assert f'<a href="/de/produkt/{piece.pk}-eule?finition=unpainted&format={big.pk}">Eule</a>' in page
    assert "Unbemalt · Groß" in page
    assert "Hibou" not in page
    assert 'data-reorder-partly tabindex="-1" hidden>Ihr Warenkorb ist voll: Es wurde nur ein Teil' in page
    # As it was agreed.
    assert '<h3 class="line__name">Golem</h3>' in page


def test_another_price_is_said(client):
    piece = make_product("Golem", price="40.00")
    order = pay_order(make_order((piece, 1)))
    Product.objects.filter(pk=piece.pk).update(price=Decimal("45.00"))
    page = open_page(client, order)
    assert "1 × 45,00\xa0€" in page
    assert "Payée 40,00\xa0€ la dernière fois" in page
    assert "ont changé" in page
    assert len(cart_of(page)) == 1


def test_what_is_sold_out_gone_or_short_is_said_and_not_put_into_the_cart(client):
    gone, short, hidden = (
        make_product("Gone"),
        make_product("Short", stock_quantity=5),
        make_product("Hidden"),
    )
    order = pay_order(make_order((gone, 1), (short, 3), (hidden, 1)))
    Variant.objects.filter(product=short).update(stock_quantity=2)
    Product.objects.filter(pk=short.pk).update(stock_quantity=2)
    Product.objects.filter(pk=hidden.pk).update(is_published=False)
    gone.delete()
    page = open_page(client, order)
    assert page.count("Cette pièce n'est plus au catalogue.") == 2
    assert "Il n'en reste que 2 exemplaires." in page
    assert [(line["product_id"], line["quantity"]) for line in cart_of(page)] == [(short.pk, 2)]


def test_a_format_that_is_gone_is_not_replaced_by_another(client):
    piece = make_product("Golem")
    make_variation(piece, "Grand", is_default=True)
    order = pay_order(make_order((piece, 1)))
    assert order.items.get().variation_name == "Grand"
    order.items.update(variant=None)
    page = open_page(client, order)
    assert cart_of(page) == []
    assert "Découvrir toutes les créations" in page


def test_an_order_of_somebody_else_does_not_exist(client):
    order = pay_order(make_order(user=make_member()))
    assert client.get(f"/commande/{order.pk}/a-nouveau").status_code == 404
    client.force_login(make_member("autre@example.com"))
    assert client.get(f"/commande/{order.pk}/a-nouveau").status_code == 404
