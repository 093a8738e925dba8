"""The withdrawal function from an order's page: filled in, its lines chosen, and what was declared before."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest
from django.test import Client

from orders.access import access_token
from orders.models import Withdrawal
from orders.selectors.refund_rules import ReturnedLine
from orders.selectors.withdrawals import cases_of, find_declared_order, returnable_lines, withdrawal_path
from orders.services.refunds.decisions import request_refund
from orders.services.withdrawals.declarations import Declaration, declare_withdrawal
from orders.tests.withdrawal_pages.steps import confirm
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail
from shop.core.tests.reading import words

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("monday_noon")]


def test_from_the_order_page_the_form_is_filled_and_lines_can_be_chosen(order):
    client = Client()
    url = f"/commande/{order.pk}?acces={access_token(order)}"
    page = client.get(url).content.decode()
    link = unescape(re.search(r'href="(/retractation\?commande=[^"]+)"', page)[1])
    form = client.get(link)
    item = order.items.get()

    assert form["Cache-Control"].startswith("max-age=0")
    assert form["Referrer-Policy"] == "no-referrer"
    content = form.content.decode()
    assert 'value="Léa Martin"' in content
    assert 'value="lea@example.com"' in content
    assert re.search(rf'name="units_{item.pk}" value="3"', content)

    step = client.post(
        "/retractation",
        {
            "commande": str(order.pk), "acces": access_token(order), "name": "Léa Martin",
            "email": "lea@example.com", "reason": "", f"units_{item.pk}": "2",
        },
    )  # fmt: skip
    assert "- 2 × Golem de poche" in words(step)
    received = client.get(confirm(client, step)["Location"]).content.decode()

    withdrawal = Withdrawal.objects.get()
    back = re.search(r'<a class="button" href="([^"]+)">Où en est votre rétractation</a>', received)[1]
    assert back == f"http://localhost:8000{url}#retractation"
    assert (withdrawal.order, withdrawal.order_text) == (order, order.reference)
    assert list(withdrawal.lines.values_list("item", "quantity")) == [(item.pk, 2)]
    panel = words(client.get(url))
    assert f"Rétractation {withdrawal.reference} reçue le 23 novembre 2026 à 12:00" in panel
    assert "en cours de traitement" in panel


def test_l221_21_one_piece_after_the_other_is_declared_on_the_same_day_and_none_twice(order):
    client, item = Client(), order.items.get()
    one = {
        "commande": str(order.pk), "acces": access_token(order), "name": "Léa Martin", "email": "lea@example.com",
        "reason": "", f"units_{item.pk}": "1",
    }  # fmt: skip
    # The same form, sent by a double click.
    first, again = (client.post("/retractation", one) for _click in range(2))
    for step in (first, first, again):
        assert confirm(client, step).status_code == 303
    assert Withdrawal.objects.count() == 1
    for _piece in range(2):
        step = client.post("/retractation", one)
        for _click in range(2):
            assert confirm(client, step).status_code == 303
    assert OutgoingMail.objects.filter(kind="withdrawal_received").count() == Withdrawal.objects.count() == 3
    # There is no fourth.
    assert confirm(client, client.post("/retractation", one)).status_code == 303
    assert Withdrawal.objects.count() == 3


@pytest.mark.parametrize(
    ("units", "message"),
    [
        ("0", "Choisissez au moins un article"),
        ("4", "Saisissez un nombre de 0 à 3."),
        ("-1", "Saisissez un nombre de 0 à 3."),
        ("x", "Saisissez un nombre de 0 à 3."),
    ],
)
def test_wrong_quantities_are_said_at_their_line(order, units, message):
    item = order.items.get()
    answer = Client().post(
        "/retractation",
        {
            "commande": str(order.pk), "acces": access_token(order), "name": "Léa", "email": "lea@example.com",
            f"units_{item.pk}": units,
        },
    )  # fmt: skip

    assert message in words(answer)
    assert f'value="{units}"' in answer.content.decode()
    assert not Withdrawal.objects.exists()


def test_a_foreign_order_is_not_shown(order):
    for query in (f"commande={order.pk}", f"commande={order.pk}&acces=wrong", "commande=x", "foo=1"):
        answer = Client().get(f"/retractation?{query}")
        # Its words: the links to the other languages hold the key that was asked for.
        assert order.reference not in words(answer)
        page = answer.content.decode()
        assert "lea@example.com" not in page
        assert 'name="order"' in page


def test_a_session_opens_nothing_that_the_link_does_not(order):
    client = Client()
    session = client.session
    session["orders"] = [str(order.pk)]
    session.save()

    assert order.reference not in words(client.get(f"/retractation?commande={order.pk}"))


@pytest.mark.both_engines
def test_the_selectors_keep_to_their_queries(order, django_assert_max_num_queries, django_assert_num_queries):
    item = order.items.get()
    declaration = Declaration(
        name="Léa", email="lea@example.com", order_text=order.reference, language="fr", order=order,
        lines=(ReturnedLine(item.pk, 1),),
    )  # fmt: skip
    for reason in ("a", "b", "c"):
        declare_withdrawal(declaration=replace(declaration, reason=reason), key=reason, caller="192.0.2.1")

    # The cases with their declarations, the lines of all of them, the items of all these.
    with django_assert_num_queries(3):
        assert [len(case.withdrawal.lines.all()) for case in cases_of(order)] == [1, 1, 1]
    # What was credited, and the order's lines.
    with django_assert_num_queries(2):
        assert [line.left for line in returnable_lines(order)] == [3]
    # By number, then by reference.
    with django_assert_max_num_queries(2):
        assert find_declared_order(text=f"{order.pk} {order.reference}" * 50, email=order.email) == order
    with django_assert_num_queries(0):
        assert find_declared_order(text="le golem", email=order.email) is None


@pytest.mark.both_engines
def test_eight_digits_beside_the_number_of_an_invoice_do_not_hide_it(order):
    number = order.invoices.get().number
    for text in (f"Facture {number} du 28112026", f"{number}, colis 12345678"):
        assert find_declared_order(text=text, email=order.email) == order
        assert find_declared_order(text=text, email="autre@example.com") is None


def test_the_form_says_what_was_declared_before(client, order):
    address = withdrawal_path(order, access_token(order))
    assert "Déjà reçue" not in words(client.get(address))
    declaration = Declaration(
        name="Léa Martin", email="lea@example.com", order_text=order.reference, language="fr", order=order
    )
    filed = declare_withdrawal(declaration=declaration, key="all", caller="192.0.2.1")

    shown = words(client.get(address))
    assert f"Déjà reçue le 23 novembre 2026 : votre rétractation {filed.reference}" in shown
    assert "Inutile de recommencer pour les mêmes articles." in shown


def test_after_a_part_was_declared_the_form_names_it_and_chooses_the_rest(client, order):
    item = order.items.get()
    address = withdrawal_path(order, access_token(order))
    declaration = Declaration(
        name="Léa Martin", email="lea@example.com", order_text=order.reference, language="fr", order=order,
        lines=(ReturnedLine(item.pk, 2),),
    )  # fmt: skip
    declare_withdrawal(declaration=declaration, key="part", caller="192.0.2.1")

    answer = client.get(address)
    assert "Inutile de recommencer pour les mêmes articles. 2 × Golem de poche" in words(answer)
    assert re.search(rf'name="units_{item.pk}" value="1" [^>]*max="3"', answer.content.decode())
    panel = words(client.get(f"/commande/{order.pk}?acces={access_token(order)}"))
    assert "en cours de traitement 2 × Golem de poche" in panel


@pytest.mark.usefixtures("provider")
def test_form_and_mail_of_an_order_given_back_whole_say_that_nothing_is_left(client, order):
    nothing = "Il ne reste rien à vous rembourser"
    address = withdrawal_path(order, access_token(order))
    assert nothing not in words(client.get(address))
    request_refund(order_id=order.pk, key="all")
    assert nothing in words(client.get(address))

    declaration = Declaration(
        name="Léa Martin", email="lea@example.com", order_text=order.reference, language="fr", order=order
    )
    declare_withdrawal(declaration=declaration, key="all", caller="192.0.2.1")

    told = render(OutgoingMail.objects.get(kind="withdrawal_workshop")).text
    assert "Il ne reste rien à rembourser de cette commande." in told
    assert "Remboursez-la sans attendre" not in told
    assert "À rembourser au plus tard" not in told
