"""`/payment-success` once the payment is known: what was bought, to the browser that ordered it and to nobody else."""

import pytest
from django.test import Client

from accounts.tests.people import make_member
from orders.models import Attempt
from orders.tests.factories import make_order, make_product, make_seller, pay_order
from orders.tests.installments import offer_installments
from shop.core.tests.reading import text

pytestmark = pytest.mark.django_db


def result(client, order, **headers):
    session = Attempt.objects.get(payment__order=order, payment__position=1).checkout_session_id
    return client.get("/payment-success", {"session_id": session}, headers=headers)


def browser_of(order):
    client = Client()
    session = client.session
    session["orders"] = [str(order.pk)]
    session.save()
    return client


@pytest.fixture
def order():
    make_seller()
    return pay_order(make_order((make_product("Golem de poche", "40.00"), 2)))


def test_the_browser_that_ordered_reads_what_it_bought(order):
    page = text(result(browser_of(order), order))

    assert f'<a href="/commande/{order.pk}">Commande {order.reference}</a>' in page
    for words in (
        "Paiement confirmé !",
        "Golem de poche",
        "2 × 40,00 €",
        "<dt>Montant payé</dt><dd>80,00 €</dd>",
        "La confirmation arrive à <strong>lea@example.com</strong>.",
        "Livraison au plus tard le",
        "Léa Martin<br>3 rue des Carmes<br>69003 Lyon<br>France",
        "Créer mon compte",
    ):
        assert words in page, words
    assert '"paid": true' in page


def test_finish_and_schedule_of_an_order_in_installments_are_on_the_page():
    make_seller()
    offer_installments()
    order = pay_order(make_order((make_product(price="190.00"), 1), payment_mode="installments"))
    page = text(result(browser_of(order), order))

    assert "Échéance 1/3" in page
    assert [amount for amount in ("63,34 €", "63,33 €") if amount in page] == ["63,34 €", "63,33 €"]
    assert "<dt>Total</dt><dd>190,00 €</dd>" in page
    assert "Montant payé" not in page


def test_the_part_alone_is_answered_to_the_island_and_never_stored(order):
    answer = result(browser_of(order), order, **{"x-fragment": "purchase"})
    assert "no-store" in answer["Cache-Control"]
    page = text(answer)
    assert "<html" not in page
    assert order.reference in page


@pytest.mark.parametrize("who", ["stranger", "member"])
def test_a_stranger_with_the_session_reads_nothing_of_the_order(order, who):
    client = Client()
    if who == "member":
        client.force_login(make_member("lea@example.com"))
    page = text(result(client, order))
    part = result(client, order, **{"x-fragment": "purchase"})

    assert (part.status_code, part.content) == (204, b"")
    for secret in (order.reference, str(order.pk), "lea@example.com", "Martin", "Carmes", "Golem", "80,00"):
        if not (who == "member" and secret == "lea@example.com"):
            assert secret not in page, secret
    assert "Créer mon compte" not in page


def test_the_member_whose_order_it_is_reads_it_in_any_browser():
    make_seller()
    member = make_member()
    order = pay_order(make_order(user=member))
    client = Client()
    client.force_login(member)
    page = text(result(client, order))
    assert order.reference in page
    assert "Créer mon compte" not in page


def test_nothing_is_shown_before_the_payment_is_known():
    order = make_order()
    Attempt.objects.filter(payment__order=order).update(checkout_session_id="cs_waits", state="sent")
    answer = result(browser_of(order), order)
    page = text(answer)
    assert "Vérification du paiement" in page
    assert order.reference not in page
    without_scripts = answer.content.split(b"<noscript>")[1].split(b"</noscript>")[0]
    assert b"?session_id=cs_waits&amp;verifier=1" in without_scripts


@pytest.mark.parametrize("language", ["en", "es", "de"])
def test_the_page_speaks_the_visitors_language(order, language):
    client = browser_of(order)
    session = Attempt.objects.get(payment__order=order).checkout_session_id
    page = text(client.get(f"/{language}/payment-success?session_id={session}", follow=True))
    assert order.reference in page
    assert "Montant payé" not in page
    assert "Créer mon compte" not in page
