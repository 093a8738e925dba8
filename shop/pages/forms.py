"""The contact form. It works without a script; its limits are those of the columns that hold it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, cast

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Address, User
from accounts.services.addresses import AddressDetails
from catalog.models import Product
from orders.forms import LineField, require_for_country
from shop.core.email_addresses import EmailAddressField
from shop.core.images import check_image
from shop.core.languages import active_language
from shop.core.models import EMAIL_MAX_LENGTH
from shop.core.problems import Problem
from shop.core.row_keys import read_key
from shop.pages.models import ContactKind
from shop.pages.services.contact import MAX_IMAGES, Message

MESSAGE_LENGTH = 5000
LIMITS = {"first_name": 80, "last_name": 80, "email": EMAIL_MAX_LENGTH, "subject": 150, "budget": 60}


class LinesField(forms.CharField):
    """Words of several lines. A line's end counts as one letter, as browsers count: they send two."""

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value)).replace("\r\n", "\n")


class _Pictures(forms.FileField):
    """Up to three pictures, by name, size and structure; of several the refused one is named. Decoding comes later,
    once the try is counted."""

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile[Any]]:
        files: Sequence[UploadedFile[Any]] = data or []
        if len(files) > MAX_IMAGES:
            raise ValidationError(_("Trois images au plus."), code="too_many")
        for file in files:
            try:
                check_image(file=file, name=file.name or "")
            except Problem as problem:
                named = _("%(file)s\u00a0: %(refusal)s") % {"file": file.name, "refusal": problem.detail}
                raise ValidationError(named if len(files) > 1 else problem.detail) from problem
            file.seek(0)
        return list(files)


class _PictureInput(forms.FileInput):
    allow_multiple_selected = True

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        return files.getlist(name) if hasattr(files, "getlist") else files.get(name)


def _text(css: str = "input", **attributes: Any) -> dict[str, Any]:
    return {"class": css, **attributes}


class ContactForm(forms.Form):
    """A question or a quote request. `website` is a trap: people do not see it, machines fill it in."""

    kind = forms.ChoiceField(choices=ContactKind.choices, initial=ContactKind.QUESTION)
    first_name = LineField(
        label=_("Prénom"),
        max_length=LIMITS["first_name"],
        widget=forms.TextInput(_text(autocomplete="given-name")),
    )
    last_name = LineField(
        label=_("Nom de famille"),
        max_length=LIMITS["last_name"],
        widget=forms.TextInput(_text(autocomplete="family-name")),
    )
    email = EmailAddressField(
        label=_("Adresse e-mail"),
        max_length=LIMITS["email"],
        widget=forms.EmailInput(_text(autocomplete="email", autocapitalize="none", spellcheck="false")),
    )
    subject = LineField(label=_("Sujet"), max_length=LIMITS["subject"], widget=forms.TextInput(_text()))
    message = LinesField(
        label=_("Message"), max_length=MESSAGE_LENGTH, widget=forms.Textarea(_text("textarea", rows=7))
    )
    budget = LineField(
        label=_("Budget"),
        required=False,
        max_length=LIMITS["budget"],
        help_text=_("Par exemple : entre 100 et 150 €."),
        widget=forms.TextInput(_text()),
    )
    deadline = forms.DateField(
        label=_("Date souhaitée"),
        required=False,
        widget=forms.DateInput(_text(type="date"), format="%Y-%m-%d"),
        input_formats=["%Y-%m-%d"],
    )
    images = _Pictures(
        label=_("Images de référence"),
        required=False,
        help_text=_("Trois au plus, JPEG, PNG ou WebP, 5 Mo chacune."),
        widget=_PictureInput(_text(accept="image/jpeg,image/png,image/webp", multiple=True)),
    )
    website = forms.CharField(required=False, widget=forms.TextInput)

    def clean_deadline(self) -> Any:
        deadline = self.cleaned_data["deadline"]
        if deadline and deadline < timezone.localdate():
            raise ValidationError(_("Cette date est passée."))
        return deadline

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("kind") == ContactKind.QUESTION:
            # Fields of the other choice are not on screen: what stands in them was not meant.
            cleaned |= {"budget": "", "deadline": None, "images": []}
        return cleaned

    def as_message(self, product: Product | None) -> Message:
        """Return what the valid form says, in the active language."""
        data = self.cleaned_data
        names = ("first_name", "last_name", "email", "subject", "message", "budget", "deadline")
        return Message(
            kind=ContactKind(data["kind"]),
            product=product,
            language=active_language(),
            **{name: data[name] for name in names},
        )


def find_piece(number: str) -> Product | None:
    """Return the published product of this number, None for anything else. One query at most."""
    key = read_key(number)
    return None if key is None else Product.objects.filter(pk=key, is_published=True).first()


class ProfileForm(forms.ModelForm[User]):
    """What a member changes of themselves at once. The address and the password ask for more."""

    first_name = LineField(
        label=_("Prénom"),
        max_length=150,
        required=False,
        widget=forms.TextInput(_text(autocomplete="given-name")),
    )
    last_name = LineField(
        label=_("Nom de famille"),
        max_length=150,
        required=False,
        widget=forms.TextInput(_text(autocomplete="family-name")),
    )

    class Meta:
        model = User
        fields = ("first_name", "last_name", "language")
        labels: ClassVar = {"language": _("Langue de nos e-mails")}
        widgets: ClassVar = {"language": forms.Select(_text("select"))}


class EmailChangeForm(forms.Form):
    """Another address, with the password once more."""

    email = forms.CharField(
        label=_("Nouvelle adresse e-mail"),
        max_length=EMAIL_MAX_LENGTH * 2,
        widget=forms.EmailInput(_text(autocomplete="email", autocapitalize="none", spellcheck="false")),
    )
    password = forms.CharField(
        label=_("Votre mot de passe"),
        strip=False,
        widget=forms.PasswordInput(_text(autocomplete="current-password")),
    )


class AddressForm(forms.ModelForm[Address]):
    """An address of the book; whether it can be right, the service says."""

    country = forms.ChoiceField(label=_("Pays"), widget=forms.Select(_text("select", autocomplete="country")))

    class Meta:
        model = Address
        fields = (
            *("label", "first_name", "last_name", "address", "postal_code", "city", "country"),
            *("custom_country", "phone", "is_delivery_default", "is_billing_default"),
        )
        field_classes: ClassVar = dict.fromkeys(
            (
                *("label", "first_name", "last_name", "address", "postal_code", "city"),
                *("custom_country", "phone"),
            ),
            LineField,
        )
        labels: ClassVar = {
            "label": _("Nom de l'adresse"),
            "last_name": _("Nom de famille"),
            "custom_country": _("Votre pays"),
            "is_delivery_default": _("Livrer ici par défaut"),
            "is_billing_default": _("Facturer ici par défaut"),
        }
        help_texts: ClassVar = {"label": _("Pour vous y retrouver\u00a0: Maison, Bureau…")}
        widgets: ClassVar = {
            "label": forms.TextInput(_text(autocomplete="off")),
            "first_name": forms.TextInput(_text(autocomplete="given-name")),
            "last_name": forms.TextInput(_text(autocomplete="family-name")),
            "address": forms.TextInput(_text(autocomplete="address-line1")),
            "postal_code": forms.TextInput(_text(autocomplete="postal-code")),
            "city": forms.TextInput(_text(autocomplete="address-level2")),
            "custom_country": forms.TextInput(_text(autocomplete="country-name")),
            "phone": forms.TextInput(_text(autocomplete="tel", type="tel", inputmode="tel")),
        }

    def __init__(self, *args: Any, countries: Sequence[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        cast(forms.ChoiceField, self.fields["country"]).choices = countries
        require_for_country(self)

    def details(self) -> AddressDetails:
        """What a valid form says."""
        return AddressDetails(**self.cleaned_data)
