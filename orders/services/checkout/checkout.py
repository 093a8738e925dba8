"""From a filled-in form to the address of the payment page."""

import logging
import uuid
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import IntegrityError
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from orders.models import (
    LIVE_ATTEMPTS,
    Attempt,
    AttemptState,
    Order,
    OrderItem,
    OrderStatus,
    PaymentMode,
    StockHold,
    StockHoldState,
)
from orders.selectors.orders import order_path
from orders.services.checkout.placement import CheckoutRequest, PlacedOrder, place_order, renew_attempt
from orders.services.checkout.unpaid_holds import TooManyUnpaid, holder_of
from orders.services.payments.checkout_sessions import abandon_order, open_checkout_session
from orders.stripe import gateway
from shop.core.client_address import network_of
from shop.core.log_lines import note_order
from shop.core.models import ShopSettings
from shop.core.problems import Problem

if TYPE_CHECKING:
    from accounts.models import User

logger = logging.getLogger(__name__)

REUSE_MARGIN = timedelta(minutes=10)
"""What must be left of a payment page's life for it to answer a second tab."""


@dataclass(frozen=True, slots=True)
class CheckedOut:
    """The order and where its customer pays. `created` is False when an earlier request made it."""

    order: Order
    url: str
    created: bool


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who asks: an IP address ("" when there is none), the orders that this browser made, the member signed in, and
    whether they sign up with the order."""

    address: str = ""
    orders: tuple[uuid.UUID, ...] = ()
    member_id: int | None = None
    signs_up: bool = False

    def digest(self, request: CheckoutRequest) -> str:
        """Return the keyed digest of what this visitor demands; "" for who has no address to be known by.

        Addresses and cart alone would let a stranger who knows them into the order.
        """
        if not self.address:
            return ""
        author = f"{network_of(self.address)}\n{self.member_id}\n{self.signs_up}"
        text = f"{author}\n{request.fingerprint()}"
        return salted_hmac("orders.demand", text, algorithm="sha256").hexdigest()


def check_out(
    request: CheckoutRequest, *, find_buyer: "Callable[[Order], User | None]", visitor: Visitor
) -> CheckedOut:
    """Make the order once, and open its payment page once.

    The same key and demand give the same order and page, however often and however much at once. So does the same
    demand under another key (a second tab) as long as the order is unpaid and its page has `REUSE_MARGIN` left. The
    visitor's other unpaid orders are closed first, page and all, and their stock is released: a customer never competes
    with a try of their own, and never has two pages open that sell the same piece.

    Raises CartChanged, TooManyUnpaid (409), Problem `idempotency_key_reused` (422), `order_closed`, `already_paid` or
    `payment_in_review` (409), `payment_unavailable` or `payments_disabled` (503: nothing is lost, the same key may be
    tried again).
    """
    digest = visitor.digest(request)
    order = _find_order(request, digest)
    placed: PlacedOrder | None = None
    if order is None:
        if not gateway.is_configured() or not _may_sell():
            raise _payments_disabled()
        for earlier in _earlier_orders(request, visitor):
            _replace(earlier)
        try:
            placed = place_order(
                request, find_buyer=find_buyer, address=visitor.address, demand_digest=digest
            )
            order = placed.order
        except (IntegrityError, Problem) as refusal:
            # The same key or demand was placed by a request that ran at the same time. What looks like a refusal may
            # be its doing too: it took the last piece, which is this customer's.
            order = _find_order(request, digest)
            if order is None:
                if isinstance(refusal, TooManyUnpaid):
                    _name_open_order(refusal, visitor)
                raise
    note_order(order.pk)
    url = _payment_page(order) if placed is None else _first_page(placed)
    return CheckedOut(order=order, url=url, created=placed is not None)


def _find_order(request: CheckoutRequest, digest: str) -> Order | None:
    """Return the order that this key made before, else the unpaid one of this demand. One query where there is none.
    Raises Problem 422 as `find_placed_order`."""
    theirs = Q(idempotency_key=request.idempotency_key)
    if digest:
        theirs |= Q(demand_digest=digest, status=OrderStatus.PENDING)
    rows = Order.objects.filter(theirs)
    if not rows.exists():
        # Nearly every request: asking for an order's sixty columns costs three times as much.
        return None
    found = {order.idempotency_key == request.idempotency_key: order for order in rows}
    return _same_demand(found[True], request) if True in found else _still_open(found.get(False))


def find_placed_order(request: CheckoutRequest) -> Order | None:
    """Return the order that this key made before. Raises Problem 422 when it was another demand."""
    order = Order.objects.filter(idempotency_key=request.idempotency_key).first()
    return None if order is None else _same_demand(order, request)


def _same_demand(order: Order, request: CheckoutRequest) -> Order:
    if order.request_fingerprint != request.fingerprint():
        raise Problem(
            "idempotency_key_reused",
            _("Cette demande a déjà servi à une autre commande. Rechargez la page."),
            422,
        )
    return order


def _still_open(order: Order | None) -> Order | None:
    """Return the unpaid order of a demand. One whose page is about to close, or closed, gives its place up; one whose
    payment staff look at keeps it."""
    if order is None:
        return None
    is_open = Q(state__in=LIVE_ATTEMPTS, expires_at__gt=timezone.now() + REUSE_MARGIN)
    holding = Attempt.objects.filter(is_open | Q(state=AttemptState.REVIEW), payment__order=order)
    if holding.exists():
        return order
    Order.objects.filter(pk=order.pk, status=OrderStatus.PENDING).update(demand_digest="")
    return None


def _payment_page(order: Order) -> str:
    attempts = Attempt.objects.filter(payment__order=order).select_related("payment__order")
    attempt = attempts.order_by("payment__position", "-number").first()
    assert attempt is not None
    if order.status == OrderStatus.PENDING and attempt.state == AttemptState.REVIEW:
        # Money came that does not fit: another page could take it twice.
        raise Problem(
            "payment_in_review",
            _(
                "Votre paiement est en cours de vérification\u00a0: ne payez pas une seconde fois. Nous vous écrivons "
                "dès qu'il est confirmé."
            ),
            409,
        )
    if order.status != OrderStatus.PENDING or attempt.state not in LIVE_ATTEMPTS:
        if attempt.state == AttemptState.SUCCEEDED and attempt.checkout_session_url:
            # A repeated request after the payment: the same answer as before.
            return attempt.checkout_session_url
        raise Problem("order_closed", _("Cette commande n'attend plus de paiement. Rechargez la page."), 409)
    if attempt.checkout_session_url:
        return attempt.checkout_session_url
    return _opened(order, lambda: _open(attempt))


def _first_page(placed: PlacedOrder) -> str:
    """Open the page of an order that was just placed. Whether somebody closed it meanwhile is seen when it is open."""
    return _opened(placed.order, lambda: _open(placed.attempt, placed.items))


def _opened(order: Order, open_page: Callable[[], str]) -> str:
    try:
        return open_page()
    except gateway.GatewayNotConfigured:
        raise _payments_disabled() from None
    except gateway.GatewayRefused as error:
        logger.error("order %s: the payment page was refused: %s", order.pk, error)
        detail = (
            _("Erreur lors de la création du paiement en 3 fois")
            if order.payment_mode == PaymentMode.INSTALLMENTS
            else _("Erreur lors de la création du paiement")
        )
        raise Problem("payment_refused", detail, 503) from None
    except gateway.GatewayUnavailable:
        raise _payment_unavailable() from None


def _open(attempt: Attempt, items: Sequence[OrderItem] | None = None) -> str:
    try:
        return open_checkout_session(attempt, items)
    except gateway.GatewayUnavailable as error:
        attempt.refresh_from_db()
        if attempt.checkout_session_url:
            # A request with the same key was being answered, and this one was refused until later.
            return attempt.checkout_session_url
        if error.stored:
            # A page that may exist and whose address nobody has can't be paid: the next click may make another.
            renew_attempt(attempt)
        raise
    except gateway.GatewayRefused:
        renewed = renew_attempt(attempt, only_when_old=True)
        if renewed is None:
            raise
        return open_checkout_session(renewed)


def _earlier_orders(request: CheckoutRequest, visitor: Visitor) -> list[uuid.UUID]:
    """The unpaid orders that this one takes the place of: those of this browser, and those with counted stock of the
    same member or of the same mailbox from the same network. An e-mail address alone closes nothing: anybody can type
    it. One query where there is none."""
    orders = set(visitor.orders)
    theirs = Q()
    if visitor.member_id is not None:
        theirs |= Q(order__user=visitor.member_id)
    if visitor.address:
        theirs |= Q(**asdict(holder_of(address=visitor.address, email=request.customer.email)))
    if theirs:
        held = StockHold.objects.filter(theirs, state=StockHoldState.HELD)
        orders.update(held.order_by().values_list("order", flat=True))
    if not orders:
        return []
    unpaid = Order.objects.filter(pk__in=orders, status=OrderStatus.PENDING).order_by("created_at")
    return list(unpaid.values_list("pk", flat=True))


def _name_open_order(refusal: TooManyUnpaid, visitor: Visitor) -> None:
    """Add the address of the order that holds the units, when this browser made it and its page could not be closed."""
    order = Order.objects.filter(pk__in=visitor.orders, status=OrderStatus.PENDING).first()
    if order is not None:
        refusal.extra["order_url"] = order_path(order)


def _replace(order_id: uuid.UUID) -> None:
    try:
        paid = abandon_order(order_id)
    except gateway.GatewayUnavailable:
        # The earlier order still holds its pieces: going on would show its own customer that they are sold. And
        # asking for the new page as well would keep them waiting twice as long for the same answer.
        raise _payment_unavailable() from None
    except gateway.GatewayError:
        # The page can't be closed now; it expires by itself and gives its stock back then.
        return
    if paid is not None:
        raise Problem(
            "already_paid",
            _("Votre commande précédente vient d'être payée."),
            409,
            extra={"order_id": str(paid.pk), "reference": paid.reference, "order_url": order_path(paid)},
        )


def _may_sell() -> bool:
    """Outside development nothing is sold before the mentions that the law asks for are filled in (L221-5, L616-1)."""
    return settings.DEBUG or not ShopSettings.load().missing_legal_fields()


def _payments_disabled() -> Problem:
    return Problem(
        "payments_disabled",
        _(
            "Le paiement en ligne est fermé pour le moment. Votre panier est intact\u00a0: réessayez plus tard."
        ),
        503,
    )


def _payment_unavailable() -> Problem:
    return Problem(
        "payment_unavailable",
        _("Le service de paiement ne répond pas. Rien n'a été débité et votre panier est intact. Réessayez."),
        503,
    )
