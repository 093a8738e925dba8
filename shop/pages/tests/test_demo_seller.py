"""Who sells in the demonstration."""

import pytest

from shop.core.models import ShopSettings
from shop.pages.demo import load_seller


@pytest.mark.django_db
def test_it_fills_the_sheet_once_and_is_no_excuse_in_production(settings):
    settings.DEBUG = True
    load_seller()
    assert ShopSettings.objects.get().missing_legal_fields() == []

    ShopSettings.objects.update(trader_name="Edited EI")
    load_seller()
    shop = ShopSettings.objects.get()
    assert shop.trader_name == "Edited EI"

    settings.DEBUG = False
    assert len(shop.missing_legal_fields()) == 13
