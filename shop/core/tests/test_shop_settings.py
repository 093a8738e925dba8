"""The settings sheet: one row, cached, and the list of what the law still asks for."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction

from shop.core.checks import check_legal_mentions
from shop.core.models import ShopSettings
from shop.core.shop_settings import save_shop_settings

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


def test_defaults_before_anything_was_saved(django_assert_num_queries):
    with django_assert_num_queries(1):
        shop = ShopSettings.load()
        ShopSettings.load()

    assert (shop.shop_name, shop.default_production_days_min, shop.default_production_days_max) == (
        "L'Établi aux figurines",
        14,
        28,
    )
    assert (shop.installments_enabled, shop.installments_minimum) == (False, Decimal("150.00"))
    assert ShopSettings.objects.count() == 0


def test_saving_drops_the_cached_copy(run_on_commit):
    ShopSettings.load()
    with run_on_commit():
        save_shop_settings(ShopSettings(shop_name="Nouvel atelier"))

    assert ShopSettings.load().shop_name == "Nouvel atelier"
    assert ShopSettings.objects.get().pk == 1


@pytest.mark.parametrize(
    "values",
    [
        {"pk": 2},
        {"pk": 1, "default_production_days_min": 30, "default_production_days_max": 10},
        {"pk": 1, "installments_minimum": Decimal("-1")},
    ],
)
def test_the_database_refuses_nonsense(values):
    with pytest.raises(IntegrityError), transaction.atomic():
        ShopSettings.objects.bulk_create([ShopSettings(**values)])


def test_what_the_law_asks_for_is_listed():
    assert [field.name for field in ShopSettings().missing_legal_fields()] == [
        "trader_name",
        "siret",
        "address",
        "email",
        "phone",
        "publication_director",
        "host_name",
        "host_address",
        "host_phone",
        "mediator_name",
        "mediator_address",
        "mediator_url",
        "packaging_id",
    ]


def test_the_check_warns_in_production_only(settings):
    settings.DEBUG = True
    assert check_legal_mentions() == []
    settings.DEBUG = False
    [warning] = check_legal_mentions()
    assert warning.id == "shop.W020"
    assert "packaging_id" in warning.msg


def test_where_mails_for_the_workshop_go(settings):
    settings.DEFAULT_FROM_EMAIL = "Atelier <from@example.com>"
    assert ShopSettings().alert_address == "from@example.com"
    assert ShopSettings(email="b@example.com").alert_address == "b@example.com"
    assert (
        ShopSettings(email="b@example.com", workshop_email="w@example.com").alert_address == "w@example.com"
    )
