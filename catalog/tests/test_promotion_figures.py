"""What is said of a reduction: the crossed-out price, the figure, the preview for staff, data for search engines."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from catalog.selectors.products import find_product
from catalog.selectors.promotion_previews import preview_of_promotion
from catalog.services.prices import refresh_due_promotions
from catalog.services.products import save_product
from catalog.tests.factories import make_category, make_product, make_promotion
from catalog.tests.promotions import END, LONG_AGO, START, at

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


def test_the_reduction_after_a_reduction_crosses_out_no_more_than_the_lowest_price(planned):
    product, _promotion = planned
    refresh_due_promotions(now=END)
    with at(END + timedelta(days=5)):
        make_promotion(product, percent=10)
        assert find_product(product.pk).selected.price == Decimal("90.00")
        # 80.00 was asked 5 days ago (L112-1-1).
        assert find_product(product.pk).selected.original_price is None


def test_a_piece_without_thirty_days_of_prices_shows_no_crossed_out_price():
    with at(START - timedelta(days=29)):
        product = make_product(price="100.00")
    with at(START):
        make_promotion(product)
        assert find_product(product.pk).selected.original_price is None
    product.refresh_from_db()
    assert (product.price_from, product.crossed_out) == (Decimal("80.00"), None)


@pytest.mark.parametrize(
    ("raised_by", "percent", "price", "crossed_out", "label", "sentence"),
    [
        # At 100.00 until ten days ago, and at 130.00 since.
        ("30.00", 30, "91.00", "100.00", "PROMO", "Jusqu'au 30\u00a0novembre 2026."),
        ("30.00", 20, "104.00", None, "PROMO", "Jusqu'au 30\u00a0novembre 2026."),
        (
            "0.00",
            20,
            "80.00",
            "100.00",
            "PROMO −20\u00a0%",
            "PROMO −20\u00a0%. Jusqu'au 30\u00a0novembre 2026.",
        ),
    ],
)
def test_l112_1_1_a_figure_is_said_only_of_the_price_that_is_crossed_out(
    raised_by, percent, price, crossed_out, label, sentence, client
):
    with at(LONG_AGO):
        product = make_product(price="100.00")
    with at(START - timedelta(days=10)):
        product.price += Decimal(raised_by)
        save_product(product=product)
    with at(START):
        make_promotion(product, percent=percent, ends_at=END)
        found = find_product(product.pk)
        answer = client.get(f"/api/products/{product.pk}").json()
        [row] = client.get("/api/products").json()["results"]
    assert (found.promotion_badge, found.promotion_text) == ("PROMO", sentence)
    for read in (answer, row):
        assert (read["price"], read["original_price"], read["promotion"]["label"]) == (
            price,
            crossed_out,
            label,
        )


def test_l112_1_1_one_offer_without_its_prior_price_leaves_the_page_without_a_figure():
    with at(LONG_AGO):
        product = make_product(
            price="100.00", category=make_category(offers_finishes=True), painted_price="100.00"
        )
    with at(START - timedelta(days=10)):
        product.unpainted_price = Decimal("60.00")
        save_product(product=product)
    with at(START):
        make_promotion(product, percent=20)
        found = find_product(product.pk)
    assert [(str(each.price), each.original_price) for each in found.offers] == [
        ("80.00", Decimal("100.00")),
        ("48.00", None),
    ]
    assert (found.promotion_badge, found.promotion_text) == ("PROMO", "")


def test_the_api_reads_the_running_one(planned, client):
    product, _promotion = planned
    with at(START):
        refresh_due_promotions()
        answer = client.get(f"/api/products/{product.pk}").json()
        [row] = client.get("/api/products").json()["results"]
    promotion = {"type": "percent", "buy": None, "get": None, "label": "PROMO −20\u00a0%"}
    for found in (answer, row):
        assert (found["price"], found["price_from"], found["original_price"]) == ("80.00", "80.00", "100.00")
        assert found["promotion"] == promotion
    assert (answer["promotion_active"], answer["promotion_type"]) == (True, "percent")
    assert (answer["promotion_buy_quantity"], answer["promotion_get_quantity"]) == (None, None)


def test_structured_data_say_until_when_the_price_holds(planned, client):
    product, _promotion = planned
    with at(START):
        page = client.get(find_product(product.pk).url).content.decode()
    assert '"priceValidUntil":"2026-11-30"' in page.replace(": ", ":")
    assert "PROMO −20\u00a0%. Jusqu&#x27;au 30\u00a0novembre 2026." in page


def test_preview_tells_the_prices_and_why_one_is_not_crossed_out(planned):
    product, promotion = planned
    with at(START - timedelta(days=3)):
        new = make_product("Nouveau", price="10.00")
        other = make_product("Choisi", price="50.00")
        make_promotion(other, name="À part", percent=50)
        preview = preview_of_promotion(promotion, START - timedelta(days=2))
    assert preview.at == START
    assert [
        (row.product.pk, str(row.price_now), str(row.price_then), row.crossed_out, row.remark)
        for row in preview.rows
    ] == [
        (product.pk, "100.00", "80.00", Decimal("100.00"), ""),
        (
            new.pk, "10.00", "8.00", None,
            "Pas de prix barré\u00a0: les prix des 30 jours d'avant ne sont pas tous connus (L112-1-1).",
        ),
        (other.pk, "25.00", "25.00", None, "Une autre promotion passe avant\u00a0: À part."),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("price", "crossed_out", "remark"),
    [
        ("90.00", Decimal("90.00"), "Prix barré abaissé au plus bas des 30 jours d'avant (L112-1-1)."),
        (
            "70.00",
            None,
            "Pas de prix barré\u00a0: le prix n'a pas été plus haut pendant les 30 jours d'avant (L112-1-1).",
        ),
    ],
)
def test_l112_1_1_preview_tells_what_the_lowest_price_of_the_days_before_does(
    planned, price, crossed_out, remark
):
    product, promotion = planned
    for days, amount in ((20, price), (10, "100.00")):
        with at(START - timedelta(days=days)):
            product.price = Decimal(amount)
            save_product(product=product)
    with at(START - timedelta(days=2)):
        [row] = preview_of_promotion(promotion, timezone.now()).rows
    assert (row.price_now, row.price_then) == (Decimal("100.00"), Decimal("80.00"))
    assert (row.crossed_out, row.remark) == (crossed_out, remark)


def test_preview_of_a_promotion_that_is_over_says_so(planned):
    _product, promotion = planned
    with at(END + timedelta(days=1)):
        [row] = preview_of_promotion(promotion, timezone.now()).rows
    assert (row.price_then, row.remark) == (Decimal("100.00"), "La promotion est terminée.")


def test_preview_of_a_running_promotion_compares_with_the_prices_without_it(planned):
    product, promotion = planned
    with at(START + timedelta(hours=1)):
        refresh_due_promotions(now=timezone.now())
        preview = preview_of_promotion(promotion, timezone.now())
    assert [(row.product.pk, str(row.price_now), str(row.price_then)) for row in preview.rows] == [
        (product.pk, "100.00", "80.00")
    ]
