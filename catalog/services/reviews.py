"""Writing and moderating reviews (L111-7-2, D111-17): only buyers write, every decision is logged and sent to the
author with its reason, nobody edits the words of others, and the average counts real published reviews alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django.db import models, transaction
from django.db.models import Avg, Count, QuerySet
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from catalog.models import Product, Review, ReviewDecision, ReviewState, Variant
from catalog.models.review import TEXT_MAX_LENGTH, TITLE_MAX_LENGTH
from catalog.selectors.addresses import product_url
from catalog.selectors.purchases import Purchase, find_purchase
from catalog.selectors.reviews import review_of_address
from catalog.services.stock import lock_products
from shop.core.content_version import content_changed
from shop.core.mail import queue_mail
from shop.core.members import lock_member
from shop.core.problems import InvalidFields, Problem
from shop.core.site import absolute_url

REASON_MAX_LENGTH = 500
# Control characters, and marks that turn the direction of what follows.
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def submit_review(
    *, user_id: int, author_name: str, product_id: int, rating: int, title: str, text: str, language: str
) -> Review:
    """Write down what a member thinks of a piece they bought; it waits for moderation.

    Raises `Problem`: 404 `not_found` for a product that is not on sale, 403 `not_a_buyer`, 409 `already_reviewed`,
    400 `invalid` with messages by field; and `NotAuthenticated` (see `lock_member`).
    """
    _product_on_sale(product_id)
    purchase = find_purchase(user_id=user_id, product_id=product_id)
    if purchase is None:
        raise Problem(
            "not_a_buyer", _("Seuls les clients qui ont acheté cette pièce peuvent donner leur avis."), 403
        )
    words = _Words(_clean(author_name)[:60], rating, _clean(title), _clean(text), language)
    with transaction.atomic():
        email = lock_member(user_id).email
        return _submit(product_id, purchase, words, email=email, user_id=user_id)


def submit_guest_review(
    *,
    email: str,
    purchase: Purchase,
    author_name: str,
    product_id: int,
    rating: int,
    title: str,
    text: str,
    language: str,
) -> Review:
    """Write down what somebody thinks who bought the piece without an account, with the address of their order.

    The caller has shown that `purchase` is theirs. Raises as `submit_review` does, but for `not_a_buyer`.
    """
    words = _Words(_clean(author_name)[:60], rating, _clean(title), _clean(text), language)
    return _submit(product_id, purchase, words, email=email, user_id=None)


def adopt_reviews(*, user_id: int, email: str) -> None:
    """What was written with this address without an account becomes the member's, who has proved that it is theirs. A
    piece that the member reviewed too keeps both. Runs in the caller's transaction."""
    own = Review.objects.filter(user_id=user_id).values("product_id")
    Review.objects.filter(guest_email=email).exclude(product_id__in=own).update(
        user_id=user_id, guest_email=""
    )


@dataclass(frozen=True, slots=True)
class _Words:
    author_name: str
    rating: int
    title: str
    text: str
    language: str


def _product_on_sale(product_id: int) -> Product:
    product = Product.objects.filter(pk=product_id, is_published=True).first()
    if product is None:
        raise Problem("not_found", _("Produit introuvable"), 404)
    return product


def _submit(product_id: int, purchase: Purchase, words: _Words, *, email: str, user_id: int | None) -> Review:
    """One opinion of a product for one address, with an account and without."""
    _check(words.rating, words.title, words.text)
    with transaction.atomic():
        # A second one of the address waits, and who deletes the product or the format that was bought.
        lock_products(product_ids=[product_id])
        product = _product_on_sale(product_id)
        if review_of_address(email=email, product_id=product_id) is not None:
            raise Problem("already_reviewed", _("Vous avez déjà donné votre avis sur cette pièce."), 409)
        return Review.objects.create(
            product=product,
            variant=Variant.objects.filter(pk__in=[purchase.variant_id]).first(),
            user_id=user_id,
            guest_email=email if user_id is None else "",
            order_reference=purchase.order_reference,
            experience_date=purchase.experience_date,
            author_name=words.author_name,
            rating=words.rating,
            title=words.title,
            text=words.text,
            language=words.language,
        )


def author_name(user: Any) -> str:
    """First name and initial, as the author gave them to the shop; empty when they gave none."""
    first, last = user.first_name.strip(), user.last_name.strip()
    return f"{first} {last[0]}.".strip() if first and last else str(first)


def moderate_review(
    *,
    review_id: int,
    seen: ReviewState,
    state: ReviewState,
    reason: str,
    moderator_id: int | None,
    moderator: str,
) -> Review:
    """Publish or refuse a review, or take a published one back; log it and write to the author why.

    A decision that changes nothing is not one: nothing is logged or sent; another reason for a refusal is one.
    Decisions about one product are taken one after the other, so that its average counts each of them. Raises
    `Problem`: 400 `invalid` for a refusal without a reason or a reason that is too long, 409 `conflict` where the state
    is not the one that was seen and somebody else decided otherwise; and `Review.DoesNotExist`.
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
        lock_products(product_ids=Review.objects.filter(pk=review_id).values("product"))
        review = Review.objects.select_related("product", "user").get(pk=review_id)
        before = review.state
        if before != seen and (before, review.moderation_reason) != (state, reason):
            raise Problem(
                "conflict",
                _("Quelqu'un d'autre a décidé entre-temps\u00a0: relisez l'état de l'avis. Rien n'a changé."),
                409,
            )
        if before == state and (state != ReviewState.REFUSED or review.moderation_reason == reason):
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
    changed = reviews.update(user=None, guest_email="", author_name="", order_reference="")
    if changed:
        content_changed()
    return changed


def anonymise_old_reviews(before: datetime, limit: int) -> int:
    """Take the name, the order and a guest's address from reviews published before, or refused and never published, at
    most `limit`; return how many. A member stays their author, so that a piece still has one review of each."""
    with transaction.atomic():
        named = (
            Review.objects.alias(decided_at=Coalesce("published_at", "moderated_at"))
            .filter(decided_at__lt=before)
            .exclude(author_name="", order_reference="", guest_email="")
        )
        rows = list(named.order_by("pk").values_list("pk", flat=True)[:limit])
        changed = Review.objects.filter(pk__in=rows).update(
            author_name="", order_reference="", guest_email=""
        )
        if changed:
            content_changed()
    return changed


def refresh_rating(*, product_id: int) -> None:
    """Bring a product's count and average up to date: published reviews, without those of the demonstration. The
    product is locked by the caller."""
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
    email = review.user.email if review.user is not None else review.guest_email
    if not email:
        return
    with translation.override(review.language):
        queue_mail(
            kind="review_decision",
            to=email,
            language=review.language,
            context={
                "name": review.product.name,
                "title": review.title,
                "is_published": review.state == ReviewState.PUBLISHED,
                "reason": review.moderation_reason,
                # The page of a piece that is no longer on sale is not there.
                "url": absolute_url(product_url(review.product)) if review.product.is_published else "",
                "rules_url": absolute_url(reverse("catalog:review-rules")),
            },
            dedupe_key=f"review-decision-{decision.pk}",
            reference=review.order_reference,
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
        raise InvalidFields(errors)


def _invalid(field: str, message: str) -> Problem:
    return Problem("invalid", message, errors={field: [message]})


def _clean(text: str) -> str:
    return _UNSEEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
