"""A member's cart, written by several browsers, by orders and by payments: nothing is lost, nothing counts twice.

- A browser that follows the cart writes it whole and names the version that it changed. Another one in between is a
  conflict: the browser adds its own changes to the cart of now and asks again.
- A browser that signs in joins its cart: of each thing the larger quantity stays, so joining twice changes nothing.
- What is ordered is in the cart until it is paid, and leaves it with the payment.

Each device numbers its writes: one that arrives again, because its answer was lost, changes nothing. The row of the
cart is the last lock but that of an invoice's number.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from orders.models import Order, SavedCart
from orders.selectors.quotes import MAX_LINES, MAX_QUANTITY, RequestedLine
from shop.core.members import lock_member
from shop.core.problems import Problem

# Devices whose latest write is remembered, and unpaid orders whose lines are.
MAX_DEVICES = 20
MAX_ORDERS = 10

_Thing = tuple[int, int | None, str]
_Quantities = dict[_Thing, int]


class CartConflict(Problem):
    """The cart is of another version than the one that was changed. Carries the cart of now."""

    def __init__(self, cart: SavedCart) -> None:
        super().__init__("cart_conflict", _("Votre panier a changé sur un autre appareil."), 409)
        self.cart = cart


def write_saved_cart(
    *, user_id: int, lines: Sequence[RequestedLine], version: int | None, device: str = "", number: int = 0
) -> SavedCart:
    """Write the cart of a browser: in place of `version`, or joined to what is saved when that is None.

    `device` and `number` name the write, "" when the browser does not; one that was done before only answers with the
    cart of now. Raises CartConflict, Problem `cart_full` (409) when both carts together have too many lines; nothing
    changes then; and `NotAuthenticated` (see `lock_member`).
    """
    wanted = _quantities(line_values(lines))
    with transaction.atomic():
        lock_member(user_id)
        cart = _locked(user_id)
        if device and number <= dict(cart.writes).get(device, 0):
            return cart
        if version is None:
            saved = _quantities(cart.lines)
            wanted = saved | {thing: max(saved.get(thing, 0), quantity) for thing, quantity in wanted.items()}
        elif version != cart.version:
            raise CartConflict(cart)
        if len(wanted) > MAX_LINES:
            raise Problem(
                "cart_full",
                _(
                    "Un panier contient au plus %(count)d articles différents. Retirez-en pour retrouver les autres."
                )
                % {"count": MAX_LINES},
                409,
            )
        if device:
            others = [write for write in cart.writes if write[0] != device]
            cart.writes = [*others, [device, number]][-MAX_DEVICES:]
        _write(cart, wanted)
        return cart


def add_ordered_lines(*, order: Order, lines: Sequence[RequestedLine]) -> None:
    """Put what a member has ordered into their cart, where it stays until it is paid.

    Usually it is there. Who signs in while ordering has it in the browser alone, and their payment may be known before
    that browser joins it. Runs in the transaction of the order, as its last write.
    """
    if order.user_id is None:
        return
    cart = _locked(order.user_id)
    ordered = line_values(lines)
    cart.ordered = [*cart.ordered, {"order": str(order.pk), "lines": ordered}][-MAX_ORDERS:]
    saved = _quantities(cart.lines)
    joined = saved | {
        thing: max(saved.get(thing, 0), quantity) for thing, quantity in _quantities(ordered).items()
    }
    # Never so many that the browsers could not write the cart any more.
    _write(cart, joined if len(joined) <= MAX_LINES else saved)


def remove_paid_lines(order: Order) -> None:
    """Take what was paid out of its customer's cart; what was added meanwhile stays.

    Runs in the transaction of the payment. An order that was a guest's when it was placed is in no cart.
    """
    if order.user_id is None:
        return
    cart = SavedCart.objects.select_for_update().filter(user_id=order.user_id).first()
    paid = next((each for each in cart.ordered if each["order"] == str(order.pk)), None) if cart else None
    if cart is None or paid is None:
        return
    cart.ordered = [each for each in cart.ordered if each is not paid]
    bought = _quantities(paid["lines"])
    left = {thing: quantity - bought.get(thing, 0) for thing, quantity in _quantities(cart.lines).items()}
    _write(cart, {thing: quantity for thing, quantity in left.items() if quantity > 0})


def line_values(lines: Iterable[RequestedLine]) -> list[dict[str, Any]]:
    """Return lines as rows hold them."""
    return [
        {
            "product_id": line.product_id,
            "variation_id": line.variation_id,
            "finish": line.finish,
            "quantity": line.quantity,
        }
        for line in lines
    ]


def _locked(user_id: int) -> SavedCart:
    """The member's row, made when there is none. Two queries for one that exists."""
    SavedCart.objects.bulk_create([SavedCart(user_id=user_id)], ignore_conflicts=True)
    return SavedCart.objects.select_for_update().get(user_id=user_id)


def _write(cart: SavedCart, quantities: _Quantities) -> None:
    lines = [
        {"product_id": product_id, "variation_id": variation_id, "finish": finish, "quantity": quantity}
        for (product_id, variation_id, finish), quantity in quantities.items()
    ]
    if lines != cart.lines:
        cart.lines = lines
        cart.version += 1
    cart.save()


def _quantities(lines: Iterable[dict[str, Any]]) -> _Quantities:
    """Each thing once: lines of the same thing are one, up to the most of a line."""
    found: _Quantities = {}
    for line in lines:
        thing = (line["product_id"], line["variation_id"], line["finish"])
        found[thing] = min(found.get(thing, 0) + line["quantity"], MAX_QUANTITY)
    return found
