"""Signing up while ordering: a guest's order for everybody, which joins the account once its address is proved."""

import re

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import SignUp, User
from accounts.tests.people import PASSWORD, add_app, link_in_last_mail, mails, make_member, watch_hashing
from orders.models import Attempt, Order
from orders.services.checkout.placement import join_orders
from orders.tests.factories import checkout_body, line, make_order, make_product, new_key
from orders.tests.fake_stripe import Shopper, session_of
from shop.core.models import OutgoingMail

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

KNOWN, UNKNOWN = "known@example.com", "nobody@example.com"
SIGN_UP = {"mode": "signup", "password": "un-renard-de-bois"}


def order(shopper, email="lea@example.com", **changes):
    """The answer of an order placed with a sign-up."""
    body = checkout_body(
        [line(make_product(price="60.00"))], "60.00", account=SIGN_UP, customer={"email": email}
    )
    return shopper.checkout({**body, **changes}, new_key())


def choose(client, **fields):
    return client.post(
        "/auth/confirmation",
        {"password": "carmes-figurine-2027", "password_confirmation": "carmes-figurine-2027", **fields},
    )


def test_the_order_is_a_guests_and_nobody_is_signed_in(fake_stripe, shopper):
    assert order(shopper).status_code == 201

    placed = Order.objects.get()
    assert placed.user is None
    assert User.objects.count() == 0
    assert shopper.client.get("/api/me").json()["authenticated"] is False
    assert shopper.client.get("/espace-membre").status_code == 302
    # As any guest: the browser remembers its order.
    assert shopper.client.get(f"/commande/{placed.pk}").status_code == 200
    assert mails() == [("account_confirm_email", "lea@example.com")]


@pytest.mark.parametrize("is_active", [True, False])
def test_the_answer_and_the_work_are_the_same_for_a_known_address(fake_stripe, is_active):
    User.objects.filter(pk=make_member(KNOWN).pk).update(is_active=is_active)
    order(Shopper())  # what is read once is read
    seen = []
    for email in (UNKNOWN, KNOWN):
        shopper = Shopper()
        with CaptureQueriesContext(connection) as queries:
            answer = order(shopper, email)
        placed = Order.objects.get(email=email)
        page = shopper.client.get(f"/payment-success?session_id={session_of(placed)}")
        own = re.compile("|".join((str(placed.pk), placed.reference, session_of(placed))))
        seen.append(
            {
                "answer": (answer.status_code, own.sub("", answer.content.decode())),
                # Each request has a number.
                "headers": sorted(row for row in answer.headers.items() if row[0] != "X-Request-ID"),
                "cookies": sorted(
                    (name, len(one.value), one["max-age"]) for name, one in answer.cookies.items()
                ),
                "work": [re.sub(r"s\d+_x\d+", "", query["sql"])[:60] for query in queries],
                "page": own.sub("", page.content.decode()),
                "me": shopper.client.get("/api/me").json() | {"csrf_token": ""},
            }
        )

    assert seen[0] == seen[1]
    assert seen[0]["me"]["authenticated"] is False


def test_both_addresses_hash_one_password(fake_stripe, settings, monkeypatch):
    make_member(KNOWN)
    runs = watch_hashing(settings, monkeypatch)
    counts = []
    for email in (KNOWN, UNKNOWN):
        runs.clear()
        assert order(Shopper(), email).status_code == 201
        counts.append(len(runs))

    assert counts == [1, 1]


def test_a_known_address_orders_as_a_guest_and_its_owner_is_told(fake_stripe, shopper):
    member = make_member(KNOWN)

    assert order(shopper, KNOWN).status_code == 201

    assert Order.objects.get().user is None
    assert member.check_password(PASSWORD)
    assert mails() == [("account_exists", KNOWN)]


def test_an_order_that_fails_leaves_no_sign_up_behind(fake_stripe, shopper):
    assert order(shopper, expected_total="61.00").status_code == 409

    assert SignUp.objects.count() == 0
    assert OutgoingMail.objects.count() == 0


def test_the_result_page_says_that_a_mail_waits(fake_stripe, shopper):
    order(shopper)
    checkout_session_id = Attempt.objects.get().checkout_session_id
    page = f"/payment-success?session_id={checkout_session_id}"
    told = "Un e-mail vous attend"

    assert told in shopper.client.get(page).content.decode()
    assert told not in Client().get(page).content.decode()
    shopper.client.get(link_in_last_mail())
    assert told not in shopper.client.get(page).content.decode()


def test_the_order_joins_the_account_when_the_same_browser_confirms(fake_stripe, shopper):
    order(shopper)

    shopper.client.get(link_in_last_mail())

    user = User.objects.get(email="lea@example.com")
    placed = Order.objects.get()
    assert (user.first_name, user.last_name) == (placed.first_name, placed.last_name)
    assert placed.user == user
    assert placed.events.filter(name="order.joined_account", actor=user).count() == 1
    assert user.check_password("un-renard-de-bois")


def test_in_another_browser_the_order_joins_only_when_it_is_said_to_be_theirs(fake_stripe, shopper):
    order(shopper)
    placed = Order.objects.get()
    phone = Client()
    phone.get(link_in_last_mail())
    page = phone.get("/auth/confirmation").content.decode()
    assert placed.reference in page
    assert placed.last_name not in page
    assert placed.address not in page

    choose(phone, is_theirs="1")

    user = User.objects.get(email="lea@example.com")
    placed.refresh_from_db()
    assert placed.user == user
    assert (user.first_name, user.last_name) == (placed.first_name, placed.last_name)
    assert not user.check_password("un-renard-de-bois")


def test_a_strangers_order_stays_theirs_and_shows_nothing_of_the_owner(fake_stripe, shopper):
    order(shopper)
    placed = Order.objects.get()
    owner = Client()
    owner.get(link_in_last_mail())

    choose(owner)

    user = User.objects.get(email="lea@example.com")
    placed.refresh_from_db()
    assert placed.user is None
    assert (user.first_name, user.last_name) == ("", "")
    owner.force_login(user)
    assert owner.get(f"/commande/{placed.pk}").status_code == 404
    assert owner.get("/api/orders").json() == []
    # The stranger follows what they ordered, and nothing else.
    assert shopper.client.get(f"/commande/{placed.pk}").status_code == 200
    assert shopper.client.get("/api/me").json()["authenticated"] is False
    sign_in = {"mode": "signin", "email": "lea@example.com", "password": "un-renard-de-bois"}
    assert shopper.client.post("/auth", sign_in).status_code == 200


def test_two_orders_of_one_browser_join_with_one_link(fake_stripe, shopper):
    order(shopper)
    order(shopper)
    assert mails("account_confirm_email") == [("account_confirm_email", "lea@example.com")]

    shopper.client.get(link_in_last_mail())

    assert {placed.user.email for placed in Order.objects.all()} == {"lea@example.com"}


def test_orders_of_others_and_of_other_addresses_do_not_join(fake_stripe):
    member, other = make_member(KNOWN), make_member("other@example.com")
    own, foreign, elsewhere = make_order(email=KNOWN), make_order(email=KNOWN), make_order(email=UNKNOWN)
    Order.objects.filter(pk=foreign.pk).update(user=other)

    with transaction.atomic():
        join_orders(member, [own.pk, foreign.pk, elsewhere.pk])

    assert Order.objects.get(pk=own.pk).user == member
    assert Order.objects.get(pk=foreign.pk).user == other
    assert Order.objects.get(pk=elsewhere.pk).user is None


def test_signing_in_while_ordering_still_does(fake_stripe, shopper):
    member = make_member("lea@example.com")
    account = {"mode": "signin", "password": PASSWORD}
    body = checkout_body([line(make_product(price="60.00"))], "60.00", account=account)

    assert shopper.checkout(body).status_code == 201

    assert Order.objects.get().user == member
    assert shopper.client.get("/api/me").json()["email"] == "lea@example.com"


def test_who_has_a_second_factor_is_led_to_sign_in_and_back_and_nothing_is_ordered(fake_stripe, shopper):
    add_app(make_member("lea@example.com"))
    account = {"mode": "signin", "password": PASSWORD}
    body = checkout_body([line(make_product(price="60.00"))], "60.00", account=account)

    refused = shopper.checkout(body)

    assert (refused.status_code, refused.json()["code"]) == (403, "second_factor_required")
    assert refused.json()["signin_url"] == "/auth?next=%2Fcheckout"
    assert not Order.objects.exists()
    assert shopper.client.get("/api/me").json()["authenticated"] is False
