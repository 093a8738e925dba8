"""A small shop in which every kind of public page has something to show."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

import time_machine
from django.urls import reverse
from django.utils import timezone, translation

from catalog.models import Category, CategoryKind, Product, Review, ReviewState
from catalog.selectors import listing
from catalog.selectors.addresses import product_url
from catalog.services.products import save_product
from catalog.services.reviews import refresh_rating
from catalog.tests.factories import (
    make_category,
    make_finish_category,
    make_image,
    make_product,
    make_user,
    make_variation,
)
from orders.tests.factories import make_zones
from shop.core.models import ShopSettings
from shop.core.shop_settings import save_shop_settings
from shop.pages.services.content import load_texts

NAMES = {"fr": "Lame d'automne", "en": "Autumn blade", "es": "Hoja de otoño", "de": "Herbstklinge"}


@dataclass(frozen=True, slots=True)
class WholeShop:
    """`blade` is reviewed and comes in two finishes, one of them reduced; `golem` comes in two formats and has a
    review of the demonstration alone; `sold_out` has neither stock nor photo."""

    blade: Product
    golem: Product
    sold_out: Product

    def pages(self, language: str) -> dict[str, str]:
        """The address of every public page that search engines may keep, by kind."""
        with translation.override(language):
            catalogue = reverse("catalog:list")
            return {
                "home": reverse("home"),
                "list": catalogue,
                "list of a category": f"{catalogue}?category=mangas",
                "second page": f"{catalogue}?page=2",
                "second page of a category": f"{catalogue}?category=mangas&page=2",
                "collection": reverse("catalog:collection", kwargs={"slug": "figurines"}),
                "empty collection": reverse("catalog:collection", kwargs={"slug": "noel"}),
                "product": product_url(self.blade),
                "product with formats": product_url(self.golem),
                "sold out product": product_url(self.sold_out),
                "story": reverse("story"),
                "faq": reverse("faq"),
                "contact": reverse("contact"),
                "review rules": reverse("catalog:review-rules"),
                "terms": reverse("terms"),
                "privacy": reverse("privacy"),
                "legal notice": reverse("legal-notice"),
            }

    def buying_pages(self, language: str) -> dict[str, str]:
        """Pages that search engines may keep but are not told of, the same for everybody: carts are in browsers."""
        with translation.override(language):
            return {"cart": reverse("orders:cart"), "checkout": reverse("orders:checkout")}

    def closed_pages(self, language: str) -> dict[str, str]:
        """Pages of one visitor and of one search, which no search engine should keep."""
        with translation.override(language):
            return {
                "search": f"{reverse('catalog:list')}?search=lame",
                "favourites": reverse("catalog:favourites"),
                "sign-in": reverse("accounts:auth"),
            }


def make_whole_shop() -> WholeShop:
    """At least 25 pieces of one category, so that lists have a second page."""
    make_zones()
    load_texts()
    save_shop_settings(
        ShopSettings(
            trader_name="Alix Atelier EI",
            address="1 rue de la Gare\n69003 Lyon\nFrance",
            email="atelier@example.com",
            phone="+33 4 00 00 00 00",
            instagram_url="https://instagram.example.com/etabli",
            facebook_url="https://facebook.example.com/etabli",
        )
    )
    mangas = make_finish_category(
        "mangas", name_fr="Mangas", name_en="Manga", name_es="Manga", name_de="Manga"
    )
    figurines = make_category(
        "figurines", name_fr="Nos Figurines", title_fr="Nos Chibis", kind=CategoryKind.COLLECTION,
        offers_formats=True,
    )  # fmt: skip
    make_category("noel", name_fr="Noël", kind=CategoryKind.COLLECTION)
    _fill_a_second_page(make_product("Pièce", category=mangas))
    sold_out = make_product("Garde du bastion", "62.00", category=mangas, in_stock=False)
    blade = _make_blade(mangas)
    golem = make_product("Golem", "20.00", category=figurines, stock_quantity=3)
    make_variation(golem, "Petit", is_default=True)
    make_variation(golem, "Grand", price_override="74.50", sort_order=2)
    make_image(golem, 1)
    _review(golem, 5, "Pour voir", "Un avis de démonstration.", demonstration=True)
    return WholeShop(blade, golem, sold_out)


def _fill_a_second_page(piece: Product) -> None:
    """Copies of one piece, which need no history of their own."""
    copies = []
    for number in range(listing.PAGE_SIZE):
        copy = Product.objects.get(pk=piece.pk)
        copy.pk, copy.name_fr, copy.slug_fr = None, f"Pièce {number}", f"piece-{number}"
        copies.append(copy)
    Product.objects.bulk_create(copies)


def _make_blade(category: Category) -> Product:
    """Sold at 149.00 for sixty days, then reduced: the law allows to strike that price."""
    with time_machine.travel(timezone.now() - timedelta(days=60)):
        blade = make_product(
            NAMES["fr"],
            "149.00",
            category=category,
            featured=True,
            height_cm=Decimal("18.5"),
            material_fr="Résine photopolymère",
            description_fr="Elle attend que la dernière feuille tombe.\nEt puis une deuxième phrase.",
            painted_price="149.00",
            unpainted_price="42.00",
            **{f"name_{code}": name for code, name in NAMES.items() if code != "fr"},
        )
    blade.price = blade.painted_price = Decimal("129.00")
    blade.original_price = Decimal("149.00")
    save_product(product=blade)
    for position, finish in ((1, "painted"), (2, "unpainted")):
        make_image(blade, position, finish=finish, alt_fr=f"Lame, {finish}")
    _review(blade, 5, "Splendide", "Les ombrages sont fins.")
    _review(blade, 4, "Très beau", "Un peu fragile.")
    refresh_rating(product_id=blade.pk)
    blade.refresh_from_db()
    return blade


def _review(product: Product, rating: int, title: str, text: str, *, demonstration: bool = False) -> None:
    Review.objects.create(
        product=product,
        user=None if demonstration else make_user(f"acheteur-{rating}@example.com"),
        author_name="Zoé B.",
        rating=rating,
        title=title,
        text=text,
        experience_date=date(2026, 10, 1),
        state=ReviewState.PUBLISHED,
        published_at=timezone.now(),
        demonstration=demonstration,
    )
