"""A company's number: checked at the checkout, printed on its invoice and written into Factur-X (BT-47, BT-48)."""

from typing import Any

import pytest

from orders.invoices.facturx import factur_x
from orders.invoices.page_texts import page_texts
from orders.models import Invoice, Order
from orders.selectors.company_numbers import CompanyNumber, clean_company_number, company_number
from orders.services.invoicing.correcting import DraftValues, edit_invoice
from orders.tests.factories import checkout_body, line, make_product, pay_order

BILLING = {
    "name": "Ada Lovelace",
    "company": "Atelier Ada",
    "address": "9 quai Sud",
    "postalCode": "69002",
    "city": "Lyon",
    "country": "FR",
}


@pytest.mark.parametrize(
    ("typed", "cleaned", "told"),
    [
        ("", "", CompanyNumber()),
        ("732 829 320", "732829320", CompanyNumber(siren="732829320")),
        ("73282932000074", "73282932000074", CompanyNumber(siren="732829320", siret="73282932000074")),
        ("fr 44 732 829 320", "FR44732829320", CompanyNumber(siren="732829320", vat_id="FR44732829320")),
        ("DE 136 695 976", "DE136695976", CompanyNumber(vat_id="DE136695976")),
    ],
)
def test_a_number_is_cleaned_and_tells_what_it_holds(typed: str, cleaned: str, told: CompanyNumber) -> None:
    assert clean_company_number(typed) == cleaned
    assert company_number(cleaned) == told


@pytest.mark.parametrize(
    "typed", ["732829321", "73282932000075", "FR45732829320", "12345", "CHE123", "néant"]
)
def test_a_wrong_number_is_refused(typed: str) -> None:
    with pytest.raises(ValueError, match=typed.upper()):
        clean_company_number(typed)


def order_of_a_company(shopper: Any, **billing: str) -> Any:
    body = checkout_body([line(make_product())], "49.99", customer={"billing": {**BILLING, **billing}})
    return shopper.checkout(body)


@pytest.mark.django_db(transaction=True)
def test_the_checkout_says_what_is_wrong_and_orders_nothing(fake_stripe: Any, shopper: Any) -> None:
    answer = order_of_a_company(shopper, companyNumber="732 829 321")
    assert answer.status_code == 400
    assert answer.json()["errors"] == {
        "customer.billing.companyNumber": [
            "Indiquez un SIREN (9 chiffres), un SIRET (14 chiffres) ou un numéro de TVA de l'Union "
            "(FR40303265045)."
        ]
    }
    nameless = order_of_a_company(shopper, company="", companyNumber="732829320")
    assert nameless.json()["errors"] == {"customer.billing.company": ["Indiquez le nom de la société."]}
    assert not Order.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_the_invoice_prints_it_and_factur_x_holds_it(fake_stripe: Any, shopper: Any) -> None:
    assert order_of_a_company(shopper, companyNumber="FR44 732829320").status_code == 201
    order = pay_order(Order.objects.get())
    data = Invoice.objects.get(order=order).data
    assert (data["customer"]["siren"], data["customer"]["siret"]) == ("732829320", "")
    assert "SIREN 732 829 320 · N° TVA FR44732829320".replace(" ", "\u00a0") in [
        text.replace(" ", "\u00a0") for text in page_texts(data)["customer"]["lines"]
    ]
    xml = factur_x(data).decode()
    buyer = xml[xml.index("<ram:BuyerTradeParty>") : xml.index("</ram:BuyerTradeParty>")]
    assert '<ram:ID schemeID="0002">732829320</ram:ID>' in buyer
    assert '<ram:ID schemeID="VA">FR44732829320</ram:ID>' in buyer


@pytest.mark.django_db(transaction=True)
def test_staff_add_a_number_by_a_correction(fake_stripe: Any, shopper: Any) -> None:
    assert order_of_a_company(shopper).status_code == 201
    order = pay_order(Order.objects.get())
    values = DraftValues(customer_number="73282932000074")
    corrected = edit_invoice(order_id=order.pk, values=values, explanation="SIRET ajouté.")
    assert corrected is not None
    assert corrected.data["customer"]["siret"] == "73282932000074"
    assert edit_invoice(order_id=order.pk, values=values, explanation="Encore.") == corrected
