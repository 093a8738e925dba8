"""Carts and rules that the pricing tests share."""

from datetime import date
from decimal import Decimal

from hypothesis import strategies as st

from orders.pricing.delivery import Workshop
from orders.pricing.promotions import Promotion
from orders.pricing.quote import CartLine, PricingRules, Quote, price_cart
from orders.pricing.shipping import RateStep, ShippingZone
from orders.pricing.territories import Territory, VatPosition, parse_postcodes
from shop.core.public_holidays import public_holidays

TODAY = date(2026, 11, 21)
EUROPE_COUNTRIES = frozenset(
    ["FR", "DE", "ES", "IT", "BE", "NL", "PT", "AT", "CH", "LU", "DK", "SE", "NO", "FI"]
)
EUROPE = ShippingZone(
    code="france-europe",
    countries=EUROPE_COUNTRIES,
    rate=Decimal("9.99"),
    free_from=Decimal("50.00"),
    delivery_days_min=2,
    delivery_days_max=5,
)
WORLD = ShippingZone(
    code="rest-of-world",
    countries=frozenset(),
    rate=Decimal("49.99"),
    free_from=None,
    delivery_days_min=5,
    delivery_days_max=15,
)
OVERSEAS = ShippingZone(
    code="overseas-france",
    countries=frozenset({"RE"}),
    rate=Decimal("39.99"),
    free_from=Decimal("900.00"),
    delivery_days_min=7,
    delivery_days_max=15,
    steps=(RateStep(1000, Decimal("19.99")), RateStep(2000, Decimal("27.99"))),
)
REUNION = Territory(
    code="RE",
    country="RE",
    within="FR",
    postcodes=parse_postcodes("974"),
    vat=VatPosition.OUTSIDE,
    in_customs_area=True,
)
WORKSHOP = Workshop(
    country="FR",
    public_holidays=public_holidays,
    making_days=frozenset({1, 2, 3, 4, 5, 6}),
    dispatch_days=frozenset({1, 2, 3, 4, 5}),
    weekly_capacity=None,
    closures=(),
)
RULES = PricingRules(
    zones=(EUROPE, OVERSEAS),
    territories=(REUNION,),
    default_weight_grams=500,
    fallback_zone=WORLD,
    home_country="FR",
    installments_enabled=True,
    installments_minimum=Decimal("150.00"),
    workshop=WORKSHOP,
)


def line(
    key: str,
    price: str,
    quantity: int = 1,
    promotion: tuple[int, int] | None = None,
    production: tuple[int, int] = (14, 28),
    in_stock: int = 0,
) -> CartLine:
    return CartLine(
        key=key,
        unit_price=Decimal(price),
        quantity=quantity,
        made_quantity=max(0, quantity - in_stock),
        promotion=None if promotion is None else Promotion(*promotion),
        production_days_min=production[0],
        production_days_max=production[1],
    )


def quote(
    *lines: CartLine, destination: str | None = None, postal_code: str = "", rules: PricingRules = RULES
) -> Quote:
    return price_cart(lines, destination=destination, postal_code=postal_code, rules=rules, today=TODAY)


PROMOTIONS = st.sampled_from([(2, 1), (3, 1), (4, 3), (1, 1), (1, 5)]).map(lambda pair: Promotion(*pair))
# Few distinct prices next to arbitrary ones, so that ties between lines are common.
PRICES = st.sampled_from([0, 1, 1000, 1666, 2500, 4999, 5000]) | st.integers(0, 100_000)


@st.composite
def carts(draw: st.DrawFn, promotions: st.SearchStrategy[Promotion | None] | None = None) -> list[CartLine]:
    """Up to 7 lines of up to 12 units, most of them in a promotion."""
    promotions = promotions if promotions is not None else st.none() | PROMOTIONS
    keys = draw(st.lists(st.text("abcdef0123456789:", min_size=1, max_size=6), max_size=7, unique=True))
    cart = []
    for key in keys:
        days = sorted(draw(st.tuples(st.integers(0, 60), st.integers(0, 60))))
        cart.append(
            CartLine(
                key=key,
                unit_price=Decimal(draw(PRICES)) / 100,
                quantity=(quantity := draw(st.integers(1, 12))),
                made_quantity=draw(st.integers(0, quantity)),
                promotion=draw(promotions),
                production_days_min=days[0],
                production_days_max=days[1],
                weight_grams=draw(st.none() | st.integers(0, 1500)),
            )
        )
    return cart
