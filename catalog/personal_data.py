"""What the catalogue holds of people: favourites, notices that they asked for, their reviews."""

from __future__ import annotations

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from catalog.models import Favourite, Notice, Review, ReviewState
from catalog.services.notices import purge_notices, purge_waiting_notices
from catalog.services.reviews import anonymise_old_reviews, anonymise_reviews
from catalog.services.stock import lock_products
from shop.core.personal_data import (
    Basis,
    Period,
    Person,
    ProcessingActivity,
    Record,
    RetentionRule,
    record_of,
    register_activity,
    register_not_personal,
    register_retention,
)


def register() -> None:
    """Register the activities and rules of the catalogue."""
    register_activity(
        ProcessingActivity(
            name="favourites",
            label=_("Favoris et avis de disponibilité"),
            purpose=_(
                "Retrouver vos favoris, vous écrire quand une pièce revient ou qu'une collection ouvre"
            ),
            data=_("e-mail, langue, pièces choisies"),
            basis=Basis.CONSENT,
            periods=(
                Period("inactive_years", _("après votre dernière activité, pour les favoris")),
                Period(
                    "notice_days", _("après l'e-mail, ou sans confirmation, pour un avis de disponibilité")
                ),
                Period("inactive_years", _("après votre confirmation, pour un avis qui attend encore")),
            ),
            recipients=_("hébergeur, service d'acheminement des e-mails"),
            columns={
                "catalog.Favourite": ("user", "product", "language"),
                "catalog.Notice": ("email", "language", "token"),
            },
            export=_favourites,
            erase=_erase_favourites,
        )
    )
    register_activity(
        ProcessingActivity(
            name="reviews",
            label=_("Avis clients"),
            purpose=_(
                "Publier l'avis des acheteurs et contrôler les avis (art. L111-7-2 du Code de la consommation)"
            ),
            data=_(
                "nom affiché, commande, adresse e-mail d'un auteur sans compte, note, texte, décision de modération"
            ),
            basis=Basis.LEGITIMATE_INTEREST,
            periods=(
                Period(
                    "review_years", _("après la publication ou le refus, pour le nom affiché et la commande")
                ),
            ),
            recipients=_("visiteurs du site, hébergeur"),
            kept=_("le texte d'un avis publié, sans votre nom"),
            columns={
                "catalog.Review": (
                    *("user", "guest_email", "author_name", "order_reference", "title", "text", "language"),
                    *("moderation_reason", "moderated_by"),
                ),
                "catalog.ReviewDecision": ("reason", "actor"),
            },
            export=_reviews,
            erase=_erase_reviews,
        )
    )
    register_not_personal(
        "Texts, pictures and numbers of the catalogue, written by the shop.",
        {
            f"catalog.{name}": ("*",)
            for name in (
                *(
                    "Category",
                    "FormerSlug",
                    "CategoryFeature",
                    "CategoryPicture",
                    "Product",
                    "ProductVariation",
                ),
                *("Variant", "ProductImage", "RetiredPicture", "ProductModel", "PricePoint", "Promotion"),
                "PictureImport",
                *("SearchEntry", "SearchWord", "SearchSpelling", "Synonym"),
            )
        },
    )
    register_retention(RetentionRule("notices", _("Avis de disponibilité"), "notice_days", purge_notices))
    register_retention(
        RetentionRule(
            "waiting-notices",
            _("Avis de disponibilité en attente"),
            "inactive_years",
            purge_waiting_notices,
        )
    )
    register_retention(
        RetentionRule("reviews", _("Noms des avis clients"), "review_years", anonymise_old_reviews)
    )


def _favourites(person: Person) -> list[Record]:
    favourites = Favourite.objects.filter(user_id=person.key).select_related("product").order_by("pk")
    notices = Notice.objects.filter(person.has_address()).select_related("product", "category").order_by("pk")
    return [
        *(
            record_of(
                favourite,
                *("notify_when_back", "language", "created_at"),
                product=(str(_("Pièce")), favourite.product.name),
            )
            for favourite in favourites
        ),
        *(
            record_of(
                notice,
                *("email", "language", "asked_at", "confirmed_at", "sent_at"),
                product=(str(_("Pièce ou collection")), str(notice.product or notice.category)),
            )
            for notice in notices
        ),
    ]


def _reviews(person: Person) -> list[Record]:
    reviews = Review.objects.filter(_written_by(person)).select_related("product").order_by("pk")
    return [
        record_of(
            review,
            *("author_name", "order_reference", "rating", "title", "text", "language", "experience_date"),
            *("state", "moderation_reason", "created_at", "published_at"),
            product=(str(_("Pièce")), review.product.name),
        )
        for review in reviews
    ]


def _written_by(person: Person) -> Q:
    return Q(user_id=person.key) | person.has_address("guest_email")


def _erase_favourites(person: Person) -> bool:
    Favourite.objects.filter(user_id=person.key).delete()
    Notice.objects.filter(person.has_address()).delete()
    return True


def _erase_reviews(person: Person) -> bool:
    """Those that nobody has read go whole."""
    own = Review.objects.filter(_written_by(person))
    # As decisions do: what is published at this moment stays.
    lock_products(product_ids=own.values("product"))
    own.exclude(state=ReviewState.PUBLISHED).delete()
    anonymise_reviews(own)
    return True
