"""The delivery date stated before the order: rule by rule, on real calendars, and as laws over any cart."""

from dataclasses import dataclass, replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orders.pricing.delivery import (
    Closure,
    LeadTime,
    Route,
    WaitingOrder,
    Workshop,
    christmas_eve,
    delivery_day,
    last_order_day,
    late_orders,
    lead_time,
)
from orders.pricing.quote import CartLine
from orders.pricing.tests.carts import EUROPE, WORKSHOP, WORLD, line
from shop.core.public_holidays import public_holidays

MONDAY = date(2026, 11, 23)
LIMITED = replace(WORKSHOP, weekly_capacity=100)
HOME = Route(EUROPE, "FR", WORKSHOP, 0)


@dataclass(frozen=True)
class CarrierAtOnce:
    """A carrier that delivers on the day on which it is given the parcel."""

    delivery_days_min: int = 0
    delivery_days_max: int = 0


def lead(
    *lines: CartLine,
    today: date = MONDAY,
    workshop: Workshop = WORKSHOP,
    queued: int = 0,
    country: str = "FR",
) -> LeadTime:
    found = lead_time(lines, Route(EUROPE, country, workshop, queued), today=today)
    assert found is not None
    return found


def test_production_in_calendar_days_then_the_next_dispatch_day_then_the_carrier() -> None:
    # Monday + 14 = Monday 7, + 2 working days; + 28 = Monday 21, + 5 of the carrier's: 22, 23, 24, 28 (25: holiday,
    # 26: holiday in the Moselle and in Alsace, 27: Sunday), 29.
    assert lead(line("a", "10.00", production=(14, 28))) == LeadTime(
        days_min=16,
        days_max=36,
        start_by=MONDAY,
        dispatch_from=date(2026, 12, 7),
        dispatch_by=date(2026, 12, 21),
        earliest=date(2026, 12, 9),
        latest=date(2026, 12, 29),
    )


def test_the_slowest_line_decides_both_ends() -> None:
    lines = [
        line("a", "10.00", production=(1, 40)),
        line("b", "10.00", production=(20, 21)),
        line("c", "10.00", production=(0, 0)),
    ]
    found = lead(*lines)
    assert (found.dispatch_from, found.dispatch_by) == (date(2026, 12, 14), date(2027, 1, 4))


def test_what_is_ready_on_a_saturday_leaves_on_monday() -> None:
    assert lead(line("a", "10.00", production=(5, 5))).dispatch_by == date(2026, 11, 30)


def test_a_piece_in_stock_leaves_on_the_next_dispatch_day_whatever_waits() -> None:
    in_stock = line("a", "10.00", production=(14, 28), in_stock=1)
    found = lead(in_stock, workshop=LIMITED, queued=500)
    assert (found.dispatch_from, found.dispatch_by) == (date(2026, 11, 24), date(2026, 11, 24))
    # Friday evening: nothing leaves before Monday.
    assert lead(in_stock, today=date(2026, 11, 27)).dispatch_by == date(2026, 11, 30)


def test_the_rest_of_a_quantity_that_is_partly_in_stock_is_made() -> None:
    line_of_five = line("a", "10.00", 5, production=(7, 7), in_stock=3)
    assert line_of_five.made_quantity == 2
    assert lead(line_of_five).dispatch_by == date(2026, 11, 30)


def test_the_queue_and_the_quantity_of_the_cart_come_before_production() -> None:
    # 100 pieces in six days: 83 ordered before and 17 of the cart are a week, one more is a day more.
    assert LIMITED.queue_days(100) == 6
    assert replace(LIMITED, weekly_capacity=1).queue_days(2) == 12
    week = lead(line("a", "10.00", 17, production=(0, 0)), workshop=LIMITED, queued=83)
    assert (week.start_by, week.dispatch_by) == (date(2026, 11, 30), date(2026, 11, 30))
    longer = lead(line("a", "10.00", 18, production=(0, 0)), workshop=LIMITED, queued=83)
    assert longer.dispatch_by == date(2026, 12, 1)


def test_without_a_capacity_there_is_no_queue() -> None:
    one, many = line("a", "10.00", 1), line("a", "10.00", 99)
    assert lead(one) == lead(many, queued=10_000)


def test_a_closure_stops_queue_production_and_dispatch_but_no_parcel() -> None:
    closed = replace(LIMITED, closures=(Closure(date(2026, 11, 25), date(2026, 11, 27)),))
    made = line("a", "10.00", production=(3, 3))
    # Made on Tuesday 24; three open days: Saturday, Sunday, Monday.
    assert lead(made, workshop=closed).dispatch_by == date(2026, 11, 30)
    assert lead(made, workshop=LIMITED).dispatch_by == date(2026, 11, 27)
    # A day more is Tuesday; without the closure it is Saturday, and leaves on Monday.
    longer = line("a", "10.00", production=(4, 4))
    assert lead(longer, workshop=closed).dispatch_by == date(2026, 12, 1)
    assert lead(longer, workshop=LIMITED).dispatch_by == date(2026, 11, 30)
    in_stock = line("a", "10.00", in_stock=1)
    assert lead(in_stock, workshop=closed, today=date(2026, 11, 24)).dispatch_by == date(2026, 11, 30)
    sent_before = lead(in_stock, workshop=closed)
    assert sent_before.latest == lead(in_stock).latest == date(2026, 11, 30)


# Sent on a day, two days of the carrier's later. 25 December and 1 January are closed everywhere in the table.
CALENDARS = [
    ("FR", date(2026, 12, 23), date(2026, 12, 28)),  # 24; 26 is one in Alsace, 27 a Sunday
    ("DE", date(2026, 12, 23), date(2026, 12, 28)),  # 26: zweiter Weihnachtstag
    ("BE", date(2026, 12, 23), date(2026, 12, 28)),  # 26: a holiday in a part of France, where it comes from
    ("CH", date(2026, 12, 30), date(2027, 1, 5)),  # 31 in Glarus … 2 January: Berchtoldstag
    ("ES", date(2027, 1, 4), date(2027, 1, 7)),  # 6: Reyes
    ("FR", date(2027, 3, 25), date(2027, 3, 30)),  # 26: Good Friday in Alsace, 28 and 29: Easter
    ("FR", date(2027, 4, 30), date(2027, 5, 4)),  # Saturday 1 May
    ("FR", date(2027, 5, 5), date(2027, 5, 10)),  # 6: Ascension, 8: 1945, 9: Sunday
    ("FR", date(2027, 7, 13), date(2027, 7, 16)),
    ("DE", date(2027, 10, 1), date(2027, 10, 4)),  # 3: Tag der Deutschen Einheit, a Sunday
    ("GB", date(2026, 12, 23), date(2026, 12, 29)),  # 26: Boxing Day, observed on 28
    ("ZZ", date(2026, 12, 23), date(2026, 12, 28)),  # nobody's calendar: that of the workshop's country
]


@pytest.mark.parametrize(("country", "sent", "arrives"), CALENDARS)
def test_the_carrier_rests_on_sundays_and_public_holidays_of_both_countries(
    country: str, sent: date, arrives: date
) -> None:
    assert delivery_day(sent, 2, country, WORKSHOP) == arrives


def test_a_carrier_that_needs_no_day_delivers_on_the_first_possible_one() -> None:
    assert delivery_day(date(2026, 12, 24), 0, "FR", WORKSHOP) == date(2026, 12, 24)
    assert delivery_day(date(2026, 12, 25), 0, "FR", WORKSHOP) == date(2026, 12, 28)


def test_an_empty_cart_has_no_date() -> None:
    assert lead_time([], HOME, today=MONDAY) is None
    assert last_order_day([], HOME, by=date(2026, 12, 24), today=MONDAY) is None


@pytest.mark.parametrize(
    "changes",
    [{"weekly_capacity": 0}, {"making_days": frozenset()}, {"dispatch_days": frozenset({8})}],
)
def test_a_workshop_that_never_works_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="workshop"):
        replace(WORKSHOP, **changes)  # type: ignore[arg-type]


def test_the_last_day_for_christmas_is_the_last_whose_order_is_promised_by_the_eve() -> None:
    lines, eve = [line("a", "10.00", production=(7, 10))], date(2026, 12, 24)
    last = last_order_day(lines, HOME, by=eve, today=MONDAY)
    assert last == date(2026, 12, 8)
    assert lead(*lines, today=last).latest == eve
    assert lead(*lines, today=last + timedelta(days=1)).latest > eve
    assert last_order_day(lines, HOME, by=eve, today=last + timedelta(days=1)) is None


@pytest.mark.parametrize(
    ("today", "eve"),
    [
        (date(2026, 10, 31), None),
        (date(2026, 11, 1), date(2026, 12, 24)),
        (date(2026, 12, 24), date(2026, 12, 24)),
        (date(2026, 12, 25), None),
    ],
)
def test_pages_speak_of_christmas_from_november_to_the_eve(today: date, eve: date | None) -> None:
    assert christmas_eve(today) == eve


def test_a_closure_added_later_makes_orders_late_in_the_order_of_their_turns() -> None:
    first = WaitingOrder(50, "FR", 5, date(2026, 12, 3))
    second = WaitingOrder(60, "FR", 5, date(2026, 12, 9))
    from_stock = WaitingOrder(0, "FR", 5, date(2026, 12, 9))
    waiting = [first, second, from_stock]
    assert late_orders(waiting, LIMITED, MONDAY) == [False, False, False]
    closed = replace(LIMITED, closures=(Closure(date(2026, 11, 26), date(2026, 12, 2)),))
    # Three days make 50 pieces: sent on Wednesday 25. The second is done on 7 December, the third sent today.
    assert late_orders(waiting, closed, MONDAY) == [False, True, False]


def test_an_order_is_late_from_the_day_after_its_promise() -> None:
    # Sent today, Monday; five days of the carrier's later is Saturday.
    due = [WaitingOrder(0, "FR", 5, date(2026, 11, day)) for day in (27, 28, 29)]
    assert late_orders(due, LIMITED, MONDAY) == [True, False, False]
    # To be made, by a workshop whose capacity nobody counts: it is sent today, too.
    made = [replace(order, made_quantity=10) for order in due]
    assert late_orders(made, WORKSHOP, MONDAY) == [True, False, False]


def test_the_last_order_for_a_day_leaves_on_the_next() -> None:
    in_stock, home = [line("a", "10.00", in_stock=1)], Route(CarrierAtOnce(), "FR", WORKSHOP, 0)
    wednesday = date(2026, 11, 25)
    assert last_order_day(in_stock, home, by=wednesday, today=MONDAY) == date(2026, 11, 24)
    assert last_order_day(in_stock, home, by=wednesday, today=wednesday) is None


DAYS = st.dates(date(2026, 1, 1), date(2028, 12, 31))
COUNTRIES = st.sampled_from(["FR", "DE", "ES", "CH", "BE", "US", "GB", "ZZ"])


@st.composite
def workshops(draw: st.DrawFn) -> Workshop:
    weekdays = st.frozensets(st.integers(1, 7), min_size=1)
    starts = draw(st.lists(DAYS, max_size=2))
    return Workshop(
        country="FR",
        public_holidays=public_holidays,
        making_days=draw(weekdays),
        dispatch_days=draw(weekdays),
        weekly_capacity=draw(st.none() | st.integers(1, 200)),
        closures=tuple(Closure(day, day + timedelta(days=draw(st.integers(0, 30)))) for day in starts),
    )


@st.composite
def cart_lines(draw: st.DrawFn) -> list[CartLine]:
    count = draw(st.integers(1, 3))
    return [
        line(
            str(number),
            "10.00",
            draw(st.integers(1, 20)),
            production=tuple(sorted((draw(st.integers(0, 60)), draw(st.integers(0, 60))))),  # type: ignore[arg-type]
            in_stock=draw(st.integers(0, 20)),
        )
        for number in range(count)
    ]


@st.composite
def routes(draw: st.DrawFn) -> Route:
    zone = draw(st.sampled_from([EUROPE, WORLD]))
    return Route(zone, draw(COUNTRIES), draw(workshops()), draw(st.integers(0, 500)))


def latest(lines: list[CartLine], route: Route, today: date) -> date:
    found = lead_time(lines, route, today=today)
    assert found is not None
    return found.latest


@given(cart_lines(), routes(), DAYS)
def test_no_date_falls_on_a_sunday_or_a_public_holiday(
    lines: list[CartLine], route: Route, today: date
) -> None:
    found = lead_time(lines, route, today=today)
    assert found is not None
    for day in (found.earliest, found.latest):
        assert day.isoweekday() != 7
        assert (day.month, day.day) not in {(12, 25), (1, 1)}
        assert day not in public_holidays("FR", day.year) | public_holidays(route.country, day.year)
    for day in (found.dispatch_from, found.dispatch_by):
        assert route.workshop.sends_on(day)
    assert today < found.dispatch_from <= found.dispatch_by
    assert found.dispatch_from < found.earliest <= found.latest


@given(cart_lines(), routes(), DAYS, st.integers(1, 40))
def test_a_larger_quantity_a_longer_queue_a_later_order_never_come_earlier(
    lines: list[CartLine], route: Route, today: date, more: int
) -> None:
    now = latest(lines, route, today)
    larger = [
        replace(lines[0], quantity=lines[0].quantity + more, made_quantity=lines[0].made_quantity + more)
    ]
    assert latest([*larger, *lines[1:]], route, today) >= now
    assert latest(lines, replace(route, queued_units=route.queued_units + more), today) >= now
    assert latest(lines, route, today + timedelta(days=more)) >= now


@given(cart_lines(), routes(), DAYS)
def test_pieces_in_stock_are_never_promised_later_than_made_ones(
    lines: list[CartLine], route: Route, today: date
) -> None:
    in_stock = [replace(line, made_quantity=0) for line in lines]
    assert latest(in_stock, route, today) <= latest(lines, route, today)


@given(cart_lines(), routes(), DAYS, DAYS)
def test_a_closure_never_brings_a_date_forward(
    lines: list[CartLine], route: Route, today: date, closed: date
) -> None:
    closures = (*route.workshop.closures, Closure(closed, closed + timedelta(days=3)))
    longer = replace(route, workshop=replace(route.workshop, closures=closures))
    assert latest(lines, longer, today) >= latest(lines, route, today)


@given(cart_lines(), routes(), st.dates(date(2026, 11, 1), date(2026, 12, 24)))
def test_the_last_order_day_is_the_last(lines: list[CartLine], route: Route, today: date) -> None:
    eve = date(2026, 12, 24)
    last = last_order_day(lines, route, by=eve, today=today)
    days = [today + timedelta(days=number) for number in range((eve - today).days + 1)]
    in_time = [day for day in days if latest(lines, route, day) <= eve]
    assert last == max(in_time, default=None)
