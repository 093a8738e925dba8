"""A customer's order page: what comes after what, also on a telephone and for who listens to it."""

import re

import pytest

from orders.access import order_url
from orders.tests.factories import make_order, make_seller, pay_order

pytestmark = pytest.mark.django_db


def test_what_was_paid_follows_what_was_bought(client):
    make_seller()
    order = make_order()
    pay_order(order)
    page = client.get(order_url(order)).content.decode()
    titles = re.findall(r'<h2 class="(?:sheet|slip)__title" id="([a-z]+)"', page)
    assert titles[:4] == ["articles", "montants", "suivi", "coordonnees"]
