"""Placing an order: priced, agreed, its stock held, in one transaction that either happens or does not."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from decimal import Decimal

from django.db import transaction
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from accounts.models import User
from catalog.services.reviews import adopt_reviews
from catalog.services.stock import OutOfStock
from orders.journal import record_event
from orders.models import Attempt, AttemptState, Order, OrderItem, Payment, PaymentMode, PaymentState
from orders.pricing.installments import SMALLEST_CHARGE
from orders.pricing.quote import Quote
from orders.search_index import index_placed_order
from orders.selectors.destinations import is_stopped, not_served, place_at
from orders.selectors.mandate import mandate_text
from orders.selectors.quotes import CartQuote, QuotedLine, RequestedLine, columns_of, quote_cart
from orders.selectors.workshop import QUEUE_LOCK
from orders.services.carts.saved_carts import add_ordered_lines
from orders.services.checkout.oss_number import refuse_without_oss_number
from orders.services.checkout.unpaid_holds import holder_of, limit_unpaid_holds
from orders.services.status.stock_holds import hold_for_order
from orders.stripe.gateway import CHECKOUT_SESSION_LIFETIME, SHORTEST_CHECKOUT_SESSION
from shop.core.content_version import agreed_content_version
from shop.core.dates import day_in_words
from shop.core.fragment_cache import fragments_of
from shop.core.members import find_open_member
from shop.core.models import ShopSettings
from shop.core.money import to_cents
from shop.core.postcodes import OTHER_COUNTRY
from shop.core.problems import Problem
from shop.core.transaction_locks import lock_names
from shop.terms.versions import agree_to_terms


@dataclass(frozen=True, slots=True)
class BillingDetails:
    """Who is billed, where that is not the address of the delivery."""

    name: str
    address: str
    postal_code: str
    city: str
    country: str
    company: str = ""
    company_number: str = ""
    custom_country: str = ""


@dataclass(frozen=True, slots=True)
class GiftDetails:
    """Who receives the parcel in the customer's stead, and what the slip in it says to them."""

    recipient: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class CustomerDetails:
    """Who orders, and where it goes. `country` is ISO 3166-1 alpha-2, ZZ for « Autre » named by `custom_country`."""

    email: str
    first_name: str
    last_name: str
    address: str
    postal_code: str
    city: str
    country: str
    custom_country: str = ""
    phone: str = ""
    notes: str = ""
    billing: BillingDetails | None = None
    gift: GiftDetails | None = None

    def columns(self) -> dict[str, str]:
        """Return the values of an order's personal columns."""
        own = asdict(self)
        billing, gift = own.pop("billing") or {}, own.pop("gift") or {}
        return {
            **own,
            **{f"billing_{name}": value for name, value in billing.items()},
            **{f"gift_{name}": value for name, value in gift.items()},
        }


@dataclass(frozen=True, slots=True)
class CheckoutRequest:
    """What a customer agreed to. `expected_total` is the total in euros that they saw above the button, `expected_date`
    the last day of the delivery; None when they were shown none. `terms_version` is the number of the terms of sale
    that their page led to, "" where it had none, None of a client that names none.
    """

    idempotency_key: str
    lines: tuple[RequestedLine, ...]
    customer: CustomerDetails
    payment_mode: str
    expected_total: Decimal
    language: str
    expected_date: date | None = None
    terms_version: str | None = None

    def fingerprint(self) -> str:
        """Return a digest of the demand, so that a key can't be reused for another one."""
        content = asdict(self)
        content.pop("idempotency_key")
        content.pop("language")
        content.pop("terms_version")
        text = json.dumps(content, sort_keys=True, default=str, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()


class CartChanged(Problem):
    """The cart can't be ordered as it was agreed. Carries the fresh quote for the customer to accept or not."""

    def __init__(self, code: str, detail: str, quote: CartQuote) -> None:
        super().__init__(code, detail, 409)
        self.quote = quote


@dataclass(frozen=True, slots=True)
class PlacedOrder:
    """An order as it was just written, with its lines and the attempt to collect what is due now."""

    order: Order
    items: list[OrderItem]
    attempt: Attempt


def place_order(
    request: CheckoutRequest,
    *,
    find_buyer: Callable[[Order], User | None],
    address: str = "",
    demand_digest: str = "",
) -> PlacedOrder:
    """Write the order, `pending`, with its payment and first attempt, and hold its stock.

    `find_buyer` runs inside the transaction: a sign-up with this order exists only if the order does.
    `address` is the IP address that asks, "" when there is none. `demand_digest` names the demand and who makes it: one
    unpaid order may bear it. The date is promised here (L216-1): one order after the other, so that each counts the
    pieces of those before.
    Raises CartChanged (409) when lines can't be bought, the total differs from the agreed one or the delivery would be
    later; Problem `terms_changed` (409) when other terms were published since; TooManyUnpaid (409) when this address or
    mailbox holds too much stock already; Problem for a cart or payment mode that can't be ordered; IntegrityError when
    another request took the idempotency key or made the same demand in the same moment. Whatever is raised, nothing was
    written.
    """
    if not request.lines:
        raise Problem("empty_cart", _("Votre panier est vide."), 400)
    customer = request.customer
    with fragments_of(agreed_content_version()):
        place = place_at(customer.country, customer.custom_country, customer.postal_code)
    named = "customer.customCountry" if customer.country == OTHER_COUNTRY else "customer.country"
    if is_stopped(place):
        raise not_served(named)
    if customer.billing is None or not customer.billing.company_number:
        refuse_without_oss_number(place, request.expected_total, field=named)
    try:
        with transaction.atomic():
            placed = _write_order(request, find_buyer, demand_digest)
            holder = holder_of(address=address, email=placed.order.email)
            if hold_for_order(placed.order, placed.items, **asdict(holder)):
                limit_unpaid_holds(holder)
            add_ordered_lines(order=placed.order, lines=request.lines)
            return placed
    except OutOfStock:
        # Somebody else took the last piece between the quote and the hold.
        quote = _price(request)
        raise CartChanged("out_of_stock", _("Rupture de stock"), quote) from None


def _price(request: CheckoutRequest, now: datetime | None = None) -> CartQuote:
    customer = request.customer
    # Rules and photos are those of the content as it is at this moment, after whatever the request waited for; prices,
    # stock and terms are read.
    with fragments_of(agreed_content_version()):
        return quote_cart(
            request.lines,
            destination=customer.country,
            custom_country=customer.custom_country,
            postal_code=customer.postal_code,
            now=now,
        )


def _write_order(
    request: CheckoutRequest, find_buyer: Callable[[Order], User | None], demand_digest: str
) -> PlacedOrder:
    if ShopSettings.load().weekly_capacity is not None:
        lock_names([QUEUE_LOCK])
    # One moment for the prices, the promise and the order: a promotion runs at it or does not.
    now = timezone.now()
    cart = _price(request, now)
    _refuse_changed(cart, request)
    quote = cart.quote
    order_id = uuid.uuid4()
    order = Order.objects.create(
        id=order_id,
        reference=order_id.hex[-8:].upper(),
        language=request.language,
        payment_mode=request.payment_mode,
        terms_version=agree_to_terms(request.terms_version),
        terms_accepted_at=now,
        idempotency_key=request.idempotency_key,
        request_fingerprint=request.fingerprint(),
        demand_digest=demand_digest,
        created_at=now,
        **columns_of(quote),
        **request.customer.columns(),
    )
    # After the row with the unique key: a repeated request stops there, before it signs anybody up.
    buyer = find_buyer(order)
    if buyer is not None:
        account = _keep_account(buyer)
        order.user = buyer
        if order.email == buyer.email:
            # It may have changed since the request began: what moves then would not find this order.
            order.email = account.email
        order.save(update_fields=["user", "email", "updated_at"])
    items = OrderItem.objects.bulk_create(order_items(order, cart.lines))
    index_placed_order(order, items)
    attempt = prepare_attempt(_write_payments(order, quote, timezone.localdate(now)))
    record_event(order, "order.placed", actor=buyer, total=str(order.total), mode=order.payment_mode)
    return PlacedOrder(order, items, attempt)


def _keep_account(buyer: User) -> User:
    """Return the account as it is now. Its erasure and a change of its address wait for this order, and find it; an
    erasure that was quicker leaves nobody to order."""
    account: User | None = find_open_member(buyer.pk)
    if account is None:
        raise Problem(
            "account_erased",
            _("Ce compte vient d'être effacé. Commandez sans compte, ou créez-en un autre."),
            409,
        )
    return account


def _write_payments(order: Order, quote: Quote, day: date) -> Payment:
    """What is due and when; returns the payment that is due now."""
    if order.payment_mode != PaymentMode.INSTALLMENTS:
        return Payment.objects.create(order=order, position=1, count=1, amount=quote.total, due_on=day)
    parts = quote.installments.plan
    with translation.override(order.language):
        order.mandate_text = mandate_text(parts, quote.total)
    order.save(update_fields=["mandate_text", "updated_at"])
    first, *_later = [
        Payment.objects.create(
            order=order,
            position=position,
            count=len(parts),
            amount=part.amount,
            due_on=part.due,
            state=PaymentState.DUE if position == 1 else PaymentState.SCHEDULED,
        )
        for position, part in enumerate(parts, start=1)
    ]
    return first


def prepare_attempt(payment: Payment, *, number: int = 1) -> Attempt:
    """Write an attempt to collect `payment` on the hosted page; the provider does not know it yet."""
    return Attempt.objects.create(
        payment=payment,
        number=number,
        amount_cents=to_cents(payment.amount),
        expires_at=timezone.now() + CHECKOUT_SESSION_LIFETIME,
    )


def renew_attempt(attempt: Attempt, *, only_when_old: bool = False) -> Attempt | None:
    """Replace an attempt whose page could not be had and whose key can't be used again.

    Safe because nobody has the address of a page that was never answered: even if it was made, it can't be paid,
    and it expires by itself. With `only_when_old` only a try whose page would expire too soon is replaced: then
    the refusal of its key shows that no page exists under it. None when the attempt has a page or moved on.
    """
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).get(payments=attempt.payment_id)
        current = Attempt.objects.select_for_update(no_key=True).get(pk=attempt.pk)
        too_old = current.expires_at - SHORTEST_CHECKOUT_SESSION <= timezone.now()
        if current.state != AttemptState.SENT or current.checkout_session_id is not None:
            return None
        if only_when_old and not too_old:
            return None
        current.state = AttemptState.CANCELLED
        current.settled_at = timezone.now()
        current.save(update_fields=["state", "settled_at"])
        record_event(order, "payment.renewed", attempt=str(current.pk))
        return prepare_attempt(current.payment, number=current.number + 1)


def join_orders(user: User, order_ids: Sequence[uuid.UUID]) -> None:
    """Give guests' orders to the member whose address they were placed with.

    An order of somebody else, or with another address, is left alone. Reviews that were written with the proven address
    become the member's, even without an order. Runs in the caller's transaction; locks the orders, oldest key first.
    """
    orders = Order.objects.select_for_update(no_key=True).filter(
        pk__in=order_ids, user=None, email=user.email
    )
    for order in orders.order_by("pk"):
        order.user = user
        order.save(update_fields=["user", "updated_at"])
        record_event(order, "order.joined_account", actor=user)
    adopt_reviews(user_id=user.pk, email=user.email)


def _refuse_changed(cart: CartQuote, request: CheckoutRequest) -> None:
    if not cart.all_available:
        only = {line.problem for line in cart.lines if line.problem}
        code = "out_of_stock" if only <= {"out_of_stock", "insufficient_stock"} else "line_unavailable"
        detail = (
            _("Rupture de stock")
            if only == {"out_of_stock"}
            else _("Certaines pièces de votre panier ne peuvent plus être commandées.")
        )
        raise CartChanged(code, detail, cart)
    if cart.quote.total != request.expected_total:
        raise CartChanged(
            "total_changed", _("Le total de votre panier a changé. Vérifiez-le avant de payer."), cart
        )
    lead = cart.quote.lead_time
    if request.expected_date is not None and lead is not None and lead.latest > request.expected_date:
        raise CartChanged(
            "date_changed",
            _("La date de livraison a changé\u00a0: au plus tard le %(day)s. Vérifiez-la avant de payer.")
            % {"day": day_in_words(lead.latest)},
            cart,
        )
    # Of a total that was agreed: a promotion that began meanwhile is told as such.
    if request.payment_mode == PaymentMode.INSTALLMENTS:
        _refuse_installments(cart)
    if cart.quote.total < SMALLEST_CHARGE:
        raise Problem("total_too_small", _("Le montant minimum d'une commande est de 0,50\u00a0€."), 400)


def _refuse_installments(cart: CartQuote) -> None:
    offer = cart.quote.installments
    if cart.quote.total < offer.minimum:
        raise Problem(
            "installments_minimum",
            _("Le paiement en 3 fois nécessite un montant minimum de %(minimum)s€")
            % {"minimum": f"{offer.minimum:g}" if offer.minimum % 1 else int(offer.minimum)},
            400,
        )
    if not offer.available:
        raise Problem(
            "installments_unavailable", _("Le paiement en 3 fois n'est pas proposé pour l'instant."), 400
        )


def order_items(order: Order, lines: Sequence[QuotedLine]) -> list[OrderItem]:
    """Return the unsaved items of an order for the priced lines of its cart."""
    items: list[OrderItem] = []
    for position, line in enumerate(lines):
        assert line.priced is not None
        sellable = line.sellable
        items.append(
            OrderItem(
                order=order,
                position=position,
                product_id=sellable.product_id,
                variant_id=sellable.variant_id,
                finish=sellable.finish,
                product_name=sellable.name,
                variation_name=sellable.variation_name,
                french_name=_unless_same(sellable.french_name, sellable.name),
                french_variation_name=_unless_same(sellable.french_variation_name, sellable.variation_name),
                category_name=sellable.category_name,
                sku=sellable.sku,
                hs_code=sellable.hs_code,
                origin_country=sellable.origin_country,
                weight_grams=sellable.weight_grams,
                picture=sellable.image.small_jpeg if sellable.image else "",
                promotion_buy=sellable.buy,
                promotion_get=sellable.get,
                quantity=line.priced.quantity,
                free_quantity=line.priced.free_quantity,
                made_quantity=line.made_quantity,
                unit_price=line.priced.unit_price,
                line_total=line.priced.line_total,
            )
        )
    return items


def _unless_same(french: str, name: str) -> str:
    return "" if french == name else french
