"""An order's list and page in the admin: what people read there, in their words."""

from __future__ import annotations

import re
from decimal import Decimal
from html import unescape

import pytest
from django.contrib import admin
from django.urls import reverse

from accounts.tests.people import make_admin
from orders.models import Order
from orders.services.invoicing.correcting import DraftValues, edit_invoice
from orders.services.refunds.decisions import request_refund
from orders.services.withdrawals.declarations import Declaration, declare_withdrawal
from orders.tests.factories import make_order, make_product, make_seller, pay_order
from orders.tests.refunding import send_all

pytestmark = pytest.mark.django_db

LIST = "admin:orders_order_changelist"


@pytest.fixture
def staff_client(client):
    make_seller()
    client.force_login(make_admin())
    return client


@pytest.fixture
def order(staff_client) -> Order:
    return make_order((make_product("Golem", price="49.99"), 1))


@pytest.fixture
def paid(order) -> Order:
    pay_order(order)
    order.refresh_from_db()
    return order


def words(html: str) -> str:
    """What is read, in one line."""
    body = html[html.index("<main") : html.index("</main>")]
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", body))).replace("\u00a0", " ")


def page(staff_client, order: Order) -> str:
    return staff_client.get(reverse("admin:orders_order_change", args=[order.pk])).content.decode()


def test_the_list_shows_who_and_how_much_and_flags_what_to_check(staff_client, paid):
    read = words(staff_client.get(reverse(LIST)).content.decode())
    assert "Référence Statut Client Total Passée le Promise pour le" in read
    row = f"{paid.reference} Confirmée {paid.customer_name} {paid.email} 59,98 €"
    assert row in read
    assert "À vérifier" not in read.replace("Filtre", "").split("Statut Tout")[0]

    Order.objects.filter(pk=paid.pk).update(review_reason="dispute: needs_response")
    assert f"{paid.reference} Confirmée À vérifier {paid.customer_name}" in words(
        staff_client.get(reverse(LIST)).content.decode()
    )


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, True),
        ({"review_reason__isempty": "0"}, False),
        ({"review_reason__isempty": "1"}, True),
        ({"archived_at__isempty": "0"}, False),
        ({"payments__state__exact": "paid"}, True),
        ({"payments__state__exact": "overdue"}, False),
        ({"country": "FR"}, True),
    ],
)
def test_filters_find_by_the_addresses_that_the_books_link_to(staff_client, paid, query, found):
    read = words(staff_client.get(reverse(LIST), query).content.decode())
    assert (f"{paid.reference} Confirmée" in read) is found


def test_filters_say_yes_and_no_and_name_countries(staff_client, paid):
    page = staff_client.get(reverse(LIST)).content.decode()
    filters = words("<main" + page[page.index('id="changelist-filter"') :])
    assert "À vérifier Tout Oui Non" in filters
    assert "Paiement ou échéance Tout Programmé À payer" in filters
    assert "Archivée Tout Oui Non" in filters
    assert "Tout France" in filters
    assert "Vide" not in filters
    assert 'href="?review_reason__isempty=0">Oui' in page


def test_the_page_tells_an_order_in_brief(staff_client, paid):
    html = page(staff_client, paid)
    read = words(html)
    assert f"<h1>Commande {paid.reference}</h1>" in html
    assert "Statut Confirmée Passée le" in read
    assert "Total 59,98 € En une fois, payée le" in read
    assert f"Livrer à {paid.customer_name} {paid.address} {paid.postal_code} {paid.city} France" in read
    assert "Sans compte · e-mails en français" in read
    assert "Produit Finition Format Quantité" in read
    assert "created at" not in read.lower()
    assert 'name="_save"' not in html
    assert "Historique" not in read


def test_the_page_of_an_unpaid_order_says_so(staff_client, order):
    assert "Total 59,98 € En une fois, pas payée" in words(page(staff_client, order))


def test_the_page_says_in_words_what_is_to_be_checked(staff_client, paid):
    Order.objects.filter(pk=paid.pk).update(review_reason="amount: 100 instead of 5998")
    assert "À vérifier : Stripe parle de 1,00 € au lieu de 59,98 €" in words(page(staff_client, paid))


def test_rows_that_do_not_exist_take_no_room(staff_client, paid):
    html = page(staff_client, paid)
    assert 'id="refunds-group"' not in html
    for group in ("items", "payments", "tracking", "ledger"):
        assert f'id="{group}-group"' in html
        assert f'role="region" aria-labelledby="{group}-heading" tabindex="0"' in html


def test_the_first_button_leads_to_where_the_order_is_acted_on(staff_client, paid):
    html = page(staff_client, paid)
    tools = html[html.index('class="object-tools"') :]
    buttons = re.findall(r"<li><a ([^>]*)>(.*?)</a>", tools[: tools.index("</ul>")])
    assert f'href="/admin/commandes/{paid.pk}"' in buttons[0][0]
    labels = [label for _attributes, label in buttons]
    assert labels[0] == "Agir sur la commande"
    assert set(labels) >= {"Changer la date promise", "Rectifier la facture"}
    assert not {"Changer le statut", "Rembourser", "Bon de livraison", "Supprimer"} & set(labels)


def test_the_button_of_the_invoice_says_what_is_done_there(staff_client, order, provider):
    def labels() -> list[str]:
        return re.findall(
            rf'<a href="/admin/commandes/{order.pk}/facture">(.*?)</a>', page(staff_client, order)
        )

    assert labels() == ["Brouillon de la facture"]
    pay_order(order)
    assert labels() == ["Rectifier la facture"]
    edit_invoice(order_id=order.pk, values=DraftValues(customer_name="SARL Martin"), explanation="Nom oublié")
    assert labels() == ["Rectifier la facture"]
    request_refund(order_id=order.pk, key="part", amount=Decimal("10.00"))
    send_all()
    assert labels() == []


def test_every_field_that_the_admin_shows_has_a_name_in_words():
    """A field without a name of its own would show its English one."""
    same_in_french = {"note", "message", "version", "code", "notes"}
    nameless = {
        f"{model.__name__}.{field.name}"
        for model in admin.site._registry
        if model._meta.app_label == "orders"
        for field in model._meta.fields
        if str(field.verbose_name) == field.name.replace("_", " ") and field.name not in same_in_french
    }
    assert nameless == set()


def test_a_declaration_is_headed_by_its_reference(staff_client, paid):
    declaration = Declaration(
        name="Léa", email="lea@example.com", order_text=paid.reference, language="fr", order=paid
    )
    withdrawal = declare_withdrawal(declaration=declaration, key="all", caller="192.0.2.1")
    html = staff_client.get(reverse("staff-withdrawal", args=[withdrawal.case.pk])).content.decode()
    assert f'<h1 class="staff-head__title">Rétractation {withdrawal.reference}</h1>' in html
    assert "None" not in words(html)
