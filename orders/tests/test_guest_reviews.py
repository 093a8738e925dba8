"""Who bought without an account reviews too, by the signed link of the delivered order, once an address."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from accounts.services.signing_up import confirm_sign_up
from accounts.sign_ups import sign_up_key
from accounts.tests.people import mails, make_member, sign_up
from catalog.models import Review, ReviewState
from catalog.services.reviews import adopt_reviews, moderate_review
from orders.access import access_token, order_url
from orders.models import Order
from orders.services.checkout.guest_accounts import join_member
from orders.services.fulfilment.status_changes import update_status
from orders.tests.factories import make_order, make_product, make_seller, pay_order

pytestmark = pytest.mark.django_db

WORDS = {"rating": "5", "title": "Superbe", "text": "Peint avec soin."}


@pytest.fixture
def piece():
    make_seller()
    return make_product("Golem de poche")


def delivered(piece, **fields):
    order = pay_order(make_order((piece, 1), **fields))
    for status in ("shipped", "delivered"):
        update_status(order_id=order.pk, status=status, actor=None)
    return Order.objects.get(pk=order.pk)


def form(order, piece):
    return f"/commande/{order.pk}/avis/{piece.pk}?acces={access_token(order)}"


def test_the_orders_page_leads_to_the_form_and_the_review_waits_for_moderation(client, piece):
    order = delivered(piece)
    page = client.get(order_url(order)).content.decode()
    assert f"/commande/{order.pk}/avis/{piece.pk}?acces=" in page
    shown = client.get(form(order, piece))
    assert "Léa M." in shown.content.decode()
    assert (shown["Referrer-Policy"], shown["X-Robots-Tag"]) == ("same-origin", "noindex")

    assert client.post(form(order, piece), WORDS).status_code == 303

    review = Review.objects.get()
    assert (review.user, review.guest_email, review.author_name) == (None, "lea@example.com", "Léa M.")
    assert (review.order_reference, review.state) == (order.reference, ReviewState.PENDING)
    assert review.variant_id == order.items.get().variant_id
    written = client.get(form(order, piece)).content.decode()
    assert "votre avis est enregistré" in written
    own = f"/commande/{order.pk}?acces={access_token(order)}"
    assert f'</svg> <a href="{own}">Commande {order.reference}</a></p>' in written


def test_the_decision_is_written_to_the_orders_address(client, piece):
    client.post(form(delivered(piece), piece), WORDS)
    moderate_review(
        review_id=Review.objects.get().pk, seen=ReviewState.PENDING, state=ReviewState.REFUSED,
        reason="Hors sujet.", moderator_id=None, moderator="x",
    )  # fmt: skip
    assert mails("review_decision") == [("review_decision", "lea@example.com")]


def test_once_an_address_whatever_the_order_and_the_account(client, piece):
    first, second = delivered(piece), delivered(piece)
    client.post(form(first, piece), WORDS)
    assert client.post(form(second, piece), WORDS).status_code == 409
    assert Review.objects.count() == 1
    member = make_member("lea@example.com")
    mine = delivered(piece, user=member)
    client.force_login(member)
    assert client.post(f"/produit/{piece.pk}/avis", WORDS).status_code == 409
    assert mine.user_id == member.pk
    assert Review.objects.count() == 1


@pytest.mark.both_engines
def test_the_database_refuses_a_second_one(client, piece):
    client.post(form(delivered(piece), piece), WORDS)
    row = Review.objects.get()
    row.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save(force_insert=True)


def test_before_the_delivery_for_another_piece_and_without_the_link_there_is_no_form(client, piece):
    order = pay_order(make_order((piece, 1)))
    assert client.get(form(order, piece)).status_code == 404
    assert "/avis/" not in client.get(order_url(order)).content.decode().split("</main>")[0]
    order = delivered(piece)
    for path in (form(order, make_product("Lutin")), f"/commande/{order.pk}/avis/{piece.pk}"):
        assert client.get(path).status_code == 404
        assert client.post(path, WORDS).status_code == 404
    assert not Review.objects.exists()


def test_what_is_wrong_is_said_and_what_was_typed_stays(client, piece):
    order = delivered(piece)
    page = client.post(form(order, piece), {**WORDS, "title": ""})
    assert page.status_code == 400
    assert "Donnez un titre à votre avis." in page.content.decode()
    assert "Peint avec soin." in page.content.decode()
    assert not Review.objects.exists()


def test_the_review_joins_the_account_with_the_order(client, piece):
    order = delivered(piece)
    client.post(form(order, piece), WORDS)
    member = make_member("lea@example.com")
    join_member(order=order, member=member)
    review = Review.objects.get()
    assert (review.user, review.guest_email) == (member, "")
    assert client.get(form(order, piece))["Location"] == f"/produit/{piece.pk}/avis"


def test_a_members_order_leads_to_the_form_of_members(client, piece):
    member = make_member("lea@example.com")
    order = delivered(piece, user=member)
    client.force_login(member)
    assert client.get(f"/commande/{order.pk}/avis/{piece.pk}")["Location"] == f"/produit/{piece.pk}/avis"
    for other in (make_product("Lutin").pk, 2**63):
        assert client.get(f"/commande/{order.pk}/avis/{other}").status_code == 404


@pytest.mark.parametrize("is_theirs", [True, False])
def test_the_review_joins_the_account_that_signing_up_alone_makes(client, piece, is_theirs):
    client.post(form(delivered(piece), piece), WORDS)
    asked = sign_up("lea@example.com")
    member = confirm_sign_up(key=sign_up_key(asked), password="carmes-atelier-2026", is_theirs=is_theirs)
    review = Review.objects.get()
    assert (review.user, review.guest_email) == (member, "")
    assert Order.objects.get().user is None


def test_a_piece_that_the_member_reviewed_too_keeps_both(client, piece):
    order = delivered(piece)
    client.post(form(order, piece), WORDS)
    member = make_member("zoe@example.com")
    Review.objects.create(
        product=piece, user=member, rating=4, title="Beau", text="Fin.", experience_date=order.paid_at.date()
    )
    adopt_reviews(user_id=member.pk, email="lea@example.com")
    assert set(Review.objects.values_list("user", "guest_email")) == {
        (None, "lea@example.com"),
        (member.pk, ""),
    }


def test_the_review_of_another_address_stays_where_it_is(client, piece):
    client.post(form(delivered(piece), piece), WORDS)
    asked = sign_up("lena@example.com")
    confirm_sign_up(key=sign_up_key(asked), password="carmes-atelier-2026", is_theirs=True)
    assert Review.objects.get().guest_email == "lea@example.com"
