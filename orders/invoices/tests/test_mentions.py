"""What the law wants on the paper, each by its article; from the frozen content that the page prints."""

from __future__ import annotations

from decimal import Decimal

import pytest
import time_machine
from django.utils import timezone

from catalog.models import Product
from catalog.services.products import delete_product
from orders.invoices.issuing import reissue_invoice
from orders.invoices.tax import against_threshold
from orders.invoices.tests.conftest import set_shop
from orders.invoices.tests.crediting import give_back
from orders.models import Invoice, InvoiceDraft, Order, VatRate
from orders.pricing.vat import STANDARD_RATES, split_vat
from orders.services.checkout.placement import BillingDetails
from orders.tests.factories import make_order, make_product, pay_order
from shop.core.dates import shop_day

pytestmark = pytest.mark.django_db

NB = "\u00a0"


def mentions(order: Order) -> dict[str, str]:
    return {mention["name"]: mention["fr"] for mention in order.invoices.get().data["mentions"]}


def test_art_242_nonies_a_seller_customer_dates_lines_and_totals(paid) -> None:
    order = paid((make_product("Golem de poche", price="40.00"), 3))
    data = order.invoices.get().data
    today = shop_day(timezone.now()).isoformat()
    assert data["seller"] | {"site": ""} == {
        "shop_name": "L'Établi aux figurines",
        "name": "Camille Fabre EI",
        "siren": "123456789",
        "siret": "12345678900012",
        "address_lines": ["14 rue des Tanneurs", "69001 Lyon", "France"],
        "email": "bonjour@etabli.example",
        "phone": "+33 4 78 00 00 00",
        "site": "",
        "oss_number": "FR12123456789",
        "vat_number": "",
        "packaging_id": "FR123456_01ABCD",
        "is_demonstration": False,
    }
    assert data["customer"]["name"] == "Léa Martin"
    assert data["customer"]["address_lines"] == ["3 rue des Carmes", "69003 Lyon", "France"]
    assert data["issued_on"] == today
    assert data["delivery"]["promised_by"] == order.promised_by.isoformat()
    assert data["order"]["invoice_reference"] == f"INV-{order.reference}"
    line = data["lines"][0]
    assert (line["name"], line["quantity"], line["unit_price"]) == ("Golem de poche", 3, "40.00")
    assert (line["discount"], line["total"]) == ("0.00", "120.00")
    assert (data["subtotal"], data["shipping"], data["total"]) == ("120.00", "0.00", "120.00")


def test_art_293_b_no_vat_is_applied(paid) -> None:
    order = paid()
    assert mentions(order)["franchise"] == "TVA non applicable, art. 293 B du CGI"
    assert order.invoices.get().data["tax"] == {
        "treatment": "franchise",
        "percent": "0.00",
        "net": "49.99",
        "vat": "0.00",
    }


def test_art_293_b_a_notice_of_the_shop_s_own_words_is_printed_as_it_is_in_french(paid) -> None:
    set_shop(vat_notice="TVA non applicable, article 293 B du code général des impôts")
    assert mentions(paid())["franchise"] == "TVA non applicable, article 293 B du code général des impôts"


def test_the_sole_trader_is_named_ei_even_when_the_settings_forget_it(paid) -> None:
    """L526-22 Code de commerce."""
    set_shop(trader_name="Camille Fabre")
    assert paid().invoices.get().data["seller"]["name"] == "Camille Fabre EI"


def test_a_paid_order_says_since_when(paid) -> None:
    order = paid()
    today = shop_day(timezone.now()).isoformat()
    payment = order.invoices.get().data["payment"]
    assert (payment["paid"], payment["due"], payment["paid_on"]) == ("49.99", "0.00", today)
    assert mentions(order)["paid"].startswith("Payée le ")


def test_offered_units_are_reductions_on_their_line(paid) -> None:
    product = make_product(
        price="40.00",
        promotion_active=True,
        promotion_type="buy_2_get_1",
        promotion_buy_quantity=2,
        promotion_get_quantity=1,
    )
    data = paid((product, 3)).invoices.get().data
    line = data["lines"][0]
    assert (line["quantity"], line["free_quantity"], line["discount"], line["total"]) == (
        3,
        1,
        "40.00",
        "80.00",
    )
    assert (data["original_total"], data["promotion_savings"], data["total"]) == ("120.00", "40.00", "80.00")


def test_l541_10_13_packaging_identifier(paid) -> None:
    assert mentions(paid())["packaging"] == (
        f"Identifiant unique emballages{NB}: FR123456_01ABCD (art. L541-10-13 du code de l'environnement)"
    )


def test_l217_3_legal_guarantee(paid) -> None:
    assert mentions(paid())["guarantee"] == (
        f"Garantie légale de conformité{NB}: deux ans (art. L217-3 et suivants du code de la consommation)"
    )


def test_l441_9_a_company_s_invoice_tells_what_late_payment_costs(paid) -> None:
    details = {
        "name": "Ana Petit",
        "company": "Petit SARL",
        "address": "1 rue X",
        "postal_code": "75001",
        "city": "Paris",
    }
    order = paid(billing=BillingDetails(company_number="732829320", country="FR", **details), language="de")
    first = order.invoices.get()
    assert [mention for mention in first.data["mentions"] if mention["name"] == "late_payment"] == [
        {
            "name": "late_payment",
            "fr": (
                f"Pas d'escompte pour paiement anticipé. En cas de retard de paiement{NB}: pénalités au taux de "
                "refinancement de la Banque centrale européenne majoré de 10 points de pourcentage, et indemnité "
                f"forfaitaire de 40{NB}€ pour frais de recouvrement (art. L441-10 et D441-5 du code de commerce)."
            ),
            "text": (
                "Kein Skonto bei vorzeitiger Zahlung. Bei Zahlungsverzug: Verzugszinsen in Höhe des "
                "Refinanzierungssatzes der Europäischen Zentralbank zuzüglich 10 Prozentpunkten und eine "
                f"Pauschale von 40{NB}€ für Beitreibungskosten "
                "(Art. L441-10 und D441-5 des französischen Handelsgesetzbuchs)."
            ),
        }
    ]
    assert "late_payment" not in mentions(paid())


def test_l441_9_an_invoice_corrected_to_a_company_tells_it_and_its_credit_note_does_not(paid) -> None:
    order = paid()
    first = order.invoices.get()
    draft = InvoiceDraft(order=order, customer_name="Petit SARL", customer_number="732829320")
    credit_note, invoice = reissue_invoice(credited=first, draft=draft, reason="Société")
    names = [mention["name"] for mention in first.data["mentions"]]
    assert [mention["name"] for mention in credit_note.data["mentions"]] == [
        name for name in names if name != "paid"
    ]
    assert [mention["name"] for mention in invoice.data["mentions"]] == [*names, "late_payment"]
    draft.customer_number = ""
    _, again = reissue_invoice(credited=invoice, draft=draft, reason="Pas une société")
    assert again.data["mentions"] == first.data["mentions"]


def test_art_262_i_exports_and_customs(paid) -> None:
    product = make_product(hs_code="950300", origin_country="FR")
    order = paid((product, 1), country="US")
    found = mentions(order)
    assert found["export"] == (
        "Exportation hors du territoire fiscal de l'Union européenne, art. 262 I du CGI. Droits et taxes "
        "d'importation à la charge du destinataire."
    )
    line = order.invoices.get().data["lines"][0]
    assert (line["hs_code"], line["origin"]) == ("950300", "FR")


@pytest.mark.parametrize("is_deleted", [False, True])
def test_a_credit_note_declares_the_piece_as_its_invoice_did(paid, is_deleted) -> None:
    product = make_product(hs_code="950300", origin_country="FR")
    order = paid((product, 2), country="US")
    if is_deleted:
        delete_product(product=product)
    else:
        Product.objects.filter(pk=product.pk).update(hs_code="392640", origin_country="CN")
    note = give_back(order.invoices.get(), "40.00", piece=order.items.get().product_name)
    [line] = note.data["lines"]
    assert (line["hs_code"], line["origin"]) == ("950300", "FR")


def sell(total: str, **fields: str) -> Invoice:
    """An order of a piece at this price, above the free delivery."""
    return pay_order(make_order((make_product(price=total), 1), **fields)).invoices.get()


def test_art_258_a_below_the_threshold_a_sale_to_another_country_bears_no_vat() -> None:
    invoice = sell("9999.00", country="DE")
    assert invoice.vat == Decimal("0.00")
    assert invoice.data["mentions"][0]["name"] == "franchise"


def test_art_258_a_the_sale_that_crosses_the_threshold_is_taxed_at_destination() -> None:
    first = sell("6000.00", country="DE")
    second = sell("4000.00", country="AT")
    crossing = sell("119.00", country="DE")
    assert (first.vat, second.vat) == (Decimal("0.00"), Decimal("0.00"))
    # 119.00 with 19 % inside: 100.00 + 19.00
    assert crossing.vat == Decimal("19.00")
    tax = crossing.data["tax"]
    assert (tax["treatment"], tax["percent"], tax["net"], tax["vat"]) == (
        "destination",
        "19.00",
        "100.00",
        "19.00",
    )
    assert "293 B" not in str(crossing.data)
    assert crossing.data["mentions"][0]["fr"] == (
        f"TVA du pays de livraison (Allemagne) au taux de 19{NB}% comprise dans les prix, déclarée au guichet unique "
        "de l'Union (OSS) sous le numéro FR12123456789, art. 258 A du CGI"
    )


def test_art_258_a_only_other_countries_of_the_union_count() -> None:
    sell("20000.00", country="FR")
    sell("20000.00", country="US")
    sell("20000.00", country="MC")
    assert against_threshold(shop_day(timezone.now()).year)[0] == Decimal("0.00")
    assert sell("100.00", country="DE").vat == Decimal("0.00")


def test_art_258_a_the_year_after_a_year_beyond_is_taxed_from_the_first_sale() -> None:
    with time_machine.travel("2026-06-01T12:00:00Z", tick=False):
        sell("10001.00", country="DE")
    with time_machine.travel("2027-01-05T12:00:00Z", tick=False):
        assert sell("119.00", country="DE").vat == Decimal("19.00")
    with time_machine.travel("2028-06-01T12:00:00Z", tick=False):
        assert sell("119.00", country="DE").vat == Decimal("0.00")


def test_art_258_a_a_year_that_went_beyond_stays_beyond_when_its_sale_is_given_back() -> None:
    with time_machine.travel("2026-06-01T12:00:00Z", tick=False):
        crossing = sell("10001.00", country="DE")
        give_back(crossing, str(crossing.total))
        assert against_threshold(2026)[0] == Decimal("0.00")
        assert sell("119.00", country="DE").data["tax"]["beyond"] == "this_year"
    with time_machine.travel("2027-01-05T12:00:00Z", tick=False):
        assert sell("119.00", country="DE").data["tax"]["beyond"] == "last_year"
    with time_machine.travel("2028-06-01T12:00:00Z", tick=False):
        assert sell("119.00", country="DE").vat == Decimal("0.00")


def test_the_rate_is_that_of_the_row_and_of_the_country() -> None:
    set_shop(eu_sales_threshold=Decimal("0.00"))
    VatRate.objects.filter(country="FI").update(percent=Decimal("26.00"))
    assert sell("126.00", country="FI").vat == Decimal("26.00")
    VatRate.objects.filter(country="FI").delete()
    assert sell("125.50", country="FI").vat == Decimal("25.50")


@pytest.mark.parametrize(
    ("country", "postcode", "total", "vat"),
    [
        # Directive 2006/112/EC, art. 104 and 105; Windsor Framework.
        ("PT", "1000-205", "123.00", "23.00"),
        ("PT", "9500-150", "116.00", "16.00"),
        ("PT", "9000-060", "122.00", "22.00"),
        ("AT", "6691", "119.00", "19.00"),
        ("GB", "BT1 1AA", "120.00", "20.00"),
    ],
)
def test_art_258_a_a_territory_has_its_own_rate(country: str, postcode: str, total: str, vat: str) -> None:
    set_shop(eu_sales_threshold=Decimal("0.00"))
    invoice = sell(total, country=country, postal_code=postcode)
    delivery = invoice.order.shipping_cost
    assert invoice.vat == split_vat(Decimal(total) + delivery, Decimal(vat)).vat
    assert invoice.data["tax"]["percent"] == vat


def test_a_country_of_the_union_that_was_typed_is_recognised() -> None:
    set_shop(eu_sales_threshold=Decimal("0.00"))
    # 123.00, delivered free of charge; 23 % inside it
    invoice = sell("123.00", country="ZZ", custom_country="Pologne")
    assert (invoice.country, invoice.vat) == ("PL", Decimal("23.00"))
    unknown = sell("123.00", country="ZZ", custom_country="Atlantide")
    assert (unknown.country, unknown.vat) == ("ZZ", Decimal("0.00"))


def test_there_is_a_rate_for_each_of_the_27_countries() -> None:
    assert len(STANDARD_RATES) == 27
    assert dict(VatRate.objects.values_list("country", "percent")) == STANDARD_RATES


@pytest.mark.parametrize("total", ["0.01", "0.03", "49.99", "119.00", "1249.50", "99999.99"])
@pytest.mark.parametrize("percent", ["17", "19", "21", "25.5", "27"])
def test_net_and_vat_add_up_to_the_price(total: str, percent: str) -> None:
    tax = split_vat(Decimal(total), Decimal(percent))
    assert tax.net + tax.vat == Decimal(total)
    assert abs(tax.vat - tax.net * Decimal(percent) / 100) <= Decimal("0.01")
