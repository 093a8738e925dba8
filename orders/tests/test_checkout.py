"""`POST /api/checkout`: the order is made once, holds its stock, and waits for its payment."""

from datetime import timedelta
from decimal import Decimal

import pytest
import time_machine
from django.utils import timezone

from accounts.models import User
from catalog.models import Product
from catalog.tests.factories import make_promotion
from orders.models import Attempt, AttemptState, Order, OrderStatus, PaymentState, StockHoldState
from orders.selectors.quotes import RequestedLine, quote_cart
from orders.stripe import gateway
from orders.stripe.gateway import GatewayRefused, GatewayUnavailable
from orders.tests.factories import checkout_body, line, make_finished_product, make_product, new_key
from orders.tests.installments import offer_installments
from shop.core.models import OutgoingMail, ShopSettings
from shop.core.shop_settings import save_shop_settings

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def nothing_was_made() -> None:
    assert not Order.objects.exists()
    assert not Attempt.objects.exists()
    assert not OutgoingMail.objects.filter(kind__startswith="order").exists()


def test_a_guest_orders_and_is_sent_to_the_payment_page(fake_stripe, shopper):
    product = make_product(price="30.00", stock_quantity=5)
    answer = shopper.checkout(checkout_body([line(product, 2)], "60.00"))
    assert answer.status_code == 201
    order = Order.objects.get()
    assert answer.json() == {
        "order_id": str(order.pk),
        "reference": order.pk.hex[-8:].upper(),
        "url": Attempt.objects.get().checkout_session_url,
        "total": "60.00",
    }
    assert (order.status, order.user, order.email) == (OrderStatus.PENDING, None, "lea@example.com")
    assert (order.subtotal, order.shipping_cost, order.total) == (
        Decimal("60.00"),
        Decimal("0.00"),
        Decimal("60.00"),
    )
    # As the quote promises it: `test_promised_dates` has the arithmetic.
    quote = quote_cart([RequestedLine(order.items.get().product_id, None, "", 1)])
    assert quote.quote.lead_time is not None
    assert order.promised_by == quote.quote.lead_time.latest
    item = order.items.get()
    assert (item.product_name, item.quantity, item.unit_price, item.line_total) == (
        "Golem de poche", 2, Decimal("30.00"), Decimal("60.00"),
    )  # fmt: skip
    assert Product.objects.get().stock_quantity == 3
    assert order.stock_holds.get().state == StockHoldState.HELD
    assert order.payments.get().state == PaymentState.DUE
    attempt = Attempt.objects.get()
    assert (attempt.state, attempt.amount_cents) == (AttemptState.SENT, 6000)
    assert not OutgoingMail.objects.exists()


def test_the_payment_page_asks_for_the_sum_of_the_order_in_euros_and_at_no_other_rate(fake_stripe, shopper):
    shopper.checkout(checkout_body([line(make_product(price="60.00"))], "60.00"))
    [session] = fake_stripe.requests("/v1/checkout/sessions")
    assert session["params"]["adaptive_pricing"] == {"enabled": "false"}
    [asked] = session["params"]["line_items"].values()
    assert (asked["price_data"]["currency"], asked["price_data"]["unit_amount"]) == ("eur", "6000")


def test_a_browser_that_lost_the_first_answer_owns_the_order_after_repeating(fake_stripe, shopper):
    key, body = new_key(), checkout_body([line(make_product(price="60.00"))], "60.00")
    type(shopper)().checkout(body, key)
    assert shopper.checkout(body, key).status_code == 201
    order = Order.objects.get()
    assert shopper.verify(Attempt.objects.get().checkout_session_id).json() == {
        "payment_status": "pending",
        "order_reference": order.reference,
        "order_url": f"/commande/{order.pk}",
    }


@pytest.mark.parametrize("key", ["", " ", "x" * 256, "clé", "a\tb"])
def test_a_key_is_required(fake_stripe, shopper, key):
    answer = shopper.client.post(
        "/api/checkout",
        checkout_body([line(make_product())], "40.00"),
        content_type="application/json",
        headers={"idempotency-key": key.encode("utf-8").decode("latin-1")},
    )
    assert (answer.status_code, answer.json()["code"]) == (400, "idempotency_key_required")
    nothing_was_made()


def test_another_total_than_the_servers_is_a_conflict_with_the_fresh_quote(fake_stripe, shopper):
    product = make_product(price="60.00", stock_quantity=1)
    answer = shopper.checkout(checkout_body([line(product)], "0.01"))
    assert (answer.status_code, answer.json()["code"]) == (409, "total_changed")
    assert answer.json()["detail"] == "Le total de votre panier a changé. Vérifiez-le avant de payer."
    assert answer.json()["quote"]["total"] == "60.00"
    nothing_was_made()
    assert Product.objects.get().stock_quantity == 1


def test_a_piece_that_is_gone_is_a_conflict_with_the_fresh_quote(fake_stripe, shopper):
    product = make_product(price="60.00", stock_quantity=0)
    answer = shopper.checkout(checkout_body([line(product)], "60.00"))
    assert (answer.status_code, answer.json()["code"], answer.json()["detail"]) == (
        409,
        "out_of_stock",
        "Rupture de stock",
    )
    assert answer.json()["quote"]["lines"][0]["problem"] == "out_of_stock"
    nothing_was_made()


def test_a_finish_of_no_price_is_a_conflict_and_nothing_is_ordered(fake_stripe, shopper):
    product = make_finished_product(unpainted=None)
    answer = shopper.checkout(checkout_body([line(product, finish="unpainted")], "80.00"))
    assert (answer.status_code, answer.json()["code"]) == (409, "line_unavailable")
    nothing_was_made()


def test_an_empty_cart_is_refused(fake_stripe, shopper):
    answer = shopper.checkout(checkout_body([], "0.00"))
    assert (answer.status_code, answer.json()["code"], answer.json()["detail"]) == (
        400,
        "empty_cart",
        "Votre panier est vide.",
    )
    nothing_was_made()


@pytest.mark.parametrize("mode", ["installments"])
@pytest.mark.parametrize(
    ("price", "code", "detail"),
    [
        ("149.99", "installments_minimum", "Le paiement en 3 fois nécessite un montant minimum de 150€"),
        ("150.00", "installments_unavailable", "Le paiement en 3 fois n'est pas proposé pour l'instant."),
    ],
)
def test_installments_need_their_minimum_and_a_shop_that_offers_them(
    fake_stripe, shopper, mode, price, code, detail
):
    answer = shopper.checkout(checkout_body([line(make_product(price=price))], price, payment_mode=mode))
    assert (answer.status_code, answer.json()["code"], answer.json()["detail"]) == (400, code, detail)
    nothing_was_made()


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"customer": {"email": "not an address"}}, "customer.email"),
        ({"customer": {"email": "clıent@example.com"}}, "customer.email"),
        ({"customer": {"email": "a@b.fr\nBcc: x@y.fr"}}, "customer.email"),
        # 187 characters, each of which stands for three in the form that is stored.
        ({"customer": {"email": "a@" + ".".join(["㎈" * 60] * 3) + ".fr"}}, "customer.email"),
        ({"customer": {"firstName": ""}}, "customer.firstName"),
        ({"customer": {"lastName": "\u202e\u200b"}}, "customer.lastName"),
        ({"customer": {"address": "x" * 251}}, "customer.address"),
        ({"customer": {"city": None}}, "customer.city"),
        ({"customer": {"postalCode": 69003}}, "customer.postalCode"),
        ({"customer": {"country": "France"}}, "customer.country"),
        ({"customer": {"country": "ZZ"}}, "customer.customCountry"),
        ({"customer": {"notes": "x" * 2001}}, "customer.notes"),
        ({"payment_mode": "free"}, "payment_mode"),
        ({"accept_terms": False}, "accept_terms"),
        ({"expected_total": "NaN"}, "expected_total"),
        ({"expected_total": "-1.00"}, "expected_total"),
        ({"expected_total": "60.001"}, "expected_total"),
        ({"account": {"mode": "root", "password": "figurine-atelier"}}, "account.mode"),
    ],
)
def test_bad_fields_are_named_and_nothing_is_made(fake_stripe, shopper, changes, field):
    answer = shopper.checkout(checkout_body([line(make_product(price="60.00"))], "60.00", **changes))
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    assert list(answer.json()["errors"]) == [field]
    nothing_was_made()


def test_names_keep_their_letters_and_lose_invisible_characters(fake_stripe, shopper):
    customer = {
        "firstName": " Zoe\u0308\u202e ",
        "lastName": "O'Neill-Łuczak 👩\u200d🎨",
        "notes": "Sonnez\r\n2 fois\u0007",
    }
    assert (
        shopper.checkout(
            checkout_body([line(make_product(price="60.00"))], "60.00", customer=customer)
        ).status_code
        == 201
    )
    order = Order.objects.get()
    assert (order.first_name, order.last_name, order.notes) == (
        "Zoë",
        "O'Neill-Łuczak 👩\u200d🎨",
        "Sonnez\n2 fois",
    )


def test_another_country_is_delivered_at_the_rate_of_the_rest_of_the_world(fake_stripe, shopper):
    customer = {"country": "ZZ", "customCountry": "France"}
    lines = [line(make_product(price="60.00"))]
    # A country that is known by its name is delivered as that country.
    assert shopper.checkout(checkout_body(lines, "109.99", customer=customer)).status_code == 409
    customer["customCountry"] = "Atlantide"
    answer = shopper.checkout(checkout_body(lines, "109.99", customer=customer))
    assert answer.status_code == 201
    order = Order.objects.get()
    assert (order.country, order.custom_country, order.shipping_cost) == ("ZZ", "Atlantide", Decimal("49.99"))


def test_a_weak_password_is_refused_with_its_rule_and_nothing_is_ordered(fake_stripe, shopper):
    account = {"mode": "signup", "password": "court"}
    answer = shopper.checkout(checkout_body([line(make_product(price="60.00"))], "60.00", account=account))
    assert answer.status_code == 400
    assert "8" in answer.json()["errors"]["password"][0]
    nothing_was_made()
    assert not User.objects.exists()


def test_signing_in_with_a_wrong_password_is_refused(fake_stripe, shopper):
    User.objects.create_user("lea@example.com", "un-renard-de-bois")
    account = {"mode": "signin", "password": "pas-le-bon-renard"}
    answer = shopper.checkout(checkout_body([line(make_product(price="60.00"))], "60.00", account=account))
    assert (answer.status_code, answer.json()["detail"]) == (400, "E-mail ou mot de passe incorrect")
    nothing_was_made()


def test_a_members_order_uses_the_accounts_address(fake_stripe, shopper):
    shopper.client.force_login(User.objects.create_user("membre@example.com", "un-renard-de-bois"))
    assert shopper.checkout(checkout_body([line(make_product(price="60.00"))], "60.00")).status_code == 201
    assert Order.objects.get().email == "membre@example.com"


@pytest.mark.parametrize(
    "failure", [GatewayUnavailable("kept for a day", stored=True), GatewayRefused("too late for this page")]
)
def test_a_page_that_can_never_be_had_does_not_keep_the_piece_from_its_own_customer(
    fake_stripe, shopper, monkeypatch, failure
):
    product = make_product(price="60.00", stock_quantity=1)
    shopper.checkout(checkout_body([line(product)], "60.00"))
    lost = Attempt.objects.get()
    Attempt.objects.update(checkout_session_id=None, checkout_session_url="")
    original = gateway.create_checkout_session

    def never_for_this_key(**call):
        if call["attempt_id"] == str(lost.pk):
            raise failure
        return original(**call)

    monkeypatch.setattr(gateway, "create_checkout_session", never_for_this_key)
    answer = shopper.checkout(checkout_body([line(product)], "60.00", customer={"city": "Paris"}))
    assert answer.status_code == 201
    assert list(Order.objects.order_by("created_at").values_list("status", flat=True)) == [
        "cancelled",
        "pending",
    ]
    assert Product.objects.get().stock_quantity == 0


def test_a_new_try_after_paying_tells_that_the_first_one_is_paid(fake_stripe, shopper):
    product = make_product(price="60.00")
    shopper.checkout(checkout_body([line(product)], "60.00"))
    fake_stripe.pay(Order.objects.get())
    answer = shopper.checkout(checkout_body([line(product)], "60.00", customer={"city": "Paris"}))
    assert (answer.status_code, answer.json()["code"]) == (409, "already_paid")
    assert answer.json()["order_id"] == str(Order.objects.get().pk)
    assert answer.json()["order_url"] == f"/commande/{Order.objects.get().pk}"
    assert Order.objects.get().status == OrderStatus.CONFIRMED


def test_without_a_key_payment_is_closed_and_says_so(shopper):
    answer = shopper.checkout(checkout_body([line(make_product(price="60.00"))], "60.00"))
    assert (answer.status_code, answer.json()["code"]) == (503, "payments_disabled")
    assert answer.json()["detail"] == (
        "Le paiement en ligne est fermé pour le moment. Votre panier est intact\u00a0: réessayez plus tard."
    )
    nothing_was_made()


@pytest.mark.parametrize(("debug", "status"), [(False, 503), (True, 201)])
def test_l616_1_outside_development_nothing_is_sold_while_a_legal_mention_is_missing(
    fake_stripe, shopper, settings, debug, status
):
    settings.DEBUG = debug
    shop = ShopSettings.objects.get()
    shop.siret = ""
    save_shop_settings(shop)
    answer = shopper.checkout(checkout_body([line(make_product(price="60.00"))], "60.00"))
    assert answer.status_code == status
    if status == 503:
        assert answer.json()["code"] == "payments_disabled"
        nothing_was_made()


def test_a_retry_after_the_page_could_be_made_takes_a_new_attempt(fake_stripe, shopper, settings):
    working, key = settings.STRIPE_API_BASE, new_key()
    body = checkout_body([line(make_product(price="60.00"))], "60.00")
    settings.STRIPE_API_BASE = "http://127.0.0.1:9"
    shopper.checkout(body, key)
    Attempt.objects.update(expires_at=timezone.now() + timedelta(minutes=20))
    settings.STRIPE_API_BASE = working
    assert shopper.checkout(body, key).status_code == 201
    assert list(Attempt.objects.order_by("number").values_list("number", "state")) == [
        (1, AttemptState.CANCELLED),
        (2, AttemptState.SENT),
    ]


def test_a_foreign_page_can_not_post_an_order(fake_stripe):
    from django.test import Client

    client = Client(enforce_csrf_checks=True)
    answer = client.post(
        "/api/checkout",
        checkout_body([line(make_product())], "49.99"),
        content_type="application/json",
        headers={"idempotency-key": new_key()},
    )
    assert (answer.status_code, answer.json()["code"]) == (403, "csrf_failed")
    nothing_was_made()


def test_a_postcode_that_can_t_be_is_refused_and_an_overseas_one_costs_its_delivery(fake_stripe, shopper):
    product = make_product(price="60.00", weight_grams=400)
    answer = shopper.checkout(checkout_body([line(product)], "60.00", customer={"postalCode": "ABCDE"}))
    assert answer.status_code == 400
    assert answer.json()["errors"] == {
        "customer.postalCode": ["Ce code postal n'existe pas dans ce pays. Exemple\u00a0: 33380."]
    }
    answer = shopper.checkout(checkout_body([line(product)], "60.00", customer={"postalCode": "97400"}))
    assert (answer.status_code, answer.json()["code"]) == (409, "total_changed")
    assert answer.json()["quote"]["total"] == "79.99"
    assert not Order.objects.exists()
    answer = shopper.checkout(checkout_body([line(product)], "79.99", customer={"postalCode": "97400"}))
    assert answer.status_code == 201
    assert Order.objects.get().shipping_zone == "overseas-france"


@pytest.mark.parametrize(
    ("late", "price", "status"), [(-1, "60.00", 201), (0, "60.00", 409), (0, "100.00", 201)]
)
def test_an_order_at_the_end_of_a_promotion_costs_what_its_moment_says(
    fake_stripe, shopper, late, price, status
):
    """The last second still has the reduction; from the end on the agreed total is refused with the fresh quote."""
    end = timezone.now() + timedelta(seconds=30)
    product = make_product(price="100.00", stock_quantity=1)
    make_promotion(product, percent=40, ends_at=end)
    with time_machine.travel(end + timedelta(seconds=late), tick=False):
        answer = shopper.checkout(checkout_body([line(product)], price))
    assert answer.status_code == status
    if status == 201:
        assert Order.objects.get().total == Decimal(price)
        return
    assert (answer.json()["code"], answer.json()["quote"]["total"]) == ("total_changed", "100.00")
    nothing_was_made()
    assert Product.objects.get().stock_quantity == 1


def test_a_promotion_that_takes_the_installments_away_is_told_with_the_fresh_quote(fake_stripe, shopper):
    offer_installments()
    product = make_product(price="160.00")
    make_promotion(product, percent=10)
    answer = shopper.checkout(checkout_body([line(product)], "160.00", payment_mode="installments"))
    told = answer.json()
    assert (answer.status_code, told["code"], told["quote"]["total"]) == (409, "total_changed", "144.00")
    assert told["quote"]["installments"]["available"] is False
    nothing_was_made()
    answer = shopper.checkout(checkout_body([line(product)], "144.00", payment_mode="installments"))
    assert (answer.status_code, answer.json()["code"]) == (400, "installments_minimum")
