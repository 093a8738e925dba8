"""The sentences that the law wants on the paper, each in French and in the customer's language."""

from collections.abc import Callable
from datetime import date
from typing import Any

from babel.numbers import format_decimal
from django.utils import translation
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from orders.pricing.vat import Tax, Treatment
from orders.selectors.company_numbers import is_business
from orders.selectors.rules import country_name
from shop.core.dates import day_in_words
from shop.core.languages import SOURCE_LANGUAGE, active_language
from shop.core.models import ShopSettings

Mention = tuple[str, Callable[[], str]]

_OVERSEAS_DEPARTMENTS = {"GP", "MQ", "GF", "RE", "YT"}
_LATE_PAYMENT = "late_payment"
FRANCHISE = "TVA non applicable, art. 293 B du CGI"


def for_document(tax: Tax, data: dict[str, Any]) -> list[dict[str, str]]:
    """Return the mentions of a document, `fr` and `text` (the same in French), in the order in which they are printed.

    Runs in the language of the document.
    """
    found = [*_tax_mentions(tax, data), *_payment_mentions(data), *_business_mentions(data)]
    found.append(("guarantee", _guarantee))
    if data["seller"]["packaging_id"]:
        found.append(("packaging", lambda: _packaging(data["seller"]["packaging_id"])))
    return _written(found)


def for_other_customer(data: dict[str, Any]) -> list[dict[str, str]]:
    """Return the mentions of an invoice whose customer alone was corrected: a company's come or go.

    Runs in the language of the document.
    """
    kept = [mention for mention in data["mentions"] if mention["name"] != _LATE_PAYMENT]
    return kept + _written(_business_mentions(data))


def for_paid_copy(data: dict[str, Any]) -> list[dict[str, str]]:
    """Return the mentions of an invoice that was issued before all of it was paid, and is now.

    Runs in the language of the document.
    """
    return [*data["mentions"], *_written(_payment_mentions(data))]


def _written(found: list[Mention]) -> list[dict[str, str]]:
    return [{"name": name, "fr": _in_french(text), "text": text()} for name, text in found]


def _tax_mentions(tax: Tax, data: dict[str, Any]) -> list[Mention]:
    if tax.treatment == Treatment.DESTINATION:
        return [("destination_vat", lambda: _destination(tax, data))]
    if tax.treatment == Treatment.DOMESTIC:
        return [("domestic_vat", lambda: _domestic(tax))]
    franchise: list[Mention] = [] if tax.is_liable else [("franchise", _franchise)]
    if tax.treatment == Treatment.EXPORT:
        overseas = data["delivery"]["country"] in _OVERSEAS_DEPARTMENTS
        return [*franchise, ("export", _overseas if overseas else _export)]
    return franchise


def _payment_mentions(data: dict[str, Any]) -> list[Mention]:
    paid_on = data.get("payment", {}).get("paid_on")
    if paid_on is None:
        return []
    return [("paid", lambda: _("Payée le %(day)s") % {"day": day_in_words(date.fromisoformat(paid_on))})]


def _business_mentions(data: dict[str, Any]) -> list[Mention]:
    """What an invoice between professionals says (L441-9 Code de commerce)."""
    if data["kind"] == "invoice" and is_business(data["customer"]):
        return [(_LATE_PAYMENT, _late_payment)]
    return []


def _late_payment() -> str:
    return _(
        "Pas d'escompte pour paiement anticipé. En cas de retard de paiement : pénalités au taux de refinancement de "
        "la Banque centrale européenne majoré de 10 points de pourcentage, et indemnité forfaitaire de 40 € pour "
        "frais de recouvrement (art. L441-10 et D441-5 du code de commerce)."
    )


def _franchise() -> str:
    if get_language() == "fr":
        return ShopSettings.load().vat_notice or FRANCHISE
    return _("TVA non applicable, art. 293 B du CGI")


def _export() -> str:
    return _(
        "Exportation hors du territoire fiscal de l'Union européenne, art. 262 I du CGI. Droits et taxes d'importation "
        "à la charge du destinataire."
    )


def _overseas() -> str:
    return _(
        "Livraison dans un département d'outre-mer, assimilée à une exportation, art. 294 du CGI. Droits et taxes "
        "d'importation à la charge du destinataire."
    )


def _destination(tax: Tax, data: dict[str, Any]) -> str:
    country = country_name(data["delivery"]["country"], data["delivery"]["country_name"])
    if not data["seller"]["oss_number"]:
        # Orders that would need the number are refused; two that were paid in the same moment may pass.
        return _(
            "TVA du pays de livraison (%(country)s) au taux de %(percent)s comprise dans les prix, art. 258 A du CGI"
        ) % {"country": country, "percent": _percents(tax)}
    return _(
        "TVA du pays de livraison (%(country)s) au taux de %(percent)s comprise dans les prix, déclarée au "
        "guichet unique de l'Union (OSS) sous le numéro %(oss)s, art. 258 A du CGI"
    ) % {"country": country, "percent": _percents(tax), "oss": data["seller"]["oss_number"]}


def _domestic(tax: Tax) -> str:
    return _("TVA française au taux de %(percent)s comprise dans les prix") % {"percent": _percents(tax)}


def _percents(tax: Tax) -> str:
    """« 20 % », « 20 % / 5,5 % »."""
    numbers = (format_decimal(rate.percent, locale=active_language()) for rate in tax.rates)
    return " / ".join(f"{number}\u00a0%" for number in numbers)


def _guarantee() -> str:
    return _("Garantie légale de conformité : deux ans (art. L217-3 et suivants du code de la consommation)")


def _packaging(identifier: str) -> str:
    return _(
        "Identifiant unique emballages : %(identifier)s (art. L541-10-13 du code de l'environnement)"
    ) % {"identifier": identifier}


def _in_french(text: Callable[[], str]) -> str:
    with translation.override(SOURCE_LANGUAGE):
        return text()
