"""Above an amount that the owner sets, who refunds proves again who they are."""

from __future__ import annotations

import html
import json
import re
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.tests.people import PASSWORD, make_admin, prove
from orders.models import Order, RefundRequest
from orders.services.refunds.decisions import request_refund
from orders.tests.factories import make_order, make_product, make_seller, new_key, pay_order
from orders.tests.memory_provider import MemoryProvider
from shop.core.models import ShopSettings
from shop.core.shop_settings import save_shop_settings

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]

ASKED = "Confirmez que c'est bien vous"


@pytest.fixture(autouse=True)
def provider(monkeypatch: pytest.MonkeyPatch) -> None:
    make_seller()
    MemoryProvider().install(monkeypatch)


@pytest.fixture
def order() -> Order:
    """Two pieces at 150.00."""
    return pay_order(make_order((make_product(price="150.00", stock_quantity=5), 2)))


@pytest.fixture
def admin(client: Client) -> Client:
    client.force_login(make_admin())
    return client


def set_limit(limit: str | None) -> None:
    settings = ShopSettings.load()
    settings.refund_confirmation_above = None if limit is None else Decimal(limit)
    save_shop_settings(settings)
    # What drops it waits for a commit, which no test has.
    cache.clear()


def call(client: Client, order: Order, body: Any, key: str | None = None) -> Any:
    return client.post(
        f"/api/admin/orders/{order.pk}/refund",
        json.dumps(body),
        content_type="application/json",
        headers={"idempotency-key": key or new_key()},
    )


@pytest.mark.parametrize(
    ("limit", "amount", "is_asked"),
    [
        ("200.00", "200.00", False),
        ("200.00", "200.01", True),
        ("0.00", "0.01", True),
        (None, "300.00", False),
    ],
)
def test_a_call_above_the_limit_is_refused_until_a_proof(
    admin: Client, order: Order, limit: str | None, amount: str, is_asked: bool
) -> None:
    set_limit(limit)
    answer = call(admin, order, {"amount": amount})

    if not is_asked:
        assert answer.status_code == 202
        return
    assert (answer.status_code, answer["Content-Type"]) == (403, "application/problem+json")
    assert answer.json()["code"] == "reauthentication_required"
    assert answer.json()["confirm_url"] == "/espace-membre/confirmer"
    assert not RefundRequest.objects.exists()

    assert admin.post("/espace-membre/confirmer", {"proof_password": PASSWORD}).status_code == 302
    assert call(admin, order, {"amount": amount}).status_code == 202


def test_everything_that_is_left_counts_by_its_amount_and_a_repetition_needs_no_proof(
    admin: Client, order: Order
) -> None:
    key = new_key()
    assert call(admin, order, {}, key).status_code == 403
    prove(admin, User.objects.get())
    assert call(admin, order, {}, key).status_code == 202
    session = admin.session
    del session["account_authentication_methods"]
    session.save()

    assert call(admin, order, {}, key).status_code == 202
    assert RefundRequest.objects.count() == 1


def test_a_status_that_refunds_asks_too(admin: Client, order: Order) -> None:
    address = f"/api/admin/orders/{order.pk}/status"
    body = {"status": "cancelled", "refund": True}
    refused = admin.post(address, json.dumps(body), content_type="application/json")

    assert (refused.status_code, refused.json()["code"]) == (403, "reauthentication_required")
    assert not RefundRequest.objects.exists()
    prove(admin, User.objects.get())
    assert admin.post(address, json.dumps(body), content_type="application/json").status_code == 200
    assert RefundRequest.objects.get().order_id == order.pk


def test_several_small_refunds_do_not_pass_below_the_limit(admin: Client, order: Order) -> None:
    set_limit("200.00")
    key = new_key()
    assert call(admin, order, {"amount": "120.00"}, key).status_code == 202
    refused = call(admin, order, {"amount": "80.01"})
    assert (refused.status_code, refused.json()["code"]) == (403, "reauthentication_required")
    # A second click is the same refund; what stays within the limit passes, and another order counts for itself.
    assert call(admin, order, {"amount": "120.00"}, key).status_code == 202
    assert call(admin, order, {"amount": "80.00"}).status_code == 202
    other = pay_order(make_order((make_product("Hibou", price="150.00"), 1)))
    assert call(admin, other, {"amount": "150.00"}).status_code == 202
    # For a day.
    RefundRequest.objects.update(created_at=timezone.now() - timedelta(hours=23, minutes=59))
    assert call(admin, order, {"amount": "80.01"}).status_code == 403
    RefundRequest.objects.update(created_at=timezone.now() - timedelta(hours=24, seconds=1))
    assert call(admin, order, {"amount": "80.01"}).status_code == 202
    assert RefundRequest.objects.count() == 4


def test_several_small_refunds_at_once_do_not_pass_below_the_limit_either(
    admin: Client, order: Order, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each was judged before the others were decided: it is judged again under the order's lock."""
    set_limit("200.00")
    decide = request_refund

    def after_another(**demand: Any) -> RefundRequest:
        decide(order_id=order.pk, key=new_key(), amount=Decimal("120.00"))
        return decide(**demand)

    monkeypatch.setattr("orders.api.refunds.request_refund", after_another)
    refused = call(admin, order, {"amount": "80.01"})
    assert (refused.status_code, refused.json()["code"]) == (403, "reauthentication_required")
    assert [request.amount for request in RefundRequest.objects.all()] == [Decimal("120.00")]


SETTINGS = "/admin/reglages/paiement"


def filled_in(client: Client, **typed: str) -> dict[str, str]:
    """The form as it is shown, with what is typed."""
    seen = re.search(r'name="seen" value="([^"]*)"', client.get(SETTINGS).content.decode())
    assert seen is not None
    shown = {"installments_enabled": "on", "installments_minimum": "150", "refund_confirmation_above": "200"}
    return {**shown, "seen": seen[1], **typed}


def test_the_limit_itself_is_changed_after_a_proof(admin: Client, order: Order) -> None:
    typed = filled_in(admin, refund_confirmation_above="")
    asked = admin.post(SETTINGS, typed)
    assert (asked.status_code, ASKED in html.unescape(asked.content.decode())) == (200, True)
    assert ShopSettings.objects.get().refund_confirmation_above == Decimal("200.00")
    assert call(admin, order, {"amount": "200.01"}).status_code == 403

    assert admin.post(SETTINGS, typed | {"proof_password": PASSWORD}).status_code == 302
    assert ShopSettings.objects.get().refund_confirmation_above is None


def test_other_settings_of_the_page_ask_for_no_proof(admin: Client) -> None:
    assert admin.post(SETTINGS, filled_in(admin, installments_minimum="180")).status_code == 302
    assert ShopSettings.objects.get().installments_minimum == Decimal("180.00")
