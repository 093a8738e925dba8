"""What a product page says besides price and photos: both finishes side by side, when it arrives."""

from datetime import UTC, date, datetime
from unittest import mock

import pytest
from django.core.cache import cache

from catalog.tests.factories import make_finish_category, make_image, make_product
from orders.models import ShippingZone, WorkshopClosure

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
        ("", "Livraison en France <strong>entre le 3 et le 17 décembre 2026</strong>"),
        ("/en", "<strong>between 3 and 17 December 2026</strong>"),
        ("/es", "<strong>entre el 3 y el 17 de diciembre de 2026</strong>"),
        ("/de", "<strong>zwischen dem 3. und dem 17. Dezember 2026</strong>"),
    ],
)
def test_when_it_arrives(client, piece, prefix, sentence):
    # 10 days of production from Saturday 21 November: Tuesday 1, + 2 of the carrier's; 20 days: Friday 11, + 5.
    ShippingZone.objects.filter(countries__contains="FR").update(delivery_days_min=2, delivery_days_max=5)
    assert sentence in page(client, piece, prefix)


@pytest.mark.parametrize(
    ("prefix", "sentence"),
    [
        ("", "Chez vous avant Noël si commandé avant le 29 novembre"),
        ("/en", "With you in France before Christmas if ordered before 29 November"),
        ("/es", "En su casa en Francia antes de Navidad si lo pide antes del 29 de noviembre"),
        ("/de", "In Frankreich vor Weihnachten bei Ihnen, wenn Sie vor dem 29. November bestellen"),
    ],
)
def test_until_when_to_order_before_christmas(client, piece, prefix, sentence):
    # Ordered on Saturday 28 November: made on Friday 18 December, with the carrier from 19 to 24.
    ShippingZone.objects.filter(countries__contains="FR").update(delivery_days_min=2, delivery_days_max=5)
    assert sentence in page(client, piece, prefix)


def test_a_piece_that_comes_after_christmas_does_not_speak_of_it(client):
    slow = make_product("Lent", production_days_min=28, production_days_max=35)
    assert "Noël si" not in page(client, slow)


def test_a_piece_in_stock_has_no_production(client):
    # Leaves on Monday 23, arrives by Saturday 28.
    html = page(client, make_product("Prêt", stock_quantity=2))
    assert "<strong>En stock</strong>, prête à partir" in html
    assert "Livraison en France <strong>entre le 25 et le 28 novembre 2026</strong>" in html


def test_pages_say_that_the_workshop_closes(client, piece):
    WorkshopClosure.objects.create(starts_on=date(2026, 12, 1), ends_on=date(2026, 12, 3))
    notice = "L'atelier est fermé du 1er décembre au 3 décembre inclus."
    assert notice in page(client, piece)
    # The tenth open day is Friday 4, the twentieth Monday 14.
    assert "Livraison en France <strong>entre le 7 et le 19 décembre 2026</strong>" in page(client, piece)


def test_pages_show_the_message_of_a_closure_in_their_language(client, piece):
    WorkshopClosure.objects.create(
        starts_on=date(2026, 11, 1), ends_on=date(2026, 12, 3), message_fr="Salon.", message_de="Messe."
    )
    assert '<p class="closure-line">Salon.</p>' in page(client, piece)
    assert '<p class="closure-line">Messe.</p>' in page(client, piece, "/de")
    assert '<p class="closure-line">Salon.</p>' in page(client, piece, "/en")


def test_pages_are_silent_of_a_closure_that_is_over_or_far_away(client, piece):
    WorkshopClosure.objects.create(starts_on=date(2026, 11, 1), ends_on=date(2026, 11, 20))
    WorkshopClosure.objects.create(starts_on=date(2026, 12, 6), ends_on=date(2026, 12, 7))
    assert "closure-line" not in page(client, piece)


def test_no_date_without_a_zone_or_a_piece(client, piece):
    sold_out = make_product("Vide", in_stock=False)
    assert "Livraison en France <strong>" not in page(client, sold_out)
    ShippingZone.objects.all().delete()
    cache.clear()
    assert "Livraison en France <strong>" not in page(client, piece)


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
