"""Reviews: buyers only, moderated, logged, dated, and honest averages (L111-7-2, D111-17)."""

from __future__ import annotations

import json
import re
from datetime import date
from decimal import Decimal
from html import unescape

import pytest
from django.core.cache import cache
from django.db import DatabaseError, transaction
from django.test import Client

from catalog.demo.reviews import load_reviews
from catalog.models import Product, Review, ReviewDecision, ReviewState
from catalog.selectors import purchases
from catalog.selectors.purchases import Purchase
from catalog.selectors.reviews import latest_reviews, overall_rating, product_reviews
from catalog.services.reviews import moderate_review, submit_review
from catalog.tests.factories import make_product, make_user, make_variation, variant_of
from shop.core.append_only import AppendOnlyError
from shop.core.models import OutgoingMail
from shop.core.problems import Problem

pytestmark = pytest.mark.django_db

WORDS = {"rating": 4, "title": "Superbe", "text": "Très fine."}


@pytest.fixture
def product():
    return make_product("Golem")


@pytest.fixture
def bought(monkeypatch):
    """Everybody bought everything, on one day."""
    monkeypatch.setattr(
        purchases, "_finders", [lambda user, product: Purchase("ABCD1234", date(2026, 11, 2), None)]
    )


@pytest.fixture
def member(client):
    user = make_user()
    user.first_name, user.last_name = "Zoé", "Ólafsdóttir"
    user.save()
    client.force_login(user)
    return user


def write(product, user=None, **words):
    values = {**WORDS, **words}
    return submit_review(
        user_id=(user or make_user(f"m{Review.objects.count()}@example.com")).pk,
        author_name="Zoé Ó.",
        product_id=product.pk,
        language="fr",
        **values,
    )


def decide(review, state, reason=""):
    return moderate_review(
        review_id=review.pk,
        seen=ReviewState(Review.objects.get(pk=review.pk).state),
        state=state,
        reason=reason,
        moderator_id=None,
        moderator="alix",
    )


def publish(product, **words):
    return decide(write(product, **words), ReviewState.PUBLISHED)


def post(client, product, body=None):
    return client.post(f"/api/products/{product.pk}/reviews", body or WORDS, content_type="application/json")


def product_data(client, product):
    html = client.get(f"/produit/{product.pk}-golem").content.decode()
    blocks = [
        json.loads(text) for text in re.findall(r'<script type="application/ld\+json">(.*?)</script>', html)
    ]
    return next(block for block in blocks if block["@type"] == "Product")


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
    assert "Merci, votre avis est enregistré" in client.get(address).content.decode()


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
    assert "Publié le 20\xa0novembre 2026, pièce reçue le 2\xa0novembre 2026" in html
    assert "achat vérifié" in html
    assert "&lt;script&gt;" in html
    assert "<script>alert" not in html


def test_the_average_counts_what_is_published(client, bought, product):
    for rating in (5, 4, 4):
        publish(product, rating=rating)
    write(product, rating=1)
    refused = write(product, rating=1)
    decide(refused, ReviewState.REFUSED, "a" * 500)
    assert Review.objects.get(pk=refused.pk).published_at is None
    product.refresh_from_db()
    assert (product.rating_count, product.rating_average) == (3, Decimal("4.33"))
    data = product_data(client, product)
    assert data["aggregateRating"] == {
        "@type": "AggregateRating",
        "ratingValue": "4.33",
        "reviewCount": 3,
        "bestRating": 5,
        "worstRating": 1,
    }
    assert len(data["review"]) == 3
    answer = client.get(f"/api/products/{product.pk}/reviews").json()
    assert (answer["count"], answer["average"], len(answer["results"])) == (3, "4.33", 3)


def test_no_review_no_rating(client, product):
    data = product_data(client, product)
    assert "aggregateRating" not in data
    assert "review" not in data


def test_demonstration_reviews_are_marked_and_count_for_nothing(client, product):
    load_reviews()
    load_reviews()
    assert Review.objects.filter(demonstration=True).count() == 15
    html = client.get(f"/produit/{product.pk}-golem").content.decode()
    assert html.count("Avis de démonstration") == 10
    assert "achat vérifié" not in html
    data = product_data(client, product)
    assert "aggregateRating" not in data
    assert "review" not in data
    assert client.get(f"/api/products/{product.pk}/reviews").json()["count"] == 0


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


@pytest.mark.both_engines
def test_the_latest_for_the_home_page(bought, product, django_assert_num_queries):
    other = make_product("Lutin")
    hidden = make_product("Brouillon")
    publish(product, title="Ancien")
    publish(product, title="Récent")
    publish(other, title="Autre")
    publish(hidden, title="Caché")
    write(other, title="En attente")
    Product.objects.filter(pk=hidden.pk).update(is_published=False)
    with django_assert_num_queries(1):
        latest = latest_reviews()
    assert [(row.review.title, row.product_name, row.url) for row in latest] == [
        ("Autre", "Lutin", f"/produit/{other.pk}-lutin#avis"),
        ("Récent", "Golem", f"/produit/{product.pk}-golem#avis"),
    ]


@pytest.mark.both_engines
def test_many_reviews_of_one_product_leave_room_for_others_on_the_home_page(bought, product):
    publish(make_product("Lutin"), title="Autre")
    for number in range(20):
        publish(product, title=f"Avis {number}")
    assert [row.review.title for row in latest_reviews()] == ["Avis 19", "Autre"]


def test_the_home_page_rates_the_shop_by_the_reviews_that_its_pages_show(client, bought, product):
    hidden = make_product("Brouillon")
    for rating in (5, 4, 4):
        publish(product, rating=rating)
    publish(hidden, rating=1)
    Product.objects.filter(pk=hidden.pk).update(is_published=False)
    write(product, rating=1)
    demonstration = publish(product, rating=1)
    Review.objects.filter(pk=demonstration.pk).update(demonstration=True)
    assert '<strong class="price">4,3</strong> sur 5, 3 avis publiés' in client.get("/").content.decode()


def test_without_a_real_review_the_home_page_rates_nothing(client, bought, product):
    Review.objects.filter(pk=publish(product, title="Essai").pk).update(demonstration=True)
    html = client.get("/").content.decode()
    assert "Essai" in html
    assert "reviews__average" not in html
    assert overall_rating() is None


def test_how_reviews_are_controlled(client):
    html = client.get("/avis-clients").content.decode()
    assert "Comment les avis sont contrôlés" in html
    # Who ordered without an account writes by the order's link.
    assert "avec leur compte ou par le lien de leur commande livrée" in html
    assert "Une note basse n'est jamais un motif de refus." in html


def test_a_review_remembers_and_shows_what_was_bought(client, monkeypatch, product):
    small = variant_of(product, make_variation(product, "18 cm"))
    monkeypatch.setattr(
        purchases, "_finders", [lambda user, product: Purchase("ABCD1234", date(2026, 11, 2), small.pk)]
    )
    review = publish(product)
    assert Review.objects.get().variant == small
    html = client.get(f"/produit/{product.pk}-golem").content.decode()
    assert "achat vérifié · 18 cm</p>" in html
    # The words outlive the choice.
    small.delete()
    cache.clear()
    assert Review.objects.get().pk == review.pk
    assert "achat vérifié</p>" in client.get(f"/produit/{product.pk}-golem").content.decode()


def test_a_review_of_what_had_no_choice_names_none(client, monkeypatch, product):
    only = variant_of(product)
    monkeypatch.setattr(
        purchases, "_finders", [lambda user, product: Purchase("ABCD1234", date(2026, 11, 2), only.pk)]
    )
    publish(product)
    assert "achat vérifié</p>" in client.get(f"/produit/{product.pk}-golem").content.decode()


def test_the_variants_of_reviews_cost_no_query_each(monkeypatch, product, django_assert_num_queries):
    rows = [variant_of(product, make_variation(product, f"{number} cm")) for number in range(3)]
    for row in rows:
        monkeypatch.setattr(
            purchases,
            "_finders",
            [lambda user, product, row=row: Purchase("ABCD1234", date(2026, 11, 2), row.pk)],
        )
        publish(product)
    with django_assert_num_queries(1):
        found = product_reviews(product.pk, limit=9)
    assert sorted(row.variant for row in found) == ["0 cm", "1 cm", "2 cm"]
