"""`{% consent_banner %}`: the question that every page may ask, as inert markup that `{% page_script %}` takes up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from django import template
from django.template.context import Context
from django.utils.text import get_text_list
from django.utils.translation import gettext as _

from shop.consent.registry import DESCRIPTIONS, IN_A_SENTENCE, THIRD_PARTIES, Category
from shop.consent.selectors import (
    Service,
    configured_services,
    consent_version,
    measured_page,
    offered_categories,
)

register = template.Library()


@register.inclusion_tag("components/consent.html", takes_context=True)
def consent_banner(context: Context) -> dict[str, Any]:
    """Nothing where no service of another company is set up. Ids stand only in pages that may be measured, and nothing
    depends on the visitor."""
    request, shop = context.get("request"), context.get("shop")
    services = configured_services(shop) if shop else ()
    if request is None or not services:
        return {}
    page = measured_page(request)
    if page:
        # Read by ConsentPolicyMiddleware.
        request.measured_by = services
    return {"services": services, "page": page, **_lazily(services)}


@register.simple_tag(takes_context=True)
def page_script(context: Context) -> str:
    """The page's own script: where it may ask about cookies, the one file that does that as well."""
    shop = context.get("shop")
    return "consent.js" if context.get("request") and shop and configured_services(shop) else "runtime.js"


def _lazily(services: tuple[Service, ...]) -> dict[str, Callable[[], Any]]:
    """What only the cached parts of the banner ask for."""
    offered = partial(offered_categories, services)
    return {
        "version": partial(consent_version, services),
        # Those that the shop no longer uses as well: what they stored is deleted.
        "parties": lambda: THIRD_PARTIES,
        "offered": offered,
        "names": lambda: get_text_list(
            [f"{IN_A_SENTENCE[category]} ({_names(services, category)})" for category in offered()], _("et")
        ),
        "categories": lambda: [
            (category.value, category.label, DESCRIPTIONS[category], _names(services, category))
            for category in (Category.NECESSARY, *offered())
        ],
    }


def _names(services: Iterable[Service], category: Category) -> str:
    return ", ".join(service.party.name for service in services if service.party.category == category)
