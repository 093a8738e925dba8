"""The date that cart, checkout and order promise: one calculation, one queue, and what staff see when it breaks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
import time_machine
from django.core.cache import cache
from django.test import Client

from accounts.tests.people import make_admin
from orders.books.staff_tasks import staff_tasks
from orders.models import Order, ShippingZone, WorkshopClosure
from orders.selectors.promises import zone_transits
from orders.selectors.quotes import RequestedLine, quote_cart
from orders.selectors.workshop import load_workshop, orders_at_risk, queued_units
from orders.services.fulfilment.status_changes import change_status
from orders.tests.factories import (
    checkout_body,
    line,
    make_order,
    make_product,
    make_seller,
    make_zones,
    new_key,
    pay_order,
)
from orders.tests.fake_stripe import FakeStripe
from orders.tests.withdrawing import declare
from shop.core.models import ShopSettings

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]

MONDAY = datetime(2026, 11, 23, 9, tzinfo=UTC)


@pytest.fixture(autouse=True)
def monday() -> Iterator[None]:
    with time_machine.travel(MONDAY, tick=False):
        yield


@pytest.fixture
def stripe_on_monday(fake_stripe: FakeStripe) -> FakeStripe:
    """The provider has a clock of its own, and refuses pages that are over by it."""
    ahead = MONDAY.timestamp() - time_machine.escape_hatch.time.time()
    fake_stripe.control("clock", reset=True, advance=ahead)
    return fake_stripe


def set_capacity(pieces: int | None) -> None:
    ShopSettings.objects.update(weekly_capacity=pieces)
    cache.clear()


@pytest.fixture
def limited() -> None:
    make_seller()
    set_capacity(60)
    ShippingZone.objects.filter(countries__contains="FR").update(delivery_days_min=2, delivery_days_max=5)


def promised(quantity: int = 1, **fields: object) -> date:
    product = make_product(**fields)  # type: ignore[arg-type]
    lead = quote_cart([RequestedLine(product.pk, None, "", quantity)]).quote.lead_time
    assert lead is not None
    return lead.latest


def test_the_whole_cart_counts_in_the_queue(limited: None) -> None:
    # Ten a day: one is begun tomorrow, 28 days are Tuesday 22 December; + 23, 24, 28, 29, 30.
    assert promised(1) == promised(10) == date(2026, 12, 30)
    assert promised(11) == date(2026, 12, 31)


def test_paid_pieces_wait_until_they_are_sent(limited: None) -> None:
    workshop = load_workshop()
    assert queued_units(workshop) == 0
    order = pay_order(make_order((make_product(), 30)))
    in_stock = pay_order(make_order((make_product(stock_quantity=9), 9)))
    assert [item.made_quantity for item in (*order.items.all(), *in_stock.items.all())] == [30, 0]
    assert queued_units(workshop) == 30
    change_status(order_id=order.pk, status="processing", actor=None)
    assert queued_units(workshop) == 30
    change_status(order_id=order.pk, status="shipped", actor=None)
    assert queued_units(workshop) == 0


def test_unpaid_orders_count_for_a_week_at_most_and_not_against_their_own_customer(limited: None) -> None:
    workshop = load_workshop()
    first = make_order((make_product(), 40))
    assert queued_units(workshop) == 40
    assert queued_units(workshop, but=[first.pk]) == 0
    make_order((make_product(), 90))
    assert queued_units(workshop) == 60
    pay_order(first)
    assert queued_units(workshop, but=[first.pk]) == 40 + 60


def test_the_queue_is_one_query_and_none_without_a_capacity(
    limited: None, django_assert_num_queries: pytest.FixtureRequest
) -> None:
    workshop = load_workshop()
    with django_assert_num_queries(1):  # type: ignore[operator]
        queued_units(workshop)
    set_capacity(None)
    unlimited = load_workshop()
    with django_assert_num_queries(0):  # type: ignore[operator]
        assert queued_units(unlimited) == 0


def quote(client: Client, lines: list[dict[str, object]]) -> dict[str, object]:
    answer = client.post("/api/cart/quote", json.dumps({"lines": lines}), content_type="application/json")
    found: dict[str, object] = answer.json()["lead_time"]
    return found


def order(client: Client, lines: list[dict[str, object]], total: str, expected: str) -> object:
    return client.post(
        "/api/checkout",
        json.dumps(checkout_body(lines, total, expected_date=expected)),
        content_type="application/json",
        headers={"Idempotency-Key": new_key()},
    )


def test_l216_1_card_page_cart_order_and_search_engines_have_one_date(
    client: Client, stripe_on_monday: FakeStripe, limited: None
) -> None:
    pay_order(make_order((make_product("Autre"), 20)))
    product = make_product("Golem", "60.00", production_days_min=5, production_days_max=8)
    # 21 pieces are three days, Thursday 26; 8 days: Friday 4 December; + 5, 7, 8, 9, 10.
    lead = quote(client, [line(product)])
    assert (lead["latest"], lead["text"]) == ("2026-12-10", "entre le 3 et le 10\xa0décembre 2026")
    page = client.get(f"/produit/{product.pk}-golem").content.decode()
    assert "Livraison en France <strong>entre le 3 et le 10\xa0décembre 2026</strong>" in page
    assert lead["christmas"] in page
    assert lead["christmas"] == "Chez vous avant Noël si commandé avant le 8\xa0décembre"
    card = client.get("/produits").content.decode()
    assert str(lead["christmas"]) in card
    # Three days to begin and eight to make, then six on the way with a Sunday and a Saturday that count or not.
    data = json.loads(
        re.findall(r'<script type="application/ld\+json">(\{"@context".*?"Product".*?)</script>', page)[0]
    )
    (way,) = [
        way
        for way in data["offers"][0]["shippingDetails"]
        if {"@type": "DefinedRegion", "addressCountry": "FR"} in way["shippingDestination"]
    ]
    days = [way["deliveryTime"][part] for part in ("handlingTime", "transitTime")]
    assert [(part["minValue"], part["maxValue"]) for part in days] == [(8, 11), (2, 6)]
    answer = order(client, [line(product)], "60.00", "2026-12-10")
    assert answer.status_code == 201  # type: ignore[attr-defined]
    placed = Order.objects.get(items__product=product)
    assert (placed.promised_by, placed.start_by) == (date(2026, 12, 10), date(2026, 11, 26))


def test_holidays_that_only_the_first_parcel_meets_leave_the_least_below_the_most(limited: None) -> None:
    """Sent on 3 December, two days take Italy seven (4, 6, 7, 8 and 9 don't count); sent on the 10th, five take six."""
    lead = quote_cart([RequestedLine(make_product().pk, None, "", 1)]).quote.lead_time
    assert lead is not None
    sent = replace(lead, dispatch_from=date(2026, 12, 3), dispatch_by=date(2026, 12, 10))
    days = {
        country: (transit.days_min, transit.days_max)
        for _zone, transit in zone_transits(sent)
        for country in transit.countries
    }
    assert (days["IT"], days["FR"]) == ((6, 6), (2, 6))
    assert all(least <= most for least, most in days.values())


def test_a_date_that_has_become_later_is_refused_with_the_new_one(
    client: Client, stripe_on_monday: FakeStripe, limited: None
) -> None:
    product = make_product("Golem", "60.00")
    seen = quote(client, [line(product)])["latest"]
    pay_order(make_order((make_product("Autre"), 20)))
    before = Order.objects.count()
    answer = order(client, [line(product)], "60.00", str(seen))
    assert answer.status_code == 409  # type: ignore[attr-defined]
    refused = answer.json()  # type: ignore[attr-defined]
    assert refused["code"] == "date_changed"
    assert refused["detail"] == (
        "La date de livraison a changé\u00a0: au plus tard le 2 janvier 2027. Vérifiez-la avant de payer."
    )
    assert refused["quote"]["lead_time"]["latest"] == "2027-01-02"
    assert Order.objects.count() == before
    answer = order(client, [line(product)], "60.00", refused["quote"]["lead_time"]["latest"])
    assert answer.status_code == 201  # type: ignore[attr-defined]


def test_a_customer_who_comes_back_from_the_payment_page_keeps_the_date(
    client: Client, stripe_on_monday: FakeStripe, limited: None
) -> None:
    lines = [line(make_product("Golem", "60.00"), 10)]
    seen = quote(client, lines)["latest"]
    for _try in range(2):
        assert order(client, lines, "600.00", str(seen)).status_code == 201  # type: ignore[attr-defined]
        assert quote(client, lines)["latest"] == seen
    assert set(Order.objects.values_list("promised_by", flat=True)) == {date.fromisoformat(str(seen))}


def test_a_closure_added_later_moves_no_promise_and_shows_staff_what_is_late(limited: None) -> None:
    paid = pay_order(make_order((make_product(production_days_min=1, production_days_max=2), 30)))
    assert (paid.start_by, paid.promised_by) == (date(2026, 11, 26), date(2026, 12, 5))
    today = date(2026, 11, 23)
    assert not orders_at_risk(today).exists()
    admin = Client()
    admin.force_login(make_admin())
    answer = admin.post(
        "/admin/fermetures/nouveau",
        {"starts_on": "2026-11-24", "ends_on": "2026-11-30"},
        follow=True,
    )
    said = "1 commande promise ne peut plus partir à temps\u00a0: elle est dans «\u00a0À faire\u00a0»."
    # Said with the sign of a warning, not with the tick of what succeeded.
    said_before = answer.content.decode().partition(said)[0]
    assert said_before.rpartition("<use ")[2].partition('"></use>')[0].endswith("icons.svg#warning")
    assert ">À faire</h2>" in admin.get("/admin").content.decode()
    paid.refresh_from_db()
    assert paid.promised_by == date(2026, 12, 5)
    assert list(orders_at_risk(today)) == [paid]
    (task,) = [task for task in staff_tasks(today) if "filtre=at_risk" in task.url]
    assert (task.count, paid.reference in task.detail) == (1, True)
    risk = "/api/admin/orders?waits=at_risk"
    assert [row["reference"] for row in admin.get(risk).json()["results"]] == [paid.reference]
    # Another closure says of its own dates alone, and one that is deleted of none.
    other = {"starts_on": "2026-12-14", "ends_on": "2026-12-15"}
    answer = admin.post("/admin/fermetures/nouveau", other, follow=True)
    assert [str(each) for each in answer.context["messages"]] == ["La fermeture est enregistrée."]
    pay_order(make_order((make_product(production_days_min=1, production_days_max=2), 1)))
    Order.objects.exclude(pk=paid.pk).update(promised_by=date(2026, 12, 18))
    answer = admin.post(
        "/admin/fermetures/nouveau", {"starts_on": "2026-12-01", "ends_on": "2026-12-13"}, follow=True
    )
    assert [str(each) for each in answer.context["messages"]] == ["La fermeture est enregistrée.", said]
    last = WorkshopClosure.objects.get(starts_on=date(2026, 12, 14))
    answer = admin.post(f"/admin/fermetures/{last.pk}/supprimer", follow=True)
    assert [str(each) for each in answer.context["messages"]] == ["L'atelier reste ouvert."]
    WorkshopClosure.objects.all().delete()
    assert admin.get(risk).json()["results"] == []


def test_no_order_is_at_risk_for_pieces_that_nobody_waits_for_any_more(limited: None) -> None:
    before, later = (
        pay_order(make_order((make_product(production_days_min=1, production_days_max=2), units)))
        for units in (30, 1)
    )
    # Sent today it arrives on the 28th, after the thirty on 2 December.
    Order.objects.filter(pk=later.pk).update(promised_by=date(2026, 11, 30))
    today = date(2026, 11, 23)
    assert list(orders_at_risk(today)) == [later]
    declare(before)
    assert list(orders_at_risk(today)) == []


@pytest.mark.parametrize(
    ("first", "last", "refusal"),
    [
        ("2026-11-24", "2026-11-23", "Le dernier jour vient avant le premier."),
        ("2026-11-24", "2028-11-24", "Une fermeture dure un an au plus."),
    ],
)
def test_a_closure_with_impossible_days_is_refused(first: str, last: str, refusal: str) -> None:
    admin = Client()
    admin.force_login(make_admin())
    answer = admin.post("/admin/fermetures/nouveau", {"starts_on": first, "ends_on": last})
    assert refusal in answer.content.decode()
    assert not WorkshopClosure.objects.exists()


@pytest.mark.parametrize(
    ("first", "last", "is_refused"),
    [
        ("2026-11-23", "2026-11-23", False),
        ("2026-11-20", "2026-11-24", True),
        ("2026-11-25", "2026-11-26", True),
        ("2026-11-20", "2026-12-20", True),
        ("2026-11-30", "2026-12-04", True),
        ("2026-12-01", "2026-12-04", False),
    ],
)
def test_a_day_has_one_closure(first: str, last: str, is_refused: bool) -> None:
    stored = WorkshopClosure.objects.create(starts_on=date(2026, 11, 24), ends_on=date(2026, 11, 30))
    admin = Client()
    admin.force_login(make_admin())
    answer = admin.post("/admin/fermetures/nouveau", {"starts_on": first, "ends_on": last}).content.decode()
    refusal = (
        "Une autre fermeture a déjà de ces jours, du 24 novembre 2026 au 30 novembre 2026\u00a0: "
        "modifiez-la plutôt."
    )
    assert (refusal in answer) is is_refused
    assert WorkshopClosure.objects.count() == 2 - is_refused
    # It is not in the way of itself.
    stored.full_clean()


@pytest.mark.django_db(transaction=True)
def test_pages_see_a_new_closure_at_once(client: Client) -> None:
    make_zones()
    product = make_product("Golem")
    address = f"/produit/{product.pk}-golem"
    before = client.get(address).content.decode()
    admin = Client()
    admin.force_login(make_admin())
    admin.post("/admin/fermetures/nouveau", {"starts_on": "2026-11-24", "ends_on": "2026-11-30"})
    after = client.get(address).content.decode()
    assert ("closure-line" in before, "closure-line" in after) == (False, True)
