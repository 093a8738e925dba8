"""One member's cart, written at one instant by several devices, an order and a payment."""

from __future__ import annotations

from functools import partial

import pytest

from accounts.models import User
from accounts.tests.people import make_member
from orders.models import SavedCart
from orders.selectors.quotes import RequestedLine
from orders.services.carts.saved_carts import CartConflict, write_saved_cart
from orders.tests.factories import make_order, make_product, pay_order
from tests.races.concurrency import run_concurrently, values

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

DEVICES = 8


@pytest.fixture
def member() -> User:
    return make_member()


def thing(product_id: int, quantity: int = 1) -> RequestedLine:
    return RequestedLine(product_id, None, "", quantity)


def saved() -> dict[int, int]:
    return {row["product_id"]: row["quantity"] for row in SavedCart.objects.get().lines}


def add(user_id: int, added: RequestedLine, device: int) -> int:
    """What a browser does: its own change, made again on the cart of now as long as others were faster. The tries."""
    cart: SavedCart | None = None
    for number in range(1, 50):
        lines = [RequestedLine(**row) for row in cart.lines] if cart else []
        known = next((row for row in lines if row.product_id == added.product_id), thing(added.product_id, 0))
        lines = [row for row in lines if row is not known]
        lines.append(thing(added.product_id, known.quantity + added.quantity))
        version = cart.version if cart else 0
        try:
            write_saved_cart(
                user_id=user_id, lines=lines, version=version, device=f"{device:032x}", number=number
            )
            return number
        except CartConflict as conflict:
            cart = conflict.cart
    raise AssertionError("never written")


def test_devices_that_add_at_once_lose_and_double_nothing(member, figures):
    tries = values(
        run_concurrently(
            [partial(add, member.pk, thing(1 + device // 2, device + 1), device) for device in range(DEVICES)]
        )
    )

    assert saved() == {1: 1 + 2, 2: 3 + 4, 3: 5 + 6, 4: 7 + 8}
    assert SavedCart.objects.get().version == DEVICES
    figures(devices=DEVICES, tries=sum(tries))


def test_browsers_that_sign_in_at_once_join_all_their_carts(member):
    values(
        run_concurrently(
            [
                partial(
                    write_saved_cart,
                    user_id=member.pk,
                    lines=[thing(99, device + 1), thing(device + 1)],
                    version=None,
                )
                for device in range(DEVICES)
            ]
        )
    )

    assert saved() == {99: DEVICES, **dict.fromkeys(range(1, DEVICES + 1), 1)}


def test_one_write_that_arrives_many_times_at_once_counts_once(member):
    write = partial(
        write_saved_cart, user_id=member.pk, lines=[thing(1)], version=0, device="a" * 32, number=1
    )
    carts = values(run_concurrently([write] * DEVICES))

    assert {cart.version for cart in carts} == {1}
    assert saved() == {1: 1}


def test_piece_added_while_another_is_paid_stays(member):
    piece = make_product()
    write_saved_cart(user_id=member.pk, lines=[thing(piece.pk)], version=0)
    order = make_order((piece, 1), user=member)

    calls = [partial(add, member.pk, thing(10_000 + device), device) for device in range(4)]
    values(run_concurrently([partial(pay_order, order), *calls]))

    assert saved() == {10_000 + device: 1 for device in range(4)}
    assert SavedCart.objects.get().ordered == []
