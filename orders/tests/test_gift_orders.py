"""A billing address of its own, and a parcel for somebody else: asked for, stored, shown, printed."""

from __future__ import annotations

import io
import re
from xml.etree import ElementTree

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from pypdf import PdfReader

from accounts.tests.people import make_member
from orders.access import access_token
from orders.invoices.documents import typeset
from orders.invoices.facturx import factur_x
from orders.models import Invoice, Order
from orders.packing.documents import slip_view
from orders.selectors.invoices import invoice_sheet
from orders.services.fulfilment.status_changes import change_status
from orders.tests.factories import (
    checkout_body,
    gift_order,
    line,
    make_order,
    make_product,
    new_key,
    pay_order,
)
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail

pytestmark = pytest.mark.django_db(transaction=True)

BILLING = {
    "name": "Ana Duval", "company": "Atelier Duval", "address": "9 quai Sud", "postalCode": "1000",
    "city": "Berne", "country": "CH",
}  # fmt: skip
GIFT = {"recipient": "Zoé Petit", "message": "Joyeux Noël !\nAna"}


def words(pdf: bytes) -> str:
    found = " ".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages)
    return re.sub(r"\s+", " ", found.replace("\u00a0", " "))


def test_a_checkout_stores_billing_address_and_gift(fake_stripe, shopper):
    body = checkout_body(
        [line(make_product(price="60.00"))], "60.00", customer={"billing": BILLING, "gift": GIFT}
    )
    assert shopper.checkout(body).status_code == 201
    order = Order.objects.get()
    assert (order.billing_name, order.billing_company, order.billing_address) == (
        "Ana Duval", "Atelier Duval", "9 quai Sud",
    )  # fmt: skip
    assert (order.billing_postal_code, order.billing_city, order.billing_country) == ("1000", "Berne", "CH")
    assert (order.gift_recipient, order.gift_message) == ("Zoé Petit", "Joyeux Noël !\nAna")
    assert (order.customer_name, order.recipient_name, order.country) == ("Léa Martin", "Zoé Petit", "FR")


@pytest.mark.parametrize("absent", [{}, {"billing": None, "gift": None}])
def test_a_checkout_without_them_bills_and_delivers_to_the_customer(fake_stripe, shopper, absent):
    body = checkout_body([line(make_product(price="60.00"))], "60.00", customer=absent)
    assert shopper.checkout(body).status_code == 201
    order = Order.objects.get()
    assert (order.has_own_billing, order.is_gift, order.recipient_name) == (False, False, "Léa Martin")


@pytest.mark.parametrize(
    ("customer", "field", "text"),
    [
        ({"billing": {**BILLING, "city": "\u200b"}}, "customer.billing.city", "Ce champ est obligatoire."),
        (
            {"billing": {**BILLING, "country": "XX"}},
            "customer.billing.country",
            "Choisissez un pays de la liste.",
        ),
        ({"billing": {**BILLING, "country": "ZZ"}}, "customer.billing.customCountry", "Indiquez votre pays."),
        ({"gift": {"recipient": "\u200b"}}, "customer.gift.recipient", "Ce champ est obligatoire."),
        (
            {"gift": {**GIFT, "message": "x" * 301}},
            "customer.gift.message",
            "Au plus 300 caractères.",
        ),
    ],
)
def test_a_wrong_field_is_named_and_nothing_is_ordered(fake_stripe, shopper, customer, field, text):
    body = checkout_body([line(make_product(price="60.00"))], "60.00", customer=customer)
    answer = shopper.checkout(body)
    assert answer.status_code == 400
    assert list(answer.json()["errors"]) == [field]
    assert answer.json()["errors"][field][0].replace("\u00a0", " ") == text.replace("\u00a0", " ")
    assert not Order.objects.exists()


@pytest.mark.parametrize("changed", [{"billing": BILLING}, {"gift": GIFT}])
def test_a_key_used_for_another_address_is_refused(fake_stripe, shopper, changed):
    key, lines = new_key(), [line(make_product(price="60.00"))]
    assert shopper.checkout(checkout_body(lines, "60.00"), key).status_code == 201
    answer = shopper.checkout(checkout_body(lines, "60.00", customer=changed), key)
    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")
    assert Order.objects.count() == 1


@pytest.mark.postgres
@pytest.mark.parametrize(
    "broken", [{"billing_name": "Ana"}, {"billing_city": "Berne"}, {"gift_message": "Salut"}]
)
def test_the_database_refuses_half_an_address(broken):
    order = make_order()
    with pytest.raises(IntegrityError), transaction.atomic():
        Order.objects.filter(pk=order.pk).update(**broken)


def test_the_order_page_shows_who_gets_the_parcel_and_the_invoice(client):
    order = pay_order(gift_order())
    page = client.get(f"/commande/{order.pk}?acces={access_token(order)}").content.decode()
    assert "<address>Zoé Petit<br>3 rue des Carmes<br>69003 Lyon<br>France</address>" in page
    assert "<address>Atelier Duval<br>Ana Duval<br>9 quai Sud<br>1000 Berne<br>Suisse</address>" in page
    assert "Joyeux Noël !" in page
    # Each under its heading, with room between them.
    assert page.count('<div class="order-part">') == 2


def test_a_member_reads_both_addresses_by_the_api(client):
    member = make_member("lea@example.com")
    order = pay_order(gift_order(user=member))
    client.force_login(member)
    found = client.get(f"/api/orders/{order.pk}").json()
    assert found["billing_address"] == {**BILLING, "companyNumber": "", "customCountry": ""}
    assert found["gift"] == GIFT


@pytest.mark.parametrize(
    ("language", "given", "billed"),
    [
        ("fr", "Cadeau pour Zoé Petit : le colis part sans prix.", "Adresse de facturation"),
        ("en", "Gift for Zoé Petit: the parcel contains no prices.", "Billing address"),
        ("es", "Regalo para Zoé Petit: el paquete sale sin precios.", "Dirección de facturación"),
        ("de", "Geschenk für Zoé Petit: Das Paket enthält keine Preise.", "Rechnungsadresse"),
    ],
)
def test_the_confirmation_says_it_to_the_buyer_alone(language, given, billed):
    order = pay_order(gift_order(language))
    assert set(OutgoingMail.objects.filter(reference=order.reference).values_list("to", flat=True)) <= {
        "lea@example.com", OutgoingMail.objects.get(kind="order_new_workshop").to,
    }  # fmt: skip
    mail = render(OutgoingMail.objects.get(kind="order_confirmation"))
    for text in (mail.text, mail.html):
        assert given in text.replace("\u00a0", " ")
        assert billed.casefold() in text.casefold()
        assert "Atelier Duval" in text
        assert "Joyeux Noël !" in text
    assert "Zoé Petit" in render(OutgoingMail.objects.get(kind="order_new_workshop")).text


@pytest.mark.parametrize(
    ("language", "label"),
    [("fr", "Livrée à"), ("en", "Delivered to"), ("es", "Entregado a"), ("de", "Geliefert an")],
)
def test_the_invoice_is_the_buyers_and_names_the_delivery(language, label):
    pay_order(gift_order(language))
    invoice = Invoice.objects.get()
    assert invoice.data["customer"]["name"] == "Atelier Duval"
    assert (invoice.country, invoice.data["delivery"]["country"]) == ("FR", "FR")
    text = words(typeset(invoice.data))
    assert "Atelier Duval Ana Duval 9 quai Sud 1000 Bern" in text
    assert label in text
    assert "Zoé Petit, 3 rue des Carmes, 69003 Lyon, " in text
    assert "Joyeux Noël" not in text
    tree = ElementTree.fromstring(factur_x(invoice.data))
    name = {"ram": "urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"}
    buyer, receiver = tree.find(".//ram:BuyerTradeParty", name), tree.find(".//ram:ShipToTradeParty", name)
    assert buyer.findtext("ram:DefinedTradeContact/ram:PersonName", "", name) == "Ana Duval"
    assert buyer.findtext("ram:PostalTradeAddress/ram:CountryID", "", name) == "CH"
    assert receiver.findtext("ram:Name", "", name) == "Zoé Petit"
    assert receiver.findtext("ram:PostalTradeAddress/ram:CountryID", "", name) == "FR"


def test_the_draft_of_an_invoice_starts_with_the_billing_address():
    sheet = invoice_sheet(gift_order().pk)
    assert sheet is not None
    assert (sheet.customer_name, sheet.customer_address) == (
        "Atelier Duval", "Ana Duval\n9 quai Sud\n1000 Berne\nSuisse",
    )  # fmt: skip


def test_the_slip_leaves_out_what_it_can_only_name():
    order = pay_order(gift_order())
    order.gift_message = "Joyeux Noël ! \U0001f384\u2764\ufe0f\nAna"
    assert slip_view(order)["gift_message"] == "Joyeux Noël ! \ufe0f\nAna"


@pytest.mark.parametrize(
    ("language", "title", "message"),
    [
        ("fr", "Bon de livraison", "Léa Martin vous écrit"),
        ("en", "Delivery note", "A message from Léa Martin"),
        ("es", "Albarán de entrega", "Un mensaje de Léa Martin"),
        ("de", "Lieferschein", "Eine Nachricht von Léa Martin"),
    ],
)
def test_the_slip_names_pieces_and_message_and_no_price(language, title, message):
    view = slip_view(pay_order(gift_order(language)))
    assert (view["title"], view["gift_title"], view["gift_message"]) == (
        title, message, "Joyeux Noël !\nAna",
    )  # fmt: skip
    assert view["address"][:3] == ["Zoé Petit", "3 rue des Carmes", "69003 Lyon"]
    assert [(line["name"], line["quantity"]) for line in view["lines"]] == [("Golem de poche", "1")]
    assert "€" not in str(view)
    assert "40" not in str({**view, "order": "", "reference": ""})


def test_the_status_mails_of_a_gift_go_to_the_buyer(admin):
    order = pay_order(gift_order())
    change_status(order_id=order.pk, status="shipped", actor=admin)
    assert OutgoingMail.objects.get(kind="order_status").to == "lea@example.com"


def test_an_order_page_of_the_administration_shows_both(client, admin):
    order = pay_order(gift_order())
    client.force_login(admin)
    page = client.get(reverse("admin:orders_order_change", args=[order.pk])).content.decode()
    assert "Zoé Petit<br>3 rue des Carmes<br>69003 Lyon<br>France" in page
    assert "Atelier Duval<br>Ana Duval<br>9 quai Sud<br>1000 Berne<br>Suisse" in page
    assert "aucun prix dans le colis" in page
