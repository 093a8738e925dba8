"""What companies of other countries of the Union buy is no distance sale to a consumer (art. 258 A CGI)."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from django.utils import timezone

from orders.invoices.tax import against_threshold
from orders.invoices.tests.conftest import set_shop
from orders.models import Invoice, Order
from orders.services.checkout.placement import BillingDetails
from orders.services.invoicing.correcting import DraftValues, edit_invoice
from orders.tests.factories import make_order, make_product, pay_order
from shop.core.problems import Problem

pytestmark = [pytest.mark.django_db, pytest.mark.both_engines]

COMPANY = BillingDetails(
    name="Ada Lovelace", company="Werkstatt Ada GmbH", company_number="DE136695976", address="Gasse 9",
    postal_code="10115", city="Berlin", country="DE",
)  # fmt: skip


def placed(total: str, billing: BillingDetails | None = None) -> Order:
    return make_order((make_product(price=total), 1), country="DE", postal_code="10115", billing=billing)


def sell(total: str, billing: BillingDetails | None = None) -> tuple[str, Decimal]:
    invoice = pay_order(placed(total, billing)).invoices.get()
    return invoice.data["tax"]["treatment"], invoice.vat


def sold() -> Decimal:
    return against_threshold(timezone.localdate().year)[0]


def test_art_258_a_a_company_neither_passes_the_threshold_nor_is_taxed_beyond_it() -> None:
    set_shop(eu_sales_threshold=Decimal("1000.00"))
    assert sell("1200.00", COMPANY) == ("franchise", Decimal(0))
    assert (sold(), sell("900.00")) == (Decimal(0), ("franchise", Decimal(0)))
    assert sell("119.00") == ("destination", Decimal("19.00"))
    assert sell("119.00", COMPANY) == ("franchise", Decimal(0))
    assert sold() == Decimal("1000.00")


def test_art_258_a_a_seller_liable_for_vat_charges_a_company_the_french_one() -> None:
    set_shop(eu_sales_threshold=Decimal("0.00"), vat_liable_from=date(2026, 1, 1), vat_number="FR83123456789")
    assert sell("120.00", COMPANY) == ("domestic", Decimal("20.00"))
    assert sell("119.00") == ("destination", Decimal("19.00"))


def test_art_258_a_a_company_is_sold_to_without_a_registration_and_counts_for_nobody_else() -> None:
    set_shop(oss_number="", eu_sales_threshold=Decimal("100.00"))
    company = placed("150.00", COMPANY)
    placed("60.00")
    with pytest.raises(Problem) as refused:
        placed("60.00")
    assert refused.value.code == "country_not_served"
    assert pay_order(company).invoices.get().data["tax"]["treatment"] == "franchise"


def test_art_258_a_a_number_that_is_added_later_changes_no_sale() -> None:
    set_shop(eu_sales_threshold=Decimal("1000.00"))
    order = pay_order(placed("500.00"))
    edit_invoice(
        order_id=order.pk, values=DraftValues(customer_number="DE136695976"), explanation="Numéro ajouté."
    )
    assert (Invoice.objects.filter(order=order).count(), sold()) == (3, Decimal("500.00"))
