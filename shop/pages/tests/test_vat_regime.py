"""What pages say of VAT follows the regime of the day (art. 293 B CGI)."""

from __future__ import annotations

from datetime import date

import pytest
import time_machine
from django.utils import translation

from shop.core.models import ShopSettings
from shop.core.shop_settings import save_shop_settings
from shop.pages.selectors.legal_texts import legal_page

FRANCHISE, LIABLE = "TVA non applicable, art. 293 B du CGI", "N°\u00a0de TVA FR83123456789"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("moment", "shown", "gone"),
    [("2026-06-30T21:59:00Z", FRANCHISE, LIABLE), ("2026-06-30T22:00:00Z", LIABLE, FRANCHISE)],
)
def test_art_293_b_footer_terms_and_legal_notice_follow_the_regime_of_the_day(client, moment, shown, gone):
    save_shop_settings(ShopSettings(vat_liable_from=date(2026, 7, 1), vat_number="FR83123456789"))
    with time_machine.travel(moment, tick=False), translation.override("fr"):
        footer = client.get("/contact").content.decode()
        for text in (footer, legal_page("terms").html, legal_page("legal-notice").html):
            assert shown in text
            assert gone not in text
