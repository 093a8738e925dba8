"""One search over what staff look for: products, orders, articles and customers, as far as the person may see."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db.models import Case, When
from django.urls import reverse
from django.utils import timezone

from accounts.selectors import find_users
from blog.selectors.staff_articles import find_articles
from catalog.models import Product
from catalog.selectors.staff_products import search_products
from catalog.selectors.staff_search import query_words
from orders.selectors.admin_orders import find_orders
from shop.core.amounts import localised_amount
from shop.core.dates import day_in_words, shop_day
from shop.core.staff_actions import StaffAction, may

MOST_OF_A_KIND = 6
SHORTEST_QUERY = 2


@dataclass(frozen=True, slots=True)
class StaffHit:
    """What was found: its name, what tells it from others, and its page."""

    title: str
    detail: str
    url: str


@dataclass(frozen=True, slots=True)
class StaffHits:
    """What was found of one kind, the best or newest first."""

    kind: str
    label: str
    hits: tuple[StaffHit, ...]


def search_staff(text: str, user: AbstractBaseUser | AnonymousUser) -> list[StaffHits]:
    """Return what was found, `MOST_OF_A_KIND` of each kind at most; nothing for less than two letters.

    Queries: products one, articles two, customers one, orders those of `find_orders`.
    """
    text = text.strip()
    if len(text) < SHORTEST_QUERY:
        return []
    kinds = (
        ("orders", "Commandes", StaffAction.SEE_ORDERS, _orders),
        ("products", "Produits", StaffAction.SEE_PRODUCTS, _products),
        ("articles", "Articles", StaffAction.EDIT_ARTICLES, _articles),
        ("customers", "Clients", StaffAction.SEE_USERS, _customers),
    )
    found = (
        StaffHits(kind, label, tuple(search(text)))
        for kind, label, action, search in kinds
        if may(user, action)
    )
    return [hits for hits in found if hits.hits]


def _orders(text: str) -> Iterator[StaffHit]:
    for order in find_orders(search=text, include_unpaid=True, page_size=MOST_OF_A_KIND).rows:
        placed = day_in_words(shop_day(order.created_at))
        yield StaffHit(
            f"{order.reference} · {order.first_name} {order.last_name}",
            f"{order.get_status_display()} · {placed} · {localised_amount(order.total)}",
            reverse("staff-order", args=[order.pk]),
        )


def _products(text: str) -> Iterator[StaffHit]:
    if not query_words(text):
        return
    found = search_products(Product.objects.filter(trashed_at=None), text).select_related("category")
    # Texts are searched as well: whose name it is comes first.
    named = Case(When(name__icontains=text, then=0), default=1)
    for product in found.order_by(named, "-created_at", "-pk")[:MOST_OF_A_KIND]:
        state = "" if product.is_published else " · non publié"
        yield StaffHit(
            product.name,
            f"{product.category.name}{state}",
            reverse("staff-product", args=[product.pk]),
        )


def _articles(text: str) -> Iterator[StaffHit]:
    for article in find_articles(search=text, size=MOST_OF_A_KIND).rows:
        state = article.state_at(timezone.now()).label
        yield StaffHit(
            article.french_title,
            f"{article.get_category_display()} · {state}",
            reverse("staff-article", args=[article.pk]),
        )


def _customers(text: str) -> Iterator[StaffHit]:
    for user in find_users(search=text, page_size=MOST_OF_A_KIND).rows:
        name = f"{user.first_name} {user.last_name}".strip()
        yield StaffHit(user.email, name, reverse("staff-user", args=[user.pk]))
