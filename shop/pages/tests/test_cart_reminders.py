"""Reminders of carts that were left, and the member's part of the newsletter."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import translate_url
from django.utils import timezone

from accounts.models import User
from accounts.tests.people import PASSWORD, make_member
from blog.models import ConsentRecord, Subscriber
from blog.services.newsletter.suspensions import suspend_address
from orders.models import SavedCart
from orders.tests.factories import make_finished_product, make_order, make_product, pay_order
from shop.core.mail_delivery import _store_rendering, deliver, render
from shop.core.models import MailState, OutgoingMail, ShopSettings
from shop.core.shop_settings import save_shop_settings
from shop.pages.services import cart_reminders
from shop.pages.services.cart_reminders import send_due_reminders

pytestmark = pytest.mark.django_db


def choose(client, **fields):
    return client.post("/espace-membre/newsletter", {name: "1" for name, on in fields.items() if on})


@pytest.fixture
def member(client):
    user = make_member("lea@example.com")
    client.force_login(user)
    return user


def leave_cart(member, *products, hours=25):
    lines = [
        {"product_id": product.pk, "variation_id": None, "finish": "", "quantity": 1} for product in products
    ]
    cart, _is_new = SavedCart.objects.get_or_create(user=member)
    SavedCart.objects.filter(pk=cart.pk).update(
        lines=lines, version=cart.version + 1, updated_at=timezone.now() - timedelta(hours=hours)
    )


def reminders():
    return OutgoingMail.objects.filter(kind="cart_reminder")


def test_a_member_subscribes_for_the_own_address_without_a_mail_and_sees_what_was_agreed(client, member):
    page = client.get("/espace-membre?tab=profile").content.decode()
    assert 'name="newsletter" value="1">' in page
    assert 'name="cart_reminders" value="1">' in page
    answer = choose(client, newsletter=True, cart_reminders=True)
    assert answer["Location"] == "/espace-membre?tab=profile"
    subscriber = Subscriber.objects.get()
    assert (subscriber.email, subscriber.receives, subscriber.gets_cart_reminders) == (
        "lea@example.com",
        True,
        True,
    )
    assert not OutgoingMail.objects.exists()
    assert sorted(ConsentRecord.objects.values_list("purpose", "action", "source")) == [
        ("cart_reminders", "confirmed", "profile"),
        ("newsletter", "confirmed", "profile"),
    ]
    page = client.get("/espace-membre?tab=profile").content.decode()
    assert 'name="newsletter" value="1" checked>' in page
    assert "(texte 2026-11)" in page
    choose(client)
    subscriber.refresh_from_db()
    assert (subscriber.receives, subscriber.gets_cart_reminders) == (False, False)


@pytest.mark.parametrize(
    ("language", "told", "version"),
    [
        ("fr", "<li>Newsletter\u00a0: confirmé le ", "e-mail.\u00a0» (texte 2026-11)"),
        ("en", "<li>Newsletter: confirmed on ", "email.” (text 2026-11)"),
        ("es", "<li>Boletín: confirmado el ", "correo.» (texto 2026-11)"),
        ("de", "<li>Newsletter: bestätigt am ", "E-Mail.“ (Text 2026-11)"),
    ],
)
def test_what_was_accepted_is_told_with_the_signs_of_the_language(client, member, language, told, version):
    client.post(translate_url("/espace-membre/newsletter", language), {"newsletter": "1"})
    page = client.get(translate_url("/espace-membre?tab=profile", language)).content.decode()
    assert told in page
    assert version in page


def test_what_was_accepted_stays_told_while_nothing_is_sent_to_the_address(client, member):
    choose(client, newsletter=True)
    suspend_address("lea@example.com")
    page = client.get("/espace-membre?tab=profile").content.decode()
    assert "confirmé le" in page
    assert "(texte 2026-11)" in page
    assert "suspendu le" not in page
    assert "Cochez la case et enregistrez pour les reprendre." in page


def test_a_member_whose_mailbox_was_refused_takes_up_the_reminders_alone(client, member):
    choose(client, newsletter=True, cart_reminders=True)
    suspend_address("lea@example.com")
    page = client.get("/espace-membre?tab=profile").content.decode()
    assert 'name="newsletter" value="1">' in page
    assert 'name="cart_reminders" value="1">' in page
    for _again in range(2):
        choose(client, cart_reminders=True)
        subscriber = Subscriber.objects.get()
        assert (subscriber.receives, subscriber.gets_cart_reminders) == (False, True)
        assert (subscriber.subscribed_at, subscriber.suspended_at, subscriber.suspension) == (None, None, "")
        assert list(ConsentRecord.objects.order_by("pk").values_list("purpose", "action"))[2:] == [
            ("newsletter", "suspended"),
            ("newsletter", "withdrawn"),
            ("cart_reminders", "confirmed"),
        ]


def test_who_says_no_and_never_said_yes_leaves_no_row(client, member):
    choose(client)
    assert not Subscriber.objects.exists()


def test_a_reminder_tells_the_painted_piece_from_the_other_in_the_member_s_language(client, member):
    choose(client, cart_reminders=True)
    User.objects.filter(pk=member.pk).update(language="de")
    piece = make_finished_product("Hibou")
    leave_cart(member, piece)
    line = {"product_id": piece.pk, "variation_id": None, "quantity": 1}
    SavedCart.objects.update(lines=[line | {"finish": finish} for finish in ("painted", "unpainted")])
    SavedCart.objects.update(updated_at=timezone.now() - timedelta(hours=25))
    assert send_due_reminders(timezone.now()) == 1
    items = reminders().get().context["items"]
    assert [(item["detail"], item["price"]) for item in items] == [("Bemalt", "80.00"), ("Unbemalt", "40.00")]


def test_the_link_of_a_reminder_asks_who_is_not_signed_in_and_leads_to_the_cart(client, member):
    choose(client, cart_reminders=True)
    leave_cart(member, make_product("Golem de poche"))
    send_due_reminders(timezone.now())
    path = reminders().get().context["cart_url"].removeprefix("http://localhost:8000")
    assert client.get(path)["Location"] == "/panier"
    client.logout()
    page = client.get(path)
    assert (page.status_code, page.context["next"]) == (200, "/panier")
    answer = client.post("/auth", {"email": member.email, "password": PASSWORD, "next": page.context["next"]})
    assert answer["Location"] == "/panier"


def test_a_cart_is_reminded_of_once(client, member):
    choose(client, cart_reminders=True)
    piece, other = make_product("Golem de poche"), make_product("Renard")
    leave_cart(member, piece)
    assert [send_due_reminders(timezone.now()) for _ in range(2)] == [1, 0]
    mail = reminders().get()
    assert (mail.to, [item["name"] for item in mail.context["items"]]) == (
        "lea@example.com",
        ["Golem de poche"],
    )
    assert "objet=panier" in mail.context["unsubscribe_url"]
    # More in the same cart is no other cart; another one is.
    leave_cart(member, piece, other)
    assert send_due_reminders(timezone.now()) == 0
    leave_cart(member, make_product("Dragon"))
    assert send_due_reminders(timezone.now()) == 1


@pytest.mark.parametrize("as_guest", [False, True])
def test_who_bought_what_was_reminded_of_is_reminded_of_a_cart_with_it_again(client, member, as_guest):
    choose(client, cart_reminders=True)
    piece, other = make_product("Hibou"), make_product("Renard")
    leave_cart(member, piece, other)
    assert send_due_reminders(timezone.now()) == 1
    user, email = (None, member.email) if as_guest else (member, "elsewhere@example.com")
    pay_order(make_order((piece, 1), user=user, email=email))
    later = timezone.now() + timedelta(days=4)
    # What is left over of the first cart is no other one.
    for products, count in (([other], 0), ([piece, other], 0), ([piece], 1)):
        leave_cart(member, *products, hours=25 - 4 * 24)
        assert send_due_reminders(later) == count


@pytest.mark.parametrize("hours", [23, 24 * 9])
def test_a_cart_that_was_just_left_or_long_ago_is_not(client, member, hours):
    choose(client, cart_reminders=True)
    leave_cart(member, make_product(), hours=hours)
    assert send_due_reminders(timezone.now()) == 0


def test_nobody_is_reminded_who_did_not_ask_has_left_or_has_ordered(client, member):
    leave_cart(member, make_product())
    assert send_due_reminders(timezone.now()) == 0
    choose(client, newsletter=True)
    assert send_due_reminders(timezone.now()) == 0
    choose(client, cart_reminders=True)
    pay_order(make_order(user=member))
    leave_cart(member, make_product())
    assert send_due_reminders(timezone.now()) == 0


def test_nobody_is_reminded_who_has_ordered_as_a_guest_with_their_address(client, member):
    choose(client, cart_reminders=True)
    leave_cart(member, make_product())
    pay_order(make_order(user=None, email="lea@example.com"))
    assert send_due_reminders(timezone.now()) == 0


def test_a_letters_link_ends_the_reminders_as_well(client, member):
    choose(client, newsletter=True, cart_reminders=True)
    client.post(f"/newsletter/desinscription?cle={Subscriber.objects.get().token}")
    leave_cart(member, make_product())
    assert send_due_reminders(timezone.now()) == 0


def test_a_reminder_that_waits_for_the_mail_server_does_not_leave_once_they_are_ended(client, member):
    choose(client, cart_reminders=True)
    leave_cart(member, make_product())
    assert send_due_reminders(timezone.now()) == 1
    reminders().update(attempts=1, next_attempt_at=timezone.now() + timedelta(hours=1))
    choose(client)
    assert not reminders().exists()


@pytest.mark.parametrize("as_guest", [False, True])
def test_a_reminder_that_waits_for_the_mail_server_does_not_leave_after_an_order(
    client, member, mailoutbox, as_guest
):
    choose(client, cart_reminders=True)
    leave_cart(member, make_product("Golem de poche"))
    assert send_due_reminders(timezone.now()) == 1
    # Its first try met a mail server that was away.
    mail = reminders().get()
    _store_rendering(mail, render(mail))
    reminders().update(attempts=1)
    user, email = (None, member.email) if as_guest else (member, "elsewhere@example.com")
    pay_order(make_order(user=user, email=email))
    assert deliver(mail.pk) is None
    assert (reminders().exists(), [sent.to for sent in mailoutbox]) == (False, [])


def test_a_reminder_that_waited_leaves_to_who_has_ordered_nothing(client, member, mailoutbox):
    choose(client, cart_reminders=True)
    leave_cart(member, make_product("Golem de poche"))
    assert send_due_reminders(timezone.now()) == 1
    pay_order(make_order(user=make_member("zoe@example.com"), email="zoe@example.com"))
    make_order(user=member)
    assert deliver(reminders().get().pk) == MailState.SENT
    assert [sent.to for sent in mailoutbox] == [["lea@example.com"]]


def test_the_link_of_a_reminder_that_is_pressed_again_keeps_the_proof(client, member):
    choose(client, cart_reminders=True)
    link = f"/newsletter/desinscription?cle={Subscriber.objects.get().token}&objet=panier"
    for _again in range(2):
        assert "Vous ne recevrez plus de rappel de panier." in client.post(link).content.decode()
    assert not Subscriber.objects.get().gets_cart_reminders
    assert sorted(ConsentRecord.objects.values_list("purpose", "action", "source")) == [
        ("cart_reminders", "confirmed", "profile"),
        ("cart_reminders", "withdrawn", "mail"),
    ]


def test_a_cart_without_anything_to_buy_is_not_and_the_shop_may_end_reminders(
    client, member, django_capture_on_commit_callbacks
):
    choose(client, cart_reminders=True)
    leave_cart(member, make_product(is_published=False))
    assert send_due_reminders(timezone.now()) == 0
    leave_cart(member, make_product("Dragon"))
    with django_capture_on_commit_callbacks(execute=True):
        save_shop_settings(ShopSettings(pk=1, cart_reminder_hours=None))
    assert send_due_reminders(timezone.now()) == 0


def test_a_cart_that_fails_keeps_no_other_waiting(client, member, fail_first):
    other = make_member("zoe@example.com")
    for owner in (member, other):
        client.force_login(owner)
        choose(client, cart_reminders=True)
        leave_cart(owner, make_product(f"Golem {owner.pk}"))
    fail_first(cart_reminders, "_items")
    with pytest.raises(RuntimeError, match="unforeseen"):
        send_due_reminders(timezone.now())
    assert reminders().count() == 1
    assert send_due_reminders(timezone.now()) == 1
