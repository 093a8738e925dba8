"""How much counted stock one customer may keep from others without having paid, and what is theirs meanwhile."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from catalog.models import Product
from orders.models import Attempt, AttemptState, Order, OrderStatus, StockHold
from orders.services.checkout.unpaid_holds import holder_of
from orders.services.status.transitions import cancel_unpaid_order
from orders.stripe import gateway
from orders.stripe.gateway import GatewayRefused
from orders.tests.factories import checkout_body, line, make_product
from orders.tests.fake_stripe import Shopper

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

TOO_MANY_ORDERS = (
    "Plusieurs commandes passées depuis votre connexion ou avec votre adresse e-mail attendent leur paiement."
    " Terminez le paiement ouvert, ou réessayez dans une demi-heure : les pièces non payées seront de nouveau libres."
    " Votre panier est intact."
)
TOO_MANY_PIECES = (
    "Nous ne pouvons réserver que 3 pièces presque épuisées à la fois, le temps de leur paiement."
    " Retirez les autres du panier et commandez-les dès que les premières sont payées."
)


def visitor(address: str = "192.0.2.1") -> Shopper:
    """A browser without cookies."""
    shopper = Shopper()
    shopper.client = Client(REMOTE_ADDR=address)
    return shopper


def order(
    shopper: Shopper,
    *products: Product,
    quantity: int = 1,
    email: str = "lea@example.com",
    language="fr",
    notes: str = "",
):
    total = sum(product.price * quantity for product in products)
    body = checkout_body(
        [line(product, quantity) for product in products],
        f"{total:.2f}",
        customer={"email": email, "notes": notes},
    )
    return shopper.checkout(body, language=language)


def pieces(count: int, stock: int | None = 1) -> list[Product]:
    return [make_product(f"Pièce {number}", "60.00", stock_quantity=stock) for number in range(count)]


@pytest.fixture(autouse=True)
def _three_scarce_pieces(settings) -> None:
    settings.UNPAID_SCARCE_LIMIT = 3


def stock_left() -> int:
    return sum(Product.objects.values_list("stock_quantity", flat=True))


def refused_for(answer) -> tuple[int, str, str]:
    return answer.status_code, answer.json()["code"], answer.json()["detail"]


@pytest.mark.parametrize(("limit", "accepted", "left", "sold_out"), [(5, 5, 31, 1), (1000, 36, 0, 24)])
def test_a_hoarder_of_a_hundred_checkouts_leaves_most_to_others_and_without_the_limit_nothing(
    fake_stripe, settings, limit, accepted, left, sold_out
):
    settings.LIMITS = {"checkout-network": 1000}
    settings.UNPAID_ORDERS_LIMIT = settings.UNPAID_SCARCE_LIMIT = limit
    products = [*pieces(4, stock=5), *pieces(20)]
    assert stock_left() == 40
    codes = []
    for number in range(100):
        wanted = products[number % 24]
        wanted.refresh_from_db()
        answer = order(
            visitor(), wanted, quantity=max(wanted.stock_quantity // 2, 1), email=f"h{number}@example.com"
        )
        codes.append(answer.status_code)
    assert codes.count(201) == accepted
    assert (stock_left(), Product.objects.filter(stock_quantity=0).count()) == (left, sold_out)
    found = order(visitor("198.51.100.1"), products[-1], email="honest@example.com").status_code
    assert found == (201 if left else 409)


def test_the_largest_hold_of_one_address_leaves_more_than_half_of_everything_but_three_pieces(fake_stripe):
    several, unique = pieces(4, stock=5), pieces(20)
    lines = [*(line(piece, 2) for piece in several), *(line(piece) for piece in unique[:3])]
    assert visitor().checkout(checkout_body(lines, "660.00")).status_code == 201
    for further in (several[0], unique[3]):
        assert refused_for(order(visitor(), further, email="other@example.com"))[1] == "too_many_unpaid"
    assert (stock_left(), Product.objects.filter(stock_quantity=0).count()) == (29, 3)


def test_a_cart_of_all_unique_pieces_is_refused_and_takes_nothing(fake_stripe):
    answer = order(visitor(), *pieces(4))
    assert refused_for(answer) == (409, "too_many_unpaid", TOO_MANY_PIECES)
    assert stock_left() == 4
    assert not Order.objects.exists()
    assert fake_stripe.requests("/v1/checkout/sessions") == []


def test_three_unique_pieces_and_half_of_everything_else_may_wait_for_one_payment(fake_stripe):
    plenty = [make_product(f"Mini {number}", "60.00", stock_quantity=8) for number in range(3)]
    assert order(visitor(), *pieces(3)).status_code == 201
    body = checkout_body(
        [line(product, 4) for product in plenty], "720.00", customer={"email": "b@example.com"}
    )
    assert visitor().checkout(body).status_code == 201


def test_made_to_order_pieces_are_not_counted(fake_stripe):
    product = make_product(price="60.00")
    answers = [order(visitor(), product, email=f"{number}@example.com") for number in range(7)]
    assert [answer.status_code for answer in answers] == [201] * 7
    assert set(StockHold.objects.values_list("network", "mailbox")) == {("", "")}


@pytest.mark.parametrize(
    ("language", "detail"),
    [
        ("fr", TOO_MANY_ORDERS),
        (
            "en",
            "Several orders placed from your connection or with your email address are waiting for their payment."
            " Finish the payment that is open, or try again in half an hour: unpaid pieces will be free again."
            " Your cart is untouched.",
        ),
        (
            "es",
            "Varios pedidos realizados desde su conexión o con su correo electrónico están pendientes de pago."
            " Termine el pago abierto o inténtelo de nuevo dentro de media hora: las piezas sin pagar volverán a"
            " estar libres. Su carrito sigue intacto.",
        ),
        (
            "de",
            "Mehrere Bestellungen von Ihrem Anschluss oder mit Ihrer E-Mail-Adresse warten noch auf ihre Zahlung."
            " Schließen Sie die offene Zahlung ab oder versuchen Sie es in einer halben Stunde erneut: Unbezahlte"
            " Stücke sind dann wieder frei. Ihr Warenkorb bleibt unverändert.",
        ),
    ],
)
def test_a_sixth_unpaid_order_of_one_mailbox_is_refused_whatever_its_address(fake_stripe, language, detail):
    product = make_product(price="60.00", stock_quantity=100)
    for number in range(5):
        email = f"lea+{number}@example.com"
        assert order(visitor(f"192.0.2.{number + 1}"), product, email=email).status_code == 201
    assert refused_for(order(visitor("198.51.100.1"), product, language=language)) == (
        409,
        "too_many_unpaid",
        detail,
    )
    assert Product.objects.get().stock_quantity == 95
    assert order(visitor("198.51.100.1"), product, email="other@example.com").status_code == 201


def test_addresses_of_one_ipv6_subscriber_are_one_network():
    holders = {
        holder_of(address=f"2001:db8:1:2::{number}", email="a@example.com").network for number in range(1, 4)
    }
    assert len(holders) == 1
    assert holder_of(address="2001:db8:1:3::1", email="a@example.com").network not in holders
    assert holder_of(address="::ffff:192.0.2.1", email="a@b.fr") == holder_of(
        address="192.0.2.1", email="a@b.fr"
    )
    assert "192.0.2" not in holder_of(address="192.0.2.1", email="a@b.fr").network


def test_what_is_paid_or_cancelled_counts_no_more_and_its_holder_is_forgotten(fake_stripe):
    product = make_product(price="60.00", stock_quantity=100)
    for number in range(5):
        assert order(visitor(), product, email=f"{number}@example.com").status_code == 201
    paid, cancelled, *_others = Order.objects.order_by("created_at")
    fake_stripe.pay(paid)
    assert (
        Shopper()
        .verify(Attempt.objects.get(payment__order=paid).checkout_session_id)
        .json()["payment_status"]
        == "paid"
    )
    cancel_unpaid_order(cancelled.pk, reason="payment.expired")
    for closed in (paid, cancelled):
        assert list(closed.stock_holds.values_list("network", "mailbox")) == [("", "")]
    answers = [order(visitor(), product, email=f"new{number}@example.com") for number in range(3)]
    assert [answer.status_code for answer in answers] == [201, 201, 409]


def test_a_customer_who_comes_back_without_cookies_takes_the_place_of_their_own_order(fake_stripe):
    (piece,) = pieces(1)
    assert order(visitor(), piece).status_code == 201
    first = Order.objects.get()
    # Another demand: the same one would be answered with the same order.
    assert order(visitor(), piece, notes="Bonjour").status_code == 201
    first.refresh_from_db()
    assert first.status == OrderStatus.CANCELLED
    assert (
        len(
            fake_stripe.requests(
                f"/v1/checkout/sessions/{Attempt.objects.get(payment__order=first).checkout_session_id}/expire"
            )
        )
        == 1
    )
    assert fake_stripe.pay(first)["result"] == "closed"
    assert Order.objects.exclude(pk=first.pk).get().status == OrderStatus.PENDING
    assert stock_left() == 0


def test_the_address_alone_closes_nobodys_order(fake_stripe):
    (piece,) = pieces(1)
    assert order(visitor(), piece).status_code == 201
    answer = order(visitor("198.51.100.7"), piece)
    assert (answer.status_code, answer.json()["code"]) == (409, "out_of_stock")
    assert Order.objects.get().status == OrderStatus.PENDING
    assert Attempt.objects.get().state == AttemptState.SENT


def test_a_member_takes_the_place_of_their_own_order_from_another_device(fake_stripe):
    member = User.objects.create_user("membre@example.com", "un-renard-de-bois")
    (piece,) = pieces(1)
    for address in ("192.0.2.1", "198.51.100.7"):
        device = visitor(address)
        device.client.force_login(member)
        assert order(device, piece).status_code == 201
    assert sorted(Order.objects.values_list("status", flat=True)) == ["cancelled", "pending"]


def test_an_own_order_that_can_not_be_closed_is_named_in_the_refusal(fake_stripe, shopper, monkeypatch):
    unique = pieces(6)
    assert order(shopper, *unique[:3]).status_code == 201

    def refuse(_session_id):
        raise GatewayRefused("not now")

    monkeypatch.setattr(gateway, "expire_checkout_session", refuse)
    answer = order(shopper, unique[3])
    assert refused_for(answer) == (409, "too_many_unpaid", TOO_MANY_PIECES)
    assert answer.json()["order_url"] == f"/commande/{Order.objects.get().pk}"


def quoted(shopper: Shopper, product: Product, quantity: int = 1) -> dict:
    body = {"lines": [line(product, quantity)]}
    return shopper.client.post("/api/cart/quote", body, content_type="application/json").json()["lines"][0]


def test_a_quote_shows_their_own_held_piece_as_available_to_its_customer_alone(fake_stripe, shopper):
    (piece,) = pieces(1)
    assert order(shopper, piece).status_code == 201
    mine = quoted(shopper, piece)
    assert (mine["available"], mine["reserved"], mine["available_quantity"]) == (True, True, 1)
    theirs = quoted(visitor(), piece)
    assert (theirs["available"], theirs["reserved"], theirs["problem"]) == (False, False, "out_of_stock")
    two = quoted(shopper, piece, 2)
    assert (two["available"], two["problem"]) == (False, "insufficient_stock")


def test_a_piece_that_is_not_held_any_more_is_not_shown_as_reserved(fake_stripe, shopper):
    (piece,) = pieces(1)
    order(shopper, piece)
    cancel_unpaid_order(Order.objects.get().pk, reason="payment.expired")
    Product.objects.update(stock_quantity=0)
    assert quoted(shopper, piece)["available"] is False


def test_hidden_pieces_stay_hidden_from_whoever_holds_them(fake_stripe, shopper):
    (piece,) = pieces(1)
    order(shopper, piece)
    Product.objects.update(in_stock=False)
    assert quoted(shopper, piece)["available"] is False


def test_a_payment_page_lives_as_short_as_the_provider_allows(fake_stripe, shopper):
    order(shopper, *pieces(1))
    assert Attempt.objects.get().expires_at <= timezone.now() + timedelta(minutes=31)
