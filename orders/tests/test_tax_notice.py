"""What an order's page says of VAT, in the language of its reader."""

from __future__ import annotations

import pytest

from orders.models import Invoice
from orders.selectors.invoices import tax_notice
from orders.tests.factories import make_order, make_seller, pay_order

FRENCH = "TVA non applicable, art. 293 B du CGI"


@pytest.mark.django_db
@pytest.mark.parametrize("placed_in", ["fr", "de"])
def test_the_notice_is_in_the_readers_language_beside_the_laws(placed_in):
    make_seller()
    order = pay_order(make_order(language=placed_in))
    assert Invoice.objects.get(order=order).language == placed_in
    assert tax_notice(order, "fr") == FRENCH
    assert (
        tax_notice(order, "en")
        == f"{FRENCH} (VAT not applicable, article 293 B of the French General Tax Code)"
    )
    assert tax_notice(order, "de") == (
        f"{FRENCH} (Keine Mehrwertsteuer, Artikel 293 B des französischen Steuergesetzbuchs)"
    )
