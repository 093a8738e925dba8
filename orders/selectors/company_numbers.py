"""What identifies a company on its invoices: SIREN, SIRET or VAT number (EN 16931 BT-47, BT-48)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Q
from stdnum.eu import vat
from stdnum.exceptions import ValidationError
from stdnum.fr import siren, siret


@dataclass(frozen=True, slots=True)
class CompanyNumber:
    """The numbers that a typed one tells; "" for what it does not."""

    siren: str = ""
    siret: str = ""
    vat_id: str = ""


def clean_company_number(text: str) -> str:
    """Return a SIREN (9 digits), a SIRET (14) or a VAT number of the Union (`FR40303265045`) without spaces.

    Check digits are checked. Raises ValueError for anything else; "" stays "".
    """
    text = "".join(text.split()).upper()
    if not text:
        return ""
    for kind in (siren, siret, vat):
        try:
            return str(kind.validate(text))
        except ValidationError:
            continue
    raise ValueError(text)


def company_number(number: str) -> CompanyNumber:
    """Return what a cleaned number tells. A French VAT number ends with the SIREN, a SIRET begins with it."""
    if number.isdigit():
        return CompanyNumber(siren=number[:9], siret=number if len(number) == 14 else "")
    is_french = number.startswith("FR") and number[4:].isdigit()
    return CompanyNumber(siren=number[4:] if is_french else "", vat_id=number)


def is_business(customer: Mapping[str, Any]) -> bool:
    """Return whether a document's frozen customer is a company: it gave a number. One of another country of the Union
    has no SIREN; documents from before companies' numbers have none at all."""
    return bool(customer.get("siren") or customer.get("vat_id"))


def to_consumers() -> Q:
    """Return the condition of documents that are no company's (`is_business`)."""
    numbers = ("data__customer__siren", "data__customer__vat_id")
    return Q(*(Q((number, "")) | Q((f"{number}__isnull", True)) for number in numbers))
