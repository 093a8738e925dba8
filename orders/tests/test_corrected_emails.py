"""A guest mistyped the e-mail address of their order: staff correct it, and the customer has the contract after all."""

from __future__ import annotations

import pytest
from django.test import Client

from accounts.models import User
from accounts.tests.people import make_member
from orders.access import access_token, order_url, payment_page_url
from orders.models import Order, OrderStatus
from orders.selectors.withdrawals import find_declared_order, withdrawal_path
from orders.services.checkout.guest_accounts import correct_email
from orders.services.installments.mails import mail_link
from orders.tests.factories import make_order, make_product, make_seller, pay_order
from orders.tests.installments import offer_installments
from shop.core.mail_delivery import deliver, render
from shop.core.models import MailState, OutgoingMail
from shop.core.problems import Problem

pytestmark = pytest.mark.django_db

WRONG, RIGHT = "lea@exmaple.com", "lea@example.com"


@pytest.fixture
def order() -> Order:
    return pay_order(make_order(email=WRONG))


def sent(address: str) -> list[str]:
    for pk in OutgoingMail.objects.filter(state=MailState.QUEUED).order_by("pk").values_list("pk", flat=True):
        deliver(pk)
    return [mail.kind for mail in OutgoingMail.objects.filter(to=address).order_by("pk")]


def address_of(order: Order) -> str:
    return f"/admin/commandes/{order.pk}/adresse-e-mail"


@pytest.mark.both_engines
def test_the_customer_has_the_confirmation_with_the_contract_and_the_link(
    staff_client: Client, admin: User, order: Order
) -> None:
    assert sent(WRONG) == ["order_confirmation"]
    page = staff_client.get(address_of(order)).content.decode()
    assert f'value="{WRONG}"' in page
    assert (
        f'"url": "{address_of(order)}"' in staff_client.get(f"/admin/commandes/{order.pk}").content.decode()
    )

    answer = staff_client.post(address_of(order), {"email": " Lea@Example.com"})

    assert (answer.status_code, answer["Location"]) == (302, f"/admin/commandes/{order.pk}")
    order.refresh_from_db()
    assert order.email == RIGHT
    assert sent(RIGHT) == ["order_confirmation"]
    mail = OutgoingMail.objects.get(to=RIGHT)
    assert order_url(order) in mail.text
    assert mail.attachments == OutgoingMail.objects.get(to=WRONG).attachments
    assert len(mail.attachments) == 2, "the contract and the invoice"
    assert order.events.get(name="order.email_changed").actor == admin
    assert find_declared_order(text=order.reference, email=RIGHT) == order
    assert "leaexamplecom" in order.search_entry.text


def test_links_that_went_to_the_wrong_address_open_the_order_no_longer(
    admin: User, order: Order, client: Client
) -> None:
    wrong, form = order_url(order), withdrawal_path(order, access_token(order))
    assert [client.get(wrong).status_code, RIGHT in client.get(form).content.decode()] == [200, False]
    assert order.reference in client.get(form).content.decode()
    first = Order.objects.get(pk=order.pk)
    for address in (RIGHT, WRONG):
        correct_email(order_id=order.pk, email=address, actor=admin)
        order.refresh_from_db()
        assert [client.get(url).status_code for url in (wrong, order_url(order))] == [404, 200]
    assert order.reference not in client.get(form).content.decode()
    assert (first.link_version, order.link_version) == (0, 2)


def test_the_payment_page_follows_and_its_link_of_before_opens_it_no_longer(
    admin: User, client: Client
) -> None:
    make_seller()
    offer_installments()
    order = pay_order(make_order((make_product(price="170.00"), 1), payment_mode="installments", email=WRONG))
    mail_link(order, order.payments.get(position=2), once="told")
    wrong = payment_page_url(order)
    mail = OutgoingMail.objects.get(kind="installment_link")
    assert (mail.context["pay_url"], client.get(wrong).status_code) == (wrong, 200)

    correct_email(order_id=order.pk, email=RIGHT, actor=admin)

    order.refresh_from_db()
    right = payment_page_url(order)
    assert [client.get(url).status_code for url in (wrong, right)] == [404, 200]
    assert client.post(wrong, {"pay": "all"}).status_code == 404
    assert sent(WRONG) == []
    sent(RIGHT)
    mail.refresh_from_db()
    assert (mail.to, right in mail.text, wrong in mail.text) == (RIGHT, True, False)


def test_a_mail_that_waits_for_the_mail_server_has_the_links_of_now(admin: User, order: Order) -> None:
    mail = OutgoingMail.objects.get(to=WRONG)
    rendered = render(mail)
    OutgoingMail.objects.update(text=rendered.text, html=rendered.html, attempts=1)
    assert order_url(order) in rendered.text
    correct_email(order_id=order.pk, email=RIGHT, actor=admin)
    order.refresh_from_db()
    assert (sent(WRONG), sent(RIGHT)) == ([], ["order_confirmation"])
    text = OutgoingMail.objects.get(to=RIGHT).text
    assert (order_url(order) in text, text.count(access_token(order)), rendered.text.count("acces=")) == (
        True,
        rendered.text.count("acces="),
        text.count("acces="),
    )


def test_what_waits_goes_to_the_corrected_address_and_is_not_sent_twice(admin: User, order: Order) -> None:
    correct_email(order_id=order.pk, email=RIGHT, actor=admin)
    correct_email(order_id=order.pk, email=RIGHT, actor=admin)
    assert (sent(WRONG), sent(RIGHT)) == ([], ["order_confirmation"])
    assert order.events.filter(name="order.email_changed").count() == 1


def test_who_is_corrected_away_and_back_has_a_link_that_opens_the_order(admin: User, order: Order) -> None:
    assert sent(WRONG) == ["order_confirmation"]
    for address in (RIGHT, WRONG):
        correct_email(order_id=order.pk, email=address, actor=admin)
        order.refresh_from_db()
        sent(address)
    confirmations = OutgoingMail.objects.filter(to=WRONG).order_by("pk")
    assert [order_url(order) in mail.text for mail in confirmations] == [False, True]


def test_nothing_is_confirmed_anew_of_an_order_that_is_not_paid_or_was_cancelled(
    admin: User, order: Order
) -> None:
    sent(WRONG)
    Order.objects.filter(pk=order.pk).update(status=OrderStatus.CANCELLED)
    unpaid = make_order(email="tom@exmaple.com")
    correct_email(order_id=order.pk, email=RIGHT, actor=admin)
    correct_email(order_id=unpaid.pk, email="tom@example.com", actor=admin)
    assert sent(RIGHT) == sent("tom@example.com") == []


@pytest.mark.parametrize("typed", ["", "lea", "lea@localhost"])
def test_what_is_no_address_is_said_at_the_field(staff_client: Client, order: Order, typed: str) -> None:
    page = staff_client.post(address_of(order), {"email": typed})
    assert (page.status_code, list(page.context["form"].errors)) == (200, ["email"])
    order.refresh_from_db()
    assert order.email == WRONG


def test_a_member_changes_their_own(staff_client: Client, admin: User) -> None:
    order = pay_order(make_order(user=make_member(RIGHT), email=RIGHT))
    assert address_of(order) not in staff_client.get(f"/admin/commandes/{order.pk}").content.decode()
    assert staff_client.post(address_of(order), {"email": WRONG}).status_code == 302
    with pytest.raises(Problem) as refusal:
        correct_email(order_id=order.pk, email=WRONG, actor=admin)
    assert (refusal.value.code, refusal.value.status) == ("email_final", 409)
    order.refresh_from_db()
    assert order.email == RIGHT
