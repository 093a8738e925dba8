"""Turnover and its ceilings: what is counted, when staff are told, and which ceilings make sense."""

from __future__ import annotations

from decimal import Decimal

import pytest
import time_machine
from django.utils import timezone

from orders.books.alerts import alert_turnover
from orders.books.turnover import TaxCeiling, months_of, tax_ceilings
from orders.invoices.issuing import reissue_invoice
from orders.invoices.tests.conftest import set_shop
from orders.invoices.tests.crediting import give_back
from orders.models import InvoiceDraft, ShippingZone, VatRate
from orders.tests.books.entries import book, utc
from orders.tests.factories import make_order, make_product, pay_order
from shop.core.models import OutgoingMail, ShopSettings

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def ceiling_of(amount: str, ceiling: str = "85000.00") -> TaxCeiling:
    return TaxCeiling("franchise", "", "", Decimal(amount), Decimal(ceiling))


@pytest.mark.parametrize(
    ("amount", "percent", "level", "left"),
    [
        ("0.00", 0, 0, "85000.00"),
        ("-1000.00", 0, 0, "86000.00"),
        ("59499.99", 69, 0, "25500.01"),
        ("59500.00", 70, 70, "25500.00"),
        ("76499.99", 89, 70, "8500.01"),
        ("76500.00", 90, 90, "8500.00"),
        ("84999.99", 99, 90, "0.01"),
        ("85000.00", 100, 90, "0.00"),
        ("85000.01", 100, 100, "0.00"),
        ("170000.00", 200, 100, "0.00"),
    ],
)
def test_a_ceiling(amount, percent, level, left):
    found = ceiling_of(amount)
    assert (found.percent, found.level, found.left) == (percent, level, Decimal(left))


def test_a_ceiling_of_zero_divides_nothing():
    assert ceiling_of("10.00", "0.00").percent == 0
    assert ceiling_of("0.70", "1.00").percent == 70


def alerts() -> list[str]:
    return list(
        OutgoingMail.objects.filter(kind="turnover_alert").order_by("pk").values_list("dedupe_key", flat=True)
    )


def test_one_mail_a_level_and_year():
    now = utc(2026, 6, 1)
    book("59499.99", utc(2026, 2, 1))
    alert_turnover(now)
    assert alerts() == []
    book("0.01", utc(2026, 2, 2))
    # What went back is no turnover.
    book("-0.01", utc(2026, 2, 2), kind="refund")
    alert_turnover(now)
    assert alerts() == []
    book("0.01", utc(2026, 2, 3))
    alert_turnover(now)
    alert_turnover(now)
    assert alerts() == ["turnover_alert:franchise:2026:70"]
    mail = OutgoingMail.objects.get(kind="turnover_alert")
    assert (mail.context["amount"], mail.context["ceiling"], mail.context["left"], mail.context["level"]) == (
        "59500.00", "85000.00", "25500.00", 70
    )  # fmt: skip
    # Straight past 90 and 100 % of one ceiling: only the highest is told. 70 % of the upper one is told besides.
    book("30000.00", utc(2026, 3, 1))
    alert_turnover(now)
    assert alerts()[1:] == ["turnover_alert:franchise:2026:100", "turnover_alert:franchise_upper:2026:90"]
    # A new year starts from nothing.
    alert_turnover(utc(2026, 12, 31, 23))
    assert len(alerts()) == 3


def test_money_of_the_old_year_heard_of_in_january_is_told_too():
    book("85000.01", utc(2026, 12, 31, 22))
    alert_turnover(utc(2027, 1, 3))
    assert alerts() == ["turnover_alert:franchise:2026:100", "turnover_alert:franchise_upper:2026:90"]
    book("9000.00", utc(2026, 12, 31, 22))
    alert_turnover(utc(2027, 1, 20))
    assert len(alerts()) == 2


def test_sales_to_the_union_are_counted_apart():
    for country in ("FR", "DE", "CH"):
        pay_order(make_order((make_product(price="100.00"), 1), country=country))
    number = timezone.localdate().year
    rows = tax_ceilings(number)
    # Art. 293 B and 258 A CGI.
    assert [str(row.ceiling) for row in rows] == ["85000.00", "93500.00", "10000.00"]
    found = {row.code: row.amount for row in rows}
    assert found == {
        "franchise": Decimal("300.00"),
        "franchise_upper": Decimal("300.00"),
        "union": Decimal("100.00"),
    }


def test_art_258_a_a_threshold_that_was_passed_stays_passed_though_the_sum_is_below(
    django_assert_num_queries,
):
    """Without its VAT the sale that passes it stays below, and what went back is no sale."""
    set_shop(oss_number="FR12123456789", eu_sales_threshold=Decimal("110.00"))
    with time_machine.travel(utc(2026, 6, 1), tick=False):
        first, crossing = (
            pay_order(make_order((make_product(price=price), 1), country="DE")).invoices.get()
            for price in ("60.00", "45.00")
        )
    assert (first.vat, crossing.total, crossing.vat) == (Decimal("0.00"), Decimal("54.99"), Decimal("8.78"))
    ShopSettings.load()
    assert tax_ceilings(2026)[2].amount == Decimal("106.21")
    give_back(first, "60.00")
    with django_assert_num_queries(2):
        [found] = [row for row in tax_ceilings(2026) if row.code == "union"]
    assert (found.amount, found.percent, found.level, found.left) == (
        Decimal("46.21"), 42, 100, Decimal("0.00")
    )  # fmt: skip
    alert_turnover(utc(2026, 6, 2))
    assert alerts() == ["turnover_alert:union:2026:100"]
    # The year after it every sale is taxed so too, and its own threshold is not passed.
    with django_assert_num_queries(3):
        [after] = [row for row in tax_ceilings(2027) if row.code == "union"]
    assert (after.level, after.left) == (0, Decimal("110.00"))
    assert str(after.explanation).startswith("Dépassé l'année précédente\xa0: chaque vente porte la TVA")
    assert str(tax_ceilings(2028)[2].explanation) == str(found.explanation)


def test_art_258_a_a_sale_at_a_rate_of_nothing_passes_the_threshold_too():
    set_shop(oss_number="FR12123456789", eu_sales_threshold=Decimal("100.00"))
    VatRate.objects.create(country="IE", percent=0, starts_on=utc(2026, 1, 1).date())
    crossing = pay_order(make_order((make_product(price="101.00"), 1), country="IE")).invoices.get()
    give_back(crossing, "101.00")
    after = pay_order(make_order((make_product(price="119.00"), 1), country="DE")).invoices.get()
    assert (crossing.vat, after.vat) == (Decimal("0.00"), Decimal("19.00"))


def test_art_293_d_vat_of_another_country_is_no_turnover():
    set_shop(oss_number="FR12123456789", eu_sales_threshold=Decimal("100.00"))
    for country, price in (("FR", "100.00"), ("DE", "119.00")):
        pay_order(make_order((make_product(price=price), 1), country=country))
    assert [row.amount for row in tax_ceilings(timezone.localdate().year)] == [
        Decimal("200.00"), Decimal("200.00"), Decimal("100.00")
    ]  # fmt: skip


def test_vat_is_no_turnover_once_though_the_invoice_was_issued_anew_nor_is_that_of_what_went_back():
    set_shop(vat_liable_from=utc(2026, 1, 1).date(), vat_number="FR83123456789")
    with time_machine.travel(utc(2026, 11, 21, 11), tick=False):
        order = pay_order(make_order((make_product(price="38.01"), 1)))
        reissue_invoice(credited=order.invoices.get(), draft=InvoiceDraft(order=order), reason="Nom")
    book("-12.00", utc(2026, 11, 22), kind="refund", order=order)
    november = months_of(2026, without_vat=True)[10]
    assert (november.received, november.returned, november.net) == (
        Decimal("40.00"), Decimal("10.00"), Decimal("30.00"),
    )  # fmt: skip
    assert months_of(2026)[10].received == Decimal("48.00")


def test_vat_of_some_cents_is_no_turnover_either():
    set_shop(vat_liable_from=utc(2026, 1, 1).date(), vat_number="FR83123456789")
    ShippingZone.objects.update(rate=0)
    with time_machine.travel(utc(2026, 11, 21, 11), tick=False):
        assert pay_order(make_order((make_product(price="5.94"), 1))).invoices.get().vat == Decimal("0.99")
    assert months_of(2026, without_vat=True)[10].received == Decimal("4.95")


def test_who_has_not_the_exemption_at_the_end_of_the_year_has_no_ceiling_of_it():
    set_shop(vat_liable_from=utc(2026, 12, 31).date(), vat_number="FR83123456789")
    assert [[row.code for row in tax_ceilings(number)] for number in (2025, 2026)] == [
        ["franchise", "franchise_upper", "union"], ["union"]
    ]  # fmt: skip
