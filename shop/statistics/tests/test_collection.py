"""What browsers report, and what becomes of it in the database."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from shop.statistics.batch import MOST_LABELS
from shop.statistics.models import DailyCount, DailySalt, DailyVital, Measure, Visit
from shop.statistics.recorder import recorder
from shop.statistics.tests.conftest import BROWSER, Report

pytestmark = pytest.mark.django_db
PHONE = "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0"


def page(path: str, **more: object) -> dict[str, object]:
    return {"kind": "page", "path": path, "device": "computer", **more}


def counts(measure: str) -> dict[tuple[str, str, str], int]:
    recorder.flush()
    rows = DailyCount.objects.filter(measure=measure, day=timezone.localdate())
    return {(row.language, row.device, row.label): row.count for row in rows}


@pytest.mark.both_engines
def test_events_of_two_browsers_become_sums_and_two_visits(report: Report) -> None:
    assert report(page("/", referrer="www.Google.com", source="lettre", campaign="Noël")) == 204
    report(page("/produit/12-gardien"))
    recorder.flush()
    report(page("/de/produkt/12-waechter", referrer="example.org"))
    report({"kind": "cart", "path": "/produit/12-gardien", "device": "computer"})
    report(page("/de/kasse", device="phone", source="Été à Noël", campaign="Зима"), agent=PHONE)

    assert counts("page_view") == {
        ("fr", "computer", "home"): 1,
        ("fr", "computer", "catalog:product/12"): 1,
        ("de", "computer", "catalog:product/12"): 1,
        ("de", "phone", "orders:checkout"): 1,
    }
    first, second = Visit.objects.order_by("pk")
    assert (first.language, first.device, first.source, first.campaign) == (
        "fr",
        "computer",
        "google.com",
        "lettre / – / noel",
    )
    assert (first.saw_product, first.added_to_cart, first.saw_checkout) == (True, True, False)
    assert (second.language, second.device, second.source) == ("de", "phone", "")
    assert second.campaign == "ete-a-noel / – / –"
    assert (second.saw_product, second.added_to_cart, second.saw_checkout) == (False, False, True)


def test_a_visit_is_stored_as_a_hash_that_another_day_does_not_have(report: Report, time_machine) -> None:
    report(page("/"), **{"X-Forwarded-For": "203.0.113.9"})
    time_machine.move_to(timezone.localtime() + timedelta(days=1), tick=False)
    report(page("/"))
    recorder.flush()
    first, second = Visit.objects.order_by("day")
    assert first.key != second.key
    assert len(first.key) == 32
    assert DailySalt.objects.count() == 2


def test_keys_of_links_and_numbers_of_orders_are_not_counted_by(report: Report) -> None:
    report(page("/paiement/secret-of-a-link"))
    report(page("/commande/5b0a2ff7-6a3b-4c39-9d4c-2f8f4dd5c111"))
    report(page("/auth/confirmation/another-secret"))
    assert {label for _language, _device, label in counts("page_view")} == {
        "orders:pay",
        "orders:order",
        "accounts:confirm-email",
    }


@pytest.mark.parametrize(
    "path", ["/admin", "/admin/commandes", "/gestion/", "/api/me", "/nothing/at/all", "x", ""]
)
def test_what_is_no_page_is_not_counted(report: Report, path: str) -> None:
    assert report(page(path)) == 204
    assert counts("page_view") == {}
    assert not Visit.objects.exists()


@pytest.mark.parametrize(
    "headers",
    [
        {"DNT": "1"},
        {"Sec-GPC": "1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"},
        {"agent": "curl/8.5.0"},
        {"agent": ""},
    ],
)
def test_who_objects_and_robots_are_not_counted(report: Report, headers: dict[str, str]) -> None:
    assert report(page("/"), **headers) == 204
    assert report([{"name": "LCP", "value": 1, "path": "/"}], to="/api/vitals", **headers) == 204
    assert counts("page_view") == {}
    assert (Visit.objects.count(), DailyVital.objects.count(), DailySalt.objects.count()) == (0, 0, 0)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[",
        "[" * 3000,
        [],
        {"kind": "page"},
        page("/", device="watch"),
        {**page("/"), "kind": "paid"},
        page("/", unknown=1),
        page(["/"]),
        page("/", referrer=7),
        page("/", source="x" * 300),
        {"kind": "search", "path": "/", "device": "phone", "search": "a", "found": True},
        page("/" * 5000),
    ],
)
def test_what_is_no_beacon_is_refused_whole(report: Report, body: object) -> None:
    assert report(body) == 400
    assert counts("page_view") == {}


def test_refusal_is_in_the_language_asked_for(client: Client) -> None:
    answer = client.post(
        "/api/statistics/events",
        "{",
        content_type="text/plain",
        headers={"User-Agent": BROWSER, "Accept-Language": "fr"},
    )
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    assert answer.json()["detail"] == "Ces données de mesure ne sont pas lisibles."


def test_a_network_has_its_most_a_minute(report: Report, settings) -> None:
    settings.LIMITS = {"statistics-network": 2}
    assert [report(page("/")) for _ in range(3)] == [204, 204, 429]
    assert counts("page_view") == {("fr", "computer", "home"): 2}


def test_searches_are_counted_folded_and_those_that_name_somebody_are_not(report: Report) -> None:
    def search(text: str, found: int) -> None:
        body = {"kind": "search", "path": "/produits", "device": "phone", "search": text, "found": found}
        assert report(body) == 204

    search("  Dragon   ROUGE ", 4)
    search("dragon rouge", 2)
    search("gargouille\ud800\x00", 0)
    search("lea@example.com", 0)
    search("06 12 34 56 78", 0)
    assert counts("search") == {("fr", "", "dragon rouge"): 2, ("fr", "", "gargouille"): 1}
    assert counts("empty_search") == {("fr", "", "gargouille"): 1}


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("example.org", "example.org"),
        ("localhost", ""),
        ("checkout.stripe.com", ""),
        ("<script>", ""),
        ("a" * 120, ""),
    ],
)
def test_source_is_a_host_of_another_site(report: Report, given: str, stored: str) -> None:
    report(page("/", referrer=given))
    recorder.flush()
    assert Visit.objects.get().source == stored


def test_strangers_fill_no_table_with_labels(report: Report, monkeypatch) -> None:
    monkeypatch.setitem(MOST_LABELS, Measure.PAGE_VIEW, 2)
    for number in range(5):
        report(page(f"/produit/{number}-x"))
    assert counts("page_view") == {
        ("fr", "computer", "catalog:product/0"): 1,
        ("fr", "computer", "catalog:product/1"): 1,
        ("fr", "computer", "…"): 3,
    }


@pytest.mark.both_engines
def test_vitals_are_counted_in_buckets_one_or_several_at_once(report: Report) -> None:
    one = {"name": "LCP", "value": 2500, "rating": "good", "path": "/produit/3-x", "device": "phone"}
    assert report(one, to="/api/vitals") == 204
    assert (
        report([one, {**one, "name": "CLS", "value": 0.1}, {**one, "value": 2501}], to="/api/vitals") == 204
    )
    recorder.flush()
    rows = DailyVital.objects.order_by("metric", "bucket").values_list(
        "metric", "page", "device", "bucket", "count"
    )
    assert list(rows) == [
        ("CLS", "catalog:product", "phone", 6, 1),
        ("LCP", "catalog:product", "phone", 5, 2),
        ("LCP", "catalog:product", "phone", 6, 1),
    ]


@pytest.mark.parametrize(
    ("value", "status"), [(-1, 204), (10**9, 204), ("NaN", 400), ("1", 400), (True, 400), (None, 400)]
)
def test_vitals_that_nothing_measured_are_left_out(report: Report, value: object, status: int) -> None:
    body = {"name": "INP", "value": value, "path": "/"}
    if value == "NaN":
        body["name"] = "FID"
    assert report(body, to="/api/vitals") == status
    recorder.flush()
    assert not DailyVital.objects.exists()


def test_taking_an_event_writes_nothing_but_the_salt_of_a_day(
    report: Report, django_assert_num_queries
) -> None:
    report(page("/"))
    with django_assert_num_queries(0):
        report(page("/produit/3-x", referrer="example.org"))
        report([{"name": "LCP", "value": 900, "path": "/"}], to="/api/vitals")


def test_day_of_an_event_is_the_shops(report: Report, time_machine) -> None:
    time_machine.move_to("2026-11-23T23:30:00+00:00", tick=False)
    report(page("/"))
    recorder.flush()
    assert Visit.objects.get().day == date(2026, 11, 24)
