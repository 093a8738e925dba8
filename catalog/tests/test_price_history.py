"""The crossed-out price: never above the lowest price of the 30 days before the reduction (L112-1-1)."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
import time_machine
from django.db import DatabaseError, connection, transaction

from catalog import pricing
from catalog.models import PricePoint, Product, ProductVariation, Variant
from catalog.selectors.products import find_product
from catalog.services import price_history
from catalog.services.products import delete_product, save_product
from catalog.tests.factories import (
    change_variant,
    make_category,
    make_finish_category,
    make_product,
    make_variation,
    variant_of,
)
from shop.core.append_only import AppendOnlyError

pytestmark = pytest.mark.both_engines

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def point(amount: str, days_ago: float) -> PricePoint:
    return PricePoint(amount=Decimal(amount), starts_at=NOW - timedelta(days=days_ago))


def lowest(*points: PricePoint) -> Decimal | None:
    return pricing.lowest_prior(points, NOW)


def test_no_history_gives_no_reference():
    assert lowest() is None


@pytest.mark.parametrize(
    ("age", "expected"), [(29, None), (30 - 1 / 86400, None), (30, Decimal("95.00")), (31, Decimal("95.00"))]
)
def test_the_history_must_cover_the_thirty_days(age, expected):
    assert lowest(point("95.00", age)) == expected


def test_the_price_in_force_when_the_period_begins_counts():
    assert lowest(point("80.00", 200), point("95.00", 29)) == Decimal("80.00")


def test_a_price_that_ended_before_the_period_does_not_count():
    assert lowest(point("80.00", 200), point("95.00", 31)) == Decimal("95.00")


def test_a_price_that_ended_as_the_period_begins_does_not_count():
    assert lowest(point("80.00", 200), point("95.00", 30)) == Decimal("95.00")


def test_a_short_low_price_inside_the_period_counts():
    assert lowest(point("95.00", 200), point("60.00", 10), point("95.00", 9)) == Decimal("60.00")


def test_points_at_or_after_the_moment_do_not_count():
    assert lowest(point("95.00", 40), point("60.00", 0)) == Decimal("95.00")


def crossed_out(
    *points: PricePoint, price: str = "64.00", full: str = "80.00", original: str | None = "100.00",
    began: datetime | None = NOW, own: str | None = None, **of_format: Decimal
) -> Decimal | None:  # fmt: skip
    """Of an offer that costs `price`, without its promotion `full`."""
    product = Product(pk=1, original_price=None if original is None else Decimal(original))
    row = ProductVariation(pk=7, product_id=1, **of_format) if of_format else None
    variant = Variant(product_id=1, variation=row, price=None if own is None else Decimal(own))
    offer = pricing.Offer(variant, Decimal(price), Decimal(full))
    return pricing.crossed_out_price(product, offer, {offer.key: points}, began)


@pytest.mark.parametrize(
    ("lowest_before", "asked", "expected"),
    [
        # The higher of what is claimed, and never more than the lowest price before.
        ("120.00", {}, "100.00"),
        ("90.00", {}, "90.00"),
        ("64.01", {}, "64.01"),
        ("64.00", {}, None),
        ("120.00", {"original": "70.00"}, "80.00"),
        ("120.00", {"original": None}, "80.00"),
        ("120.00", {"full": "64.00"}, "100.00"),
        ("120.00", {"full": "64.00", "original": "64.00"}, None),
        ("120.00", {"full": "64.00", "original": None}, None),
        ("120.00", {"began": None}, None),
        # The original price is that of the product: a format adds its difference, a price of its own has no part in it.
        ("120.00", {"price_adjustment": Decimal("10.00")}, "110.00"),
        ("120.00", {"price_override": Decimal("80.00")}, "80.00"),
        ("120.00", {"own": "80.00"}, "80.00"),
    ],
)
def test_l112_1_1_what_is_crossed_out(lowest_before, asked, expected):
    shown_price = crossed_out(point(lowest_before, 31), **asked)
    assert shown_price == (None if expected is None else Decimal(expected))


def test_a_price_that_was_recorded_keeps_the_reference_of_its_day():
    now, other = point("64.00", 9), point("64.01", 9)
    now.lowest_prior = other.lowest_prior = Decimal("70.00")
    assert crossed_out(point("90.00", 60), now) == Decimal("70.00")
    # Of another price that is not it.
    assert crossed_out(point("90.00", 60), other) == Decimal("64.01")


def reduced_product(*, days_at_old_price: int, original: str = "149.00", **fields) -> Product:
    """A painted piece at 149.00 that now costs 129.00, since `NOW`."""
    category = make_finish_category()
    with time_machine.travel(NOW - timedelta(days=days_at_old_price), tick=False):
        product = make_product(
            "Lame d'automne",
            "149.00",
            category=category,
            painted_price="149.00",
            unpainted_price="62.00",
            **fields,
        )
    product.price = product.painted_price = Decimal("129.00")
    product.original_price = Decimal(original)
    with time_machine.travel(NOW, tick=False):
        return save_product(product=product)


def shown(product: Product) -> dict[str, Decimal | None]:
    detail = find_product(product.pk)
    return {offer.finish: offer.original_price for offer in detail.offers}


@pytest.mark.django_db
@pytest.mark.parametrize(("days", "expected"), [(29, None), (30, Decimal("149.00")), (31, Decimal("149.00"))])
def test_a_reduction_is_shown_from_thirty_days_of_history(days, expected):
    product = reduced_product(days_at_old_price=days)
    assert shown(product) == {"painted": expected, "unpainted": None}
    assert product.crossed_out == expected


@pytest.mark.django_db
def test_l112_1_1_what_staff_entered_is_capped_at_the_lowest_price():
    product = reduced_product(days_at_old_price=60, original="199.00")
    assert shown(product)["painted"] == Decimal("149.00")


@pytest.mark.django_db
def test_l112_1_1_a_price_that_nobody_could_buy_at_is_no_reference():
    product = reduced_product(days_at_old_price=60, is_published=False)
    with time_machine.travel(NOW + timedelta(days=1), tick=False):
        product.is_published = True
        save_product(product=product)
    assert (product.price_from, product.crossed_out) == (Decimal("62.00"), None)
    assert shown(product) == {"painted": None, "unpainted": None}
    assert list(PricePoint.objects.order_by("finish").values_list("finish", "amount", "starts_at")) == [
        ("painted", Decimal("129.00"), NOW + timedelta(days=1)),
        ("unpainted", Decimal("62.00"), NOW + timedelta(days=1)),
    ]


@pytest.mark.django_db
def test_what_staff_entered_is_shown_when_it_is_lower():
    product = reduced_product(days_at_old_price=60, original="139.00")
    assert shown(product)["painted"] == Decimal("139.00")


@pytest.mark.django_db
@pytest.mark.parametrize("original", ["129.00", "128.99", "0.01"])
def test_nothing_is_crossed_out_that_is_not_above_the_price(original):
    assert shown(reduced_product(days_at_old_price=60, original=original))["painted"] is None


@pytest.mark.django_db
def test_a_price_that_went_up_shows_no_reduction():
    category = make_category()
    with time_machine.travel(NOW - timedelta(days=60), tick=False):
        product = make_product(price="50.00", category=category)
    product.price, product.original_price = Decimal("80.00"), Decimal("120.00")
    with time_machine.travel(NOW, tick=False):
        save_product(product=product)
    assert product.crossed_out is None
    assert PricePoint.objects.latest("starts_at").lowest_prior == Decimal("50.00")


@pytest.mark.django_db
def test_a_second_reduction_is_compared_with_the_first_one():
    product = reduced_product(days_at_old_price=60)
    product.price = product.painted_price = Decimal("119.00")
    with time_machine.travel(NOW + timedelta(days=29), tick=False):
        save_product(product=product)
    assert shown(product)["painted"] == Decimal("129.00")


@pytest.mark.django_db
def test_the_reference_stays_while_the_price_stays():
    product = reduced_product(days_at_old_price=60)
    with time_machine.travel(NOW + timedelta(days=90), tick=False):
        save_product(product=product)
        assert shown(product)["painted"] == Decimal("149.00")
    assert PricePoint.objects.filter(finish="painted").count() == 2


@pytest.mark.django_db
def test_a_difference_of_a_variation_moves_the_crossed_out_price_and_a_fixed_price_has_none():
    category = make_category("figurines", offers_formats=True)
    with time_machine.travel(NOW - timedelta(days=60), tick=False):
        product = make_product(price="79.00", category=category)
        large = make_variation(product, "Grande", price_adjustment="45.00", is_default=True, sort_order=1)
        fixed = make_variation(product, "Fixe", price_override="90.00", sort_order=2)
    product.price, product.original_price = Decimal("69.00"), Decimal("79.00")
    with time_machine.travel(NOW, tick=False):
        save_product(product=product)
    offers = {offer.variation_id: offer for offer in find_product(product.pk).offers}
    assert (offers[large.pk].price, offers[large.pk].original_price) == (Decimal("114.00"), Decimal("124.00"))
    assert (offers[fixed.pk].price, offers[fixed.pk].original_price) == (Decimal("90.00"), None)
    # Nor when it falls: the original price is not one of this format.
    fixed.price_override = Decimal("50.00")
    with time_machine.travel(NOW + timedelta(days=60), tick=False):
        fixed.save()
        save_product(product=product)
        offers = {offer.variation_id: offer for offer in find_product(product.pk).offers}
    assert PricePoint.objects.latest("starts_at").lowest_prior == Decimal("90.00")
    assert (offers[fixed.pk].price, offers[fixed.pk].original_price) == (Decimal("50.00"), None)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("fixed", "listed"), [(None, ("124.00", "114.00")), (Decimal("90.00"), ("79.00", "69.00"))]
)
def test_lists_show_the_reduction_of_the_first_choice_or_else_of_the_next_one_that_is_reduced(fixed, listed):
    category = make_category("figurines", offers_formats=True)
    with time_machine.travel(NOW - timedelta(days=60), tick=False):
        product = make_product(price="79.00", category=category)
        make_variation(product, "Petite", sort_order=1)
        make_variation(
            product, "Grande", price_adjustment="45.00", price_override=fixed, is_default=True, sort_order=2
        )
    product.price, product.original_price = Decimal("69.00"), Decimal("79.00")
    with time_machine.travel(NOW, tick=False):
        save_product(product=product)
    product.refresh_from_db()
    assert (str(product.crossed_out), str(product.reduced_price)) == listed


@pytest.mark.django_db
def test_a_variant_at_a_price_of_its_own_has_none_crossed_out():
    category = make_category("figurines", offers_formats=True)
    with time_machine.travel(NOW - timedelta(days=60), tick=False):
        product = make_product(price="79.00", category=category)
        large = make_variation(product, "Grande", is_default=True)
        own = make_variation(product, "Petite")
        change_variant(variant_of(product, own), price=Decimal("75.00"))
    product.price, product.original_price = Decimal("69.00"), Decimal("79.00")
    with time_machine.travel(NOW, tick=False):
        change_variant(variant_of(product, own), price=Decimal("65.00"))
        save_product(product=product)
    offers = {offer.variation_id: offer for offer in find_product(product.pk).offers}
    assert (offers[large.pk].price, offers[large.pk].original_price) == (Decimal("69.00"), Decimal("79.00"))
    assert (offers[own.pk].price, offers[own.pk].original_price) == (Decimal("65.00"), None)


@pytest.mark.django_db
def test_a_point_is_recorded_for_each_offer_and_only_when_its_price_changes():
    product = reduced_product(days_at_old_price=60)
    points = PricePoint.objects.filter(product_id=product.pk).order_by("starts_at", "finish")
    assert [(row.finish, row.amount, row.lowest_prior) for row in points] == [
        ("painted", Decimal("149.00"), None),
        ("unpainted", Decimal("62.00"), None),
        ("painted", Decimal("129.00"), Decimal("149.00")),
    ]


@pytest.mark.django_db
def test_a_history_is_taken_over_once():
    product = Product.objects.create(name_fr="Golem", price=Decimal("29.00"), category=make_category())
    offer = next(pricing.offers(product, [Variant(product=product)]))
    known = [
        price_history.PastPrice(NOW - timedelta(days=120), Decimal("35.00")),
        price_history.PastPrice(NOW - timedelta(days=10), Decimal("29.00")),
    ]
    price_history.record_history(product=product, offer=offer, prices=known)
    assert list(PricePoint.objects.order_by("starts_at").values_list("amount", "lowest_prior")) == [
        (Decimal("35.00"), None),
        (Decimal("29.00"), Decimal("35.00")),
    ]
    with pytest.raises(ValueError, match="This offer has a price history already"):
        price_history.record_history(product=product, offer=offer, prices=known)
    assert PricePoint.objects.count() == 2


@pytest.mark.django_db
def test_the_model_refuses_every_change():
    make_product()
    row = PricePoint.objects.get()
    row.amount = Decimal("1.00")
    for change in (
        row.save,
        row.delete,
        PricePoint.objects.all().delete,
        lambda: PricePoint.objects.update(amount=1),
        lambda: PricePoint.objects.bulk_update([row], ["amount"]),
    ):
        with pytest.raises(AppendOnlyError):
            change()
    assert PricePoint.objects.get().amount == Decimal("40.00")


@pytest.mark.django_db
def test_the_database_refuses_a_change_behind_the_models_back():
    make_product()
    with (
        pytest.raises(DatabaseError, match="never changed"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("UPDATE catalog_pricepoint SET amount = 1")
    assert PricePoint.objects.get().amount == Decimal("40.00")


@pytest.mark.django_db
def test_the_proof_outlives_the_product():
    product = make_product()
    delete_product(product=product)
    assert PricePoint.objects.get().amount == Decimal("40.00")
