"""Reviews: buyers only, moderated, logged, dated (L111-7-2, D111-17)."""

from __future__ import annotations

from datetime import date
from html import unescape

import pytest
from django.db import DatabaseError, transaction
from django.test import Client

from catalog.models import Product, Review, ReviewDecision, ReviewState
from catalog.tests.factories import make_user
from catalog.tests.reviews import WORDS, decide, publish, write
from shop.core.append_only import AppendOnlyError
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail
from shop.core.problems import Problem

pytestmark = pytest.mark.django_db


@pytest.fixture
def member(client):
    user = make_user()
    user.first_name, user.last_name = "Zoé", "Ólafsdóttir"
    user.save()
    client.force_login(user)
    return user


def post(client, product, body=None):
    return client.post(f"/api/products/{product.pk}/reviews", body or WORDS, content_type="application/json")


def test_a_buyer_writes_and_waits(client, member, bought, product):
    response = post(client, product)
    review = Review.objects.get()
    assert (response.status_code, response.json()) == (201, {"id": review.pk, "state": "pending"})
    assert (review.author_name, review.order_reference, review.experience_date) == (
        "Zoé Ó.",
        "ABCD1234",
        date(2026, 11, 2),
    )
    assert client.get(f"/api/products/{product.pk}/reviews").json() == {
        "count": 0,
        "average": None,
        "results": [],
    }
    assert "Superbe" not in client.get(f"/produit/{product.pk}-golem").content.decode()


def test_l111_7_2_who_did_not_buy_is_refused(client, member, product):
    response = post(client, product)
    assert (response.status_code, response.json()["code"]) == (403, "not_a_buyer")
    page = client.post(f"/produit/{product.pk}/avis", WORDS)
    assert page.status_code == 403
    assert "Seuls les clients qui ont acheté cette pièce" in page.content.decode()
    assert not Review.objects.exists()


def test_guests_are_asked_to_sign_in(client, product, bought):
    assert post(client, product).status_code == 401
    response = client.get(f"/produit/{product.pk}/avis")
    assert (response.status_code, response["Location"]) == (302, f"/auth?next=/produit/{product.pk}/avis")
    assert not Review.objects.exists()


def test_one_a_buyer_and_product(client, member, bought, product):
    post(client, product)
    response = post(client, product, {**WORDS, "title": "Encore"})
    assert (response.status_code, response.json()["code"]) == (409, "already_reviewed")
    # From a tab that was open before the first one was sent.
    page = client.post(f"/produit/{product.pk}/avis", {**WORDS, "title": "Encore"})
    assert page.status_code == 409
    said = unescape(page.content.decode())
    assert "Vous avez déjà donné votre avis sur cette pièce." in said
    assert "Ce que vous venez d'envoyer n'est pas enregistré." in said
    assert '<p lang="fr">Superbe</p>' in said
    shown = unescape(client.get(f"/produit/{product.pk}/avis").content.decode())
    assert "Ce que vous venez d'envoyer" not in shown
    assert Review.objects.get().title == "Superbe"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"rating": 0}, "rating"),
        ({"rating": 6}, "rating"),
        ({"rating": "x"}, "rating"),
        ({"rating": 4.5}, "rating"),
        ({"rating": None}, "rating"),
        ({"title": ""}, "title"),
        ({"title": "   "}, "title"),
        ({"title": "a" * 121}, "title"),
        ({"text": ""}, "text"),
        ({"text": "\u202e"}, "text"),
        ({"text": "a" * 4001}, "text"),
    ],
)
def test_bad_words(client, member, bought, product, change, field):
    response = post(client, product, {**WORDS, **change})
    assert (response.status_code, response.json()["code"]) == (400, "invalid")
    assert list(response.json()["errors"]) == [field]
    assert not Review.objects.exists()


def test_the_form_works_without_a_script(client, member, bought, product):
    address = f"/produit/{product.pk}/avis"
    page = client.get(address)
    assert "csrfmiddlewaretoken" in page.content.decode()
    # Not « Note », which Django's own French takes for the English word.
    assert "Votre note" in page.content.decode()
    assert "no-store" in page["Cache-Control"]

    bad = client.post(address, {"rating": "9", "title": "<b>", "text": ""})
    html = bad.content.decode()
    assert bad.status_code == 400
    assert "Choisissez une note de 1 à 5." in html
    assert "Écrivez votre avis." in html
    assert 'value="&lt;b&gt;"' in html

    assert client.post(address, WORDS)["Location"] == address
    written = client.get(address).content.decode()
    assert "Merci, votre avis est enregistré" in written
    assert '<a href="/espace-membre?tab=orders">Toutes mes commandes</a>' in written


def test_the_form_needs_its_token(member, bought, product):
    client = Client(enforce_csrf_checks=True)
    client.force_login(member)
    assert client.post(f"/produit/{product.pk}/avis", WORDS).status_code == 403
    assert post(client, product).status_code == 403
    assert not Review.objects.exists()


@pytest.mark.parametrize("number", ["999999", "0", "9" * 18])
def test_reviews_of_nothing(client, member, bought, number):
    assert client.get(f"/api/products/{number}/reviews").status_code == 404
    assert (
        client.post(f"/api/products/{number}/reviews", WORDS, content_type="application/json").status_code
        == 404
    )
    assert client.get(f"/produit/{number}/avis").status_code == 404


def test_a_published_review_is_shown_with_its_dates(client, bought, product):
    review = publish(product, text="Ligne\n<script>alert(1)</script>")
    Review.objects.filter(pk=review.pk).update(published_at="2026-11-20T12:00:00Z")
    html = client.get(f"/produit/{product.pk}-golem").content.decode()
    assert "Publié le 20\xa0novembre 2026, expérience du 2\xa0novembre 2026" in html
    assert "achat vérifié" in html
    assert "&lt;script&gt;" in html
    assert "<script>alert" not in html


def test_every_decision_is_logged_and_sent_to_the_author(bought, product):
    review = write(product)
    decide(review, ReviewState.PUBLISHED)
    decide(review, ReviewState.PUBLISHED)
    first = Review.objects.get()
    assert first.published_at == first.moderated_at is not None
    decide(review, ReviewState.REFUSED, "Numéro de téléphone.")
    taken_back = Review.objects.get()
    assert taken_back.published_at == first.published_at < taken_back.moderated_at
    # A reason that was mended reaches the author, once.
    for _press in range(2):
        decide(review, ReviewState.REFUSED, "Un numéro de téléphone.")
    assert Review.objects.get().moderation_reason == "Un numéro de téléphone."
    rows = ReviewDecision.objects.values_list("state_before", "state_after", "reason", "actor")
    assert list(rows) == [
        ("pending", "published", "", "alix"),
        ("published", "refused", "Numéro de téléphone.", "alix"),
        ("refused", "refused", "Un numéro de téléphone.", "alix"),
    ]
    sent = OutgoingMail.objects.order_by("pk")
    assert [(mail.kind, mail.context["is_published"], mail.context["reason"]) for mail in sent] == [
        ("review_decision", True, ""),
        ("review_decision", False, "Numéro de téléphone."),
        ("review_decision", False, "Un numéro de téléphone."),
    ]
    assert Product.objects.get(pk=product.pk).rating_average is None


@pytest.mark.parametrize(
    ("state", "reason", "field"),
    [
        (ReviewState.REFUSED, "", "moderation_reason"),
        (ReviewState.REFUSED, " \u200e", "moderation_reason"),
        (ReviewState.REFUSED, "a" * 501, "moderation_reason"),
        (ReviewState.PENDING, "", "state"),
    ],
)
def test_decisions_that_are_none(bought, product, state, reason, field):
    review = write(product)
    with pytest.raises(Problem) as refusal:
        decide(review, state, reason)
    assert list(refusal.value.errors) == [field]
    assert Review.objects.get().state == "pending"
    assert not ReviewDecision.objects.exists()
    assert not OutgoingMail.objects.exists()


@pytest.mark.parametrize("is_published", [True, False])
def test_the_mail_leads_to_no_page_of_a_piece_that_is_no_longer_on_sale(bought, product, is_published):
    review = write(product)
    Product.objects.filter(pk=product.pk).update(is_published=is_published)
    decide(review, ReviewState.PUBLISHED)
    mail = render(OutgoingMail.objects.get(kind="review_decision"))
    for part in (mail.text, mail.html):
        assert ["Voir la pièce" in part, f"/produit/{product.pk}" in part] == [is_published] * 2
        assert "est en ligne." in part if is_published else "il sera en ligne quand la pièce" in part
    said = "publié" if is_published else "accepté"
    assert mail.subject == f"Votre avis est {said}\u00a0: {product.name}"
    assert f"<h1>Votre avis est {said}\u00a0: {product.name}</h1>" in mail.html


def test_the_journal_is_never_rewritten(bought, product):
    publish(product)
    row = ReviewDecision.objects.get()
    for attempt in (row.save, row.delete, ReviewDecision.objects.all().delete):
        with pytest.raises(AppendOnlyError):
            attempt()
    with pytest.raises(AppendOnlyError):
        ReviewDecision.objects.update(reason="x")
    with pytest.raises(DatabaseError), transaction.atomic():
        super(type(ReviewDecision.objects.all()), ReviewDecision.objects.all()).update(reason="x")
    # It outlives the review.
    product.reviews.all().delete()
    assert ReviewDecision.objects.count() == 1


def test_how_reviews_are_controlled(client):
    html = client.get("/avis-clients").content.decode()
    assert "Comment les avis sont contrôlés" in html
    # Who ordered without an account writes by the order's link.
    assert "avec leur compte ou par le lien de leur commande livrée" in html
    assert "Une note basse n'est jamais un motif de refus." in html
