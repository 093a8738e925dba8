"""A unit of a promotion brings less than its price when it comes back: the credit note and the mail say why."""

from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from django.utils import translation

from orders.selectors.refund_words import promotion_share_text


def text(amount: str, paid: str = "79.14") -> str:
    item: Any = SimpleNamespace(pk=1, unit_price=Decimal("36.00"), quantity=3)
    found = promotion_share_text(item, quantity=1, amount=Decimal(amount), paid={1: Decimal(paid)})
    return found.replace("\u00a0", " ").replace("\u202f", " ")


def test_the_share_of_an_offer_is_explained() -> None:
    assert text("26.38") == (
        "Achetée dans une offre : la réduction est répartie sur toutes les pièces de l'offre, offertes comprises. "
        "La part du prix payé est de 26,38 € au lieu de 36,00 €."
    )
    with translation.override("de"):
        assert "26,38 € statt 36,00 €" in text("26.38")


@pytest.mark.parametrize(("amount", "paid"), [("36.00", "108.00"), ("20.00", "79.14"), ("20.00", "108.00")])
def test_the_whole_price_and_an_amount_that_staff_chose_need_no_sentence(amount: str, paid: str) -> None:
    assert text(amount, paid=paid) == ""
