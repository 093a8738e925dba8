"""Texts, questions, bands and redirects: shown when they should be, edited by operators."""

import json
import re
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation
from pytest_django import DjangoAssertNumQueries

from catalog.markup import plain_text, render_markdown
from catalog.models import Category, FormerSlug, ProductVariation
from catalog.services.categories import delete_category, what_keeps
from catalog.services.products import refresh_product
from catalog.tests.factories import make_category, make_finish_category, make_product, make_variation
from orders.tests.factories import make_zones
from shop.core.content_version import save_shown
from shop.core.models import ShopSettings
from shop.core.problems import Problem
from shop.core.shop_settings import save_shop_settings
from shop.pages.demo import christmas_season
from shop.pages.models import FaqEntry, PageText, Redirect, SeasonalBanner
from shop.pages.selectors.content import PageTexts, current_band, faq_chapters, questions
from shop.pages.selectors.placeholders import placeholder_values
from shop.pages.services.content import load_texts
from shop.pages.shipped import shipped
from shop.pages.staff.texts import SCREENS

pytestmark = pytest.mark.django_db

LANGUAGES = ["fr", "en", "es", "de"]


@pytest.fixture
def texts(run_on_commit: Any) -> None:
    make_zones()
    with run_on_commit():
        load_texts()


def read(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return answer.content.decode()


def test_loading_twice_changes_nothing(texts: None, capsys: pytest.CaptureFixture[str]) -> None:
    FaqEntry.objects.filter(key="delay").update(answer_fr="Mon texte.")
    call_command("load_texts")
    assert capsys.readouterr().out == "0 texts added.\n"
    assert FaqEntry.objects.count() == 20
    assert FaqEntry.objects.get(key="delay").answer_fr == "Mon texte."


def test_ten_questions_on_the_home_page_four_chapters_in_the_faq(texts: None) -> None:
    assert len(questions(home=True)) == 10
    assert len(questions(contact=True)) == 5
    with translation.override("fr"):
        assert [(code, title, len(rows)) for code, title, rows in faq_chapters()] == [
            ("creation", "Figurines et création", 5),
            ("quality", "Qualité et techniques", 5),
            ("delivery", "Commande et livraison", 5),
            ("prices", "Tarifs et garanties", 5),
        ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_figures_come_from_the_rows(client: Client, texts: None, language: str, run_on_commit: Any) -> None:
    make_product("Golem", "49.90", category=make_finish_category("mangas"))
    make_product("Boule", "5.00")
    # Nobody can buy it.
    make_product("Clé", "3.00", stock_quantity=0)
    # At 0 € its only format is not on sale. It was stored before that was refused.
    free = make_variation(make_product("Étoile", "2.00"), price_adjustment="-1.99")
    ProductVariation.objects.filter(pk=free.pk).update(price_adjustment="-2.00")
    refresh_product(product_id=free.product_id)
    with run_on_commit():
        save_shop_settings(ShopSettings(default_production_days_min=21, default_production_days_max=35))
    with translation.override(language):
        page = read(client, reverse("faq"))
    delay = {"fr": "3 à 5 semaines", "en": "3 to 5 weeks", "es": "3 a 5 semanas", "de": "3 bis 5 Wochen"}
    assert delay[language] in page
    assert "49" in re.sub(r"<[^>]+>", "", page)
    assert {"fr": "9,99\u00a0€", "en": "€9.99", "es": "9,99\u00a0€", "de": "9,99\u00a0€"}[language] in page
    assert "{{" not in page
    with translation.override(language):
        assert placeholder_values()["lowest_price"] == {"en": "€5.00"}.get(language, "5,00\u00a0€")


def test_no_text_states_a_delay_of_its_own() -> None:
    for language in LANGUAGES:
        for kind in ("faq", "pages", "season"):
            words = json.dumps(shipped(kind, language), ensure_ascii=False)
            assert re.findall(r"\d+ ?(?:à|to|a|bis|-)? ?\d* (?:semaines|weeks|semanas|Wochen)", words) == []


def test_links_lead_to_the_pages_of_the_language(client: Client, texts: None) -> None:
    page = read(client, "/de/faq")
    assert 'href="/de/kontakt?devis=1"' in page
    assert 'href="/de/agb"' in page
    assert 'href="/de/faq"' in read(client, "/de")


def test_the_faq_says_to_search_engines_what_it_shows(client: Client, texts: None) -> None:
    page = read(client, "/faq")
    blocks = [
        json.loads(data) for data in re.findall(r'<script type="application/ld\+json">(.*?)</script>', page)
    ]
    [data] = [block for block in blocks if block["@type"] == "FAQPage"]
    assert len(data["mainEntity"]) == 20
    first = data["mainEntity"][0]
    assert first["name"] == "Quelle différence avec une figurine industrielle\u00a0?"
    assert first["acceptedAnswer"]["text"].startswith("Une figurine industrielle sort d'un moule")
    shown = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page)).replace("&#x27;", "'")
    assert first["acceptedAnswer"]["text"] in shown


def test_a_table_in_an_answer_is_read_row_by_row() -> None:
    table = 'Tarifs :\n\n| Zone | Prix |\n|---|---:|\n| « Nord » & "Sud" | 9 € |\n| Reste | 5 < 6 |\n\nC\'est tout.'
    plain = 'Tarifs : Zone · Prix. « Nord » & "Sud" · 9 €. Reste · 5 < 6. C\'est tout.'
    assert plain_text(render_markdown(table)) == plain


def test_an_unpublished_question_is_nowhere(client: Client, texts: None, run_on_commit: Any) -> None:
    row = FaqEntry.objects.get(key="delay")
    row.is_published = False
    assert row.question in read(client, "/")
    with run_on_commit():
        save_shown(row)
    for path in ("/", "/faq", "/contact"):
        assert row.question not in read(client, path)


def test_answers_are_text_with_markdown_and_no_markup(
    client: Client, texts: None, run_on_commit: Any
) -> None:
    row = FaqEntry.objects.get(key="delay")
    row.answer_fr = "<script>alert(1)</script> **fort** [x](javascript:alert(1)) {{ settings }} 10 < 12"
    with run_on_commit():
        save_shown(row)
    page = read(client, "/faq")
    assert "<script>alert" not in page
    assert 'href="javascript' not in page
    assert "<strong>fort</strong>" in page
    assert "{{ settings }}" in page
    assert "10 &lt; 12" in page


def test_a_page_text_falls_back_to_the_shipped_one_and_to_french(client: Client, run_on_commit: Any) -> None:
    assert "Une table de cuisine" in read(client, "/")
    with run_on_commit():
        save_shown(PageText(key="home-story", title_fr="Notre titre", body_fr="Notre *texte*."))
    page = read(client, "/")
    assert "Notre titre" in page
    assert "Notre <em>texte</em>." in page
    assert "Notre titre" in read(client, "/es")


def test_the_text_in_force_that_began_last_is_shown() -> None:
    now = timezone.now()
    PageText.objects.create(key="home-hero", title_fr="Toujours")
    PageText.objects.create(key="home-hero", title_fr="Fête", starts_at=now, ends_at=now + timedelta(days=2))
    PageText.objects.create(key="home-hero", title_fr="Plus tard", starts_at=now + timedelta(days=1))
    assert PageTexts(now=now - timedelta(seconds=1))["home_hero"].title == "Toujours"
    assert PageTexts(now=now)["home_hero"].title == "Fête"
    assert PageTexts(now=now + timedelta(days=1))["home_hero"].title == "Plus tard"


def make_band(**fields: Any) -> SeasonalBanner:
    return SeasonalBanner.objects.create(title_fr="Noël", link_label_fr="Voir", link="/noel", **fields)


def test_a_band_begins_and_ends() -> None:
    now = timezone.now()
    make_band(starts_at=now, ends_at=now + timedelta(days=1))
    assert current_band(now=now - timedelta(seconds=1)) is None
    band = current_band(now=now)
    assert band is not None
    assert band.title == "Noël"
    assert current_band(now=now + timedelta(days=1)) is None


def test_the_band_is_on_the_home_page_and_in_the_menu(client: Client, run_on_commit: Any) -> None:
    assert 'id="saison"' not in read(client, "/")
    with run_on_commit():
        save_shown(SeasonalBanner(title_fr="Fêtes d'hiver", link_label_fr="Voir", link="/noel", in_menu=True))
    page = read(client, "/en")
    assert 'id="saison"' in page
    assert 'href="/en/noel">Voir</a>' in page
    # Header menu and side menu.
    assert read(client, "/en/faq").count("Fêtes d&#x27;hiver") == 2


@pytest.mark.parametrize(
    ("kind", "link", "other"),
    [
        ("collection", "/hiver?finition=painted", "/hiver-2"),
        ("main", "/produits?category=hiver&finition=painted", "/produits?category=hivernal"),
        # What it was called before leads to it, and so does what it is called elsewhere.
        ("collection", "/neige", "/neiges"),
        ("main", "/produits?category=winter#a", "/winters"),
    ],
)
def test_a_category_stays_while_a_band_leads_to_it(kind: str, link: str, other: str) -> None:
    winter = make_category("hiver", kind=kind, slug_en="winter")
    FormerSlug.objects.create(slug="neige", category=winter)
    now = timezone.now()
    band = make_band(starts_at=now - timedelta(days=9), ends_at=now - timedelta(days=1))
    SeasonalBanner.objects.update(link=link)
    assert what_keeps(winter) == ""
    SeasonalBanner.objects.update(link=other, ends_at=None)
    assert what_keeps(winter) == ""
    SeasonalBanner.objects.update(link=link)
    for ends_at in (None, now + timedelta(days=1)):
        SeasonalBanner.objects.update(ends_at=ends_at)
        with pytest.raises(Problem) as caught, translation.override("en"):
            delete_category(category=winter)
        assert (caught.value.code, caught.value.detail) == (
            "category_in_use",
            "The seasonal banner “Noël” leads to this category. Change it first.",
        )
    band.delete()
    delete_category(category=winter)
    assert not Category.objects.exists()


@pytest.mark.parametrize(
    ("day", "year"), [((2026, 11, 21), 2026), ((2026, 12, 25), 2026), ((2026, 12, 26), 2027)]
)
def test_the_demonstration_has_the_coming_christmas(day: tuple[int, int, int], year: int) -> None:
    paris = ZoneInfo("Europe/Paris")
    assert christmas_season(datetime(*day, 12, tzinfo=paris)) == (
        datetime(year, 11, 1, tzinfo=paris),
        datetime(year, 12, 26, tzinfo=paris),
    )


def test_a_redirect_works_where_there_is_no_page(client: Client) -> None:
    Redirect.objects.create(old_path="/ancienne", new_path="/produits")
    Redirect.objects.create(old_path="/faq", new_path="/produits")
    Redirect.objects.create(old_path="/vieux", new_path="/produits?category=bust")
    answer = client.get("/ancienne?utm=1")
    assert (answer.status_code, answer["Location"]) == (301, "/produits?utm=1")
    assert client.get("/vieux?utm=1")["Location"] == "/produits?category=bust&utm=1"
    Redirect.objects.create(old_path="/delais", new_path="/faq#delais")
    assert client.get("/delais?utm=1")["Location"] == "/faq?utm=1#delais"
    assert client.get("/delais")["Location"] == "/faq#delais"
    assert answer["Cache-Control"] == "no-cache"
    assert client.get("/faq").status_code == 200
    assert client.post("/ancienne").status_code == 404
    assert client.get("/api/ancienne").status_code == 404


@pytest.mark.parametrize("typed", ["/cr%C3%A9ations", "/créations/"])
def test_a_redirect_from_a_pasted_address_works(admin_client: Client, typed: str) -> None:
    admin_client.post("/admin/textes/redirections/nouveau", {"old_path": typed, "new_path": "/produits"})
    answer = admin_client.get("/cr%C3%A9ations")
    assert (answer.status_code, answer.headers.get("Location")) == (301, "/produits")


@pytest.mark.both_engines
def test_a_missing_page_costs_four_queries(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client.get("/nulle-part")
    # Is it a category, was it one, was it moved; the menu. The rest is cached since the visit before.
    with django_assert_num_queries(4):
        assert client.get("/nulle-part").status_code == 404


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("/a", "https://evil.test", "Indiquez une adresse de ce site"),
        ("/a", "//evil.test", "Indiquez une adresse de ce site"),
        ("/a", "/\\evil.test", "Indiquez une adresse de ce site"),
        ("/a", "/a?x=1", "Les deux adresses sont les mêmes."),
        ("/a", "/b", "Cette adresse est elle-même redirigée."),
        ("a", "/c", "Indiquez une adresse de ce site"),
        ("/a/", "/a", "Les deux adresses sont les mêmes."),
        ("/a", "/b/", "Cette adresse est elle-même redirigée."),
        ("/a.php?id=3", "/c", "la suite ne peut pas être redirigée à part."),
    ],
)
def test_a_redirect_stays_on_this_site_and_ends(
    admin_client: Client, old: str, new: str, message: str
) -> None:
    Redirect.objects.create(old_path="/b", new_path="/produits")
    answer = admin_client.post("/admin/textes/redirections/nouveau", {"old_path": old, "new_path": new})
    assert message in answer.content.decode()
    assert Redirect.objects.count() == 1


def test_operators_preview_what_is_not_shown_yet(admin_client: Client, client: Client, texts: None) -> None:
    later = timezone.now() + timedelta(days=30)
    band = make_band(starts_at=later)
    entry = FaqEntry.objects.create(
        category="prices", question_fr="Brouillon de question ?", answer_fr="Oui.", is_published=False
    )
    text = PageText.objects.create(key="story-team", title_fr="Équipe de demain", starts_at=later)
    for name, row, words in (
        ("banners", band, 'id="saison"'),
        ("faq", entry, "Brouillon de question"),
        ("passages", text, "Équipe de demain"),
    ):
        address = reverse(f"staff-{name}-preview", args=[row.pk, "fr"])
        assert address in admin_client.get(reverse(f"staff-{name}-edit", args=[row.pk])).content.decode()
        answer = admin_client.get(address)
        assert words in answer.content.decode()
        assert "no-store" in answer["Cache-Control"]
        assert Client().get(address).status_code == 302
    for path in ("/", "/faq", "/notre-histoire"):
        page = read(Client(), path)
        assert "Brouillon de question" not in page
        assert "Équipe de demain" not in page


def test_unknown_figure_in_a_text_is_refused(admin_client: Client, texts: None) -> None:
    row = FaqEntry.objects.get(key="delay")
    address = reverse("staff-faq-edit", args=[row.pk])
    form = {
        "seen": admin_client.get(address).context["seen"],
        "category": "delivery",
        "question_fr": "Q ?",
        "answer_fr": "{{ delay }}",
        **{f"{field}_{language}": "x" for field in ("question", "answer") for language in ("en", "es", "de")},
    }
    assert "Valeur inconnue\u00a0: delay." in admin_client.post(address, form).content.decode()
    assert FaqEntry.objects.get(key="delay").answer_fr != "{{ delay }}"
    assert admin_client.post(address, {**form, "answer_fr": "{{ email }}"}).status_code == 302
    assert FaqEntry.objects.get(key="delay").answer_fr == "{{ email }}"


@pytest.mark.parametrize(("name", "count"), [("passages", 4), ("faq", 4), ("banners", 4), ("official", 0)])
def test_fields_of_markdown_say_so(admin_client: Client, name: str, count: int) -> None:
    """What is pasted into them keeps its paragraphs (`frontend_islands/staff/shared/paste.ts`)."""
    page = admin_client.get(reverse(f"staff-{name}-new")).content.decode()
    assert page.count("data-markdown") == count


@pytest.mark.parametrize("name", [screen.name for screen in SCREENS])
def test_every_screen_of_texts_opens(admin_client: Client, texts: None, name: str) -> None:
    make_band()
    assert reverse(f"staff-{name}") in admin_client.get("/admin/textes").content.decode()
    shown = admin_client.get(reverse(f"staff-{name}"))
    assert (shown.status_code, "home-step-1" in shown.content.decode()) == (200, False)
    assert admin_client.get(reverse(f"staff-{name}-new")).status_code == 200
    for row in admin_client.get(reverse(f"staff-{name}")).context["lines"][:1]:
        assert admin_client.get(reverse(f"staff-{name}-edit", args=[row[0]])).status_code == 200


def test_questions_are_moved_and_numbered_anew(admin_client: Client, texts: None) -> None:
    first, second, *_others = FaqEntry.objects.all()
    admin_client.post(reverse("staff-faq-move", args=[second.pk]), {"vers": "haut"})
    assert list(FaqEntry.objects.values_list("pk", flat=True)[:2]) == [second.pk, first.pk]
    assert FaqEntry.objects.count() == len(set(FaqEntry.objects.values_list("position", flat=True)))
    # Already the first.
    admin_client.post(reverse("staff-faq-move", args=[second.pk]), {"vers": "haut"})
    assert FaqEntry.objects.first() == second


@pytest.mark.both_engines
@pytest.mark.parametrize(
    ("path", "cold", "warm"),
    [
        # settings 1, closure 1, band 1, questions 1, page texts 1, what texts name: zones with weight steps 1,
        # countries without delivery 1, territories 1, lowest price 1; the menu 1, which fragments cache.
        ("/faq", 10, 1),
        # The same without questions.
        ("/notre-histoire", 9, 1),
        ("/contact", 12, 1),
    ],
)
def test_pages_have_a_known_number_of_queries(
    client: Client,
    texts: None,
    path: str,
    cold: int,
    warm: int,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    with django_assert_num_queries(cold):
        read(client, path)
    with django_assert_num_queries(warm):
        read(client, path)
