"""What the first page of the admin says is to be done: orders to make, before and after their promise."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.tests.people import make_admin
from orders.books.staff_tasks import staff_tasks
from orders.models import Order
from orders.tests.factories import make_order, make_seller, make_zones, pay_order
from shop.core.dates import day_in_words
from shop.core.models import ShopSettings

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def order() -> Order:
    make_seller()
    made = make_order()
    pay_order(made)
    made.refresh_from_db()
    return made


def named(label: str):
    return [task for task in staff_tasks(timezone.localdate()) if task.several == label]


def test_an_order_to_make_waits_with_the_day_it_is_promised_for(order, client):
    [task] = named("Commandes à préparer")
    promised = day_in_words(order.promised_by)
    assert (task.count, task.detail) == (1, f"la première est promise pour le {promised}")
    client.force_login(make_admin())
    assert task.url == "/admin/commandes?filtre=to_make"
    [listed] = client.get("/api/admin/orders?waits=to_make").json()["results"]
    assert listed["reference"] == order.reference


def test_an_order_to_review_is_counted_alone(order):
    assert named("Commandes à vérifier") == []
    make_order()
    Order.objects.filter(pk=order.pk).update(review_reason="payée deux fois")
    [task] = named("Commandes à vérifier")
    assert (task.count, task.label, task.url) == (1, "Commande à vérifier", "/admin/commandes?filtre=review")


@pytest.mark.parametrize("status", ["shipped", "delivered", "cancelled", "refunded"])
def test_one_that_nobody_makes_does_not_wait(order, status):
    Order.objects.filter(pk=order.pk).update(status=status)
    assert named("Commandes à préparer") == []


def test_a_late_one_is_counted_once_among_the_late(order, client):
    Order.objects.filter(pk=order.pk).update(promised_by=timezone.localdate() - timedelta(days=1))
    assert named("Commandes à préparer") == []
    [late] = named("Commandes en retard sur leur date promise")
    assert late.count == 1
    client.force_login(make_admin())
    assert late.url == "/admin/commandes?filtre=late"
    [listed] = client.get("/api/admin/orders?late=true").json()["results"]
    assert listed["reference"] == order.reference
    assert client.get("/api/admin/orders?waits=to_make").json()["results"] == []
    assert "Commandes à préparer" not in client.get(reverse("admin:index")).content.decode()


def test_what_waits_takes_a_known_number_of_queries(order, django_assert_num_queries):
    ShopSettings.load()
    # One for each of the fifteen kinds of rows; the terms in force, and their digest; turnover (no return is asked for
    # the time before the first sale); two of the bank; two for the Union's threshold.
    # The orders at risk: zones, territories, closures, orders waiting.
    with django_assert_num_queries(24):
        staff_tasks(timezone.localdate())


def overview(client) -> str:
    client.force_login(make_admin())
    return " ".join(client.get(reverse("staff-home")).content.decode().split())


@pytest.mark.parametrize(
    ("day", "in_stock", "made"),
    [
        (date(2026, 11, 2), "17 décembre 2026", "20 novembre 2026"),
        (date(2026, 12, 1), "17 décembre 2026", "trop tard"),
        (date(2026, 12, 24), "trop tard", "trop tard"),
    ],
)
def test_in_season_the_overview_says_until_when_to_order_before_christmas(
    client, time_machine, day, in_stock, made
):
    time_machine.move_to(datetime(day.year, day.month, day.day, 11, tzinfo=UTC), tick=False)
    make_zones()
    page = overview(client)
    assert f"<p>Pièce en stock : <strong>{in_stock}</strong></p>" in page
    assert f"<p>Pièce à fabriquer, délai habituel de 14 à 28 jours : <strong>{made}</strong></p>" in page


@pytest.mark.parametrize("day", [date(2026, 10, 31), date(2026, 12, 25)])
def test_out_of_season_the_overview_says_nothing_of_christmas(client, time_machine, day):
    time_machine.move_to(datetime(day.year, day.month, day.day, 11, tzinfo=UTC), tick=False)
    make_zones()
    assert "avant Noël" not in overview(client)
