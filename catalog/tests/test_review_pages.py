"""All reviews of a piece on pages of their own, which need no script and can be linked to."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

import pytest

from catalog.models import Product, Review, ReviewState
from catalog.tests.factories import make_product

pytestmark = pytest.mark.django_db

FIRST = datetime(2026, 11, 1, 12, tzinfo=UTC)


@pytest.fixture
def product() -> Product:
    return make_product("Golem", name_de="Lehmriese")


def publish(product: Product, count: int) -> None:
    """Reviews "Avis 1" to "Avis n", the last one being the latest."""
    Review.objects.bulk_create(
        Review(
            product=product,
            author_name="Zoé B.",
            rating=5,
            title=f"Avis {number}",
            text="Très fine.",
            experience_date=date(2026, 10, 1),
            state=ReviewState.PUBLISHED,
            published_at=FIRST + timedelta(hours=number),
        )
        for number in range(1, count + 1)
    )


def titles(html: str) -> list[str]:
    return re.findall(r'class="review__title"[^>]*>([^<]+)<', html)


def test_ten_reviews_need_no_page_of_their_own(client, product):
    publish(product, 10)
    html = client.get(f"/produit/{product.pk}-golem").content.decode()
    assert len(titles(html)) == 10
    assert "Voir tous les avis" not in html


def test_the_eleventh_is_one_link_away(client, product):
    publish(product, 11)
    html = client.get(f"/produit/{product.pk}-golem").content.decode()
    assert titles(html) == [f"Avis {number}" for number in range(11, 1, -1)]
    [link] = re.findall(r'href="([^"]+)">Voir tous les avis<', html)
    assert link == f"/produit/{product.pk}-golem/avis"
    assert titles(client.get(link).content.decode()) == titles(html)
    second = client.get(f"{link}?page=2")
    assert titles(second.content.decode()) == ["Avis 1"]
    assert second.context["breadcrumbs"][1] == ("Golem", f"/produit/{product.pk}-golem")


def test_each_page_has_one_address_in_each_language(client, product):
    publish(product, 25)
    html = client.get(f"/de/produkt/{product.pk}-lehmriese/bewertungen?page=3").content.decode()
    assert titles(html) == [f"Avis {number}" for number in range(5, 0, -1)]
    own = f"http://localhost:8000/de/produkt/{product.pk}-lehmriese/bewertungen?page=3"
    assert f'<link rel="canonical" href="{own}">' in html
    assert f'hreflang="fr" href="http://localhost:8000/produit/{product.pk}-golem/avis?page=3"' in html
    assert f'hreflang="de" href="{own}"' in html
    moved = client.get(f"/de/produkt/{product.pk}-golem/bewertungen?page=2")
    assert moved.status_code == 301
    assert moved["Location"] == f"/de/produkt/{product.pk}-lehmriese/bewertungen?page=2"


@pytest.mark.parametrize("number", ["3", "0", "-1", "zwei", "99999999999"])
def test_a_page_that_is_not_there_is_not_found(client, product, number):
    publish(product, 11)
    assert client.get(f"/produit/{product.pk}-golem/avis?page={number}").status_code == 404


def test_a_product_that_is_not_on_sale_has_no_reviews_to_read(client, product):
    publish(product, 11)
    Product.objects.filter(pk=product.pk).update(is_published=False)
    answer = client.get(f"/produit/{product.pk}-golem/avis")
    assert answer.status_code == 404
    assert "Produit introuvable" in answer.content.decode()


def test_before_the_first_review_there_is_nothing_to_index(client, product):
    html = client.get(f"/produit/{product.pk}-golem/avis").content.decode()
    assert "Aucun avis pour l'instant." in html
    assert '<meta name="robots" content="noindex, follow">' in html


@pytest.mark.both_engines
def test_a_page_costs_the_same_however_many_there_are(client, product, django_assert_num_queries):
    publish(product, 31)
    client.get(f"/produit/{product.pk}-golem/avis")
    # The piece with its category, formats, photos, promotions, prices over time 5; how many reviews 1,
    # those of the page 1; menu 1.
    # The delivery line and the season of the header, and the settings, are kept since the first visit.
    with django_assert_num_queries(8):
        client.get(f"/produit/{product.pk}-golem/avis?page=4")


def test_reviews_in_the_readers_language_come_first_and_the_newest_first_in_each_group(client, product):
    publish(product, 4)
    Review.objects.filter(title__in=("Avis 1", "Avis 2")).update(language="de")
    for address, wanted in (
        (f"/produit/{product.pk}-golem", ["Avis 4", "Avis 3", "Avis 2", "Avis 1"]),
        (f"/de/produkt/{product.pk}-lehmriese", ["Avis 2", "Avis 1", "Avis 4", "Avis 3"]),
        (f"/de/produkt/{product.pk}-lehmriese/bewertungen", ["Avis 2", "Avis 1", "Avis 4", "Avis 3"]),
        # Nobody wrote in Spanish: the newest of all.
        (f"/es/producto/{product.pk}-golem", ["Avis 4", "Avis 3", "Avis 2", "Avis 1"]),
    ):
        assert titles(client.get(address).content.decode()) == wanted


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("/avis-clients", "Les avis écrits dans votre langue viennent en premier"),
        ("/en/customer-reviews", "Reviews written in your language come first"),
        ("/es/opiniones-de-clientes", "Las opiniones escritas en su idioma van primero"),
        ("/de/kundenbewertungen", "Bewertungen in Ihrer Sprache stehen zuerst"),
    ],
)
def test_the_rules_of_reviews_say_in_which_order_they_stand_d111_17(client, address, sentence):
    assert sentence in client.get(address).content.decode()
