"""The forms of an order's pages: its withdrawal, its delivery address and its link. Their limits are those of the
columns.

The withdrawal form asks for what the law allows to ask (D221-5).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _

from orders.models import Order
from orders.selectors.rules import country_name
from orders.selectors.withdrawals import ReturnableLine, open_cases, returnable_lines
from orders.services.fulfilment.delivery_address import DeliveryAddress
from orders.services.withdrawals.declarations import Declaration, choose_lines
from shop.core.email_addresses import EmailAddressField
from shop.core.models import EMAIL_MAX_LENGTH
from shop.core.postcodes import OTHER_COUNTRY, needs_postcode
from shop.core.problems import Problem

WHOLE, PART = "all", "part"
LIMITS = {"name": 200, "order": 100, "email": EMAIL_MAX_LENGTH, "goods": 500, "reason": 2000, "words": 10_000}


class LineField(forms.CharField):
    """One line of words: no line breaks, no control characters."""

    def to_python(self, value: Any) -> str:
        text = super().to_python(value) or ""
        return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


class WordsField(forms.CharField):
    """Words with their line breaks."""

    def to_python(self, value: Any) -> str:
        text = (super().to_python(value) or "").replace("\r\n", "\n").replace("\r", "\n")
        return "".join(letter if letter.isprintable() or letter == "\n" else " " for letter in text).strip()


def _look(css: str = "input", **attributes: Any) -> dict[str, Any]:
    return {"class": css, **attributes}


class WithdrawalForm(forms.Form):
    """Who withdraws, from what, and where the acknowledgement goes; a reason is nobody's duty."""

    name = LineField(
        label=_("Nom et prénom"),
        max_length=LIMITS["name"],
        widget=forms.TextInput(_look(autocomplete="name")),
    )
    order = LineField(
        label=_("Commande"),
        max_length=LIMITS["order"],
        help_text=_("Sa référence est dans l'objet de votre confirmation : huit chiffres et lettres."),
        widget=forms.TextInput(_look(autocomplete="off", autocapitalize="characters", spellcheck="false")),
    )
    email = EmailAddressField(
        label=_("Adresse e-mail"),
        max_length=LIMITS["email"],
        help_text=_("Celle de la commande. L'accusé de réception y est envoyé."),
        widget=forms.EmailInput(_look(autocomplete="email", autocapitalize="none", spellcheck="false")),
    )
    scope = forms.ChoiceField(
        label=_("Vous renoncez à"),
        choices=[(WHOLE, _("Toute la commande")), (PART, _("Une partie de la commande"))],
        initial=WHOLE,
    )
    goods = WordsField(
        label=_("Articles que vous rendez"),
        required=False,
        max_length=LIMITS["goods"],
        widget=forms.Textarea(_look("textarea", rows=3)),
    )
    reason = WordsField(
        label=_("Motif"),
        required=False,
        max_length=LIMITS["reason"],
        help_text=_("Vous n'avez pas à vous justifier."),
        widget=forms.Textarea(_look("textarea", rows=4)),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("scope") == WHOLE:
            # A field that is not on screen: what it contains was not meant.
            cleaned["goods"] = ""
        elif cleaned.get("scope") == PART and not cleaned.get("goods") and "goods" not in self.errors:
            self.add_error("goods", ValidationError(_("Dites quels articles vous rendez."), code="required"))
        return cleaned

    def declaration(self, language: str) -> Declaration:
        """What a valid form declares."""
        data = self.cleaned_data
        return Declaration(
            name=data["name"],
            email=data["email"],
            order_text=data["order"],
            language=language,
            reason=data["reason"],
            goods=data["goods"],
        )

    @staticmethod
    def values_of(declaration: Declaration) -> dict[str, Any]:
        """What was typed to make this declaration, for a form that is shown again."""
        return {
            "name": declaration.name,
            "email": declaration.email,
            "order": declaration.order_text,
            "scope": PART if declaration.goods else WHOLE,
            "goods": declaration.goods,
            "reason": declaration.reason,
        }


class OrderWithdrawalForm(forms.Form):
    """The same for an order that the customer has shown to be theirs: nothing to look up, its lines to choose from. All
    units are chosen at first but those that a declaration the shop deals with (`declared`) names already."""

    name = WithdrawalForm.base_fields["name"]
    email = WithdrawalForm.base_fields["email"]
    reason = WithdrawalForm.base_fields["reason"]

    def __init__(self, *args: Any, order: Order, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.order = order
        self.lines: list[ReturnableLine] = returnable_lines(order)
        self.declared = list(open_cases(order).prefetch_related("withdrawal__lines__item"))
        self.named = named = Counter[int]()
        for case in self.declared:
            for declared in case.withdrawal.lines.all():
                named[declared.item_id] += declared.quantity
        for line in self.lines:
            self.fields[_field(line.item.pk)] = forms.IntegerField(
                label=line.item.product_name,
                min_value=0,
                max_value=line.left,
                initial=max(line.left - named[line.item.pk], 0),
                error_messages=dict.fromkeys(
                    ("invalid", "min_value", "max_value"),
                    _("Saisissez un nombre de 0 à %(most)d.") % {"most": line.left},
                ),
                widget=forms.NumberInput(_look(inputmode="numeric")),
            )

    def line_fields(self) -> list[tuple[ReturnableLine, str, forms.BoundField]]:
        """Each line with its finish and format, and the field of its quantity."""
        return [(line, line.item.detail, self[_field(line.item.pk)]) for line in self.lines]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        names = [_field(line.item.pk) for line in self.lines]
        if self.lines and all(name in cleaned for name in names):
            wanted = {line.item.pk: cleaned[_field(line.item.pk)] for line in self.lines}
            try:
                cleaned["lines"] = choose_lines(self.order, wanted)
            except Problem as problem:
                self.add_error(names[0], problem.detail)
        return cleaned

    def declaration(self, language: str) -> Declaration:
        """What a valid form declares."""
        data = self.cleaned_data
        lines = data.get("lines", ())
        left = {line.item.pk: line.left - self.named[line.item.pk] for line in self.lines}
        is_further = all(line.quantity <= left[line.item_id] for line in lines)
        return Declaration(
            name=data["name"],
            email=data["email"],
            order_text=self.order.reference,
            language=language,
            reason=data["reason"],
            order=self.order,
            lines=lines,
            before=self.named.total() if lines and is_further else 0,
        )

    @staticmethod
    def values_of(declaration: Declaration) -> dict[str, Any]:
        """What was typed to make this declaration; quantities that were not chosen are left to the form's own."""
        assert declaration.order is not None
        values: dict[str, Any] = {
            "name": declaration.name,
            "email": declaration.email,
            "reason": declaration.reason,
        }
        if declaration.lines:
            chosen = declaration.units
            for item in declaration.order.items.all():
                values[_field(item.pk)] = chosen.get(item.pk, 0)
        return values


class TrackingForm(forms.Form):
    """Which order, and the address that it was placed with."""

    reference = LineField(
        label=_("Référence de la commande"),
        max_length=LIMITS["order"],
        help_text=_("Huit chiffres et lettres, dans l'objet de votre confirmation : par exemple 7C9BE001."),
        widget=forms.TextInput(_look(autocomplete="off", autocapitalize="characters", spellcheck="false")),
    )
    email = EmailAddressField(
        label=_("Adresse e-mail"),
        max_length=LIMITS["email"],
        help_text=_("Celle de la commande."),
        widget=forms.EmailInput(_look(autocomplete="email", autocapitalize="none", spellcheck="false")),
    )

    def clean_reference(self) -> str:
        """In capitals and without the spaces, the dashes and the « n° » that people write, or an invoice's INV."""
        reference = re.sub(r"^(N°|№|#|INV)|[\s\-–.]", "", self.cleaned_data["reference"].upper().strip())
        if not re.fullmatch(r"[0-9A-F]{8}", reference):
            raise ValidationError(
                _("Une référence a huit chiffres ou lettres de A à F, par exemple 7C9BE001."),
                code="invalid",
            )
        return reference


def _field(item_id: int) -> str:
    return f"units_{item_id}"


def _column(name: str, label: Any, autocomplete: str, **widget: Any) -> LineField:
    column = cast("models.CharField[str, str]", Order._meta.get_field(name))
    return LineField(
        label=label,
        max_length=column.max_length,
        required=not column.blank,
        widget=forms.TextInput(_look(autocomplete=autocomplete, **widget)),
    )


def require_for_country(form: forms.BaseForm) -> None:
    """Ask for what an address in the form's country needs: a postcode, its own name where the list lacks it."""
    country = str(form["country"].value() or "")
    for name, is_needed, refusal in (
        ("postal_code", needs_postcode(country), _("Saisissez le code postal.")),
        ("custom_country", country == OTHER_COUNTRY, _("Indiquez votre pays.")),
    ):
        form.fields[name].required = is_needed
        form.fields[name].error_messages["required"] = refusal


class DeliveryAddressForm(forms.Form):
    """Where an order goes; a gift names its recipient, another order its customer."""

    recipient = LineField(
        label=_("Destinataire du cadeau"),
        max_length=200,
        widget=forms.TextInput(_look(autocomplete="shipping name")),
    )
    first_name = _column("first_name", _("Prénom"), "shipping given-name")
    last_name = _column("last_name", _("Nom de famille"), "shipping family-name")
    address = _column("address", _("Adresse"), "shipping address-line1")
    postal_code = _column("postal_code", _("Code postal"), "shipping postal-code")
    city = _column("city", _("Ville"), "shipping address-level2")
    country = forms.ChoiceField(
        label=_("Pays"), widget=forms.Select(_look("select", autocomplete="shipping country"))
    )
    custom_country = _column("custom_country", _("Votre pays"), "shipping country-name")
    phone = _column("phone", _("Téléphone"), "shipping tel", type="tel", inputmode="tel")

    def __init__(self, data: Any = None, *, order: Order, countries: Sequence[tuple[str, str]]) -> None:
        super().__init__(data, initial={"recipient": order.gift_recipient, **_values(order)})
        for name in ("first_name", "last_name") if order.is_gift else ("recipient",):
            del self.fields[name]
        known = order.country in dict(countries)
        choices = [*countries] if known else [(order.country, country_name(order.country)), *countries]
        cast(forms.ChoiceField, self.fields["country"]).choices = choices
        require_for_country(self)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("country") != OTHER_COUNTRY:
            cleaned["custom_country"] = ""
        return cleaned

    def delivery_address(self) -> DeliveryAddress:
        """What a valid form says."""
        return DeliveryAddress(**self.cleaned_data)


def _values(order: Order) -> dict[str, str]:
    names = (
        "first_name",
        "last_name",
        "address",
        "postal_code",
        "city",
        "country",
        "custom_country",
        "phone",
    )
    return {name: getattr(order, name) for name in names}
