"""Everything the shop stores in a browser, and every other company that a page may load something from.

The cookie policy, the banner, the content security policy and what a withdrawal deletes are made of it. A test finds
what Python and TypeScript really set, and refuses what is not here or is here and no longer set.

Storing what a service that somebody asked for cannot do without needs no consent, everything else does (Directive
2002/58/EC, art. 5(3); art. 82 of Loi n° 78-17).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from django.conf import settings
from django.db import models
from django.utils.functional import Promise, lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

Text = str | Promise

CHOICE_MONTHS = 6
"""After so long the question is asked again (CNIL, recommandation du 17 septembre 2020)."""


class Category(models.TextChoices):
    """What a visitor decides on, as a whole."""

    NECESSARY = "necessary", _("Nécessaires")
    ANALYTICS = "analytics", _("Mesure d'audience")
    MARKETING = "marketing", _("Publicité")
    FUNCTIONALITY = "functionality", _("Fonctionnalités")


DESCRIPTIONS: Mapping[Category, Text] = {
    Category.NECESSARY: _(
        "Panier, connexion, sécurité des formulaires\u00a0: sans eux, la boutique ne marche pas."
    ),
    Category.ANALYTICS: _("Compter les visites et voir quelles pages sont lues, lentes ou abandonnées."),
    Category.MARKETING: _("Savoir si nos annonces sur les réseaux sociaux amènent des visites."),
    Category.FUNCTIONALITY: _("Contenus d'autres sites, comme une vidéo ou une carte."),
}

IN_A_SENTENCE: Mapping[Category, Text] = {
    Category.ANALYTICS: _("mesure d'audience"),
    Category.MARKETING: _("publicité"),
    Category.FUNCTIONALITY: _("fonctionnalités"),
}


class Storage(models.TextChoices):
    """Where the browser has it."""

    COOKIE = "cookie", _("cookie")
    LOCAL = "localStorage", _("stockage local")
    SESSION = "sessionStorage", _("stockage de l'onglet")


@dataclass(frozen=True, slots=True)
class StoredItem:
    """A cookie, or a key of the browser's storage. A name that ends in `*` stands for all that begin like it."""

    name: str
    storage: Storage
    purpose: Text
    duration: Text
    is_for_staff: bool = False


@dataclass(frozen=True, slots=True)
class ThirdParty:
    """A service of another company, loaded after an opt-in to its category and only while its id is set.

    `setting` names the column of `ShopSettings`, and in capitals the variable of the environment that stands in for an
    empty one. `hosts` are its sources by directive of the content security policy.
    """

    code: str
    category: Category
    name: str
    company: str
    purpose: Text
    policy_url: str
    setting: str
    hosts: Mapping[str, tuple[str, ...]]
    items: tuple[StoredItem, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class MeasuredPage:
    """What a page is called in the statistics, whatever language it is read in, and what the pixel reports of it."""

    title: str
    event: str = ""


def _days(count: int) -> str:
    return ngettext("%(count)d jour", "%(count)d jours", count) % {"count": count}


def _months(count: int) -> str:
    return ngettext("%(count)d mois", "%(count)d mois", count) % {"count": count}


def _minutes(count: int) -> str:
    return ngettext("%(count)d minute", "%(count)d minutes", count) % {"count": count}


days, months, minutes = lazy(_days, str), lazy(_months, str), lazy(_minutes, str)
_DAY = timedelta(days=1).total_seconds()
_TAB = _("jusqu'à la fermeture de l'onglet")
_VISIT = _("jusqu'à la fermeture du navigateur")
_EMPTIED = _("jusqu'à ce que vous l'effaciez")


def necessary_items() -> tuple[StoredItem, ...]:
    """Return what the shop itself stores: names and durations are those of the settings."""
    return (
        StoredItem(
            settings.SESSION_COOKIE_NAME, Storage.COOKIE,
            _("Garder votre connexion et ce que vous êtes en train de faire"),
            days(round(settings.SESSION_COOKIE_AGE / _DAY)),
        ),
        StoredItem(
            settings.CSRF_COOKIE_NAME, Storage.COOKIE,
            _("Protéger les formulaires contre les envois faits en votre nom"),
            days(round(settings.CSRF_COOKIE_AGE / _DAY)),
        ),
        StoredItem(
            "member", Storage.COOKIE, _("Dire à la page que votre session est ouverte"),
            days(round(settings.SESSION_COOKIE_AGE / _DAY)),
        ),
        StoredItem(
            settings.DEVICE_COOKIE_NAME, Storage.COOKIE,
            _("Reconnaître un appareil qui a servi à vous connecter, et vous écrire quand il est nouveau"),
            days(round(settings.DEVICE_COOKIE_AGE / _DAY)),
        ),
        StoredItem(
            "notice", Storage.COOKIE, _("Afficher le message qui confirme ce que vous venez de faire"), minutes(1),
        ),
        StoredItem("cart", Storage.LOCAL, _("Le contenu de votre panier"), _EMPTIED),
        StoredItem(
            "cart-copy", Storage.LOCAL, _("Accorder le panier de ce navigateur avec celui de votre compte"),
            _("jusqu'à la déconnexion"),
        ),
        StoredItem(
            "cart-emptied-by", Storage.LOCAL, _("Ne vider le panier qu'une fois après un paiement"), _EMPTIED,
        ),
        StoredItem("favorites", Storage.LOCAL, _("Vos favoris"), _EMPTIED),
        StoredItem(
            "favorites-copy", Storage.LOCAL, _("Accorder vos favoris avec ceux de votre compte"),
            _("jusqu'à la déconnexion"),
        ),
        StoredItem(
            "statistics-off", Storage.LOCAL, _("Ne pas compter les visites, à votre demande"), _EMPTIED,
        ),
        StoredItem("language", Storage.LOCAL, _("La langue que vous avez choisie"), _EMPTIED),
        StoredItem(
            "cookie-consent", Storage.LOCAL, _("Votre choix sur les cookies, sa date et un numéro tiré au hasard"),
            months(CHOICE_MONTHS),
        ),
        StoredItem("delivery-country", Storage.SESSION, _("Le pays de livraison choisi"), _TAB),
        StoredItem("checkout-form", Storage.SESSION, _("Ce que vous avez saisi pour votre commande"), _TAB),
        StoredItem("checkout-attempt", Storage.SESSION, _("Ne pas passer deux fois la même commande"), _TAB),
        StoredItem("checkout-ordered", Storage.SESSION, _("Reprendre une commande dont le paiement a échoué"), _TAB),
        StoredItem(
            "messages", Storage.COOKIE, _("Messages de l'administration"), _VISIT, is_for_staff=True,
        ),
        StoredItem(
            "staff_appearance", Storage.COOKIE, _("Le fond clair ou sombre de l'administration"), months(12),
            is_for_staff=True,
        ),
        StoredItem(
            "staff-draft:*", Storage.LOCAL, _("Brouillons de l'administration"), days(7), is_for_staff=True,
        ),
        StoredItem(
            "staff-list:*", Storage.SESSION, _("Les listes de l'administration comme vous les avez quittées"), _TAB,
            is_for_staff=True,
        ),
    )  # fmt: skip


THIRD_PARTIES: tuple[ThirdParty, ...] = (
    ThirdParty(
        code="google-analytics",
        category=Category.ANALYTICS,
        name="Google Analytics",
        company="Google Ireland Limited",
        purpose=_("Mesure de l'audience et de la vitesse des pages"),
        policy_url="https://policies.google.com/privacy",
        setting="analytics_id",
        hosts={
            "script-src": ("https://www.googletagmanager.com",),
            "connect-src": (
                "https://www.googletagmanager.com",
                "https://*.google-analytics.com",
                "https://*.analytics.google.com",
            ),
            "img-src": ("https://www.googletagmanager.com", "https://*.google-analytics.com"),
        },
        items=(
            StoredItem("_ga", Storage.COOKIE, _("Distinguer les visiteurs par un numéro"), months(13)),
            StoredItem("_ga_*", Storage.COOKIE, _("Distinguer les visites d'un visiteur"), months(13)),
        ),
    ),
    ThirdParty(
        code="meta-pixel",
        category=Category.MARKETING,
        name="Meta Pixel",
        company="Meta Platforms Ireland Limited",
        purpose=_("Mesure des annonces sur Facebook et Instagram"),
        policy_url="https://www.facebook.com/privacy/policy",
        setting="pixel_id",
        hosts={
            "script-src": ("https://connect.facebook.net",),
            "connect-src": ("https://connect.facebook.net", "https://www.facebook.com"),
            "img-src": ("https://www.facebook.com",),
        },
        items=(
            StoredItem("_fbp", Storage.COOKIE, _("Distinguer les visiteurs par un numéro"), days(90)),
            StoredItem("_fbc", Storage.COOKIE, _("Retenir l'annonce par laquelle vous êtes venu"), days(90)),
            StoredItem("lastExternalReferrer", Storage.LOCAL, _("Retenir le site d'où vous venez"), _EMPTIED),
            StoredItem("lastExternalReferrerTime", Storage.LOCAL, _("La date de cette venue"), _EMPTIED),
        ),
    ),
)

MEASURED_PAGES: Mapping[str, MeasuredPage] = {
    "home": MeasuredPage("Accueil"),
    "catalog:list": MeasuredPage("Catalogue Produits", "ViewContent"),
    "catalog:collection": MeasuredPage("Catalogue Produits", "ViewContent"),
    "catalog:product": MeasuredPage("Détail Produit", "ViewContent"),
    "contact": MeasuredPage("Contact", "Contact"),
}
OTHER_PAGE = MeasuredPage("Autres pages")
