"""`/admin/statistiques`: what the owner reads, who may, and the file."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date, timedelta
from decimal import Decimal

import pytest
import time_machine
from django.utils import timezone

from accounts.tests.people import make_admin, make_member
from blog.tests.articles import make_article
from catalog.models import FormerSlug
from catalog.tests.factories import make_category, make_product
from orders.models import Order
from orders.tests.factories import make_order, pay_order
from shop.core.charts import HEIGHT, Scale
from shop.pages.selectors.statistics import PAGE_TITLES
from shop.pages.sitemaps import _PAGES
from shop.pages.tests.staff import make_staff, signed_in
from shop.statistics.batch import Batch, CountKey, VisitKey, VisitNews, VitalKey
from shop.statistics.demo import write_days
from shop.statistics.models import DailyCount, DailyVital
from shop.statistics.page_names import page_name
from shop.statistics.writing import write_batch

pytestmark = pytest.mark.django_db
ADDRESS = "/admin/statistiques"
TODAY = date(2026, 11, 23)


@pytest.fixture(autouse=True)
def clock():
    with time_machine.travel("2026-11-23T10:00:00+01:00", tick=False):
        yield


def text_of(user, query: str = "") -> str:
    answer = signed_in(user).get(f"{ADDRESS}{query}")
    assert answer.status_code == 200
    return " ".join(answer.content.decode().replace("\u00a0", " ").replace("&#x27;", "'").split())


def count(measure: str, label: str = "", number: int = 1, *, days: int = 1, language: str = "fr") -> None:
    device = "phone" if measure in ("visit", "page_view") else ""
    key = CountKey(TODAY - timedelta(days=days), measure, language, device, label)
    write_batch(Batch(counts=Counter({key: number})))


def test_staff_who_pack_and_members_do_not_see_it() -> None:
    for user in (make_staff(), make_member("m@example.com")):
        for address in (ADDRESS, f"{ADDRESS}/fichier"):
            assert signed_in(user).get(address).status_code == 403


def test_nothing_counted_says_what_will_be() -> None:
    page = text_of(make_admin())
    assert "Aucune visite comptée sur cette période" in page
    assert "Vos propres visites ne comptent pas" in page
    assert "Télécharger en CSV" not in page


def test_page_shows_sums_and_today_under_the_names_of_things(django_assert_num_queries) -> None:
    product = make_product("Gardien")
    count("visit", number=40)
    count("visit", number=30, days=31)
    count("page_view", f"catalog:product/{product.pk}", 7)
    count("page_view", "catalog:product/999999", 2)
    count("page_view", f"catalog:review-write/{product.pk}", 2)
    count("page_view", "…", 1)
    count("source", "google.com", 21)
    count("source", "", 19)
    count("campaign", "lettre / – / noel", 3)
    count("step", "product", 20)
    count("step", "cart", 5)
    count("step", "checkout", 2)
    count("search", "dragon", 4)
    count("empty_search", "gargouille", 2)
    write_batch(
        Batch(
            visits={VisitKey(TODAY, "x"): VisitNews("de", "computer", saw_product=True)},
            vitals=Counter({VitalKey(TODAY, "LCP", "home", "phone", 5): 8}),
        )
    )
    order = pay_order(make_order())
    Order.objects.filter(pk=order.pk).update(paid_at=timezone.now())

    page = text_of(make_admin())

    assert "Visites, du 25 octobre 2026 au 23 novembre 2026" in page
    assert '<dt>Visites</dt><dd>41</dd><dd class="statistics-before">avant : 30</dd>' in page
    assert "<dt>Commandes payées</dt><dd>1</dd>" in page
    for title, number in (
        ("Gardien", 7),
        ("Fiches des pièces : 999999", 2),
        ("Écrire un avis : Gardien", 2),
        ("Autres pages", 1),
        ("google.com", 21),
        ("Accès direct, e-mail ou favori", 20),
        ("lettre / – / noel", 3),
        ("Français", 40),
        ("Allemand", 1),
        ("Téléphone", 40),
        ("Ont vu une pièce", 21),
        ("Ont rempli le panier", 5),
        ("Ont ouvert la commande", 2),
    ):
        row = f'{title}</span> <span class="statistics-rows__number"><strong>{number}</strong>'
        assert row in page, title
    assert "51 % des visites, 51 % de l'étape d'avant" in page
    assert '<a href="/produits?search=gargouille">gargouille</a>' in page
    assert "<dt>Affichage (LCP)</dt><dd>2.4 s".replace(".", ",") in page
    assert "démonstration" not in page


def test_pages_of_the_sitemap_and_articles_have_their_names() -> None:
    assert [name for name in (*_PAGES, "blog:article") if name not in PAGE_TITLES] == []
    count("page_view", "blog:article/le-four", 3)
    count("page_view", "cookies", 2)
    page = text_of(make_admin())
    for title, number in (("Article du blog : le-four", 3), ("Cookies", 2)):
        row = f'{title}</span> <span class="statistics-rows__number"><strong>{number}</strong>'
        assert row in page, title


def test_a_collection_and_an_article_are_one_page_in_every_language_and_by_a_former_address() -> None:
    noel = make_category("noel", name_fr="Noël", slug_de="weihnachten", kind="collection")
    FormerSlug.objects.create(slug="fetes", category=noel)
    article = make_article("Le four")
    for number, word, language in ((1, "noel", "fr"), (2, "weihnachten", "de"), (4, "fetes", "fr")):
        count("page_view", f"catalog:collection/{word}", number, language=language)
    count("page_view", "catalog:collection/noel", 8, days=31)
    count("page_view", "catalog:collection/disparue", 3)
    for path, language in ((f"/blog/{article.pk}-le-four", "fr"), (f"/en/blog/{article.pk}-the-oven", "en")):
        name = page_name(path)
        assert name is not None
        count("page_view", name.label, 5, language=language)

    page = text_of(make_admin())

    row = '{}</span> <span class="statistics-rows__number"><strong>{}</strong> <span class="muted">avant : {}</span>'
    for title, number, before in (
        ("Noël", 7, 8),
        ("Collections et catégories : disparue", 3, 0),
        ("Article du blog : Le four", 10, 0),
    ):
        assert row.format(title, number, before) in page, title
    assert page.count(">Noël</span>") == 1


def test_pages_without_a_name_are_the_other_pages_and_none_is_called_by_its_route() -> None:
    for label, number in (
        ("accounts:security", 3),
        ("blog:preview", 2),
        ("…", 1),
        ("blog:newsletter-stop", 4),
    ):
        count("page_view", label, number)
    write_batch(
        Batch(
            vitals=Counter(
                {VitalKey(TODAY, "LCP", page, "phone", 5): 8 for page in ("accounts:security", "contact")}
            )
        )
    )
    page = text_of(make_admin())
    for title, number in (("Autres pages", 6), ("Désinscription de la newsletter", 4)):
        row = f'{title}</span> <span class="statistics-rows__number"><strong>{number}</strong>'
        assert row in page, title
    assert '<th scope="row">Contact</th>' in page
    assert re.findall(r">[^<]*(?:accounts|blog):[^<]*<", page) == []


def test_language_narrows_every_count_but_the_speed() -> None:
    count("visit", number=40)
    count("visit", number=3, language="de")
    count("source", "google.com", 3, language="de")
    page = text_of(make_admin(), "?periode=7&langue=de")
    assert "<dt>Visites</dt><dd>3</dd>" in page
    assert "mesuré chez les visiteurs, toutes langues ensemble" in page
    assert 'href="?periode=30&amp;langue=de"' in page


def test_what_is_asked_for_and_unknown_is_the_usual_period() -> None:
    count("visit", number=2, days=20)
    page = text_of(make_admin(), "?periode=400&langue=xx")
    assert "<dt>Visites</dt><dd>2</dd>" in page
    assert '<a href="?periode=30" aria-current="page">30 jours</a>' in page


@pytest.mark.parametrize(("period", "bars"), [("7", 7), ("30", 30), ("90", 13), ("365", 13)])
def test_bars_of_a_period_hold_all_of_its_days(period: str, bars: int) -> None:
    for days in range(0, 364, 7):
        count("visit", number=1, days=days)
    page = text_of(make_admin(), f"?periode={period}")
    table = page.partition("Les nombres en tableau")[2].partition("</table>")[0]
    assert table.count('<th scope="row">') == bars
    shown = [int(cell.partition("</td>")[0]) for cell in table.split("</th><td>")[1:]]
    assert sum(shown) == len([days for days in range(0, 364, 7) if days < int(period)])


def test_page_costs_the_same_queries_however_much_was_counted(django_assert_max_num_queries) -> None:
    write_days(today=TODAY, products=[make_product(f"P{n}").pk for n in range(3)], collections=["noel"])
    client = signed_in(make_admin())
    # Session, user, rights (2), settings; visits of today, days, orders, vitals, steps, pages with products and
    # categories, six lists, demonstration.
    with django_assert_max_num_queries(20):
        answer = client.get(ADDRESS)
    assert "Chiffres de démonstration" in answer.content.decode()


def test_file_holds_the_sums_and_no_formula() -> None:
    count("search", "=1+1", 2)
    count("visit", number=5, days=40)
    answer = signed_in(make_admin()).get(f"{ADDRESS}/fichier?periode=30")
    assert answer["Content-Disposition"] == 'attachment; filename="statistiques-2026-10-25-2026-11-23.csv"'
    assert b"".join(answer.streaming_content).decode() == (
        "\ufeffJour;Mesure;Langue;Appareil;Intitulé;Nombre\r\n22/11/2026;recherche;fr;;'=1+1;2\r\n"
    )


def test_demonstration_is_written_once_and_never_over_what_was_counted() -> None:
    write_days(today=TODAY, products=[1, 2], collections=["noel"])
    number = DailyCount.objects.count(), DailyVital.objects.count()
    assert set(DailyCount.objects.values_list("is_demonstration", flat=True)) == {True}
    assert (
        DailyCount.objects.order_by("day").values_list("day", flat=True).distinct().count(),
        max(DailyCount.objects.values_list("day", flat=True)),
    ) == (60, TODAY - timedelta(days=1))
    write_days(today=TODAY + timedelta(days=3), products=[1], collections=[])
    assert (DailyCount.objects.count(), DailyVital.objects.count()) == number


def test_privacy_page_has_the_switch_and_the_periods(client) -> None:
    page = client.get("/politique-confidentialite").content.decode()
    assert "data-statistics-switch" in page
    assert "25 mois pour les totaux" in page.replace("\u00a0", " ")
    assert "data-statistics-switch" not in client.get("/mentions-legales").content.decode()


def test_home_says_how_many_visits() -> None:
    count("visit", number=12, days=2)
    write_batch(Batch(visits={VisitKey(TODAY, "x"): VisitNews("fr", "phone")}))
    home = " ".join(signed_in(make_admin()).get("/admin").content.decode().split())
    assert "1 visite aujourd'hui, 13 en 7 jours" in home.replace("\u00a0", " ").replace("&#x27;", "'")
    assert "en 7 jours" not in signed_in(make_staff()).get("/admin").content.decode()


@pytest.mark.parametrize(
    ("most", "values"), [(0, [0, 1, 2, 3, 4]), (5, [0, 2, 4, 6, 8]), (90, [0, 25, 50, 75, 100])]
)
def test_scale_of_a_chart_is_round_and_whole(most: int, values: list[int]) -> None:
    scale = Scale.reaching(most, least_step=1)
    assert [line.value for line in scale.grid] == values
    assert [line.y for line in scale.grid] == [HEIGHT, 165, 110, 55, 0]
    assert (scale.height(0), scale.height(Decimal("0.001"))) == (0, 2)
    assert scale.height(scale.top) == HEIGHT
