"""Writing and moderating reviews (L111-7-2, D111-17): only buyers write, every decision is logged and sent to the
author with its reason, nobody edits the words of others, and the average counts real published reviews alone."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django.db import IntegrityError, models, transaction
from django.db.models import Avg, Count, QuerySet
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from catalog.models import Product, Review, ReviewDecision, ReviewState
from catalog.models.review import TEXT_MAX_LENGTH, TITLE_MAX_LENGTH
from catalog.selectors.addresses import product_url
from catalog.selectors.purchases import find_purchase
from shop.core.content_version import content_changed
from shop.core.mail import queue_mail
from shop.core.problems import Problem
from shop.core.site import absolute_url

REASON_MAX_LENGTH = 500
# Control characters, and marks that turn the direction of what follows.
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def submit_review(
    *, user_id: int, author_name: str, product_id: int, rating: int, title: str, text: str, language: str
) -> Review:
    """Write down what a buyer thinks; it waits for moderation.

    Raises `Problem`: 404 `not_found` for a product that is not on sale, 403 `not_a_buyer`, 409 `already_reviewed`,
    400 `invalid` with messages by field.
    """
    product = Product.objects.filter(pk=product_id, is_published=True).first()
    if product is None:
        raise Problem("not_found", _("Produit introuvable"), 404)
    purchase = find_purchase(user_id=user_id, product_id=product_id)
    if purchase is None:
        raise Problem(
            "not_a_buyer", _("Seuls les clients qui ont acheté cette pièce peuvent donner leur avis."), 403
        )
    title, text = _clean(title), _clean(text)
    _check(rating, title, text)
    try:
        with transaction.atomic():
            return Review.objects.create(
                product=product,
                variant_id=purchase.variant_id,
                user_id=user_id,
                author_name=_clean(author_name)[:60],
                order_reference=purchase.order_reference,
                experience_date=purchase.experience_date,
                rating=rating,
                title=title,
                text=text,
                language=language,
            )
    except IntegrityError:
        raise Problem(
            "already_reviewed", _("Vous avez déjà donné votre avis sur cette pièce."), 409
        ) from None


def author_name(user: Any) -> str:
    """First name and initial, as the author gave them to the shop; empty when they gave none."""
    first, last = user.first_name.strip(), user.last_name.strip()
    return f"{first} {last[0]}.".strip() if first and last else str(first)


def moderate_review(
    *, review_id: int, state: ReviewState, reason: str, moderator_id: int | None, moderator: str
) -> Review:
    """Publish or refuse a review, or take a published one back; log it and write to the author why.

    A decision that changes nothing is not one: nothing is logged or sent. Raises `Problem` (400 `invalid`) for a
    refusal without a reason or a reason that is too long, and `Review.DoesNotExist`.
    """
    reason = _clean(reason)
    if state == ReviewState.REFUSED and not reason:
        raise _invalid("moderation_reason", _("Indiquez le motif : l'auteur le recevra."))
    if len(reason) > REASON_MAX_LENGTH:
        raise _invalid("moderation_reason", _("Le motif est trop long."))
    if state == ReviewState.PENDING:
        raise _invalid("state", _("Choisissez de publier ou de refuser."))
    now = timezone.now()
    with transaction.atomic():
        review = (
            Review.objects.select_for_update(of=("self",)).select_related("product", "user").get(pk=review_id)
        )
        before = review.state
        if before == state:
            return review
        review.state = state
        review.moderation_reason = reason
        review.moderated_by_id = moderator_id
        review.moderated_at = now
        if state == ReviewState.PUBLISHED and review.published_at is None:
            review.published_at = now
        review.save(
            update_fields=["state", "moderation_reason", "moderated_by", "moderated_at", "published_at"]
        )
        decision = ReviewDecision.objects.create(
            review=review,
            state_before=before,
            state_after=state,
            reason=reason,
            actor=moderator,
            decided_at=now,
        )
        refresh_rating(product_id=review.product_id)
        _notify_author(review, decision)
        content_changed()
    return review


def anonymise_reviews(reviews: QuerySet[Review]) -> int:
    """Take the author from reviews, whose words stay; return how many. Pages show it at once."""
    changed = reviews.update(user=None, author_name="", order_reference="")
    if changed:
        content_changed()
    return changed


def anonymise_old_reviews(before: datetime, limit: int) -> int:
    """Take the name and the order from reviews published before, at most `limit`; return how many. Their author keeps
    the account, so that a piece still has one review of each buyer."""
    with transaction.atomic():
        named = Review.objects.filter(published_at__lt=before).exclude(author_name="", order_reference="")
        rows = list(named.order_by("pk").values_list("pk", flat=True)[:limit])
        changed = Review.objects.filter(pk__in=rows).update(author_name="", order_reference="")
        if changed:
            content_changed()
    return changed


def refresh_rating(*, product_id: int) -> None:
    """Bring a product's count and average up to date: published reviews, without those of the demonstration."""
    found = Review.objects.filter(
        product_id=product_id, state=ReviewState.PUBLISHED, demonstration=False
    ).aggregate(count=Count("pk"), average=Avg("rating", output_field=models.DecimalField()))
    average = found["average"]
    Product.objects.filter(pk=product_id).update(
        rating_count=found["count"],
        rating_average=None
        if average is None
        else Decimal(average).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP),
    )


def _notify_author(review: Review, decision: ReviewDecision) -> None:
    if review.user is None:
        return
    with translation.override(review.language):
        queue_mail(
            kind="review_decision",
            to=review.user.email,
            language=review.language,
            context={
                "name": review.product.name,
                "title": review.title,
                "is_published": review.state == ReviewState.PUBLISHED,
                "reason": review.moderation_reason,
                "url": absolute_url(product_url(review.product)),
                "rules_url": absolute_url(reverse("catalog:review-rules")),
            },
            dedupe_key=f"review-decision-{decision.pk}",
        )


def _check(rating: int, title: str, text: str) -> None:
    errors: dict[str, list[str]] = {}
    if not 1 <= rating <= 5:
        errors["rating"] = [_("Choisissez une note de 1 à 5.")]
    if not title:
        errors["title"] = [_("Donnez un titre à votre avis.")]
    elif len(title) > TITLE_MAX_LENGTH:
        errors["title"] = [_("Le titre est trop long.")]
    if not text:
        errors["text"] = [_("Écrivez votre avis.")]
    elif len(text) > TEXT_MAX_LENGTH:
        errors["text"] = [_("Le texte est trop long.")]
    if errors:
        raise Problem("invalid", _("Certains champs sont à corriger."), errors=errors)


def _invalid(field: str, message: str) -> Problem:
    return Problem("invalid", message, errors={field: [message]})


def _clean(text: str) -> str:
    return _UNSEEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
