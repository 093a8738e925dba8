"""The price of one unit: product, finish, variation."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from catalog import pricing
from catalog.models import Category, Product, ProductVariation

AMOUNTS = st.decimals(min_value=0, max_value=5000, places=2)


def build_product(*, finishes: bool = True, price: str = "50.00", **fields: object) -> Product:
    return Product(pk=1, category=Category(offers_finishes=finishes), price=Decimal(price), **fields)


def variation(**fields: object) -> ProductVariation:
    return ProductVariation(pk=7, product_id=1, **fields)


def test_a_product_without_finish_or_variation_costs_its_price():
    assert pricing.unit_price(build_product(finishes=False), None, "") == Decimal("50.00")


def test_the_price_of_the_finish_is_the_base():
    product = build_product(painted_price=Decimal("129.00"), unpainted_price=Decimal("62.00"))
    assert pricing.unit_price(product, None, "painted") == Decimal("129.00")
    assert pricing.unit_price(product, None, "unpainted") == Decimal("62.00")


def test_without_a_finish_the_default_one_is_priced():
    product = build_product(painted_price=Decimal("129.00"), unpainted_price=Decimal("62.00"))
    assert pricing.default_finish(product) == "painted"
    assert pricing.unit_price(product, None, "") == Decimal("129.00")


def test_a_finish_without_price_is_not_on_sale():
    product = build_product(unpainted_price=Decimal("62.00"))
    assert pricing.offered_finishes(product) == ("unpainted",)
    assert pricing.default_finish(product) == "unpainted"
    assert pricing.unit_price(product, None, "painted") is None
    assert pricing.unit_price(product, None, "") == Decimal("62.00")


def test_no_finish_price_means_no_choice():
    product = build_product()
    assert pricing.offered_finishes(product) == ()
    assert pricing.unit_price(product, None, "") == Decimal("50.00")
    assert pricing.unit_price(product, None, "painted") is None


def test_a_category_without_finishes_ignores_the_prices_of_finishes():
    product = build_product(finishes=False, painted_price=Decimal("129.00"))
    assert pricing.offered_finishes(product) == ()
    assert pricing.unit_price(product, None, "") == Decimal("50.00")
    assert pricing.unit_price(product, None, "painted") is None


def test_a_variation_adds_its_difference_to_the_price_of_the_finish():
    product = build_product(painted_price=Decimal("129.00"), unpainted_price=Decimal("62.00"))
    bigger = variation(price_adjustment=Decimal("15.50"))
    assert pricing.unit_price(product, bigger, "painted") == Decimal("144.50")
    assert pricing.unit_price(product, bigger, "unpainted") == Decimal("77.50")


def test_a_fixed_price_replaces_everything():
    product = build_product(painted_price=Decimal("129.00"))
    fixed = variation(price_override=Decimal("99.00"), price_adjustment=Decimal("15.00"))
    assert pricing.unit_price(product, fixed, "painted") == Decimal("99.00")


def test_a_fixed_price_does_not_put_an_unpriced_finish_on_sale():
    product = build_product(unpainted_price=Decimal("62.00"))
    assert pricing.unit_price(product, variation(price_override=Decimal("99.00")), "painted") is None


def test_a_fixed_price_of_zero_is_a_price():
    assert pricing.unit_price(
        build_product(finishes=False), variation(price_override=Decimal("0.00")), ""
    ) == Decimal("0.00")


def test_a_price_below_zero_is_no_price():
    cheaper = variation(price_adjustment=Decimal("-50.01"))
    assert pricing.unit_price(build_product(finishes=False), cheaper, "") is None


def test_a_variation_of_another_product_has_no_price():
    foreign = ProductVariation(pk=8, product_id=2, price_override=Decimal("1.00"))
    assert pricing.unit_price(build_product(finishes=False), foreign, "") is None


def test_an_unknown_finish_has_no_price():
    assert pricing.unit_price(build_product(painted_price=Decimal("129.00")), None, "golden") is None


def test_the_default_variation_is_the_marked_one_else_the_first():
    first, second = ProductVariation(pk=1), ProductVariation(pk=2, is_default=True)
    assert pricing.default_variation([first, second]) == second
    assert pricing.default_variation([first]) == first
    assert pricing.default_variation([]) is None


def test_offers_are_every_variation_in_every_finish():
    product = build_product(painted_price=Decimal("100.00"), unpainted_price=Decimal("40.00"))
    small = ProductVariation(pk=1, product_id=1, price_adjustment=Decimal("-10.00"))
    large = ProductVariation(pk=2, product_id=1, price_override=Decimal("150.00"))
    found = [
        (offer.variation, offer.finish, offer.price) for offer in pricing.offers(product, [small, large])
    ]
    assert found == [
        (small, "painted", Decimal("90.00")),
        (small, "unpainted", Decimal("30.00")),
        (large, "painted", Decimal("150.00")),
        (large, "unpainted", Decimal("150.00")),
    ]


@given(
    price=AMOUNTS,
    painted=st.none() | AMOUNTS,
    unpainted=st.none() | AMOUNTS,
    adjustment=st.decimals(min_value=-6000, max_value=5000, places=2),
    override=st.none() | AMOUNTS,
    finish=st.sampled_from(["", "painted", "unpainted"]),
    finishes=st.booleans(),
)
def test_a_price_is_never_negative_and_follows_the_rule(
    price, painted, unpainted, adjustment, override, finish, finishes
):
    product = Product(
        pk=1,
        category=Category(offers_finishes=finishes),
        price=price,
        painted_price=painted,
        unpainted_price=unpainted,
    )
    chosen = variation(price_adjustment=adjustment, price_override=override)
    found = pricing.unit_price(product, chosen, finish)
    own = {"painted": painted, "unpainted": unpainted} if finishes else {}
    offered = [code for code, amount in own.items() if amount is not None]
    if finish and finish not in offered:
        assert found is None
        return
    base = own[finish or offered[0]] if offered else price
    expected = override if override is not None else base + adjustment
    assert found == (expected if expected >= 0 else None)
