"""Orders of the demonstration: the demo member has one in every status, guests bought through the year before."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone, translation

from catalog.models import Product
from orders.invoices.contracts import freeze_contract
from orders.invoices.documents import ensure_document
from orders.invoices.issuing import issue_credit_note, issue_invoice
from orders.journal import record_event
from orders.models import (
    Attempt,
    AttemptState,
    BalanceMovement,
    Invoice,
    LedgerEntry,
    LedgerKind,
    Order,
    OrderItem,
    OrderStatus,
    OrderTracking,
    Payment,
    PaymentState,
    Payout,
    PayoutState,
    Refund,
    RefundLine,
    RefundRequest,
    RefundState,
)
from orders.models.payment import DEMONSTRATION_MOVEMENT
from orders.models.states import ActorKind
from orders.search_index import index_order
from orders.selectors.quotes import RequestedLine, columns_of, quote_cart
from orders.services.checkout.placement import order_items
from orders.services.status.mails import withdraw_status_mails
from orders.services.status.transitions import transition
from orders.stripe.gateway import CHECKOUT_SESSION_LIFETIME
from shop.core.demo import CLIENT, demo_part
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.money import ZERO, quantize, to_cents
from shop.terms.versions import current_number

_YEAR = 360
_FIRST = 25
"""Days: the sales begin a year ago; the latest are old enough to have been delivered."""


@dataclass(frozen=True, slots=True)
class Buyer:
    """An invented customer."""

    first_name: str
    last_name: str
    address: str
    postal_code: str
    city: str
    country: str = "FR"

    @property
    def email(self) -> str:
        return CLIENT if self == CAMILLE else f"{self.first_name.lower()}@example.com"


@dataclass(frozen=True, slots=True)
class Sale:
    """An order of the past: how many days ago, which product by its place in the list, how many of it."""

    days: int
    buyer: Buyer
    product: int
    quantity: int
    status: OrderStatus


CAMILLE = Buyer("Camille", "Exemple", "12 rue des Lilas", "69003", "Lyon")
_GUESTS = (
    Buyer("Sacha", "Modèle", "4 quai du Port", "13002", "Marseille"),
    Buyer("Alix", "Gabarit", "27 rue Haute", "67000", "Strasbourg"),
    Buyer("Robin", "Muster", "Lindenstraße 8", "50674", "Köln", "DE"),
    Buyer("Noa", "Maquette", "9 place du Marché", "35000", "Rennes"),
    Buyer("Lou", "Ejemplo", "Calle Mayor 15", "46001", "Valencia", "ES"),
    Buyer("Charlie", "Ébauche", "31 rue des Tanneurs", "59800", "Lille"),
    Buyer("Andrea", "Voorbeeld", "Kerkstraat 12", "9000", "Gent", "BE"),
    Buyer("Maxime", "Croquis", "2 chemin des Vignes", "33000", "Bordeaux"),
    Buyer("Kim", "Beispiel", "Seeweg 5", "8001", "Zürich", "CH"),
)


def past_sales() -> Iterator[Sale]:
    """Yield some fifty sales, one every four to ten days; every twelfth was refunded."""
    number, days = 0, _YEAR
    while days >= _FIRST:
        yield Sale(
            days=days,
            buyer=_GUESTS[number % len(_GUESTS)],
            product=number * 5 % 8,
            quantity=2 if number % 7 == 3 else 1,
            status=OrderStatus.REFUNDED if number % 12 == 7 else OrderStatus.DELIVERED,
        )
        number += 1
        days -= 4 + number * 3 % 7


_NAMESPACE = uuid.UUID("6f0cbb3a-1c41-4df1-9a7e-7a7d1d3e5a10")

# Status, days since the order, and which of the demo products (by position) with how many units.
_ORDERS: tuple[tuple[OrderStatus, int, tuple[tuple[int, int], ...]], ...] = (
    (OrderStatus.CONFIRMED, 1, ((0, 1),)),
    (OrderStatus.PROCESSING, 8, ((1, 1), (2, 1))),
    (OrderStatus.SHIPPED, 20, ((3, 1),)),
    (OrderStatus.DELIVERED, 75, ((4, 2),)),
    (OrderStatus.CANCELLED, 30, ((5, 1),)),
    (OrderStatus.REFUNDED, 120, ((6, 1),)),
    (OrderStatus.PENDING, 2, ((7, 1),)),
)
_STEPS = (OrderStatus.CONFIRMED, OrderStatus.PROCESSING, OrderStatus.SHIPPED, OrderStatus.DELIVERED)


@demo_part(order=30)
def load_orders() -> None:
    """Write the orders as they would be after the time they pretend to have; running again adds none."""
    client = get_user_model().objects.filter(email=CAMILLE.email).first()
    products = _products()
    if client is None or not products:
        return
    for number, (status, days, wanted) in enumerate(_ORDERS):
        key = f"demo-order-{number}"
        if Order.objects.filter(idempotency_key=key).exists():
            continue
        lines = [
            RequestedLine(products[index % len(products)].pk, None, "", quantity)
            for index, quantity in wanted
        ]
        with transaction.atomic(), translation.override(SOURCE_LANGUAGE):
            _write(CAMILLE, key, status, days, lines, user_id=client.pk)


def _products() -> list[Product]:
    return list(
        Product.objects.filter(is_published=True, in_stock=True, stock_quantity=None).order_by("pk")[:8]
    )


@demo_part(order=31)
def load_past_sales() -> None:
    """Write a year of sales to guests, so that the accounts have something to show; running again adds none."""
    products = _products()
    if not products:
        return
    for number, sale in enumerate(past_sales()):
        key = f"demo-sale-{number}"
        if not Order.objects.filter(idempotency_key=key).exists():
            lines = [RequestedLine(products[sale.product % len(products)].pk, None, "", sale.quantity)]
            with transaction.atomic(), translation.override(SOURCE_LANGUAGE):
                _write(sale.buyer, key, sale.status, sale.days, lines)


@demo_part(order=32)
def typeset_documents() -> None:
    """Typeset the PDFs at once: where no worker runs they would come with the next scheduled job."""
    for invoice in Invoice.objects.filter(document=None).order_by("pk"):
        ensure_document(invoice)


@demo_part(order=33)
def load_payouts() -> None:
    """Write the lines of the provider's account and a payout a month; running again adds none."""
    months: dict[tuple[int, int], list[LedgerEntry]] = {}
    for entry in LedgerEntry.objects.filter(provider_id__startswith=DEMONSTRATION_MOVEMENT):
        months.setdefault((entry.occurred_at.year, entry.occurred_at.month), []).append(entry)
    for (year, month), entries in sorted(months.items())[:-1]:
        name = f"{DEMONSTRATION_MOVEMENT}_po_{year}_{month:02d}"
        lines = [
            BalanceMovement(
                provider_id=f"txn_{entry.provider_id}_{entry.kind}",
                kind="charge" if entry.kind == LedgerKind.CHARGE else "refund",
                amount=entry.amount,
                fee=quantize(entry.amount * Decimal("0.015") + Decimal("0.25")) if entry.amount > 0 else ZERO,
                source_id=entry.provider_id,
                occurred_at=entry.occurred_at,
                available_at=entry.occurred_at + timedelta(days=2),
            )
            for entry in entries
        ]
        amount = sum((line.amount - line.fee for line in lines), ZERO)
        moment = max(line.available_at for line in lines)
        if amount <= 0 or Payout.objects.filter(provider_id=name).exists():
            continue
        with transaction.atomic():
            payout = Payout.objects.create(
                provider_id=name,
                amount=amount,
                state=PayoutState.PAID,
                reference=f"STRIPE-{year}{month:02d}",
                created_at=moment,
                arrives_on=timezone.localdate(moment),
            )
            own = BalanceMovement(
                provider_id=f"txn_{name}",
                kind="payout",
                amount=-amount,
                source_id=name,
                occurred_at=moment,
                available_at=moment,
            )
            for line in (*lines, own):
                line.payout = payout
                line.save()


def _write(
    buyer: Buyer,
    key: str,
    status: OrderStatus,
    days: int,
    lines: list[RequestedLine],
    *,
    user_id: int | None = None,
) -> None:
    now = timezone.now()
    placed = now - timedelta(days=days)
    cart = quote_cart(
        lines,
        destination=buyer.country,
        postal_code=buyer.postal_code,
        now=placed,
    )
    quote = cart.quote
    if not cart.all_available or quote.lead_time is None:
        return
    order_id = uuid.uuid5(_NAMESPACE, key)
    paid = status not in (OrderStatus.PENDING, OrderStatus.CANCELLED)
    order = Order.objects.create(
        id=order_id,
        reference=order_id.hex[-8:].upper(),
        user_id=user_id,
        email=buyer.email,
        first_name=buyer.first_name,
        last_name=buyer.last_name,
        address=buyer.address,
        postal_code=buyer.postal_code,
        city=buyer.city,
        country=buyer.country,
        terms_version=current_number(),
        terms_accepted_at=placed,
        idempotency_key=key,
        request_fingerprint="demo",
        created_at=placed,
        **columns_of(quote),
    )
    OrderItem.objects.bulk_create(order_items(order, cart.lines))
    index_order(order)
    _pay(order, quote.total, paid=paid, refunded=status == OrderStatus.REFUNDED)
    record_event(order, "order.demonstration")
    if status == OrderStatus.CANCELLED:
        transition(order, status, by=ActorKind.JOB, at=placed + CHECKOUT_SESSION_LIFETIME)
    if not paid:
        return
    reached = _STEPS[: _STEPS.index(status) + 1] if status in _STEPS else _STEPS[:1]
    for step, days_later in zip(reached, (0, 4, 15, 18), strict=False):
        entry = transition(
            order, step, at=placed + timedelta(days=days_later),
            by=ActorKind.PROVIDER if step == OrderStatus.CONFIRMED else ActorKind.STAFF,
            tracking_number="DEMO-6A1234567890" if step == OrderStatus.SHIPPED else "",
        )  # fmt: skip
        assert entry is not None
        OrderTracking.objects.filter(pk=entry.pk).update(created_at=placed + timedelta(days=days_later))
    # Nobody is written to in the demonstration.
    withdraw_status_mails(order)
    freeze_contract(order=order, invoice=issue_invoice(order=order))
    if status == OrderStatus.REFUNDED:
        _refund(order)
        transition(
            order, status, by=ActorKind.PROVIDER, at=placed + timedelta(days=25), event="order.refunded"
        )


def _pay(order: Order, total: Decimal, *, paid: bool, refunded: bool) -> None:
    """The payment of a demonstration order never went through a provider: its movements say so."""
    state = PaymentState.REFUNDED if refunded else PaymentState.PAID if paid else PaymentState.DUE
    payment = Payment.objects.create(
        order=order,
        amount=total,
        due_on=timezone.localdate(order.created_at),
        state=state,
        paid_at=order.created_at if paid else None,
    )
    Attempt.objects.create(
        payment=payment,
        amount_cents=to_cents(total),
        state=AttemptState.SUCCEEDED if paid else AttemptState.EXPIRED,
        intent_id=f"{DEMONSTRATION_MOVEMENT}intent-{order.pk}" if paid else None,
        charge_id=f"{DEMONSTRATION_MOVEMENT}charge-{order.pk}" if paid else None,
        created_at=order.created_at,
        expires_at=order.created_at + CHECKOUT_SESSION_LIFETIME,
        settled_at=order.created_at,
    )
    if paid:
        LedgerEntry.objects.create(
            order=order,
            payment=payment,
            kind=LedgerKind.CHARGE,
            amount=total,
            provider_id=f"{DEMONSTRATION_MOVEMENT}charge-{order.pk}",
            occurred_at=order.created_at,
            created_at=order.created_at,
        )


def _refund(order: Order) -> None:
    """Write a whole refund and its credit note."""
    moment = order.created_at + timedelta(days=25)
    payment = order.payments.get()
    request = RefundRequest.objects.create(
        order=order,
        key=f"{order.idempotency_key}-refund",
        amount=order.total,
        voided=ZERO,
        shipping=order.shipping_cost,
        reason="Pièce abîmée pendant le transport",
        created_at=moment,
        settled_at=moment,
    )
    RefundLine.objects.bulk_create(
        RefundLine(request=request, item=item, quantity=item.quantity, amount=item.line_total)
        for item in order.items.all()
    )
    movement = f"{DEMONSTRATION_MOVEMENT}refund-{order.pk}"
    Refund.objects.create(
        order=order,
        attempt=payment.attempts.get(),
        request=request,
        amount=order.total,
        state=RefundState.SUCCEEDED,
        provider_id=movement,
        created_at=moment,
        settled_at=moment,
    )
    LedgerEntry.objects.create(
        order=order,
        payment=payment,
        kind=LedgerKind.REFUND,
        amount=-order.total,
        provider_id=movement,
        occurred_at=moment,
        created_at=moment,
    )
    issue_credit_note(request=request)
