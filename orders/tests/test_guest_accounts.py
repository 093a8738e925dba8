"""An account for a guest's order: one press, then a mail that proves the address."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.email_changes import Mailbox, email_change_key
from accounts.models import SignUp, User
from accounts.services.email_changes import confirm_email_change, request_email_change
from accounts.tests.people import deliver_mails, link_in_last_mail, mails, make_member
from catalog.models import Review
from orders.access import access_token, order_url
from orders.mails import mail_customer
from orders.models import Withdrawal
from orders.selectors.personal_data import orders_of, withdrawals_of
from orders.selectors.withdrawals import find_declared_order
from orders.services.checkout.guest_accounts import may_join
from orders.services.withdrawals.declarations import Declaration
from orders.services.withdrawals.mails import mail_refused
from orders.tests.declarations import declare
from orders.tests.factories import make_order, make_product, pay_order
from shop.core.models import OutgoingMail
from shop.core.personal_data import Person

pytestmark = pytest.mark.django_db

PASSWORD = "carmes-figurine-2027"


def bought(**customer):
    order = pay_order(make_order(**customer))
    deliver_mails()
    OutgoingMail.objects.all().delete()
    return order


def press(client, order, **fields):
    return client.post(f"/commande/{order.pk}/compte", {"acces": access_token(order), **fields})


def choose(client, **fields):
    return client.post(
        "/auth/confirmation", {"password": PASSWORD, "password_confirmation": PASSWORD, **fields}
    )


def page_of(client, order):
    return client.get(order_url(order).removeprefix("http://localhost:8000")).content.decode()


def test_one_press_asks_for_an_account_and_nothing_exists_before_the_mail_is_opened(client):
    order = bought()
    assert "Créer mon compte" in page_of(client, order)

    answer = press(client, order, next=f"/commande/{order.pk}?acces=x")

    assert (answer.status_code, answer["Location"]) == (303, f"/commande/{order.pk}?acces=x#compte")
    assert User.objects.count() == 0
    assert mails() == [("account_confirm_email", "lea@example.com")]
    page = page_of(client, order)
    assert "Un e-mail vous attend" in page
    assert "Créer mon compte" not in page


def test_the_link_asks_the_same_browser_for_a_password_and_the_order_joins(client):
    order = bought()
    press(client, order)

    answer = client.get(link_in_last_mail())
    assert answer["Location"] == "/auth/confirmation"
    assert User.objects.count() == 0
    page = client.get("/auth/confirmation").content.decode()
    assert "Encore un mot de passe" in page
    assert f"Votre commande {order.reference} y sera." in page
    assert "is_theirs" not in page

    choose(client)

    user = User.objects.get()
    order.refresh_from_db()
    assert order.user == user
    assert (user.email, user.first_name, user.last_name) == ("lea@example.com", "Léa", "Martin")
    assert user.check_password(PASSWORD)
    assert SignUp.objects.count() == 0
    assert "sign_up" not in client.session


def test_in_another_browser_its_owner_says_whose_order_it_is(client):
    order = bought()
    press(client, order)
    phone = Client()
    phone.get(link_in_last_mail())
    page = phone.get("/auth/confirmation").content.decode()
    assert 'name="is_theirs"' in page
    assert "Le mot de passe saisi là-bas" not in page

    choose(phone)

    order.refresh_from_db()
    assert order.user is None
    assert User.objects.get().first_name == ""


@pytest.mark.parametrize("active", [True, False])
def test_a_known_address_gets_the_same_answer_in_the_same_work(active):
    User.objects.filter(pk=make_member("known@example.com").pk).update(is_active=active)
    seen = []
    for email in ("warm@example.com", "nobody@example.com", "known@example.com"):
        order, client = bought(email=email), Client()
        with CaptureQueriesContext(connection) as queries:
            answer = press(client, order)
        own = re.compile(f"{order.pk}|{order.reference}|{access_token(order)}|{email}")
        page = own.sub("", page_of(client, order))
        seen.append(
            (
                own.sub("", answer["Location"]),
                [re.sub(r"s\d+_x\d+", "", query["sql"])[:60] for query in queries],
                re.sub(r"Passée le.*?</p>|csrfmiddlewaretoken.*?>|R-\w+", "", page).count(
                    "Un e-mail vous attend"
                ),
            )
        )
    assert seen[1] == seen[2]
    expected = [("account_exists", "known@example.com")] if active else []
    assert mails("account_exists") == expected


def test_only_who_may_see_the_order_asks_for_its_account(client):
    order = bought()
    for fields in ({}, {"acces": "guessed"}):
        assert client.post(f"/commande/{order.pk}/compte", fields).status_code == 404
        assert client.post(f"/commande/{order.pk}/rejoindre", fields).status_code == 404
    assert client.get(f"/commande/{order.pk}/compte").status_code == 405
    assert mails() == []


def test_the_button_needs_the_pages_token():
    order = bought()
    browser = Client(enforce_csrf_checks=True)
    assert press(browser, order).status_code == 403
    assert SignUp.objects.count() == 0


def test_a_members_order_gets_no_second_account(client):
    order = bought(user=make_member("lea@example.com"))
    assert "Créer mon compte" not in page_of(client, order)
    answer = press(client, order)
    assert answer.status_code == 409
    assert "Cette commande est déjà dans un compte." in answer.content.decode()
    assert SignUp.objects.count() == 0


def test_presses_beyond_the_limit_are_refused_with_the_way_back(client):
    order = bought()
    for _number in range(20):
        assert press(client, order).status_code == 303
    answer = press(client, order)
    assert answer.status_code == 429
    assert f'href="/commande/{order.pk}"' in answer.content.decode()
    assert mails() == [("account_confirm_email", "lea@example.com")]


def test_the_way_back_never_leaves_the_shop(client):
    order = bought()
    assert press(client, order, next="https://evil.example/")["Location"] == f"/commande/{order.pk}#compte"


def test_a_member_puts_an_order_of_their_address_into_their_account(client):
    order, member = bought(), make_member("lea@example.com")
    client.force_login(member)
    assert "L'ajouter à mon compte" in page_of(client, order)

    answer = client.post(f"/commande/{order.pk}/rejoindre", {"acces": access_token(order)})

    assert (answer.status_code, answer["Location"]) == (303, f"/commande/{order.pk}")
    order.refresh_from_db()
    assert order.user == member
    assert order.events.filter(name="order.joined_account", actor=member).count() == 1


def test_a_member_of_another_address_takes_no_order_over(client):
    order = bought()
    client.force_login(make_member("other@example.com"))
    page = page_of(client, order)
    assert "L'ajouter à mon compte" not in page
    assert "Créer mon compte" not in page

    answer = client.post(f"/commande/{order.pk}/rejoindre", {"acces": access_token(order)})

    assert answer.status_code == 409
    order.refresh_from_db()
    assert order.user is None


@pytest.mark.both_engines
def test_a_declaration_that_fits_no_order_follows_its_member():
    declared = declare(Declaration("Léa Martin", "Lea@example.com", "la commande de mai", "fr"))
    member = make_member("lea@example.com")
    for new in ("neuve@example.com", "autre@example.com"):
        change = request_email_change(user=member, email=new, language="fr")
        for mailbox in Mailbox:
            confirm_email_change(key=email_change_key(change, mailbox))
        member.refresh_from_db()
        declared = Withdrawal.objects.get()
        assert (member.email, declared.case.address, declared.email) == (new, new, "Lea@example.com")
        assert list(withdrawals_of(Person(member.pk, (new,)))) == [declared]
    for other in ("lea@example.com", "neuve@example.com"):
        assert not withdrawals_of(Person(make_member(other).pk, (other,))).exists()
    mail_refused(declared.case)
    assert OutgoingMail.objects.get(kind="withdrawal_refused").to == "autre@example.com"


@pytest.mark.both_engines
def test_orders_follow_a_member_to_another_address(client):
    member = make_member("lea@example.com")
    order, guests = bought(user=member), make_order()
    others = make_order(user=member, email="bureau@example.com")
    issued = order.invoices.get().data
    change = request_email_change(user=member, email="neuve@example.com", language="fr")
    for mailbox in Mailbox:
        confirm_email_change(key=email_change_key(change, mailbox))

    order.refresh_from_db()
    mail_customer(order, "payment_refunded_automatically", once="x")

    assert OutgoingMail.objects.get(reference=order.reference).to == "neuve@example.com"
    assert find_declared_order(text=order.reference, email="neuve@example.com") == order
    assert "neuveexamplecom" in order.search_entry.text
    assert order.invoices.get().data == issued
    assert order.events.filter(name="order.email_changed", actor=member).count() == 1
    others.refresh_from_db()
    assert (others.email, others.events.filter(name="order.email_changed").count()) == (
        "bureau@example.com",
        0,
    )
    # Theirs as well (0013), though in no account: one press puts it there, and the next owner of the address has none.
    guests.refresh_from_db()
    assert (guests.user, guests.email) == (None, "neuve@example.com")
    assert guests.events.filter(name="order.email_changed", actor=member).count() == 1
    member.refresh_from_db()
    assert may_join(guests, member)
    assert set(orders_of(Person(member.pk, (member.email,)))) == {order, guests, others}
    assert not orders_of(Person(make_member("lea@example.com").pk, ("lea@example.com",))).exists()


def test_reviews_without_an_account_follow_a_member_to_another_address():
    member, product = make_member("lea@example.com"), make_product()
    review = Review.objects.create(
        product=product, guest_email="lea@example.com", rating=5, title="Superbe", text="Peint avec soin.",
        experience_date=timezone.localdate(),
    )  # fmt: skip
    change = request_email_change(user=member, email="neuve@example.com", language="fr")
    for mailbox in Mailbox:
        confirm_email_change(key=email_change_key(change, mailbox))
    review.refresh_from_db()
    assert (review.user, review.guest_email) == (member, "")
