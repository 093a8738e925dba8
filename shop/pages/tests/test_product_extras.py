"""What a product page says besides price and photos: both finishes side by side, when it arrives."""

from datetime import UTC, datetime
from unittest import mock

import pytest
from django.core.cache import cache

from catalog.tests.factories import make_finish_category, make_image, make_product
from orders.models import ShippingZone

pytestmark = pytest.mark.django_db


def page(client, product, prefix="") -> str:
    with mock.patch("django.utils.timezone.now", return_value=datetime(2026, 11, 21, 9, tzinfo=UTC)):
        response = client.get(f"{prefix}/produit/{product.pk}-{product.slug}", follow=True)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


@pytest.fixture
def piece():
    return make_product(
        "Golem", category=make_finish_category(), production_days_min=10, production_days_max=20
    )


@pytest.mark.parametrize(
    ("prefix", "sentence"),
    [
        ("", "Livraison en France entre le <strong>3 décembre</strong> et le <strong>16 décembre</strong>"),
        ("/en", "between <strong>3 December</strong> and <strong>16 December</strong>"),
        ("/de", "dem <strong>3. Dezember</strong> und dem <strong>16. Dezember</strong>"),
    ],
)
def test_when_it_arrives(client, piece, prefix, sentence):
    # 21 November + 10 days of production + 2 of delivery; + 20 and 5.
    ShippingZone.objects.filter(countries__contains="FR").update(delivery_days_min=2, delivery_days_max=5)
    assert sentence in page(client, piece, prefix)


def test_no_date_without_a_zone_or_a_piece(client, piece):
    sold_out = make_product("Vide", in_stock=False)
    assert "Livraison en France entre" not in page(client, sold_out)
    ShippingZone.objects.all().delete()
    cache.clear()
    assert "Livraison en France entre" not in page(client, piece)


def test_both_finishes_side_by_side(client, piece):
    make_image(piece, 1, finish="painted")
    assert "Peint ou non peint" not in page(client, piece)
    cache.clear()
    raw = make_image(piece, 2, finish="unpainted")
    html = page(client, piece)
    assert "Peint ou non peint" in html
    side = html.split('<div class="compare__raw">')[1].split("</div>")[0]
    assert f'src="/media/{raw.file.name}"' in side
    assert html.count('name="compare"') == 1


def test_questions_name_the_piece(client, piece):
    assert f'href="/contact?produit={piece.pk}"' in page(client, piece)
