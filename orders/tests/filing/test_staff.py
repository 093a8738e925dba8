"""The form in the administration that files a withdrawal."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.urls import reverse

from orders.models import (
    Withdrawal,
    WithdrawalCase,
)
from orders.tests.factories import make_order, make_product
from orders.tests.filing.letters import NOON, filed, paid_order
from shop.core.tests.reading import text

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def order_page(order):
    return reverse("staff-order-withdrawal-file", args=[order.pk])


def values(**changes):
    return {
        "channel": "mail", "sent_on": "2026-11-20", "received_on": "2026-11-23", "name": "Léa Martin", "email": "",
        "words": "Je renonce.", "acknowledged": "on", "creation_key": uuid4().hex, **changes,
    }  # fmt: skip


def test_the_order_s_button_leads_to_its_form(admin):
    order = paid_order((make_product(), 2))
    item = order.items.get()

    assert order_page(order) in text(admin.get(reverse("admin:orders_order_change", args=[order.pk])))
    shown = text(admin.get(order_page(order)))

    assert "Enregistrer une rétractation reçue" in shown
    assert f"Commande {order.reference} (Léa Martin)." in shown
    assert f'name="units_{item.pk}" value="2"' in shown
    assert "Vide : celui de la commande, lea@example.com." in shown
    assert "Déjà déclaré" not in shown
    unpaid = make_order()
    assert order_page(unpaid) not in text(admin.get(reverse("admin:orders_order_change", args=[unpaid.pk])))


def test_a_double_click_files_one_and_lands_on_its_case(admin, operator):
    order = paid_order((make_product(), 2))
    item = order.items.get()
    body = values(**{f"units_{item.pk}": "1"})

    first = admin.post(order_page(order), body)
    again = admin.post(order_page(order), body)

    withdrawal = Withdrawal.objects.get()
    case_page = reverse("staff-withdrawal", args=[withdrawal.case.pk])
    assert first["Location"] == again["Location"] == case_page
    assert (withdrawal.channel, withdrawal.email, withdrawal.filed_by) == (
        "mail",
        "lea@example.com",
        operator,
    )
    assert list(withdrawal.lines.values_list("quantity", flat=True)) == [1]
    shown = text(admin.get(case_page))
    for told in ("par e-mail", "20 novembre 2026", "chef@example.com", "Je renonce."):
        assert told in shown
    other = text(admin.post(order_page(order), {**body, "words": "Je renonce à tout."}))
    assert (
        "Votre premier envoi est bien arrivé : c'est déjà créé, sans ce que vous avez changé depuis." in other
    )
    assert Withdrawal.objects.count() == 1
    # Whoever has read that may go on.
    assert body["creation_key"] not in other
    assert 'name="creation_key"' in other
    listed = text(admin.get(order_page(order)))
    assert "Déjà déclaré pour cette commande" in listed
    assert f'<li><a href="{case_page}">{withdrawal.reference}</a>, 23 novembre 2026, Déclarée</li>' in listed


def test_what_is_wrong_stands_beside_its_field(admin):
    order = paid_order((make_product(), 2))
    item = order.items.get()
    before = filed()

    shown = text(admin.post(order_page(order), values(received_on="2026-11-19", **{f"units_{item.pk}": "2"})))
    assert "Elle ne peut pas être reçue avant d'être envoyée." in shown
    shown = text(admin.post(order_page(order), values(**{f"units_{item.pk}": "0"})))
    assert "Choisissez au moins un article, dans la quantité commandée." in shown
    shown = admin.post(order_page(order), {"channel": "site", "creation_key": "x"})
    assert shown.status_code == 200
    assert filed() == before


def test_one_without_a_known_order_is_added_from_the_list(admin):
    order = paid_order()
    listed = text(admin.get(reverse("staff-withdrawals")))
    add = reverse("staff-withdrawal-file")
    assert f'<a class="button" href="{add}">' in listed
    assert "comme le client la nomme" in text(admin.get(add))
    unknown = values(
        order_text="la chouette de mars", scope="part", goods="", language="de", email="lea.m@example.com"
    )

    assert "Dites quels articles il rend." in text(admin.post(add, unknown))
    assert "Ce champ est obligatoire." in text(admin.post(add, {**unknown, "goods": "1 Eule", "email": ""}))
    assert not Withdrawal.objects.exists()
    admin.post(add, {**unknown, "goods": "1 Eule"})
    case = WithdrawalCase.objects.get()
    assert (case.order, case.goods, case.withdrawal.language) == (None, "1 Eule", "de")
    # With the order's own address its reference is enough.
    admin.post(add, values(order_text=order.reference, scope="all", language="fr", email="LEA@example.com"))
    assert WithdrawalCase.objects.get(order=order).taken_up_at == NOON


def test_only_operators_file(client, django_user_model):
    order = paid_order()
    client.force_login(django_user_model.objects.create_user("staff@example.com", "x", is_staff=True))
    add = reverse("staff-withdrawal-file")

    for address in (order_page(order), add):
        assert client.get(address).status_code == 403
        assert client.post(address, values()).status_code == 403
    assert not Withdrawal.objects.exists()
