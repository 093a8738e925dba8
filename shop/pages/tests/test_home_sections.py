"""The home page and the menus as staff arrange them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.core.cache import caches
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation
from pytest_django import DjangoAssertNumQueries

from catalog.models import Category, CategoryKind, MenuPlace
from catalog.selectors.addresses import category_url
from catalog.services.categories import save_category
from catalog.tests.factories import make_category, make_product
from shop.core.content_version import save_shown
from shop.core.fragment_cache import FragmentCache
from shop.pages.models import HomeSection, SeasonalBanner, SectionKind
from shop.pages.selectors.home import Preview, home_sections
from shop.pages.selectors.menus import shop_menu
from shop.pages.services.content import delete_content
from shop.pages.tests.whole_shop import make_whole_shop

pytestmark = pytest.mark.django_db

COLLECTION = CategoryKind.COLLECTION


def kinds() -> list[str]:
    return [section.kind for section in home_sections(Preview())]


def arrange(kind: str, **changes: Any) -> None:
    row = HomeSection.objects.get(kind=kind)
    for name, value in changes.items():
        setattr(row, name, value)
    save_shown(row)


@pytest.fixture
def band() -> SeasonalBanner:
    return SeasonalBanner.objects.create(
        title="Noël à l'atelier", link_label="Voir", link="/noel", in_menu=True
    )


def test_the_shop_comes_with_every_section_in_its_order() -> None:
    rows = list(HomeSection.objects.values_list("kind", "is_visible", "starts_on", "ends_on"))
    assert rows == [(kind, True, None, None) for kind in SectionKind.values]


def test_without_rows_the_page_is_the_one_that_the_shop_comes_with(client: Client) -> None:
    make_whole_shop()
    before = client.get("/").content
    HomeSection.objects.all().delete()
    assert client.get("/").content == before


def test_members_are_offered_their_space_instead_of_an_account(client: Client) -> None:
    page = client.get("/").content.decode()
    links = re.search(r"<member-link>(<a [^>]*>Créer un compte</a>)(<a [^>]*>Espace membre</a>)", page)
    assert links is not None
    assert [" data-member hidden>" in link for link in links.groups()] == [False, True]


def test_sections_stand_in_the_order_of_their_rows_each_once() -> None:
    make_whole_shop()
    everything = [
        "hero",
        "gallery",
        "finishes",
        "process",
        "categories",
        "story",
        "faq",
        "reviews",
        "contact",
    ]
    assert kinds() == everything
    arrange("faq", position=1)
    arrange("story", is_visible=False)
    HomeSection.objects.create(kind="gallery", position=500)
    HomeSection.objects.create(kind="a-kind-of-the-past", position=2)
    assert kinds() == ["faq", "hero", "gallery", "finishes", "process", "categories", "reviews", "contact"]


def test_a_section_is_added_twice_for_different_days_only(admin_client: Client) -> None:
    arrange("story", starts_on=date(2026, 12, 1), ends_on=date(2026, 12, 24))

    def add(**days: str) -> dict[str, list[str]]:
        answer = admin_client.post(
            "/admin/textes/accueil/nouveau", {"kind": "story", "is_visible": "on", **days}
        )
        return dict(answer.context["form"].errors) if answer.status_code == 200 else {}

    refused = {"kind": ["Cette section est déjà sur l'accueil à ces dates."]}
    assert add() == refused
    assert add(starts_on="2026-12-24") == refused
    assert add(ends_on="2026-12-01") == refused
    assert HomeSection.objects.filter(kind="story").count() == 1
    assert add(starts_on="2026-12-25") == {}
    assert add(ends_on="2026-11-30") == {}
    assert HomeSection.objects.filter(kind="story").count() == 3
    # It is no hindrance to itself.
    row = HomeSection.objects.get(kind="story", starts_on=date(2026, 12, 1))
    edit = reverse("staff-sections-edit", args=[row.pk])
    seen = admin_client.get(edit).context["seen"]
    admin_client.post(
        edit, {"kind": "story", "starts_on": "2026-12-01", "ends_on": "2026-12-24", "seen": seen}
    )
    row.refresh_from_db()
    assert not row.is_visible


def test_every_second_section_stands_on_the_lighter_ground() -> None:
    make_whole_shop()
    sheets = [section.kind for section in home_sections(Preview()) if section.is_sheet]
    assert sheets == ["finishes", "categories", "faq"]
    arrange("finishes", is_visible=False)
    assert [section.kind for section in home_sections(Preview()) if section.is_sheet] == [
        "process",
        "story",
        "reviews",
    ]


@pytest.mark.parametrize("hidden", [*SectionKind.values, None])
def test_the_page_has_one_title_and_no_identifier_twice_whatever_is_hidden(
    client: Client, hidden: str | None
) -> None:
    make_whole_shop()
    rows = HomeSection.objects.filter(kind=hidden) if hidden else HomeSection.objects.all()
    rows.update(is_visible=False)
    page = client.get("/").content.decode()
    assert page.count("<h1") == 1
    found = re.findall(r'\sid="([^"]+)"', page)
    assert len(found) == len(set(found))


def test_a_section_is_shown_from_its_first_day_to_its_last() -> None:
    arrange("story", starts_on=date(2026, 12, 1), ends_on=date(2026, 12, 24))
    shown = {}
    for moment in ("2026-11-30 22:59", "2026-11-30 23:01", "2026-12-24 22:59", "2026-12-24 23:01"):
        # Paris is an hour ahead.
        with time_machine.travel(datetime.fromisoformat(moment).replace(tzinfo=UTC), tick=False):
            shown[moment] = "story" in kinds()
    assert list(shown.values()) == [False, True, True, False]


def test_dates_in_the_wrong_order_are_refused() -> None:
    row = HomeSection(kind="story", starts_on=date(2026, 12, 2), ends_on=date(2026, 12, 1))
    with pytest.raises(Exception, match="La fin ne peut pas venir avant le début") as refused:
        row.full_clean()
    assert list(refused.value.message_dict) == ["ends_on"]


def test_categories_stand_where_staff_put_them(client: Client) -> None:
    make_category("noel", name_fr="Noël", kind=COLLECTION, position=2, in_footer=True)
    make_category("pokeball", name_fr="Pokeball", kind=COLLECTION, position=1, colour="pokeball")
    make_category("goodies", name_fr="Goodies", kind=COLLECTION, menu_place=MenuPlace.TOP)
    make_category("cache", name_fr="Caché", kind=COLLECTION, menu_place=MenuPlace.NONE)
    menu = shop_menu()
    assert [(entry.label, entry.url, entry.colour) for entry in menu.products] == [
        ("Pokeball", "/pokeball", "pokeball"),
        ("Noël", "/noel", "autre"),
    ]
    assert [entry.label for entry in menu.top] == ["Goodies"]
    assert [entry.label for entry in menu.footer] == ["Noël"]
    page = client.get("/pokeball").content.decode()
    assert page.count('href="/goodies"') == 2
    assert page.count('href="/pokeball" aria-current="page"') == 2
    row = Category.objects.get(slug="pokeball")
    row.position = 3
    save_category(category=row)
    assert [entry.label for entry in shop_menu().products] == ["Noël", "Pokeball"]


def test_a_season_stands_once_in_the_menu(band: SeasonalBanner) -> None:
    row = make_category("noel", name_fr="Noël", kind=COLLECTION, colour="noel", slug_de="weihnachten")
    make_category("autre", name_fr="Autre", kind=COLLECTION)
    assert [(entry.label, entry.url) for entry in shop_menu().products] == [
        ("Noël à l'atelier", "/noel"),
        ("Autre", "/autre"),
    ]
    with translation.override("de"):
        assert [entry.url for entry in shop_menu().products] == ["/de/weihnachten", "/de/autre"]
    delete_content(row=band)
    caches["shared"].clear()
    assert [entry.url for entry in shop_menu().products] == ["/noel", "/autre"]
    assert row.slug == "noel"


def test_a_category_out_of_season_is_neither_in_menus_nor_on_the_home_page(client: Client) -> None:
    today = timezone.localdate()
    row = make_category(
        "noel", name_fr="Noël", kind=COLLECTION, in_footer=True, starts_on=today + timedelta(days=2)
    )
    make_product("Boule", category=row)
    assert b'href="/noel"' not in client.get("/").content
    # Who has the address still gets the page.
    assert client.get("/noel").status_code == 200
    row.starts_on = today
    save_category(category=row)
    # Menu, side menu, footer, card; and the piece itself names it.
    assert client.get("/").content.count(b'href="/noel"') == 4


@pytest.mark.django_db(transaction=True)
def test_cached_pages_change_at_midnight_when_a_season_begins_and_at_the_moment_of_a_band(
    client: Client,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    """Nobody presses anything: pages and fragments end with the day."""
    settings.PAGE_CACHE_SECONDS = settings.FRAGMENT_CACHE_SECONDS = 3600
    clock = [1000.0]
    monkeypatch.setattr("shop.core.fragment_cache.monotonic", lambda: clock[0])
    monkeypatch.setattr("shop.core.public_pages.page_cache", FragmentCache(50))
    monkeypatch.setattr("shop.core.fragment_cache._fragments", FragmentCache(500))
    category = make_category("noel", name_fr="Noël", kind=COLLECTION, starts_on=date(2026, 12, 1))
    make_product("Boule", category=category)
    link, band = b'href="/noel"', "Le calendrier est ouvert"
    evening = datetime(2026, 11, 30, 22, 50, tzinfo=UTC)
    with time_machine.travel(evening, tick=False) as now:
        opens = evening + timedelta(minutes=40)
        row = SeasonalBanner(title_fr=band, link_label_fr="Voir", link="/noel", starts_at=opens)
        row.ends_at = opens + timedelta(minutes=7)
        save_shown(row)
        assert link not in client.get("/").content
        with django_assert_num_queries(0):
            assert link not in client.get("/").content
        now.shift(9 * 60)
        clock[0] += 9 * 60
        with django_assert_num_queries(0):
            assert link not in client.get("/").content
        # Ten minutes after: it is the first of December in Paris.
        now.shift(61)
        clock[0] += 61
        assert link in client.get("/").content
        with django_assert_num_queries(0):
            assert link in client.get("/").content
        shown = []
        for moment in (opens - timedelta(seconds=1), opens, row.ends_at - timedelta(seconds=1), row.ends_at):
            clock[0] += (moment - timezone.now()).total_seconds()
            now.move_to(moment, tick=False)
            shown.append(band in client.get("/").content.decode())
        assert shown == [False, True, True, False]


@pytest.mark.parametrize("language", ["fr", "en", "es", "de"])
def test_every_page_stays_whole_with_hostile_categories(client: Client, language: str) -> None:
    shop = make_whole_shop()
    names = [
        "é", "W" * 80, "🐉🎄", "L'« ami » \"doux\" & <b>gras</b>", "<script>alert(1)</script>",
        "تماثيل مرسومة", "Même nom", "Même nom", "</title></script>",
    ]  # fmt: skip
    made = [
        save_category(
            category=Category(
                name_fr=name,
                kind=CategoryKind.MAIN if number % 3 == 2 else COLLECTION,
                menu_place=list(MenuPlace)[number % 2],
                in_footer=True,
            )
        )
        for number, name in enumerate(names)
    ]
    for category in made[:5]:
        make_product(f"Pièce de {category.slug}", category=category)
    with translation.override(language):
        own = [category_url(category) for category in made]
    pages = shop.pages(language) | shop.buying_pages(language) | shop.closed_pages(language)
    for address in [*pages.values(), *own]:
        answer = client.get(address)
        assert answer.status_code == 200, address
        page = answer.content.decode()
        assert "<script>alert" not in page
        assert page.count("</title>") == 1
    for path in ("/sitemap-pages.xml", "/robots.txt"):
        assert client.get(path).status_code == 200
