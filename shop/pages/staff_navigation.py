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


GROUPS: tuple[tuple[str, tuple[StaffPage, ...]], ...] = (
    (
        "",
        (
            StaffPage("staff-home", "Accueil", "clock", StaffAction.SEE_ORDERS, is_tab=True),
            StaffPage("staff-orders", "Commandes", "box", StaffAction.SEE_ORDERS, is_tab=True),
            StaffPage("staff-board", "Atelier", "check", StaffAction.SEE_ORDERS, is_tab=True),
            StaffPage("staff-dispatch", "Expédition", "truck", StaffAction.FULFIL_ORDER),
            StaffPage("staff-products", "Produits", "brush", StaffAction.SEE_PRODUCTS, is_tab=True),
            StaffPage("staff-messages", "Messages", "mail", StaffAction.SEE_CONTACTS, is_tab=True),
            StaffPage("staff-reviews", "Avis", "star", StaffAction.SEE_REVIEWS),
        ),
    ),
    (
        "Argent",
        (
            StaffPage("staff-books", "Comptes", "receipt", StaffAction.SEE_BOOKS),
            StaffPage("staff-payouts", "Versements", "card", StaffAction.SEE_BOOKS),
            StaffPage("staff-invoices", "Factures", "receipt", StaffAction.SEE_INVOICES),
            StaffPage(
                "staff-withdrawals",
                "Rétractations",
                "return",
                StaffAction.SEE_WITHDRAWALS,
            ),
            StaffPage("staff-refunds", "Virements", "arrow-right", StaffAction.SEE_REFUNDS),
            StaffPage("staff-disputes", "Litiges", "warning", StaffAction.SEE_REFUNDS),
            StaffPage("staff-payments", "Échéances", "card", StaffAction.SEE_PAYMENTS),
            StaffPage("staff-stripe-events", "Évènements Stripe", "globe", StaffAction.SEE_PAYMENTS),
        ),
    ),
    (
        "Boutique",
        (
            StaffPage("staff-statistics", "Statistiques", "eye", StaffAction.SEE_STATISTICS),
            StaffPage("staff-promotions", "Promotions", "star", StaffAction.SEE_PRICES),
            StaffPage("staff-categories", "Catégories", "filter", StaffAction.SEE_PRODUCTS),
            StaffPage("staff-waiting-list", "Alertes et favoris", "heart", StaffAction.SEE_WAITING_LIST),
            StaffPage("staff-articles", "Blog", "pencil", StaffAction.EDIT_ARTICLES),
            StaffPage("staff-texts", "Textes", "pencil", StaffAction.SEE_TEXTS),
            StaffPage("staff-newsletter", "Newsletter", "mail", StaffAction.SEE_NEWSLETTER),
            StaffPage("staff-terms", "Conditions de vente", "shield", StaffAction.SEE_TERMS),
            StaffPage("staff-mails", "E-mails", "mail", StaffAction.SEE_MAILS),
            StaffPage("staff-users", "Utilisateurs", "user", StaffAction.SEE_USERS),
            StaffPage("staff-settings", "Réglages", "filter", StaffAction.SEE_SETTINGS),
            StaffPage("staff-api-keys", "Clés d'API", "lock", StaffAction.SEE_AUTOMATION),
            StaffPage("staff-webhooks", "Webhooks", "globe", StaffAction.SEE_AUTOMATION),
            StaffPage("staff-register", "Données personnelles", "lock", StaffAction.SEE_SETTINGS),
            StaffPage("staff-state", "État", "check", StaffAction.SEE_JOBS),
            StaffPage("staff-jobs", "Tâches planifiées", "clock", StaffAction.SEE_JOBS),
            StaffPage("staff-audit", "Journal d'audit", "shield", StaffAction.SEE_AUDIT),
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
