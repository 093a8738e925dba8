"""Recording the answers of browsers."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from shop.consent.models import ConsentProof, ConsentVersion
from shop.consent.selectors import configured_services, consent_version, version_content
from shop.core import limits
from shop.core.models import ShopSettings
from shop.core.problems import InvalidFields, Problem


def record_choice(
    *,
    browser_id: uuid.UUID,
    number: int,
    version: str,
    choices: Mapping[str, bool],
    language: str,
    address: str,
) -> ConsentProof:
    """Store one answer; the same one again, by browser and number, finds the first.

    The answer must be one to a question of this shop: of the version asked now, or of one answered before (a page that
    was open while the settings changed). Raises Problem 429 beyond the limit of a network (whose `address` is not
    stored), 409 `outdated` for an unknown version and 400 for other categories than the version's.
    """
    limits.enforce(limits.CONSENT_NETWORK, address)
    with transaction.atomic():
        asked = _asked(version)
        categories = {service["category"] for service in asked.services}
        if choices.keys() != categories:
            raise InvalidFields({"choices": [", ".join(sorted(categories))]})
        proof, _created = ConsentProof.objects.get_or_create(
            browser_id=browser_id,
            number=number,
            defaults={"version": asked, "choices": dict(choices), "language": language},
        )
    return proof


def purge_proofs(before: datetime, limit: int) -> int:
    """Delete answers older than `before`, at most `limit`; return how many."""
    old = (
        ConsentProof.objects.filter(recorded_at__lt=before)
        .order_by("pk")
        .values_list("pk", flat=True)[:limit]
    )
    return ConsentProof.objects.filter(pk__in=list(old)).delete()[0]


def _asked(version: str) -> ConsentVersion:
    services = configured_services(ShopSettings.load())
    if services and version == consent_version(services):
        return ConsentVersion.objects.get_or_create(
            version=version, defaults={"services": version_content(services)}
        )[0]
    known = ConsentVersion.objects.filter(version=version).first()
    if known is None:
        raise Problem("outdated", _("Cette demande n'est plus à jour. Rechargez la page."), 409)
    return known
