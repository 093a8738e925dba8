"""The staff area's navigation: one line a page, in the order of its use, for those who may open it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.urls import reverse

from shop.core.staff_actions import StaffAction, may


@dataclass(frozen=True, slots=True)
class StaffPage:
    """A page of the navigation. `is_tab`: it stands in the bar at the foot of a phone."""

    view_name: str
    label: str
    icon: str
    action: StaffAction
    is_tab: bool = False


@dataclass(frozen=True, slots=True)
class StaffLink:
    """A page that this person may open; `is_open` on it and on the pages below it."""

    url: str
    label: str
    icon: str
    is_tab: bool
    is_open: bool


@dataclass(frozen=True, slots=True)
class StaffGroup:
    """Pages under one heading; the first group has none."""

    title: str
    links: tuple[StaffLink, ...]


# What begins with `admin:` is a page of the operators that has no other yet.
GROUPS: tuple[tuple[str, tuple[StaffPage, ...]], ...] = (
    (
        "",
        (
            StaffPage("staff-home", "Accueil", "clock", StaffAction.SEE_ORDERS, is_tab=True),
            StaffPage("staff-orders", "Commandes", "box", StaffAction.SEE_ORDERS, is_tab=True),
            StaffPage("staff-board", "Atelier", "check", StaffAction.SEE_ORDERS, is_tab=True),
            StaffPage("staff-dispatch", "Expédition", "truck", StaffAction.FULFIL_ORDER),
            StaffPage(
                "admin:catalog_product_changelist", "Produits", "brush", StaffAction.SEE_PRODUCTS, is_tab=True
            ),
            StaffPage(
                "admin:pages_contactrequest_changelist",
                "Messages",
                "mail",
                StaffAction.SEE_CONTACTS,
                is_tab=True,
            ),
            StaffPage("admin:catalog_review_changelist", "Avis", "star", StaffAction.SEE_REVIEWS),
        ),
    ),
    (
        "Argent",
        (
            StaffPage("books:index", "Comptes", "receipt", StaffAction.SEE_BOOKS),
            StaffPage("admin:orders_invoice_changelist", "Factures", "receipt", StaffAction.SEE_INVOICES),
            StaffPage(
                "admin:orders_withdrawalcase_changelist",
                "Rétractations",
                "return",
                StaffAction.SEE_WITHDRAWALS,
            ),
            StaffPage("admin:orders_dispute_changelist", "Litiges", "warning", StaffAction.SEE_REFUNDS),
        ),
    ),
    (
        "Boutique",
        (
            StaffPage("admin:catalog_category_changelist", "Catégories", "filter", StaffAction.SEE_PRODUCTS),
            StaffPage("admin:pages_pagetext_changelist", "Textes", "pencil", StaffAction.SEE_TEXTS),
            StaffPage("admin:accounts_user_changelist", "Utilisateurs", "user", StaffAction.SEE_USERS),
            StaffPage("admin:core_shopsettings_changelist", "Réglages", "filter", StaffAction.SEE_SETTINGS),
            StaffPage("admin:core_auditentry_changelist", "Journal d'audit", "shield", StaffAction.SEE_AUDIT),
        ),
    ),
)


def staff_groups(request: HttpRequest) -> tuple[StaffGroup, ...]:
    """Return what the person of this request may open. As many queries as their permissions take."""
    groups = (StaffGroup(title, tuple(_links(pages, request))) for title, pages in GROUPS)
    return tuple(group for group in groups if group.links)


def _links(pages: tuple[StaffPage, ...], request: HttpRequest) -> Iterator[StaffLink]:
    user: AbstractBaseUser | AnonymousUser = request.user
    home = reverse("staff-home")
    for page in pages:
        if may(user, page.action):
            url = reverse(page.view_name)
            is_open = request.path == url or (url != home and request.path.startswith(f"{url.rstrip('/')}/"))
            yield StaffLink(url, page.label, page.icon, page.is_tab, is_open)
