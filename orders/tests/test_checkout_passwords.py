"""The checkout's password field takes what every other form takes, and refuses the same without hashing it."""

import pytest

from accounts.models import SignUp
from accounts.tests.people import watch_hashing
from orders.models import Order
from orders.tests.factories import checkout_body, line, make_product

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("password", "fields"),
    [
        ("1234567", {"account.password"}),
        ("password123", {"account.password"}),
        ("lea@example.com", {"account.password"}),
        ("x" * 300, {"account.password"}),
        ("x" * 1_000_000, {"account.password"}),
        ("atelier\x00figurine", set()),
    ],
    ids=["seven characters", "common", "the address", "300 characters", "a megabyte", "a NUL"],
)
def test_sign_up_with_a_bad_password_orders_nothing_and_hashes_nothing(
    fake_stripe, shopper, settings, monkeypatch, password, fields
):
    runs = watch_hashing(settings, monkeypatch)
    account = {"mode": "signup", "password": password}
    body = checkout_body([line(make_product(price="60.00"))], "60.00", account=account)

    answer = shopper.checkout(body)

    assert answer.status_code == 400
    assert {name if "." in name else f"account.{name}" for name in answer.json().get("errors", {})} == fields
    assert runs == []
    assert (Order.objects.count(), SignUp.objects.count()) == (0, 0)
