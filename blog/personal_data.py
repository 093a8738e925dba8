"""What the blog holds of people: who wrote which article, and of the newsletter's subscribers their addresses, what
they chose, and the proof that they agreed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import OuterRef, Q, Subquery
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from blog.models import (
    ARTICLE_TEXTS,
    Article,
    ArticleAutosave,
    ArticleRevision,
    CampaignRecipient,
    ConsentAction,
    ConsentRecord,
    Subscriber,
)
from blog.services.authors import forget_author
from blog.services.newsletter.campaigns import end_overdue_campaigns
from blog.services.newsletter.subscriptions import (
    purge_marketing_mails,
    purge_unconfirmed,
    purge_unsubscribed,
)
from shop.core.personal_data import (
    Basis,
    Period,
    Person,
    ProcessingActivity,
    Record,
    RetentionRule,
    record_of,
    register_activity,
    register_last_use,
    register_not_personal,
    register_retention,
)

_COLUMN_ENDS = tuple(f"_{code}" for code in settings.MODELTRANSLATION_LANGUAGES)


def register() -> None:
    """Register the activities of articles and of the newsletter, and the newsletter's rules."""
    register_activity(
        ProcessingActivity(
            name="articles",
            label=_("Auteurs du blog"),
            purpose=_(
                "Publier les articles du blog sous le nom que leur auteur a choisi, et garder leurs versions"
            ),
            data=_("nom public, articles et versions enregistrés, textes en cours de saisie"),
            basis=Basis.LEGITIMATE_INTEREST,
            periods=(Period("inactive_years", _("après la dernière activité du compte de l'auteur")),),
            recipients=_("visiteurs du site, hébergeur"),
            kept=_("les articles, sous le nom de la boutique"),
            columns={
                "blog.Article": ("author", "author_name"),
                "blog.ArticleRevision": ("values", "created_by"),
                "blog.ArticleAutosave": ("values", "user"),
            },
            export=_articles,
            erase=_erase_articles,
        )
    )
    register_not_personal(
        "Texts, pictures and words of the blog, published by the shop.",
        {
            "blog.Article": (
                *(f"{text}{code}" for text in ARTICLE_TEXTS for code in ("", *_COLUMN_ENDS)),
                *("search_text", "stale_texts", "word_counts"),
            ),
            "blog.ArticlePicture": ("*",),
            "blog.Tag": ("*",),
            "blog.Article_tags": ("*",),
            "blog.Article_products": ("*",),
        },
    )
    register_activity(
        ProcessingActivity(
            name="newsletter",
            label=_("Newsletter et rappels de panier"),
            purpose=_(
                "Vous envoyer la newsletter et les rappels que vous avez demandés (art. L34-5 du code des postes et "
                "des communications électroniques)"
            ),
            data=_(
                "e-mail, langue, sujets et collections choisis, lettres envoyées, date et texte de chaque accord, "
                "empreinte du réseau"
            ),
            basis=Basis.CONSENT,
            periods=(
                Period("newsletter_days", _("sans confirmation, et pour les e-mails envoyés")),
                Period("consent_proof_years", _("après la désinscription, pour la preuve de votre accord")),
            ),
            recipients=_("hébergeur, service d'acheminement des e-mails"),
            columns={
                "blog.Subscriber": ("email", "language", "token"),
                "blog.ConsentRecord": ("text", "text_version", "language", "network"),
                "blog.CampaignRecipient": ("subscriber",),
            },
            export=_newsletter,
            erase=_erase,
        )
    )
    register_last_use("newsletter", _last_answers)
    register_not_personal(
        "Letters to all subscribers, written by the shop.",
        {"blog.Campaign": ("*",), "blog.CampaignText": ("*",)},
    )
    register_retention(
        RetentionRule("newsletter", _("Newsletter sans confirmation"), "newsletter_days", purge_unconfirmed)
    )
    register_retention(
        RetentionRule(
            "newsletter-mails",
            _("E-mails de la newsletter et rappels de panier"),
            "newsletter_days",
            _purge_mails,
        )
    )
    register_retention(
        RetentionRule(
            "unsubscribed", _("Désinscrits de la newsletter"), "consent_proof_years", purge_unsubscribed
        )
    )


def _last_answers(keys: Collection[int]) -> dict[int, datetime]:
    """Return when members last said yes or no to letters or reminders. One query."""
    answers = (ConsentAction.CONFIRMED, ConsentAction.WITHDRAWN)
    records = ConsentRecord.objects.filter(subscriber__email=OuterRef("email"), action__in=answers)
    newest = records.order_by("-created_at").values("created_at")[:1]
    members = User.objects.filter(pk__in=keys).annotate(last=Subquery(newest))
    return dict(members.exclude(last=None).values_list("pk", "last"))


def _purge_mails(before: datetime, limit: int) -> int:
    """A letter is not left half sent without a word: it ends before its mails go."""
    end_overdue_campaigns(before)
    return purge_marketing_mails(before, limit)


def _articles(person: Person) -> list[Record]:
    articles = Article.objects.filter(author_id=person.key).order_by("pk")
    revisions = (
        ArticleRevision.objects.filter(created_by_id=person.key).select_related("article").order_by("pk")
    )
    autosaves = ArticleAutosave.objects.filter(user_id=person.key).select_related("article").order_by("pk")
    return [
        *(record_of(article, "title", "author_name", "publish_at", "created_at") for article in articles),
        *(
            record_of(
                revision,
                *("number", "created_at"),
                article=(str(capfirst(_("article"))), revision.article.french_title),
                content=_content(revision.values),
            )
            for revision in revisions
        ),
        *(
            record_of(
                typed,
                "saved_at",
                article=(str(capfirst(_("article"))), typed.article.french_title),
                content=_content(typed.values),
            )
            for typed in autosaves
        ),
    ]


def _content(values: Mapping[str, Any]) -> tuple[str, list[str]]:
    return str(capfirst(_("contenu"))), [str(value) for value in values.values() if value]


def _erase_articles(person: Person) -> bool:
    # A guest wrote nothing, and the pages of everybody stay in the cache.
    if person.key:
        forget_author(user_id=person.key)
    return True


def _newsletter(person: Person) -> list[Record]:
    subscribers = (
        Subscriber.objects.filter(person.has_address()).prefetch_related("categories").order_by("pk")
    )
    consents = ConsentRecord.objects.filter(subscriber__in=subscribers).order_by("created_at", "pk")
    letters = CampaignRecipient.objects.filter(subscriber__in=subscribers).select_related("campaign")
    return [
        *(
            record_of(
                subscriber,
                *("email", "language", "wants_articles", "wants_pieces", "wants_promotions", "asked_at"),
                *("every_category", "subscribed_at", "unsubscribed_at", "cart_reminders_at", "suspended_at"),
                categories=(
                    str(capfirst(_("collections choisies"))),
                    [category.name for category in subscriber.categories.all()],
                ),
            )
            for subscriber in subscribers
        ),
        *(
            record_of(
                consent,
                *("purpose", "action", "source", "text", "text_version", "language", "network", "created_at"),
            )
            for consent in consents
        ),
        *(
            record_of(letter, "unsubscribed_at", letter=(str(capfirst(_("lettre"))), str(letter.campaign)))
            for letter in letters.order_by("pk")
        ),
    ]


def _erase(person: Person) -> bool:
    theirs = Subscriber.objects.filter(person.has_address())
    if person.by_inactivity:
        # Letters go on until their reader says otherwise; a cart to remind of goes with the account.
        receives = Q(subscribed_at__isnull=False, suspended_at=None)
        theirs.filter(receives).update(cart_reminders_at=None)
        theirs = theirs.exclude(receives)
    theirs.delete()
    return True
