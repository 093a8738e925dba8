"""Publishing the terms of sale, and which version an order agrees to (art. 1127-1 C. civ., L221-13)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

from django.contrib.auth.base_user import AbstractBaseUser
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from shop.core.audit import record_audit
from shop.core.content_version import content_changed, content_version
from shop.core.dates import shop_day
from shop.core.models import ShopSettings
from shop.core.problems import Problem
from shop.core.transaction_locks import lock_names
from shop.terms.models import TermsText, TermsVersion

Texts = dict[str, TermsText]

OFFICIAL_PLACE = "official-texts-place"
"""Stands in the terms, as a paragraph of its own, where the official texts are shown."""
_LOCK = "terms-version"
_DRAFT_SECONDS = 3600
_sources: list[Callable[[], Texts]] = []


def register_terms(render: Callable[[], Texts]) -> None:
    """From now on `render()` gives the terms in every language as they would be published now."""
    _sources[:] = [render]


def draft_terms() -> Texts:
    """Return the terms as they would be published now."""
    return _sources[0]()


def digest_of(texts: Texts) -> str:
    """Return the SHA-256 of a version's texts, in a form that no database reorders."""
    text = json.dumps(texts, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def current_terms() -> TermsVersion | None:
    """Return the version in force; None while none was ever published. One query."""
    return TermsVersion.objects.first()


def current_number() -> str:
    """Return the number of the version in force, "" while there is none. One query."""
    return TermsVersion.objects.values_list("number", flat=True).first() or ""


def waits_for_publishing() -> bool:
    """Whether the terms that customers see are no longer those that would be published now, once there are some. One
    query; the draft is written once for each content of the shop, and once an hour.
    """
    published = TermsVersion.objects.values_list("sha256", flat=True).first()
    return bool(published) and published != _draft_digest()


def find_terms(number: str) -> TermsVersion | None:
    """Return a version by its number. One query."""
    return TermsVersion.objects.filter(number=number).first()


def publish_terms(*, actor: AbstractBaseUser | None, expected: str | None = None) -> TermsVersion:
    """Freeze the terms as they are now in a new version, which every page shows and every new order agrees to.

    `expected` is the digest of what the publisher read. Raises Problem: `terms_unchanged` (409) when they are those in
    force, `terms_edited` (409) when they changed since they were read.
    """
    with transaction.atomic():
        lock_names([_LOCK])
        texts, current = draft_terms(), current_terms()
        digest = digest_of(texts)
        if expected is not None and expected != digest:
            raise Problem(
                "terms_edited",
                _("Les conditions ont changé pendant votre lecture. Relisez-les avant de publier."),
                409,
            )
        if current is not None and current.sha256 == digest:
            raise Problem("terms_unchanged", _("Ces conditions sont déjà publiées."), 409)
        version = TermsVersion.objects.create(
            number=_next_number(),
            published_by=actor.pk if actor is not None else None,
            texts=texts,
            sha256=digest,
        )
        record_audit("terms.published", version, actor=actor, after={"number": version.number})
        content_changed()
    return version


def publish_first_terms() -> None:
    """Publish the terms if none ever were and no mention of the seller is missing: from then on the shop may sell, and
    no order is without a text that it agreed to. Two callers at once publish one version."""
    with transaction.atomic():
        lock_names([_LOCK])
        if current_terms() is None and not ShopSettings.load().missing_legal_fields():
            publish_terms(actor=None)


def agree_to_terms(shown: str | None) -> str:
    """Return the number of the version that an order agrees to: the one in force, which is what the customer was shown,
    or had to read where the client does not say (None).

    "" while none was ever published; whoever fills in the last mention of the seller, before which nothing is sold,
    publishes the first. Raises Problem `terms_changed` (409) with `terms_version` when another version has been
    published since. One query.
    """
    current = current_number()
    if shown is None or shown == current:
        return current
    detail = _("Les conditions générales de vente ont changé. Relisez-les et acceptez-les à nouveau.")
    raise Problem(
        "terms_changed",
        detail,
        409,
        errors={"accept_terms": [detail]},
        extra={"terms_version": current},
    )


def is_in_a_version(file_name: str) -> bool:
    """Return whether a published version shows the picture that is stored under this name. One query."""
    return any(
        official["url"].endswith(f"/{file_name}")
        for version in TermsVersion.objects.all()
        for text in version.texts.values()
        for official in text["official"]
    )


def _draft_digest() -> str:
    version = content_version()
    key = f"terms-draft:{version}"
    known = None if version is None else cache.get(key)
    if known is None:
        known = digest_of(draft_terms())
        if version is not None:
            cache.set(key, known, _DRAFT_SECONDS)
    return str(known)


def _next_number() -> str:
    day = f"{shop_day(timezone.now()):%Y-%m-%d}."
    return f"{day}{TermsVersion.objects.filter(number__startswith=day).count() + 1}"
