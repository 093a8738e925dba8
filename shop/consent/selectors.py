"""Which services of other companies the shop uses now, and what a page may load of them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils import translation

from shop.consent.registry import (
    MEASURED_PAGES,
    OTHER_PAGE,
    THIRD_PARTIES,
    Category,
    MeasuredPage,
    ThirdParty,
)
from shop.core.models import MEASUREMENT_IDS, ShopSettings


@dataclass(frozen=True, slots=True)
class Service:
    """A third party with the shop's id there."""

    party: ThirdParty
    key: str


def configured_services(shop: ShopSettings) -> tuple[Service, ...]:
    """Return the services whose id is set and well formed, in the registry's order. Without queries."""
    services = []
    for party in THIRD_PARTIES:
        key = getattr(shop, party.setting) or getattr(settings, party.setting.upper())
        if re.match(MEASUREMENT_IDS[party.setting], key):
            services.append(Service(party, key))
    return tuple(services)


def offered_categories(services: Iterable[Service]) -> tuple[Category, ...]:
    """Return the categories a visitor is asked about."""
    used = {service.party.category for service in services}
    return tuple(category for category in Category if category in used)


def consent_version(services: Iterable[Service]) -> str:
    """Return the version of the question: another service, purpose, company or cookie makes another one, another id of
    the shop at the same company does not."""
    return _version(tuple(service.party.code for service in services))


def version_content(services: Iterable[Service]) -> list[dict[str, Any]]:
    """Return what the version names, in French."""
    with translation.override(settings.LANGUAGE_CODE):
        return [
            {
                "code": party.code,
                "category": party.category.value,
                "name": party.name,
                "company": party.company,
                "purpose": str(party.purpose),
                "hosts": sorted({host for hosts in party.hosts.values() for host in hosts}),
                "stores": [
                    {"name": item.name, "purpose": str(item.purpose), "duration": str(item.duration)}
                    for item in party.items
                ],
            }
            for party in (service.party for service in services)
        ]


def measured_page(request: HttpRequest) -> MeasuredPage | None:
    """Return how a page is measured, None for one that never is: the pages of one visitor alone, whose addresses and
    words would tell other companies about orders and accounts."""
    match = request.resolver_match
    name = match.view_name if match else ""
    if getattr(request, "is_public_page", False):
        return MEASURED_PAGES.get(name, OTHER_PAGE)
    # Its form has a token, so no cache keeps it; the page itself is everybody's.
    return MEASURED_PAGES[name] if name == "contact" else None


def policy_sources(services: Iterable[Service]) -> dict[str, list[str]]:
    """Return what a measured page adds to the content security policy, by directive."""
    found: dict[str, list[str]] = {}
    for service in services:
        for directive, hosts in service.party.hosts.items():
            found.setdefault(directive, []).extend(hosts)
    return found


@lru_cache(maxsize=16)
def _version(codes: tuple[str, ...]) -> str:
    services = [Service(party, "") for party in THIRD_PARTIES if party.code in codes]
    content = json.dumps(version_content(services), sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:12]
