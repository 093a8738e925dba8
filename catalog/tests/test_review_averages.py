"""What the shop says by its reviews: honest averages, the latest, what was bought (L111-7-2, D111-17)."""

from __future__ import annotations

import json
import re
from datetime import date
from decimal import Decimal

import pytest
from django.core.cache import cache

from catalog.demo.reviews import load_reviews
from catalog.models import Product, Review, ReviewState
from catalog.selectors import purchases
from catalog.selectors.purchases import Purchase
from catalog.selectors.reviews import latest_reviews, overall_rating, product_reviews
from catalog.tests.factories import make_product, make_variation, variant_of
from catalog.tests.reviews import decide, publish, write

pytestmark = pytest.mark.django_db


def product_data(client, product):
    html = client.get(f"/produit/{product.pk}-golem").content.decode()
    blocks = [
        json.loads(text) for text in re.findall(r'<script type="application/ld\+json">(.*?)</script>', html)
    ]
    return next(block for block in blocks if block["@type"] == "Product")


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
