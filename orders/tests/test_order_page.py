"""A customer's order page: what comes after what, also on a telephone and for who listens to it."""

import re
from datetime import UTC, date, datetime, timedelta
from html import unescape
from urllib.parse import quote

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from accounts.tests.people import PASSWORD, make_member
from catalog.services.products import delete_product
from catalog.tests.factories import change_product
from orders.access import order_url, payment_token
from orders.models import Attempt, AttemptState, Payment, PaymentState, WithdrawalCase
from orders.services.fulfilment.status_changes import change_status
from orders.services.withdrawals.declarations import Declaration, declare_withdrawal
from orders.tests.factories import make_order, make_product, make_seller, pay_order
from orders.tests.installments import offer_installments

pytestmark = pytest.mark.django_db


def test_what_was_paid_follows_what_was_bought(client):
    make_seller()
    order = make_order()
    pay_order(order)
    page = client.get(order_url(order)).content.decode()
    titles = re.findall(r'<h2 class="(?:sheet|order-summary)__title" id="([a-z]+)"', page)
    assert titles[:4] == ["articles", "montants", "suivi", "coordonnees"]


def test_the_steps_of_a_paid_order_mark_the_present_one(client):
    order = make_order()
    pay_order(order)
    change_status(order_id=order.pk, status="processing", actor=None)
    steps = (
        r'<li class="progress-steps__step"( aria-current="step")?><span class="progress-steps__name">(.+?)<'
    )
    assert re.findall(steps, client.get(order_url(order)).content.decode()) == [
        ("", "Confirmée"),
        (' aria-current="step"', "En préparation"),
        ("", "Expédiée"),
        ("", "Livrée"),
    ]


def test_the_link_stays_here_and_forms_say_where_they_come_from(client):
    order = make_order()
    pay_order(order)
    answer = client.get(order_url(order))
    # With "no-referrer" a browser sends the page's forms with `Origin: null`, which is refused as a forgery.
    assert "csrfmiddlewaretoken" in answer.content.decode()
    assert answer["Referrer-Policy"] == "same-origin"


@pytest.mark.parametrize("state", ["declared", "refunded"])
def test_once_all_is_withdrawn_the_page_says_so_and_promises_nothing(client, state):
    """Refunded for less than all the order stays what it was."""
    make_seller()
    order = make_order()
    pay_order(order)
    assert "Livraison au plus tard le" in client.get(order_url(order)).content.decode()

    declaration = Declaration(
        name="Léa", email="lea@example.com", order_text=order.reference, language="fr", order=order
    )
    declare_withdrawal(declaration=declaration, key="all", caller="192.0.2.1")
    WithdrawalCase.objects.update(state=state)

    page = client.get(order_url(order)).content.decode()
    assert "Vous avez renoncé à cette commande" in page
    assert '<a href="#retractation">Où en est votre rétractation</a>' in page
    assert 'id="retractation"' in page
    assert "Livraison au plus tard le" not in page
    assert "Vous pouvez vous rétracter" not in page


def test_an_installment_that_is_given_up_is_struck_out_and_says_what_that_means(client):
    make_seller()
    offer_installments()
    order = make_order((make_product(price="150.00"), 1), payment_mode="installments")
    pay_order(order)
    Payment.objects.filter(order=order, position=3).update(state=PaymentState.VOID)
    page = client.get(order_url(order)).content.decode()
    assert page.count("<s>") == 1
    assert "Ne sera pas débitée" in page
    assert '<span class="installments__state">Annulé</span>' not in page


def _line_links(page: str) -> list[str]:
    return re.findall(r'<h3 class="line__name" lang="fr"><a href="([^"]+)">', page)


def test_a_line_leads_to_its_product_in_the_language_of_the_page(client):
    make_seller()
    product = make_product("Hibou", name_de="Uhu")
    order = pay_order(make_order((product, 1)))

    assert _line_links(client.get(order_url(order)).content.decode()) == [f"/produit/{product.pk}-hibou"]
    german = client.get(order_url(order, "de")).content.decode()
    assert _line_links(german) == [f"/de/produkt/{product.pk}-uhu"]


def test_wcag_3_1_2_what_staff_wrote_of_an_order_keeps_its_language_and_the_rest_is_the_reader_s(client):
    make_seller()
    member = make_member("lea@example.com")
    order = pay_order(make_order((make_product("Hibou"), 1), user=member))
    change_status(order_id=order.pk, status="processing", actor=None, message="Elle sèche encore.")
    change_status(order_id=order.pk, status="shipped", actor=None)
    client.force_login(member)

    said = r'<(?:p|span) lang="(\w+)">([^<]+)</'
    german = client.get(order_url(order, "de")).content.decode()
    assert re.findall(said, german) == [
        ("de", "Status aktualisiert auf: Versandt"),
        ("fr", "Elle sèche encore."),
    ]
    card = client.get("/de/kundenkonto?tab=orders").content.decode()
    assert re.findall(said, card)[0] == ("de", "Status aktualisiert auf: Versandt")


def test_what_leads_elsewhere_is_not_printed(client):
    make_seller()
    member = make_member("lea@example.com")
    order = pay_order(make_order((make_product("Hibou"), 1), user=member))
    for status in ("processing", "shipped", "delivered"):
        change_status(order_id=order.pk, status=status, actor=None)
    client.force_login(member)

    page = client.get(f"/commande/{order.pk}").content.decode()
    for words in ("Donner mon avis", "Toutes mes commandes"):
        [attributes] = re.findall(rf"<p([^>]*)>(?:(?!</p>).)*>{words}", page, re.DOTALL)
        assert "no-print" in attributes


@pytest.mark.parametrize("is_deleted", [True, False], ids=["deleted", "taken off sale"])
def test_a_line_whose_product_is_gone_has_its_name_and_no_link(client, is_deleted):
    make_seller()
    product = make_product("Hibou")
    order = pay_order(make_order((product, 1)))
    if is_deleted:
        delete_product(product=product)
    else:
        change_product(product, is_published=False)

    page = client.get(order_url(order)).content.decode()
    assert _line_links(page) == []
    assert '<h3 class="line__name" lang="fr">Hibou</h3>' in page


@pytest.mark.parametrize("part", ["", "/adresse", "/a-nouveau"])
def test_who_is_signed_out_is_asked_to_sign_in_and_led_back(client, part):
    order = pay_order(make_order(user=make_member()))
    for number in (order.pk, "6f0cbb3a-1c41-4df1-9a7e-7a7d1d3e5a10"):
        path = f"/commande/{number}{part}"
        page = client.get(path)
        assert page.status_code == 404
        assert "Si vous l'avez passée avec votre compte, connectez-vous" in page.content.decode()
        assert f'href="/auth?next={quote(path, safe="")}">Se connecter</a>' in page.content.decode()
    path = f"/commande/{order.pk}{part}"
    typed = {"mode": "signin", "email": "client@example.com", "password": PASSWORD, "next": path}
    assert client.post("/auth", typed)["Location"] == path
    assert client.get(path).status_code == 200
    client.force_login(make_member("lea@example.com"))
    page = client.get(path)
    assert page.status_code == 404
    assert "connectez-vous" not in page.content.decode()
    assert 'href="/espace-membre?tab=orders">Toutes mes commandes</a>' in page.content.decode()


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("tried again", "Nous réessaierons le 3\xa0décembre 2026. Vous pouvez aussi payer dès maintenant"),
        ("by link", "Payez-la avec la carte de votre choix."),
    ],
)
def test_an_installment_that_was_refused_is_told_at_the_top_and_leads_to_its_payment(client, how, says):
    make_seller()
    offer_installments()
    member = make_member("lea@example.com")
    order = pay_order(make_order((make_product(price="150.00"), 1), payment_mode="installments", user=member))
    client.force_login(member)
    pages = (f"/commande/{order.pk}", "/espace-membre?tab=orders")
    for address in pages:
        assert "Payer d'avance ou changer de carte" in client.get(address).content.decode()

    Payment.objects.filter(order=order, position=2).update(
        state=PaymentState.DUE,
        due_on=date(2026, 11, 22),
        next_try_on=date(2026, 12, 3),
        stopped_code="" if how == "tried again" else "expired_card",
    )
    page, card = (client.get(address).content.decode() for address in pages)
    [notice] = re.findall(r'<div class="alert alert--warning order-notice">.*?</div>', page, re.DOTALL)
    assert "L'échéance 2/3 n'a pas pu être débitée\u00a0: 50,00\u00a0€" in notice
    assert says in unescape(notice)
    pay = f'href="/paiement/{payment_token(order)}">Payer ou changer de carte</a>'
    assert pay in notice
    assert f'<a class="button button--small button--primary" {pay}' in card
    assert '<details class="disclosure" open><summary>Paiement en 3 fois</summary>' in card
    assert "Payer d'avance ou changer de carte" not in page + card
    own, foreign = (
        browser.get(f"/paiement/{payment_token(order)}").content.decode() for browser in (client, Client())
    )
    back = f'<a href="/commande/{order.pk}">Commande {order.reference}</a>'
    assert "Régler l'échéance en attente" in own
    assert '<a href="mailto:atelier@example.com">atelier@example.com</a>' in own
    assert (back in own, back in foreign) == (True, False)


def test_an_unpaid_order_can_be_paid_from_its_page_as_long_as_its_payment_page_is_open(client):
    order = make_order((make_product(price="150.00"), 1))
    attempts = Attempt.objects.filter(payment__order=order)
    says = (
        r"payer jusqu'à 12:30 \(heure de Paris\)\..*"
        r'<a class="button button--primary" href="([^"]+)">Payer 150,00\xa0€</a>'
    )

    def offered():
        page = client.get(order_url(order)).content.decode()
        found = re.findall(says, unescape(page), re.DOTALL)
        assert ("La commande sera confirmée dès que le paiement nous sera parvenu." in page) is not bool(
            found
        )
        return found

    with time_machine.travel(datetime(2026, 11, 23, 11, 0, tzinfo=UTC), tick=False):
        opened = {
            "checkout_session_url": "https://checkout.stripe.com/c/pay/cs_1",
            "state": AttemptState.SENT,
        }
        attempts.update(**opened, expires_at=timezone.now() + timedelta(minutes=30))
        assert offered() == ["https://checkout.stripe.com/c/pay/cs_1"]
        for state in (AttemptState.PROCESSING, AttemptState.REVIEW):
            attempts.update(state=state)
            assert offered() == []
        attempts.update(state=AttemptState.SENT, expires_at=timezone.now())
        assert offered() == []
