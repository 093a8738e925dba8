"""Where customers read of their right of withdrawal: the order's page, mails, terms and the confirmation."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import translation

from orders.access import access_token
from orders.models import Order
from orders.selectors.refund_rules import ReturnedLine
from orders.services.fulfilment.status_changes import change_status, update_status
from orders.services.withdrawals.declarations import Declaration, declare_withdrawal
from orders.tests.factories import make_order, make_product, make_seller, pay_order
from orders.tests.withdrawing import LANGUAGES, LINK, NOON, address_in, declare
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail
from shop.core.tests.reading import words

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("monday_noon")]


@pytest.mark.parametrize(
    ("delivered", "sentence"),
    [
        (None, "Vous pouvez vous rétracter dès maintenant, et jusqu'à quatorze jours après la réception"),
        (datetime(2026, 11, 20, 9, tzinfo=UTC), "Vous pouvez vous rétracter jusqu'au 4 décembre 2026 inclus"),
        (datetime(2026, 11, 9, 9, tzinfo=UTC), "Vous pouvez vous rétracter jusqu'au 23 novembre 2026 inclus"),
        (datetime(2026, 11, 2, 9, tzinfo=UTC), "Le délai de rétractation a pris fin le 16 novembre 2026."),
    ],
)
def test_l221_18_the_order_page_shows_the_deadline(order, delivered, sentence):
    Order.objects.filter(pk=order.pk).update(delivered_at=delivered)

    page = words(Client().get(f"/commande/{order.pk}?acces={access_token(order)}"))

    assert sentence in page
    assert "renoncer au contrat ici" in page


def test_the_order_page_asks_nobody_to_withdraw_from_what_is_withdrawn_or_given_back(order):
    address = f"/commande/{order.pk}?acces={access_token(order)}"
    declaration = Declaration(
        name="Léa", email="lea@example.com", order_text=order.reference, language="fr", order=order
    )
    withdrawal = declare_withdrawal(declaration=declaration, key="all", caller="192.0.2.1")

    page = words(Client().get(address))
    assert f"Rétractation {withdrawal.reference} reçue le 23 novembre 2026" in page
    assert "Vous pouvez vous rétracter" not in page

    part = pay_order(make_order((make_product("Chouette"), 2)))
    own_words = replace(declaration, order_text=part.reference, order=part, goods="Une chouette")
    declare_withdrawal(declaration=own_words, key="part", caller="192.0.2.1")
    page = words(Client().get(f"/commande/{part.pk}?acces={access_token(part)}"))
    assert "Vous pouvez vous rétracter dès maintenant" in page

    other = pay_order(make_order((make_product("Hibou"), 1)))
    Order.objects.filter(pk=other.pk).update(status="refunded")
    page = words(Client().get(f"/commande/{other.pk}?acces={access_token(other)}"))
    assert "Droit de rétractation" not in page


def test_every_order_mail_to_the_customer_carries_the_link(order):
    sent = OutgoingMail.objects.filter(to="lea@example.com")
    assert [mail.kind for mail in sent] == ["order_confirmation"]
    for mail in sent:
        rendered = render(mail)
        assert f"/retractation?commande={order.pk}&acces=" in rendered.text
        assert "renoncer au contrat ici" in rendered.html
    for mail in OutgoingMail.objects.exclude(to="lea@example.com"):
        assert "renoncer au contrat ici" not in render(mail).text


def test_l221_18_the_mail_of_the_delivery_names_the_deadline(order):
    update_status(order_id=order.pk, status="delivered", actor=None)
    delivered = OutgoingMail.objects.get(kind="order_status")
    assert "Vous pouvez vous rétracter jusqu'au 7 décembre 2026 inclus." in render(delivered).text

    # It had not arrived after all: the period is open again.
    update_status(order_id=order.pk, status="shipped", actor=None)
    order.refresh_from_db()
    assert order.delivered_at is None
    assert (
        "rétracter jusqu'au"
        not in render(OutgoingMail.objects.filter(kind="order_status").order_by("pk").last()).text
    )


@pytest.mark.parametrize(("parts", "is_left"), [([None], False), ([2, 1], False), ([2], True)])
def test_who_withdrew_on_the_way_reads_of_no_right_to_do_so_once_it_arrived(order, parts, is_left):
    update_status(order_id=order.pk, status="shipped", actor=None)
    for units in parts:
        lines = () if units is None else (ReturnedLine(order.items.get().pk, units),)
        declare(order, order=order, lines=lines)
    update_status(order_id=order.pk, status="delivered", actor=None)
    delivered = render(OutgoingMail.objects.filter(kind="order_status").latest("pk")).text
    assert ["Votre colis est arrivé le" in delivered, "rétracter jusqu'au" in delivered] == [True, is_left]
    page = words(Client().get(f"/commande/{order.pk}?acces={access_token(order)}"))
    assert ["rétracter jusqu'au" in page, "Vous avez renoncé à cette commande" in page] == [
        is_left,
        not is_left,
    ]


def test_a_delivered_order_that_is_opened_again_names_no_day_that_has_passed(order):
    update_status(order_id=order.pk, status="delivered", actor=None)
    change_status(order_id=order.pk, status="cancelled", actor=None, refund=False, reason="Erreur.")
    for day, is_open in ((14, True), (15, False)):
        with time_machine.travel(NOON + timedelta(days=day), tick=False):
            change_status(order_id=order.pk, status="delivered", actor=None)
            delivered = render(OutgoingMail.objects.filter(kind="order_status").latest("pk")).text
            assert ("rétracter jusqu'au 7 décembre 2026 inclus" in delivered) is is_open
            change_status(order_id=order.pk, status="cancelled", actor=None, refund=False, reason="Erreur.")


@pytest.mark.parametrize("language", LANGUAGES)
def test_l221_5_terms_notice_and_confirmation_name_the_function(language):
    make_seller()
    client = Client()
    link = f'<a href="{address_in(language, "/retractation")}" rel="noopener">{LINK[language]}</a>'
    for name in ("terms", "withdrawal-form"):
        with translation.override(language):
            address = reverse(name)
        assert link in client.get(address).content.decode()
    order = pay_order(make_order(language=language))
    mail = render(OutgoingMail.objects.get(kind="order_confirmation", reference=order.reference))
    assert f"{LINK[language]} <http://localhost:8000{address_in(language, '/retractation')}>" in mail.text
