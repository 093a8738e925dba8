"""The embedded data against the official schema and rules of Factur-X, and against the page."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import facturx
import pytest
from django.utils import timezone
from saxonche import PySaxonProcessor

from orders.invoices.facturx import factur_x
from orders.invoices.issuing import issue_credit_note, reissue_invoice
from orders.invoices.tests.conftest import set_shop
from orders.invoices.tests.samples import sample
from orders.models import Invoice, InvoiceDraft, RefundRequest, VatRate
from orders.pricing.vat import Treatment
from orders.tests.factories import make_category, make_product, new_key

RULES = Path(facturx.__file__).parent / "xsd_and_schematron" / "facturx-en16931" / "FACTUR-X_EN16931.xslt"
RAM = "{urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100}"
SVRL = "{http://purl.oclc.org/dsdl/svrl}"

CASES: dict[str, dict[str, Any]] = {
    "one line": {},
    "offered units": {"lines": 4, "offered": True},
    "forty lines": {"lines": 40, "offered": True},
    "installments": {"lines": 2, "installments": True},
    "german VAT": {"lines": 3, "offered": True, "treatment": Treatment.DESTINATION, "country": "DE"},
    "finnish VAT": {"lines": 7, "treatment": Treatment.DESTINATION, "country": "FI", "percent": "25.50"},
    "export": {"lines": 2, "treatment": Treatment.EXPORT, "country": "US"},
    "credit note": {"kind": "credit_note", "lines": 2},
    "credit note with VAT": {"kind": "credit_note", "treatment": Treatment.DESTINATION, "country": "DE"},
    "german VAT, two rates": {
        "lines": 4,
        "offered": True,
        "treatment": Treatment.DESTINATION,
        "country": "DE",
        "percent": "19 7",
    },
    "two rates and delivery": {"treatment": Treatment.DESTINATION, "country": "DE", "percent": "19 7"},
    "french VAT": {"lines": 3, "treatment": Treatment.DOMESTIC, "percent": "20", "liable": True},
    "french VAT, three rates": {
        "lines": 6,
        "offered": True,
        "treatment": Treatment.DOMESTIC,
        "liable": True,
        "percent": "20 5.5 0",
    },
    "french VAT in installments": {
        "lines": 5,
        "installments": True,
        "treatment": Treatment.DOMESTIC,
        "liable": True,
        "percent": "20 5.5",
    },
    "destination, liable at home": {
        "treatment": Treatment.DESTINATION,
        "country": "BE",
        "percent": "21",
        "liable": True,
    },
    "export by a liable seller": {"lines": 2, "treatment": Treatment.EXPORT, "country": "US", "liable": True},
    "export with delivery": {"treatment": Treatment.EXPORT, "country": "CH", "liable": True},
    "to a business": {"siren": "732829320"},
    "to a business with VAT": {
        "siren": "732829320",
        "treatment": Treatment.DOMESTIC,
        "percent": "20",
        "liable": True,
    },
    "credit note, two rates": {
        "kind": "credit_note",
        "lines": 3,
        "treatment": Treatment.DOMESTIC,
        "liable": True,
        "percent": "20 5.5",
    },
    "credit note of an export": {
        "kind": "credit_note",
        "treatment": Treatment.EXPORT,
        "country": "US",
        "liable": True,
    },
    "delivered before it was issued anew": {"delivered_on": "2026-11-28"},
    "other scripts": {"customer": "山田太郎 <&> \x07 Ελένη", "name": 'Buste "œuvre" & <socle>'},
}

Judge = Callable[[bytes], list[str]]


@pytest.fixture(scope="module")
def judge() -> Judge:
    """The rules that the factur-x library ships, run by Saxon: the sentences of those that are broken."""
    saxon = PySaxonProcessor(license=False)
    rules = saxon.new_xslt30_processor().compile_stylesheet(stylesheet_file=str(RULES))

    def broken(xml: bytes) -> list[str]:
        report = ElementTree.fromstring(
            rules.transform_to_string(xdm_node=saxon.parse_xml(xml_text=xml.decode())).encode()
        )
        return [
            " ".join("".join(found.itertext()).split())
            for kind in ("failed-assert", "successful-report")
            for found in report.iter(f"{SVRL}{kind}")
        ]

    return broken


@pytest.mark.parametrize("name", CASES)
def test_en_16931_valid_against_the_schema_and_every_rule(judge: Judge, name: str) -> None:
    xml = factur_x(sample(**CASES[name]))
    assert facturx.xml_check_xsd(xml, flavor="factur-x", level="en16931") is True
    assert judge(xml) == []


def test_control_the_rules_find_a_wrong_total_and_a_lost_reason(judge: Judge) -> None:
    wrong = sample()
    wrong["total"] = "50.00"
    assert any("BR-CO-15" in text or "BT-112" in text for text in judge(factur_x(wrong)))
    lost = sample()
    lost["seller"]["siren"] = ""
    assert any("BR-E-02" in text or "BT-31" in text for text in judge(factur_x(lost)))


def text(xml: bytes, path: str) -> str:
    found = ElementTree.fromstring(xml).find(".//" + "/".join(f"{RAM}{step}" for step in path.split("/")))
    assert found is not None
    assert found.text is not None
    return found.text


@pytest.mark.parametrize("name", CASES)
def test_totals_are_those_of_the_page(name: str) -> None:
    data = sample(**CASES[name])
    xml = factur_x(data)
    sums = "SpecifiedTradeSettlementHeaderMonetarySummation"
    assert text(xml, f"{sums}/GrandTotalAmount") == data["total"]
    assert text(xml, f"{sums}/TaxTotalAmount") == data["tax"]["vat"]
    assert text(xml, f"{sums}/TaxBasisTotalAmount") == data["tax"]["net"]
    due = data.get("payment", {}).get("due", "0.00")
    assert text(xml, f"{sums}/DuePayableAmount") == due
    assert Decimal(text(xml, f"{sums}/TotalPrepaidAmount")) == Decimal(data["total"]) - Decimal(due)
    root = ElementTree.fromstring(xml)
    lines = [Decimal(found.text or "") for found in root.iter(f"{RAM}LineTotalAmount")]
    # Every line's total, then their sum.
    assert sum(lines[:-1]) == lines[-1]
    assert len(lines) == len(data["lines"]) + 1


def leaves(xml: bytes, name: str) -> list[tuple[str, str]]:
    """The innermost elements of the first one called `name`."""
    whole = next(ElementTree.fromstring(xml).iter(f"{RAM}{name}"))
    return [(each.tag.split("}")[1], each.text or "") for each in whole.iter() if not len(each)]


def test_parties_and_terms_are_those_of_the_page() -> None:
    xml = factur_x(
        sample(lines=2, installments=True, siren="732829320", liable=True, treatment=Treatment.DOMESTIC)
    )
    assert leaves(xml, "SellerTradeParty") == [
        ("Name", "Camille Fabre EI"), ("ID", "123456789"), ("TradingBusinessName", "L'Établi aux figurines"),
        ("PersonName", "Camille Fabre EI"), ("CompleteNumber", "+33 4 78 00 00 00"),
        ("URIID", "bonjour@etabli.example"), ("LineOne", "14 rue des Tanneurs"), ("LineTwo", "69001 Lyon"),
        ("LineThree", "France"), ("CountryID", "FR"), ("URIID", "bonjour@etabli.example"), ("ID", "FR83123456789"),
        ("ID", "123456789"),
    ]  # fmt: skip
    assert leaves(xml, "BuyerTradeParty") == [
        ("Name", "Léa Martin"), ("ID", "732829320"), ("PostcodeCode", "69003"), ("LineOne", "3 rue des Carmes"),
        ("CityName", "Lyon"), ("CountryID", "FR"), ("URIID", "lea@example.com"),
    ]  # fmt: skip
    # 39.90 and two at 40.90, in three parts.
    assert leaves(xml, "SpecifiedTradePaymentTerms") == [
        ("Description", "2026-12-01 40.56 EUR · 2026-12-31 40.57 EUR · 2027-01-30 40.57 EUR"),
        ("DateTimeString", "20270130"),
    ]  # fmt: skip
    assert leaves(xml, "IncludedSupplyChainTradeLineItem") == [
        ("LineID", "1"), ("SellerAssignedID", "GOL-018"), ("Name", "Golem de poche"), ("Description", "Peint · 18 cm"),
        ("ChargeAmount", "33.5300"), ("BilledQuantity", "1"), ("TypeCode", "VAT"), ("CategoryCode", "S"),
        ("RateApplicablePercent", "19.00"), ("LineTotalAmount", "33.53"),
    ]  # fmt: skip
    assert b"SpecifiedTradePaymentTerms" not in factur_x(sample())
    # What a third unit for free takes off, without VAT: 39.90 with 19 % inside.
    offered = factur_x(sample(offered=True, liable=True, treatment=Treatment.DOMESTIC))
    assert leaves(offered, "SpecifiedTradeAllowanceCharge") == [
        ("Indicator", "false"), ("ActualAmount", "33.53"), ("ReasonCode", "95")
    ]  # fmt: skip
    export = leaves(factur_x(sample(treatment=Treatment.EXPORT, country="US")), "SpecifiedTradeProduct")
    assert export[-2:] == [("ClassCode", "950300"), ("ID", "FR")]


def test_a_credit_note_is_of_type_381_and_names_its_invoice() -> None:
    xml = factur_x(sample(kind="credit_note"))
    assert b"<ram:TypeCode>381</ram:TypeCode>" in xml
    assert text(xml, "InvoiceReferencedDocument/IssuerAssignedID") == "F-2026-00040"


def test_the_day_of_delivery_is_told_once_it_is_known() -> None:
    delivered = factur_x(sample(delivered_on="2026-11-28"))
    assert leaves(delivered, "ActualDeliverySupplyChainEvent") == [("DateTimeString", "20261128")]
    assert b"ActualDeliverySupplyChainEvent" not in factur_x(sample())


def test_franchise_is_told_as_its_code_and_its_sentence() -> None:
    xml = factur_x(sample())
    assert text(xml, "ApplicableTradeTax/ExemptionReasonCode") == "VATEX-FR-FRANCHISE"
    assert text(xml, "ApplicableTradeTax/ExemptionReason") == "TVA non applicable, art. 293 B du CGI"


def test_a_sale_taxed_at_destination_tells_no_exemption() -> None:
    xml = factur_x(sample(treatment=Treatment.DESTINATION, country="DE"))
    assert b"VATEX" not in xml
    assert b"293 B" not in xml.split(b"SupplyChainTradeTransaction")[1]
    assert text(xml, "ApplicableTradeTax/CategoryCode") == "S"


def test_what_xml_can_not_hold_is_left_out() -> None:
    xml = factur_x(sample(customer="Léa\x00\x07 Martin\ufffe"))
    assert text(xml, "BuyerTradeParty/Name") == "Léa Martin"


def test_the_same_content_makes_the_same_bytes() -> None:
    assert factur_x(sample(lines=5)) == factur_x(sample(lines=5))


@pytest.mark.django_db
def test_an_issued_invoice_is_valid_too(paid, judge: Judge) -> None:
    product = make_product(
        promotion_active=True,
        promotion_type="buy_2_get_1",
        promotion_buy_quantity=2,
        promotion_get_quantity=1,
    )
    paid((product, 3), (make_product("Buste"), 1), country="BE")
    xml = factur_x(Invoice.objects.get().data)
    assert facturx.xml_check_xsd(xml, flavor="factur-x", level="en16931") is True
    assert judge(xml) == []


@pytest.mark.django_db
def test_every_document_of_a_sale_at_two_rates_is_valid(paid, judge: Judge) -> None:
    """Invoice with an offered unit, return of a piece, of another with a part of the delivery, gesture, delivery given
    back, correction, invoice anew."""
    set_shop(vat_liable_from=date(2020, 1, 1), vat_number="FR83123456789")
    books = make_category("livres", name="Livres", colour="bust")
    VatRate.objects.create(country="FR", category=books, percent=Decimal("5.50"))
    offered = make_product(
        price="4.00",
        promotion_active=True,
        promotion_type="buy_2_get_1",
        promotion_buy_quantity=2,
        promotion_get_quantity=1,
    )
    order = paid((offered, 3), (make_product("Carnet", price="11.00", category=books), 2))
    invoice = order.invoices.get()
    item = order.items.get(product_name="Carnet")
    for amount, shipping, part in (
        ("11.00", "0", "11.00"), ("12.00", "1.00", "11.00"), ("5.00", "0", ""), ("9.99", "9.99", "")
    ):  # fmt: skip
        request = RefundRequest.objects.create(
            order=order, key=new_key(), amount=Decimal(amount), shipping=Decimal(shipping),
            settled_at=timezone.now(), reason="Retour",
        )  # fmt: skip
        if part:
            request.lines.create(item=item, quantity=1, amount=Decimal(part))
        assert issue_credit_note(request=request) is not None
    reissue_invoice(credited=invoice, draft=InvoiceDraft(order=order), reason="Adresse")
    documents = list(Invoice.objects.order_by("sequence"))
    assert [document.total for document in documents] == [
        Decimal(total) for total in ("39.99", "-11.00", "-12.00", "-5.00", "-9.99", "-39.99", "39.99")
    ]
    for document in documents:
        xml = factur_x(document.data)
        assert facturx.xml_check_xsd(xml, flavor="factur-x", level="en16931") is True
        assert judge(xml) == []
    # The last one is the invoice anew.
    replaced = "InvoiceReferencedDocument"
    assert text(xml, f"{replaced}/IssuerAssignedID") == invoice.number
    day = next(ElementTree.fromstring(xml).iter(f"{RAM}{replaced}"))[1][0]
    assert day.text == invoice.data["issued_on"].replace("-", "")
