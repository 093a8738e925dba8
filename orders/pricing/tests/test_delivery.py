"""The delivery date told before the order."""

from datetime import date

from orders.pricing.delivery import LeadTime, lead_time
from orders.pricing.tests.carts import EUROPE, WORLD, line


def test_delivery_follows_production() -> None:
    assert lead_time([line("a", "10.00", production=(14, 28))], EUROPE, date(2026, 11, 21)) == LeadTime(
        days_min=16, days_max=33, earliest=date(2026, 12, 7), latest=date(2026, 12, 24)
    )


def test_the_slowest_line_decides_both_ends() -> None:
    lines = [
        line("a", "10.00", production=(1, 40)),
        line("b", "10.00", production=(20, 21)),
        line("c", "10.00", production=(0, 0)),
    ]
    assert lead_time(lines, EUROPE, date(2026, 11, 21)) == LeadTime(
        days_min=22, days_max=45, earliest=date(2026, 12, 13), latest=date(2027, 1, 5)
    )


def test_the_zone_adds_its_own_days() -> None:
    assert lead_time([line("a", "10.00", production=(14, 28))], WORLD, date(2026, 11, 21)) == LeadTime(
        days_min=19, days_max=43, earliest=date(2026, 12, 10), latest=date(2027, 1, 3)
    )


def test_quantity_adds_no_time() -> None:
    one = lead_time([line("a", "10.00", 1)], EUROPE, date(2026, 11, 21))
    assert lead_time([line("a", "10.00", 50)], EUROPE, date(2026, 11, 21)) == one


def test_a_piece_in_stock_takes_only_its_way() -> None:
    assert lead_time([line("a", "10.00", production=(0, 0))], EUROPE, date(2026, 12, 30)) == LeadTime(
        days_min=2, days_max=5, earliest=date(2027, 1, 1), latest=date(2027, 1, 4)
    )


def test_an_empty_cart_has_no_date() -> None:
    assert lead_time([], EUROPE, date(2026, 11, 21)) is None
