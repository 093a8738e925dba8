"""The version of the terms that an order agrees to."""

from typing import Any

import pytest

from orders.models import Order
from orders.tests.factories import checkout_body, line, make_product
from shop.core.models import ShopSettings
from shop.core.shop_settings import save_shop_settings
from shop.terms.models import TermsVersion
from shop.terms.versions import publish_terms

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db(transaction=True)]


def test_an_order_publishes_nothing(fake_stripe: Any, shopper: Any) -> None:
    answer = shopper.checkout(checkout_body([line(make_product())], "49.99"))
    assert answer.status_code == 201
    assert Order.objects.get().terms_version == ""
    assert not TermsVersion.objects.exists()


def test_a_client_that_names_no_version_agrees_to_the_one_in_force(fake_stripe: Any, shopper: Any) -> None:
    current = publish_terms(actor=None).number
    body = checkout_body([line(make_product())], "49.99")
    # Only what every client of the call sends; a page that knew of no terms says so and is refused.
    refused = shopper.checkout(body | {"terms_version": ""})
    assert (refused.status_code, refused.json()["code"]) == (409, "terms_changed")
    assert not Order.objects.exists()
    assert shopper.checkout(body).status_code == 201
    assert Order.objects.get().terms_version == current


def test_terms_published_since_the_page_are_a_conflict_and_nothing_is_ordered(
    fake_stripe: Any, shopper: Any
) -> None:
    shown = publish_terms(actor=None).number
    settings = ShopSettings.load()
    settings.shop_name = "Atelier rouge"
    save_shop_settings(settings)
    current = publish_terms(actor=None).number
    cart = [line(make_product())]
    answer = shopper.checkout(checkout_body(cart, "49.99", terms_version=shown))
    told = answer.json()
    assert (answer.status_code, told["code"], told["terms_version"]) == (409, "terms_changed", current)
    assert told["errors"] == {"accept_terms": [told["detail"]]}
    assert not Order.objects.exists()
    assert shopper.checkout(checkout_body(cart, "49.99", terms_version=current)).status_code == 201
    assert Order.objects.get().terms_version == current
