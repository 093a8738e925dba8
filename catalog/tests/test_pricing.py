"""The price of one unit: product, format, variant."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog import pricing
from catalog.models import Category, Product, ProductVariation, Variant
from catalog.pricing import OfferKey

AMOUNTS = st.decimals(min_value=0, max_value=5000, places=2)


def build_product(
    *, finishes: bool = True, formats: bool = True, price: str = "50.00", **fields: object
) -> Product:
    category = Category(offers_finishes=finishes, offers_formats=formats)
    return Product(pk=1, category=category, price=Decimal(price), **fields)


def build_format(pk: int = 7, **fields: object) -> ProductVariation:
    return ProductVariation(pk=pk, product_id=1, **fields)


def build_variant(row: ProductVariation | None = None, finish: str = "", **fields: object) -> Variant:
    return Variant(product_id=1, variation=row, finish=finish, **fields)


def offered(product: Product, *variants: Variant) -> list[Variant]:
    return pricing.offered_variants(product, variants)


def test_a_product_without_finish_or_format_costs_its_price():
    assert pricing.full_price(build_product(finishes=False), build_variant()) == Decimal("50.00")


def test_the_price_of_the_finish_is_the_base():
    product = build_product(painted_price=Decimal("129.00"), unpainted_price=Decimal("62.00"))
    assert pricing.full_price(product, build_variant(None, "painted")) == Decimal("129.00")
    assert pricing.full_price(product, build_variant(None, "unpainted")) == Decimal("62.00")


def test_the_first_choice_is_painted_where_that_is_on_sale():
    product = build_product(painted_price=Decimal("129.00"), unpainted_price=Decimal("62.00"))
    variants = [build_variant(None, "unpainted"), build_variant(None, "painted")]
    assert pricing.default_finish(product) == "painted"
    first = pricing.first_offer(product, list(pricing.offers(product, variants)))
    assert (first.variant, first.price) == (variants[1], Decimal("129.00"))


def test_a_finish_without_price_is_not_on_sale():
    product = build_product(unpainted_price=Decimal("62.00"))
    painted, unpainted = build_variant(None, "painted"), build_variant(None, "unpainted")
    assert pricing.offered_finishes(product) == ("unpainted",)
    assert pricing.default_finish(product) == "unpainted"
    assert offered(product, painted, unpainted) == [unpainted]
    found = list(pricing.offers(product, [painted, unpainted]))
    assert pricing.first_offer(product, found).price == Decimal("62.00")


def test_no_finish_price_means_no_choice():
    product = build_product()
    plain = build_variant()
    assert pricing.offered_finishes(product) == ()
    assert offered(product, plain, build_variant(None, "painted")) == [plain]
    assert pricing.full_price(product, plain) == Decimal("50.00")


def test_a_category_without_finishes_ignores_the_prices_of_finishes():
    product = build_product(finishes=False, painted_price=Decimal("129.00"))
    plain = build_variant()
    assert pricing.offered_finishes(product) == ()
    assert offered(product, plain, build_variant(None, "painted")) == [plain]
    assert pricing.full_price(product, plain) == Decimal("50.00")


def test_where_there_are_formats_only_variants_of_a_format_are_on_sale():
    product = build_product(finishes=False)
    of_format = build_variant(build_format())
    assert offered(product, build_variant(), of_format) == [of_format]


def test_a_format_adds_its_difference_to_the_price_of_the_finish():
    product = build_product(painted_price=Decimal("129.00"), unpainted_price=Decimal("62.00"))
    bigger = build_format(price_adjustment=Decimal("15.50"))
    assert pricing.full_price(product, build_variant(bigger, "painted")) == Decimal("144.50")
    assert pricing.full_price(product, build_variant(bigger, "unpainted")) == Decimal("77.50")


def test_a_fixed_price_of_the_format_goes_before_finish_and_difference():
    product = build_product(painted_price=Decimal("129.00"))
    fixed = build_format(price_override=Decimal("99.00"), price_adjustment=Decimal("15.00"))
    assert pricing.full_price(product, build_variant(fixed, "painted")) == Decimal("99.00")


def test_a_price_of_the_variant_goes_before_everything():
    product = build_product(painted_price=Decimal("129.00"), unpainted_price=Decimal("62.00"))
    fixed = build_format(price_override=Decimal("99.00"), price_adjustment=Decimal("15.00"))
    own = build_variant(fixed, "painted", price=Decimal("84.50"))
    other = build_variant(fixed, "unpainted")
    assert [offer.price for offer in pricing.offers(product, [own, other])] == [
        Decimal("84.50"),
        Decimal("99.00"),
    ]


@pytest.mark.parametrize(
    "fields", [{"price_override": Decimal("99.00")}, {"price_adjustment": Decimal("9.00")}], ids=str
)
def test_a_price_does_not_put_an_unpriced_finish_on_sale(fields):
    product = build_product(unpainted_price=Decimal("62.00"))
    row = build_format(**fields)
    assert offered(product, build_variant(row, "painted", price=Decimal("84.50"))) == []


@pytest.mark.parametrize("of_variant", [False, True])
def test_a_fixed_price_of_zero_is_no_price(of_variant):
    product, zero = build_product(finishes=False), Decimal("0.00")
    free = (
        build_variant(build_format(), price=zero)
        if of_variant
        else build_variant(build_format(price_override=zero))
    )
    assert list(pricing.offers(product, [free])) == []


@pytest.mark.parametrize("difference", ["-50.00", "-50.01"])
def test_a_price_that_is_not_above_zero_is_no_price(difference):
    product = build_product(finishes=False)
    cheaper = build_variant(build_format(price_adjustment=Decimal(difference)))
    assert pricing.full_price(product, cheaper) is None
    assert offered(product, cheaper) == []


def test_an_unknown_finish_is_not_on_sale():
    assert offered(build_product(painted_price=Decimal("129.00")), build_variant(None, "golden")) == []


def test_the_default_format_is_the_marked_one_else_the_first():
    first, second = ProductVariation(pk=1), ProductVariation(pk=2, is_default=True)
    assert pricing.default_variation([first, second]) == second
    assert pricing.default_variation([first]) == first
    assert pricing.default_variation([]) is None


def rows_of_two_formats() -> list[Variant]:
    small = build_format(1, price_adjustment=Decimal("-10.00"))
    large = build_format(2, price_override=Decimal("150.00"), is_default=True)
    return [build_variant(row, finish) for row in (small, large) for finish in ("painted", "unpainted")]


def test_offers_are_every_format_in_every_finish_in_the_given_order():
    product = build_product(painted_price=Decimal("100.00"), unpainted_price=Decimal("40.00"))
    found = [(offer.key, offer.price) for offer in pricing.offers(product, rows_of_two_formats())]
    assert found == [
        (OfferKey(1, "painted"), Decimal("90.00")),
        (OfferKey(1, "unpainted"), Decimal("30.00")),
        (OfferKey(2, "painted"), Decimal("150.00")),
        (OfferKey(2, "unpainted"), Decimal("150.00")),
    ]


@pytest.mark.parametrize(("formats", "keys"), [(True, [1, 1, 2, 2]), (False, [2, 2])])
def test_on_sale_are_all_formats_or_the_default_one(formats, keys):
    product = build_product(
        formats=formats, painted_price=Decimal("100.00"), unpainted_price=Decimal("40.00")
    )
    shown = list(pricing.offers(product, rows_of_two_formats()))
    assert [offer.key.variation_id for offer in shown] == keys
    assert pricing.first_offer(product, shown).key == OfferKey(2, "painted")


@given(
    price=AMOUNTS,
    painted=st.none() | AMOUNTS,
    unpainted=st.none() | AMOUNTS,
    adjustment=st.decimals(min_value=-6000, max_value=5000, places=2),
    override=st.none() | AMOUNTS,
    own=st.none() | AMOUNTS,
    finish=st.sampled_from(["", "painted", "unpainted"]),
    finishes=st.booleans(),
)
def test_a_price_is_never_negative_and_follows_the_rule(
    price, painted, unpainted, adjustment, override, own, finish, finishes
):
    product = build_product(
        finishes=finishes, price=str(price), painted_price=painted, unpainted_price=unpainted
    )
    chosen = build_variant(
        build_format(price_adjustment=adjustment, price_override=override), finish, price=own
    )
    of_finish = {"painted": painted, "unpainted": unpainted} if finishes else {}
    on_sale = [code for code, amount in of_finish.items() if amount is not None] or [""]
    base = of_finish.get(finish) if of_finish.get(finish) is not None else price
    expected = next(amount for amount in (own, override, base + adjustment) if amount is not None)
    found = [offer.price for offer in pricing.offers(product, [chosen])]
    assert found == ([expected] if finish in on_sale and expected > 0 else [])


@st.composite
def shops(draw: st.DrawFn) -> tuple[Product, list[Variant]]:
    """A product with up to three formats, at most one of them the default, and a row a format and finish; some rows
    are of finishes that are not on sale."""
    product = build_product(
        finishes=draw(st.booleans()),
        formats=draw(st.booleans()),
        painted_price=draw(st.none() | AMOUNTS),
        unpainted_price=draw(st.none() | AMOUNTS),
    )
    default = draw(st.sampled_from([0, 1, 2, 3]))
    adjustments = st.decimals(min_value=-100, max_value=100, places=2)
    rows: list[ProductVariation | None] = [
        build_format(number, is_default=number == default, price_adjustment=draw(adjustments))
        for number in range(1, draw(st.integers(0, 3)) + 1)
    ]
    variants = [
        build_variant(row, finish, price=draw(st.none() | AMOUNTS) if row else None)
        for row in rows or [None]
        for finish in ("painted", "unpainted", "")
    ]
    return product, variants


@given(shops())
def test_offers_are_among_the_rows_once_each(drawn):
    product, variants = drawn
    found = list(pricing.offers(product, variants))
    keys = [offer.key for offer in found]
    assert keys == [key for row in variants if (key := OfferKey(row.variation_id, row.finish)) in set(keys)]
    assert all(offer.price >= 0 for offer in found)
    assert {key.finish for key in keys} <= set(pricing.offered_finishes(product) or ("",))
    if not product.category.offers_formats:
        assert len({key.variation_id for key in keys}) <= 1
    first = pricing.first_offer(product, found)
    assert first is None or first in found
