"""What the cookie policy says by itself: tables made of the registry of everything that is stored or loaded."""

from __future__ import annotations

from collections.abc import Iterable

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from shop.consent.registry import CHOICE_MONTHS, Category, StoredItem, months, necessary_items
from shop.consent.selectors import Service, configured_services, consent_version
from shop.core.models import ShopSettings
from shop.core.personal_data import period_text
from shop.pages.markup import escape

CHOICE_PLACE = "consent-choice-place"
"""A paragraph of its own in the policy, which `choice_html` takes the place of."""


def cookie_values() -> dict[str, str]:
    """Return the values of the policy's places, as Markdown in the active language. Without queries of its own."""
    services = configured_services(ShopSettings.load())
    return {
        "consent_version": consent_version(services),
        "consent_months": str(months(CHOICE_MONTHS)),
        "consent_period": period_text("consent_years"),
        "necessary_table": _stored_table(item for item in necessary_items() if not item.is_for_staff),
        "optional_tables": "\n\n".join(_service(service) for service in services)
        or _(
            "La boutique n'utilise aucun service de mesure, de publicité ou de contenu d'une autre entreprise."
        ),
    }


def choice_html() -> SafeString:
    """Return the button that opens the preferences, or the sentence that there is nothing to choose."""
    services = configured_services(ShopSettings.load())
    return render_to_string("components/consent_choice.html", {"has_choice": bool(services)})


def _service(service: Service) -> str:
    party = service.party
    head = _("%(category)s\u00a0: %(name)s, %(company)s. %(purpose)s, seulement avec votre accord.") % {
        "category": Category(party.category).label,
        "name": party.name,
        "company": party.company,
        "purpose": party.purpose,
    }
    policy = _("Politique de confidentialité de %(company)s") % {"company": party.company}
    return f"{escape(head)} [{escape(policy)}](<{party.policy_url}>)\n\n{_stored_table(party.items)}"


def _stored_table(items: Iterable[StoredItem]) -> str:
    head = [_("Nom"), _("Où"), _("Usage"), _("Durée")]
    rows = [
        [f"`{item.name}`", *(escape(str(text)) for text in (item.storage.label, item.purpose, item.duration))]
        for item in items
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, ["---"] * len(head), *rows])
