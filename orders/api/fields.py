"""Fields of several calls: texts as people type them, e-mail addresses, countries."""

import unicodedata
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_countries import countries
from rest_framework import serializers

from orders.selectors.company_numbers import clean_company_number
from shop.core.email_addresses import AddressValidator, normalise_email
from shop.core.postcodes import OTHER_COUNTRY

_OTHER_NAMES = {"autre", "other", "otro", "andere", OTHER_COUNTRY.lower()}


class CountryField(serializers.CharField):
    """An ISO 3166-1 alpha-2 code, or ZZ (« Autre »)."""

    default_error_messages = {"unknown": gettext_lazy("Choisissez un pays de la liste.")}

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        code = data.strip()
        if code.lower() in _OTHER_NAMES:
            return OTHER_COUNTRY
        code = code.upper()
        if code not in countries:
            self.fail("unknown")
        return code


class PlainTextField(serializers.CharField):
    """One line of text: trimmed, no control or direction-override characters, Unicode composed (NFC)."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        text = _clean(self, super().to_internal_value(data), keep_lines=False)
        if not text and not self.allow_blank:
            self.fail("blank")
        return text


class ParagraphField(serializers.CharField):
    """Text of several lines, otherwise cleaned like PlainTextField."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return _clean(self, super().to_internal_value(data), keep_lines=True)


def _clean(field: serializers.CharField, text: str, *, keep_lines: bool) -> str:
    """A text that is far too long is left as it is, to be refused for that: composing a heap of accents takes the
    square of its length."""
    if field.max_length is not None and len(text) > 2 * field.max_length:
        return text
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n"))
    kept = []
    for character in text:
        if character == "\n" and keep_lines:
            kept.append(character)
        elif character in "\n\t\r":
            kept.append(" ")
        elif unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn") or character == "\u200d":
            # A zero-width joiner holds emoji together; every other invisible character is dropped.
            kept.append(character)
    return "".join(kept).strip()


class EmailAddressField(serializers.CharField):
    """An address in the form that accounts are looked up by, and judged in it: it may be longer than what came."""

    default_validators = (AddressValidator(message=gettext_lazy("Saisissez une adresse e-mail valide.")),)

    def to_internal_value(self, data: Any) -> str:
        return normalise_email(super().to_internal_value(data))


class CompanyNumberField(PlainTextField):
    """What identifies a company, without spaces; optional."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            **{
                "max_length": 20,
                "required": False,
                "allow_blank": True,
                "default": "",
                "help_text": "SIREN (9 digits), SIRET (14 digits) or VAT number of the Union, check digits checked.",
                **options,
            }
        )

    def run_validation(self, data: Any = serializers.empty) -> Any:
        text = super().run_validation(data)
        try:
            return clean_company_number(text)
        except ValueError:
            raise serializers.ValidationError(
                _(
                    "Indiquez un SIREN (9 chiffres), un SIRET (14 chiffres) ou un numéro de TVA de l'Union "
                    "(FR40303265045)."
                )
            ) from None
