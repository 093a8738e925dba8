"""The cart that follows a member: three devices, orders and payments write it, and nothing is lost or doubled."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from accounts.tests.people import PASSWORD, make_member
from catalog.services.products import delete_product
from orders.models import Order, SavedCart
from orders.services.carts import saved_carts
from orders.services.checkout.placement import join_orders
from orders.tests.factories import checkout_body, line, make_order, make_product, new_key, pay_order

pytestmark = pytest.mark.django_db

PHONE, LAPTOP, TABLET = (letter * 32 for letter in "abc")


def thing(product_id: int, quantity: int = 1, variation_id: int | None = None, finish: str | None = None):
    return {
        "product_id": product_id,
        "variation_id": variation_id,
        "finish": finish,
        "quantity": quantity,
    }


def browser(email: str = "client@example.com") -> Client:
    client = Client()
    client.force_login(User.objects.filter(email=email).first() or make_member(email))
    return client


def put(client: Client, lines: list[Any], version: int | None = None, **write: Any) -> Any:
    body = {"lines": lines, "version": version, **write}
    return client.put("/api/cart/saved", body, content_type="application/json")


def read(client: Client) -> tuple[int, list[dict[str, Any]]]:
    """The version and the lines, without what the catalogue says about them."""
    return reduced(client.get("/api/cart/saved").json())


def reduced(cart: dict[str, Any]) -> tuple[int, list[dict[str, Any]]]:
    own = ("product_id", "variation_id", "finish", "quantity")
    return cart["version"], [{name: row[name] for name in own} for row in cart["lines"]]


def test_cart_never_saved_is_empty_of_version_zero_and_writes_no_row(django_assert_num_queries):
    client = browser()
    # Session, user, the row.
    with django_assert_num_queries(3):
        answer = client.get("/api/cart/saved")

    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    assert reduced(answer.json()) == (0, [])
    assert SavedCart.objects.count() == 0


def test_me_tells_whose_cart_it_is_and_its_version():
    client, other = browser(), browser("other@example.com")
    before = client.get("/api/me").json()["cart"]
    put(client, [thing(1)])

    assert before["version"] == 0
    assert client.get("/api/me").json()["cart"] == {"owner": before["owner"], "version": 1}
    assert client.get("/api/cart/saved").json()["owner"] == before["owner"]
    assert other.get("/api/me").json()["cart"]["owner"] != before["owner"]
    assert "cart" not in Client().get("/api/me").json()


def test_reading_costs_three_queries_more_whatever_the_size(django_assert_num_queries):
    client = browser()
    put(client, [thing(make_product(f"Pièce {number}").pk) for number in range(9)])
    client.get("/api/cart/saved")
    # Session, user, the row; products, variants, photos.
    with django_assert_num_queries(6):
        client.get("/api/cart/saved")


@pytest.mark.parametrize("method", ["get", "put"])
def test_who_is_not_signed_in_is_refused(method):
    answer = getattr(Client(), method)("/api/cart/saved")
    assert answer.status_code == 401
    assert answer.json()["code"] == "not_authenticated"
    assert SavedCart.objects.count() == 0


def test_members_see_their_own_cart_alone():
    put(browser(), [thing(7, 2)])
    assert read(browser("other@example.com")) == (0, [])


def test_sign_in_joins_both_carts_and_keeps_the_larger_quantity_of_the_same_thing():
    phone, laptop = browser(), browser()
    put(phone, [thing(1, 3), thing(2, 1), thing(3, 1, finish="painted")])

    joined = put(laptop, [thing(4, 1), thing(2, 2), thing(1, 1), thing(3, 1, finish="unpainted")]).json()

    both = [
        thing(1, 3),
        thing(2, 2),
        thing(3, 1, finish="painted"),
        thing(4, 1),
        thing(3, 1, finish="unpainted"),
    ]
    assert reduced(joined) == (2, both)
    # Once more, whoever asks: the same cart, the same version.
    assert reduced(put(laptop, [thing(4, 1), thing(2, 2)]).json()) == (2, both)


def test_shared_computer_shows_the_next_member_nothing_and_stores_no_answer():
    make_member("other@example.com")
    client = browser()
    put(client, [thing(1)])
    key = client.session.session_key

    client.post("/auth/deconnexion")
    after = [client.get(path) for path in ("/api/cart/saved", "/espace-membre", "/api/me")]
    assert [answer.status_code for answer in after] == [401, 302, 200]
    assert all("no-store" in answer["Cache-Control"] for answer in after)
    client.post("/auth", {"mode": "signin", "email": "other@example.com", "password": PASSWORD})
    assert read(client) == (0, [])
    # The cookie of before, replayed.
    client.cookies["sessionid"] = key
    assert client.get("/api/cart/saved").status_code == 401


def test_change_of_the_version_seen_takes_the_place_of_the_cart():
    client = browser()
    put(client, [thing(1), thing(2)])

    assert reduced(put(client, [thing(2, 5)], 1).json()) == (2, [thing(2, 5)])
    assert reduced(put(client, [], 2).json()) == (3, [])


def test_same_lines_make_no_new_version():
    client = browser()
    put(client, [thing(1)])
    assert reduced(put(client, [thing(1)], 1).json()) == (1, [thing(1)])


@pytest.mark.parametrize("seen", [0, 2, 99])
def test_change_of_another_version_is_a_conflict_with_the_cart_of_now(seen):
    client = browser()
    put(client, [thing(1)])

    answer = put(client, [thing(2)], seen)

    assert answer.status_code == 409
    problem = answer.json()
    assert (problem["code"], problem["detail"]) == (
        "cart_conflict",
        "Votre panier a changé sur un autre appareil.",
    )
    assert reduced(problem["cart"]) == (1, [thing(1)])
    assert read(client) == (1, [thing(1)])


def test_write_that_arrives_again_changes_nothing_even_after_others_wrote():
    phone, laptop = browser(), browser()
    put(phone, [thing(1)], 0, device=PHONE, number=1)
    put(laptop, [thing(1), thing(2)], 1, device=LAPTOP, number=1)

    # Its answer was lost: the phone asks again, word for word.
    again = put(phone, [thing(1)], 0, device=PHONE, number=1)

    assert again.status_code == 200
    assert reduced(again.json()) == (2, [thing(1), thing(2)])
    assert reduced(put(phone, [thing(2)], 2, device=PHONE, number=2).json()) == (3, [thing(2)])


def test_three_devices_lose_and_double_nothing():
    phone, laptop, tablet = browser(), browser(), browser()
    put(phone, [thing(1)], device=PHONE, number=1)
    put(laptop, [thing(2)], device=LAPTOP, number=1)
    put(tablet, [thing(1), thing(3)], device=TABLET, number=1)
    seen, cart = read(phone)
    assert (seen, cart) == (3, [thing(1), thing(2), thing(3)])

    assert put(phone, [*cart, thing(4)], seen, device=PHONE, number=2).status_code == 200
    late = put(laptop, [thing(1), thing(3)], seen, device=LAPTOP, number=2)
    assert late.status_code == 409
    # The laptop takes its piece out of the cart of now.
    now, current = reduced(late.json()["cart"])
    put(laptop, [row for row in current if row["product_id"] != 2], now, device=LAPTOP, number=3)

    assert read(tablet) == (5, [thing(1), thing(3), thing(4)])


def test_lines_of_the_same_thing_are_one_up_to_the_most_of_a_line():
    client = browser()
    put(client, [thing(1, 60), thing(2), thing(1, 60, finish="")])
    assert read(client) == (1, [thing(1, 99), thing(2)])


def test_piece_that_left_the_catalogue_stays_in_the_cart_and_says_so():
    piece, gone = make_product("Golem de poche"), make_product("Hibou")
    client = browser()
    put(client, [thing(piece.pk), thing(gone.pk, 2), thing(2**63 - 1), thing(piece.pk, 1, 999)])
    delete_product(product=gone)

    lines = client.get("/api/cart/saved").json()["lines"]

    assert [(row["name"], row.get("problem"), row.get("problem_detail")) for row in lines] == [
        ("Golem de poche", None, None),
        ("", "unknown_product", "Cette pièce n'est plus au catalogue."),
        ("", "unknown_product", "Cette pièce n'est plus au catalogue."),
        ("Golem de poche", "unknown_variation", "Ce format n'est plus proposé pour cette pièce."),
    ]
    assert [row["quantity"] for row in lines] == [1, 2, 1, 1]


@pytest.mark.parametrize(
    "change",
    [
        {"lines": None},
        {"lines": {}},
        {"lines": [thing(1, 0)]},
        {"lines": [thing(1, 100)]},
        {"lines": [thing(1, -1)]},
        {"lines": [{**thing(1), "quantity": "2"}]},
        {"lines": [{**thing(1), "quantity": 1.5}]},
        {"lines": [thing(0)]},
        {"lines": [thing(2**63)]},
        {"lines": [thing(1, finish="gold")]},
        {"lines": [thing(1, variation_id="<b>")]},
        {"lines": ["1"]},
        {"lines": [thing(number + 1) for number in range(41)]},
        {"version": -1},
        {"version": "1"},
        {"version": 2**31},
        {"device": "phone"},
        {"device": "a" * 33},
        {"number": 0},
        {"number": True},
    ],
)
def test_fields_out_of_their_bounds_are_refused_by_name_and_change_nothing(change):
    client = browser()
    put(client, [thing(1)])

    answer = client.put(
        "/api/cart/saved",
        {"lines": [thing(2)], "version": 1, "device": PHONE, "number": 1, **change},
        content_type="application/json",
    )

    assert answer.status_code == 400
    assert any(name.startswith(next(iter(change))) for name in answer.json()["errors"])
    assert read(client) == (1, [thing(1)])


@pytest.mark.parametrize(
    "body", ["", "[]", "null", '{"lines":[', '{"lines":[],"lines":[]}', "\x00", "[" * 30]
)
def test_body_that_is_no_object_is_refused(body):
    client = browser()
    assert client.put("/api/cart/saved", body, content_type="application/json").status_code == 400
    assert SavedCart.objects.count() == 0


def test_carts_that_are_too_long_together_stay_as_they_are():
    client = browser()
    put(client, [thing(number) for number in range(1, 31)])

    answer = put(client, [thing(number) for number in range(31, 42)])

    assert answer.status_code == 409
    assert answer.json()["code"] == "cart_full"
    assert answer.json()["detail"] == (
        "Un panier contient au plus 40 articles différents. Retirez-en pour retrouver les autres."
    )
    assert read(client) == (1, [thing(number) for number in range(1, 31)])


def test_only_the_latest_devices_are_remembered():
    client = browser()
    for number in range(25):
        put(client, [thing(1)], device=f"{number:032x}", number=1)
    assert [device for device, _number in SavedCart.objects.get().writes] == [
        f"{number:032x}" for number in range(5, 25)
    ]


def test_the_lines_of_the_ten_latest_orders_are_remembered():
    member = make_member()
    orders = [Order(user=member) for _ in range(11)]
    for order in orders:
        saved_carts.add_ordered_lines(order=order, lines=[])
    remembered = [each["order"] for each in SavedCart.objects.get().ordered]
    assert remembered == [str(order.pk) for order in orders[1:]]


def test_foreign_page_can_not_write():
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_member())
    assert put(client, [thing(1)]).status_code == 403
    assert SavedCart.objects.count() == 0


class TestOrders:
    """The cart is emptied when the payment is confirmed, of what was paid."""

    def test_order_stays_in_the_cart_until_it_is_paid(self):
        client = browser()
        piece = make_product()
        put(client, [thing(piece.pk)])
        order = make_order((piece, 1), user=User.objects.get())
        assert read(client) == (1, [thing(piece.pk)])

        pay_order(order)

        assert read(client) == (2, [])
        assert SavedCart.objects.get().ordered == []

    def test_what_was_added_meanwhile_on_another_device_survives(self):
        phone, laptop = browser(), browser()
        piece, other = make_product(), make_product("Hibou")
        put(phone, [thing(piece.pk, 2)])
        order = make_order((piece, 2), user=User.objects.get())
        put(laptop, [thing(piece.pk, 3), thing(other.pk)], 1)

        pay_order(order)

        assert read(phone) == (3, [thing(piece.pk), thing(other.pk)])

    def test_a_payment_that_is_reported_again_empties_nothing_more(self):
        client = browser()
        piece = make_product()
        put(client, [thing(piece.pk)])
        order = pay_order(make_order((piece, 1), user=User.objects.get()))
        put(client, [thing(piece.pk)], 2)

        saved_carts.remove_paid_lines(order)

        assert read(client) == (3, [thing(piece.pk)])

    def test_order_that_is_not_paid_leaves_the_cart_as_it_was(self):
        client = browser()
        piece = make_product()
        put(client, [thing(piece.pk, 4)])
        make_order((piece, 1), user=User.objects.get())
        assert read(client) == (1, [thing(piece.pk, 4)])

    def test_order_of_a_guest_that_joined_later_takes_nothing_out(self):
        client = browser("lea@example.com")
        piece = make_product()
        put(client, [thing(piece.pk)])
        order = make_order((piece, 1))
        join_orders(User.objects.get(), [order.pk])
        order.refresh_from_db()

        pay_order(order)

        assert read(client) == (1, [thing(piece.pk)])


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_signing_in_while_ordering_orders_the_browsers_lines_and_saves_them_beside_the_others(
    fake_stripe, shopper
):
    saved, ordered = make_product(price="25.00"), make_product("Hibou", price="60.00")
    make_member("lea@example.com")
    laptop = browser("lea@example.com")
    put(laptop, [thing(saved.pk)])
    body = checkout_body(
        [line(ordered)], "60.00", account={"mode": "signin", "password": PASSWORD}, customer={}
    )

    answer = shopper.checkout(body, new_key())

    assert answer.status_code == 201
    order = Order.objects.get()
    assert [(item.product_id, item.quantity) for item in order.items.all()] == [(ordered.pk, 1)]
    assert answer.json()["cart_owner"] == laptop.get("/api/me").json()["cart"]["owner"]
    assert read(laptop) == (2, [thing(saved.pk), thing(ordered.pk)])

    # The customer closes the page; the provider's own message settles the payment.
    fake_stripe.pay(order)
    for event in fake_stripe.events():
        assert shopper.webhook(event) == 200
    order.refresh_from_db()
    assert order.status == "confirmed"
    assert read(laptop) == (3, [thing(saved.pk)])


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_guests_order_names_no_cart_and_writes_none(fake_stripe, shopper):
    answer = shopper.checkout(checkout_body([line(make_product(price="60.00"))], "60.00"))
    assert answer.status_code == 201
    assert "cart_owner" not in answer.json()
    assert SavedCart.objects.count() == 0
