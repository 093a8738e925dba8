"""What the owner reads of the shop's own statistics: counts of `shop.statistics` under the names of pages and products,
beside the orders that were paid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from urllib.parse import urlencode

from django.db.models import Count
from django.db.models.functions import TruncDate
from django.urls import reverse

from blog.models import Article
from catalog.models import Category, Product
from orders.models import Order
from shop.core.dates import SHOP_ZONE
from shop.core.site import COLLECTION_VIEW
from shop.statistics.batch import OTHER
from shop.statistics.models import Measure, Metric, Step
from shop.statistics.selectors import Period, Ranked, Statistics, Vitals
from shop.statistics.vitals import SCALES, Rating

# Routes as the workshop calls them; those that are not here are the other pages.
PAGE_TITLES = {
    "home": "Accueil",
    "catalog:list": "Toutes les figurines, recherche",
    "catalog:collection": "Collections et catégories",
    "catalog:product": "Fiches des pièces",
    "catalog:reviews": "Avis d'une pièce",
    "catalog:review-write": "Écrire un avis",
    "catalog:review-rules": "Règles des avis",
    "catalog:favourites": "Favoris",
    "catalog:notice-ask": "Demande d'alerte",
    "catalog:notice-asked": "Alerte demandée",
    "orders:cart": "Panier",
    "orders:checkout": "Commande",
    "orders:payment-result": "Résultat du paiement",
    "orders:pay": "Paiement par lien",
    "orders:order": "Page d'une commande",
    "orders:tracking": "Suivi d'une commande",
    "orders:withdrawal": "Rétractation",
    "accounts:auth": "Connexion",
    "members": "Espace membre",
    "members-data": "Mes données",
    "blog:list": "Blog",
    "blog:article": "Article du blog",
    "blog:newsletter": "Newsletter",
    "blog:newsletter-asked": "Newsletter demandée",
    "blog:newsletter-confirm": "Confirmation de la newsletter",
    "blog:newsletter-preferences": "Préférences de la newsletter",
    "blog:newsletter-stop": "Désinscription de la newsletter",
    "blog:newsletter-letters": "Lettres envoyées",
    "blog:newsletter-letter": "Lettre envoyée",
    "story": "Notre histoire",
    "faq": "FAQ",
    "contact": "Contact",
    "terms": "Conditions de vente",
    "privacy": "Confidentialité",
    "cookies": "Cookies",
    "legal-notice": "Mentions légales",
    "withdrawal-form": "Information sur la rétractation",
}
MOST_ROWS = 12
LEAST_MEASUREMENTS = 5
"""Fewer say nothing of a kind of page."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a list: its words, its counts, and where it leads. `share` is of the list's highest, in percent."""

    title: str
    now: int
    before: int
    share: int
    url: str = ""


@dataclass(frozen=True, slots=True)
class FunnelStep:
    """A step towards a payment. `share` is of the first step, in percent; `passed` of the step before, None for the
    first."""

    title: str
    now: int
    before: int
    share: int
    passed: int | None


@dataclass(frozen=True, slots=True)
class VitalFigure:
    """A web vital as a value people read, with the rating of its manual; "" without measurements."""

    metric: Metric
    title: str
    value: str
    rating: str
    explanation: str
    number: int


@dataclass(frozen=True, slots=True)
class VitalsOfPage:
    """The three that count, on a kind of page and device."""

    title: str
    device: str
    figures: tuple[VitalFigure, ...]
    number: int


VITAL_TITLES = {
    Metric.LCP: (
        "Affichage",
        "le plus grand élément est visible",
        "bon jusqu'à 2,5\u00a0s, lent au-delà de 4\u00a0s",
    ),
    Metric.INP: (
        "Réactivité",
        "la page répond à un toucher",
        "bonne jusqu'à 200\u00a0ms, lente au-delà de 500\u00a0ms",
    ),
    Metric.CLS: (
        "Stabilité",
        "ce qui bouge pendant le chargement",
        "bonne jusqu'à 0,1, mauvaise au-delà de 0,25",
    ),
    Metric.FCP: (
        "Premier affichage",
        "quelque chose est visible",
        "bon jusqu'à 1,8\u00a0s, lent au-delà de 3\u00a0s",
    ),
    Metric.TTFB: ("Serveur", "le serveur répond", "bon jusqu'à 0,4\u00a0s, lent au-delà de 0,8\u00a0s"),
}
_RATINGS = {Rating.GOOD: "bon", Rating.NEEDS_IMPROVEMENT: "à améliorer", Rating.POOR: "mauvais"}
LANGUAGES = {"fr": "Français", "en": "Anglais", "es": "Espagnol", "de": "Allemand"}
DEVICES = {"phone": "Téléphone", "tablet": "Tablette", "computer": "Ordinateur", "": "Inconnu"}


def paid_orders(period: Period, language: str) -> Counter[date]:
    """Return how many orders were paid a day, those cancelled since included. One query."""
    orders = Order.objects.filter(paid_at__isnull=False).annotate(day=TruncDate("paid_at", tzinfo=SHOP_ZONE))
    orders = orders.filter(day__gte=period.first, day__lte=period.last)
    if language:
        orders = orders.filter(language=language)
    return Counter(dict(orders.order_by().values_list("day").annotate(number=Count("pk"))))


def funnel(statistics: Statistics, visits: tuple[int, int], paid: tuple[int, int]) -> list[FunnelStep]:
    """Return the steps from a visit to a payment, in the period and the one before. One query."""
    counts = {row.name: row for row in statistics.ranking(Measure.STEP)}
    steps = [("Visites", *visits)]
    for step, title in (
        (Step.PRODUCT, "Ont vu une pièce"),
        (Step.CART, "Ont rempli le panier"),
        (Step.CHECKOUT, "Ont ouvert la commande"),
    ):
        row = counts.get(step.value, Ranked("", 0, 0))
        steps.append((title, row.now, row.before))
    steps.append(("Commandes payées", *paid))
    found, above = [], 0
    for number, (title, now, before) in enumerate(steps):
        passed = None if not number else _percent(now, above)
        found.append(FunnelStep(title, now, before, _percent(now, visits[0]) or 0, passed))
        above = now
    return found


def pages(statistics: Statistics) -> list[Row]:
    """Return the pages most seen, under their names: a collection is one page, in whatever language and whatever its
    address was before. Five queries at most."""
    titles, labels = {OTHER: "Autres pages"}, dict[str, str]()
    for category in Category.objects.prefetch_related("former_slugs"):
        label = f"{COLLECTION_VIEW}/{category.slug}"
        titles[label] = str(category)
        words = category.slugs | {former.slug for former in category.former_slugs.all()}
        labels |= {f"{COLLECTION_VIEW}/{word}": label for word in words}

    def counted_as(label: str) -> str:
        is_named = label.partition("/")[0] in PAGE_TITLES
        return labels.get(label, label) if is_named else OTHER

    ranked = statistics.ranking(Measure.PAGE_VIEW, counted_as=counted_as)[:MOST_ROWS]
    shown: dict[str, list[int]] = {}
    for row in ranked:
        route, _slash, key = row.name.partition("/")
        if key.isdecimal():
            shown.setdefault(route, []).append(int(key))
    products = Product.objects.in_bulk([key for route in _OF_PRODUCTS for key in shown.get(route, ())])
    articles = Article.objects.in_bulk(shown.get("blog:article", ()))
    return _rows(ranked, [titles.get(row.name) or _title(row.name, products, articles) for row in ranked])


_OF_PRODUCTS = ("catalog:product", "catalog:reviews", "catalog:review-write")


def _title(label: str, products: Mapping[int, Product], articles: Mapping[int, Article]) -> str:
    route, _slash, key = label.partition("/")
    title = PAGE_TITLES[route]
    number = int(key) if key.isdecimal() else 0
    if route in _OF_PRODUCTS and number in products:
        key = products[number].name
        if route == "catalog:product":
            return key
    if route == "blog:article" and number in articles:
        key = articles[number].french_title
    return f"{title}\u00a0: {key}" if key else title


def sources(statistics: Statistics) -> list[Row]:
    """Return where visits came from. One query."""
    ranked = statistics.ranking(Measure.SOURCE)[:MOST_ROWS]
    names = {"": "Accès direct, e-mail ou favori", OTHER: "Autres sites"}
    return _rows(ranked, [names.get(row.name, row.name) for row in ranked])


def campaigns(statistics: Statistics) -> list[Row]:
    """Return the campaigns that links of letters and posts name. One query."""
    ranked = statistics.ranking(Measure.CAMPAIGN)[:MOST_ROWS]
    return _rows(ranked, [row.name for row in ranked])


def languages(statistics: Statistics) -> list[Row]:
    """Return the languages of visits. One query."""
    ranked = statistics.ranking(Measure.VISIT, "language")
    return _rows(ranked, [LANGUAGES.get(row.name, row.name) for row in ranked])


def devices(statistics: Statistics) -> list[Row]:
    """Return what visits read on. One query."""
    ranked = statistics.ranking(Measure.VISIT, "device")
    return _rows(ranked, [DEVICES.get(row.name, row.name) for row in ranked])


def searches(statistics: Statistics) -> list[Row]:
    """Return the words most looked for. One query."""
    return _searches(statistics.ranking(Measure.SEARCH))


def empty_searches(statistics: Statistics) -> list[Row]:
    """Return the words that were looked for and found nothing. One query."""
    return _searches(statistics.ranking(Measure.EMPTY_SEARCH))


def _searches(ranked: Sequence[Ranked]) -> list[Row]:
    ranked = [row for row in ranked if row.now][:MOST_ROWS]
    found = reverse("catalog:list")
    urls = [f"{found}?{urlencode({'search': row.name})}" if row.name != OTHER else "" for row in ranked]
    titles = [row.name if row.name != OTHER else "Autres mots" for row in ranked]
    return _rows(ranked, titles, urls)


def _rows(ranked: Sequence[Ranked], titles: Iterable[str], urls: Iterable[str] | None = None) -> list[Row]:
    highest = max((row.now for row in ranked), default=0)
    places = urls or [""] * len(ranked)
    return [
        Row(title, row.now, row.before, _percent(row.now, highest) or 0, url)
        for row, title, url in zip(ranked, titles, places, strict=True)
    ]


def vital_figures(vitals: Vitals, *, page: str = "", device: str = "") -> list[VitalFigure]:
    """Return the web vitals of a kind of page and a device, or of all. No query."""
    return [_figure(metric, *vitals.measured(metric, page=page, device=device)) for metric in Metric]


def vitals_of_pages(vitals: Vitals) -> list[VitalsOfPage]:
    """Return the three that count for each kind of page that has a name, and device, most measured first. No query."""
    found = []
    named = [kind for kind in vitals.kinds() if kind[0] in PAGE_TITLES]
    for page, device in named[:MOST_ROWS]:
        figures = tuple(vital_figures(vitals, page=page, device=device)[:3])
        number = max(figure.number for figure in figures)
        if number >= LEAST_MEASUREMENTS:
            title = PAGE_TITLES[page]
            found.append(VitalsOfPage(title, DEVICES.get(device, device), figures, number))
    return found


def _figure(metric: Metric, value: float | None, number: int) -> VitalFigure:
    title, what, limits = VITAL_TITLES[metric]
    rating = "" if value is None else _RATINGS[SCALES[metric].rate(value)]
    return VitalFigure(metric, title, _in_words(metric, value), rating, f"{what}\u00a0; {limits}", number)


def _in_words(metric: Metric, value: float | None) -> str:
    if value is None:
        return "–"
    if metric == Metric.CLS:
        return f"{value:.2f}".replace(".", ",")
    if value < 1000:
        return f"{round(value)}\u00a0ms"
    return f"{value / 1000:.1f}\u00a0s".replace(".", ",")


def _percent(part: int, whole: int) -> int | None:
    return round(100 * part / whole) if whole else None
