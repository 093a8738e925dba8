"""The tax of a sale is decided once (art. 258 A CGI): neither credit notes nor later sales or rates change it."""

from __future__ import annotations

from decimal import Decimal

import pytest
import time_machine
from django.utils import timezone

from orders.invoices.tax import against_threshold
from orders.invoices.tests.conftest import set_shop
from orders.invoices.tests.crediting import give_back
from orders.models import Invoice, VatRate
from orders.services.invoicing.correcting import DraftValues, edit_invoice
from orders.tests.factories import make_order, make_product, pay_order

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

ZERO = Decimal("0.00")


@pytest.fixture(autouse=True)
def _rates() -> None:
    for country, percent in (("DE", "19.00"), ("AT", "20.00")):
        VatRate.objects.update_or_create(country=country, defaults={"percent": Decimal(percent)})


def sell(total: str, country: str = "DE") -> Invoice:
    return pay_order(make_order((make_product(price=total), 1), country=country)).invoices.get()


def told(invoice: Invoice) -> tuple[str, str, str, str]:
    tax = invoice.data["tax"]
    return tax["treatment"], tax["percent"], tax["net"], tax["vat"]


def go_beyond() -> tuple[Invoice, Invoice]:
    """10,000 € without VAT to the Union, then the sale that crosses the threshold; the first and the crossing one."""
    first = sell("6000.00")
    sell("4000.00", "AT")
    crossing = sell("119.00")
    assert (first.vat, crossing.vat) == (ZERO, Decimal("19.00"))
    return first, crossing


def test_art_258_a_a_sale_without_vat_is_credited_without_vat_beyond_the_threshold() -> None:
    first, _crossing = go_beyond()
    note = give_back(first, "6000.00")
    assert (note.total, note.vat) == (Decimal("-6000.00"), ZERO)
    assert told(note)[0] == "franchise"
    assert note.data["mentions"][0]["name"] == "franchise"
    assert "258 A" not in str(note.data)


def test_art_258_a_a_taxed_sale_is_credited_at_the_rate_that_it_bore() -> None:
    _first, crossing = go_beyond()
    VatRate.objects.filter(country="DE").update(percent=Decimal("25.00"))
    note = give_back(crossing, "59.50")
    assert (note.total, note.vat) == (Decimal("-59.50"), Decimal("-9.50"))
    assert told(note) == ("destination", "19.00", "50.00", "9.50")
    assert "293 B" not in str(note.data)
    # The next sale bears the new one: 25 % inside 125.00.
    assert sell("125.00").vat == Decimal("25.00")


def test_art_258_a_what_was_given_back_does_not_bring_a_year_below_its_threshold_again() -> None:
    year = timezone.localdate().year
    first, _crossing = go_beyond()
    # 6,000 + 4,000 + 100: the threshold counts what is sold without its VAT.
    assert against_threshold(year)[0] == Decimal("10100.00")
    give_back(first, "6000.00")
    assert against_threshold(year)[0] == Decimal("4100.00")
    assert sell("119.00").vat == Decimal("19.00")


def test_art_258_a_nor_the_year_after() -> None:
    with time_machine.travel("2026-06-01T12:00:00Z", tick=False):
        first, _crossing = go_beyond()
        give_back(first, "6000.00")
    with time_machine.travel("2027-01-05T12:00:00Z", tick=False):
        invoice = sell("119.00")
        assert (invoice.vat, invoice.data["tax"]["beyond"]) == (Decimal("19.00"), "last_year")


@pytest.mark.parametrize(
    ("threshold", "vat", "beyond"), [("10000.00", "0.00", None), ("9999.99", "19.00", "last_year")]
)
def test_art_258_a_a_year_that_reached_its_threshold_did_not_pass_it(threshold, vat, beyond) -> None:
    with time_machine.travel("2026-06-01T12:00:00Z", tick=False):
        sell("6000.00")
        sell("4000.00", "AT")
    set_shop(eu_sales_threshold=Decimal(threshold))
    with time_machine.travel("2027-01-05T12:00:00Z", tick=False):
        invoice = sell("119.00")
    assert (invoice.vat, invoice.data["tax"].get("beyond")) == (Decimal(vat), beyond)


def test_art_258_a_an_invoice_issued_anew_later_is_no_sale_of_that_year() -> None:
    with time_machine.travel("2026-12-20T12:00:00Z", tick=False):
        _first, crossing = go_beyond()
    with time_machine.travel("2027-01-05T12:00:00Z", tick=False):
        anew = edit_invoice(
            order_id=crossing.order_id, values=DraftValues(customer_name="Marie Roux"), explanation="Nom"
        )
        assert anew is not None
        assert (anew.year, anew.data["tax"]["beyond"]) == (2027, "this_year")
        assert [against_threshold(year)[0] for year in (2026, 2027)] == [Decimal("10100.00"), ZERO]
        assert sell("119.00").data["tax"]["beyond"] == "last_year"
    with time_machine.travel("2028-01-05T12:00:00Z", tick=False):
        invoice = sell("119.00")
    assert (invoice.vat, told(invoice)[0]) == (ZERO, "franchise")


def test_art_258_a_what_is_given_back_of_last_year_makes_no_room_in_this_one() -> None:
    with time_machine.travel("2026-12-20T12:00:00Z", tick=False):
        first = sell("6000.00")
    with time_machine.travel("2027-01-05T12:00:00Z", tick=False):
        give_back(first, "6000.00")
        sell("10000.00")
        assert [against_threshold(year)[0] for year in (2026, 2027)] == [ZERO, Decimal("10000.00")]
        crossing = sell("119.00")
    assert (crossing.vat, crossing.data["tax"]["beyond"]) == (Decimal("19.00"), "this_year")


@pytest.mark.parametrize("country", ["GP", "MQ", "GF", "RE", "YT"])
def test_art_294_overseas_departments_are_exports_and_no_sale_to_the_union(country: str) -> None:
    go_beyond()
    invoice = sell("119.00", country)
    assert (invoice.vat, told(invoice)[0]) == (ZERO, "export")
    assert against_threshold(timezone.localdate().year)[0] == Decimal("10100.00")


@pytest.mark.parametrize("country", ["FR", "MC"])
def test_art_293_b_france_with_monaco_is_home(country: str) -> None:
    go_beyond()
    invoice = sell("119.00", country)
    assert (invoice.vat, told(invoice)[0]) == (ZERO, "franchise")
    names = [mention["name"] for mention in invoice.data["mentions"]]
    assert "franchise" in names
    assert "export" not in names
    assert against_threshold(timezone.localdate().year)[0] == Decimal("10100.00")
