"""Every mail that the shop sends, as it looks: with sample data or those of an order."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import translation

from orders.models import Order
from orders.selectors.admin_orders import find_orders
from orders.selectors.mail_contexts import order_context, seller_context, withdrawal_notice
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.mail_delivery import RenderedMail, render
from shop.core.mail_families import mail_family
from shop.core.mail_samples import KINDS, sample_context
from shop.core.models import OutgoingMail, ShopSettings

# Where the links of samples lead.
_SAMPLE_SITE = "http://localhost:8000"


@dataclass(frozen=True, slots=True)
class MailKind:
    name: str
    family: str
    subject: str


def mail_kinds() -> list[MailKind]:
    """Return every kind with its French subject, by name. One query at most."""
    shop = ShopSettings.load()
    with translation.override(SOURCE_LANGUAGE):
        kinds = [MailKind(name, mail_family(name), _subject(name, shop)) for name in KINDS]
    return sorted(kinds, key=lambda kind: kind.name)


def order_for_preview(text: str) -> Order | None:
    """Return the newest order that a reference, an address or a name finds, unpaid ones included. As many queries as
    `find_orders`."""
    found = find_orders(search=text, include_unpaid=True, page_size=1).rows if text else []
    return found[0] if found else None


def preview_mail(kind: str, language: str, order: Order | None) -> RenderedMail:
    """Return a mail in a language; KeyError for a kind that is none. Queries: those of the order's parts."""
    with translation.override(language):
        context = _of_this_site(sample_context(kind))
    if order is not None and "order" in context:
        context["order"] = order_context(order, language)
        if "seller" in context:
            context["seller"] = seller_context()
        if "withdrawal_notice" in context:
            context["withdrawal_notice"] = withdrawal_notice(language)
    return render(OutgoingMail(kind=kind, language=language, context=context))


def _of_this_site(context: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps(context).replace(_SAMPLE_SITE, settings.SITE_URL.rstrip("/"))
    read: dict[str, Any] = json.loads(text)
    return read


def _subject(kind: str, shop: ShopSettings) -> str:
    values = {**sample_context(kind), "language": SOURCE_LANGUAGE, "shop": shop}
    return " ".join(render_to_string(f"mail/{kind}.subject.txt", values).split())
