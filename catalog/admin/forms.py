"""Forms of the catalogue's administration: uploads, versions, rules that join a product with its variations, and which
fields a person may edit."""

from __future__ import annotations

from typing import IO, Any, cast

from django import forms
from django.conf import settings
from django.contrib.admin.utils import flatten
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils.dateparse import parse_datetime
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from catalog.models import (
    Product,
    ProductImage,
    ProductModel,
    ProductVariation,
    Variant,
)
from catalog.pricing import base_price
from catalog.selectors.pictures import image_info
from catalog.services.products import LANGUAGES
from shop.core import models3d
from shop.core.image_drawing import DrawnImage
from shop.core.models3d import CheckedModel
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction, may
from shop.core.uploads import drawn_upload

CONFLICT = _("Ce produit a été modifié entre-temps. Rechargez la page pour voir la nouvelle version.")
# Every other field of a product and its variations asks for EDIT_PRODUCT.
FIELD_ACTIONS = {
    # The hidden mark of what was on screen: whoever saves sends it.
    "version": StaffAction.SEE_PRODUCTS,
    **dict.fromkeys(("in_stock", "stock_quantity"), StaffAction.EDIT_STOCK),
    **dict.fromkeys(
        (
            *("price", "original_price", "painted_price", "unpainted_price"),
            *("price_adjustment", "price_override"),
        ),
        StaffAction.EDIT_PRICES,
    ),
}


class ProductForm(forms.ModelForm[Product]):
    """A product; it carries the version that was on screen, so that the second of two people saving is refused."""

    version = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            self.initial["version"] = self.instance.updated_at.isoformat()

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.instance.pk:
            seen = parse_datetime(cleaned.get("version") or "")
            stored = Product.objects.values_list("updated_at", flat=True).get(pk=self.instance.pk)
            if seen != stored:
                raise ValidationError(CONFLICT)
        return cleaned


class VariationFormSet(forms.BaseInlineFormSet[ProductVariation, Product, forms.ModelForm[ProductVariation]]):
    """The variations of one product, checked together and against its prices."""

    def clean(self) -> None:
        super().clean()
        product = self.instance
        if any(self.errors) or product.price is None:
            return
        remaining = [form for form in self.forms if form.cleaned_data and not form.cleaned_data.get("DELETE")]
        if sum(bool(form.cleaned_data.get("is_default")) for form in remaining) > 1:
            raise ValidationError(_("Une seule variation peut être celle par défaut."))
        lowest = min(base_price(product, finish) for finish in ("", "painted", "unpainted"))
        for form in remaining:
            adjustment = form.cleaned_data.get("price_adjustment")
            if (
                form.cleaned_data.get("price_override") is None
                and adjustment is not None
                and lowest + adjustment < 0
            ):
                form.add_error("price_adjustment", _("Cet écart donnerait un prix nul ou négatif."))


class VariantForm(forms.ModelForm[Variant]):
    """A variant; its format is not asked for, so the rule that joins both is checked here."""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("price") is not None and self.instance.variation_id is None:
            self.add_error("price", _("Sans format, le prix est celui du produit."))
        return cleaned


class ImageForm(forms.ModelForm[ProductImage]):
    """A photo; a new one comes with its file."""

    upload = forms.FileField(
        label=_("fichier"), required=False, help_text=_("JPEG, PNG ou WebP, 5 Mo au plus.")
    )

    class Meta:
        model = ProductImage
        fields = ("alt_fr", "alt_en", "alt_es", "alt_de", "finish", "variation", "position")

    def clean_upload(self) -> DrawnImage | None:
        upload: UploadedFile[Any] | None = self.cleaned_data.get("upload")
        if upload is None and self.instance.pk is None:
            raise ValidationError(_("Choisissez un fichier."))
        if upload is not None and self.instance.pk is not None:
            raise ValidationError(_("Pour changer une photo, supprimez-la et ajoutez l'autre."))
        return drawn_upload(upload)


class ModelForm3D(forms.ModelForm[ProductModel]):
    """A 3D model with its poster; both come together, to add one or to replace it."""

    upload = forms.FileField(
        label=_("modèle 3D"),
        required=False,
        help_text=_("Fichier GLB, 10 Mo au plus, sans compression Draco."),
    )
    poster = forms.FileField(
        label=_("image d'attente"),
        required=False,
        help_text=_("JPEG, PNG ou WebP, 5 Mo au plus : montrée avant le chargement du modèle."),
    )

    class Meta:
        model = ProductModel
        fields = ()

    def clean_upload(self) -> CheckedModel | None:
        upload: UploadedFile[Any] | None = self.cleaned_data.get("upload")
        if upload is None:
            return None
        try:
            return models3d.check_model(file=cast(IO[bytes], upload), name=upload.name or "")
        except Problem as problem:
            raise ValidationError(problem.detail) from problem

    def clean_poster(self) -> DrawnImage | None:
        return drawn_upload(self.cleaned_data.get("poster"))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for given, missing in (("upload", "poster"), ("poster", "upload")):
            if cleaned.get(given) and not cleaned.get(missing) and missing not in self.errors:
                self.add_error(missing, _("Le modèle et son image d'attente vont ensemble."))
        return cleaned


def language_fieldsets(*fields: str) -> list[Any]:
    """One foldable fieldset a language: open in French, which the others fall back to."""
    names = {"fr": "Français", "en": "English", "es": "Español", "de": "Deutsch"}
    return [
        (
            names[language],
            {
                "fields": tuple(f"{field}_{language}" for field in fields),
                "classes": () if language == settings.LANGUAGE_CODE else ("collapse",),
            },
        )
        for language in LANGUAGES
    ]


def read_only_fields(user: AbstractBaseUser | AnonymousUser, fields: Any) -> tuple[str, ...]:
    """Those of an admin's `fields`, some in groups, that the person may not edit: stock, prices and the rest ask for an
    action each."""
    return tuple(
        name for name in flatten(fields) if not may(user, FIELD_ACTIONS.get(name, StaffAction.EDIT_PRODUCT))
    )


def preview_of(row: Any, *, alt: str | None = None) -> SafeString | str:
    """A row's picture, small, with `alt` or its own words; a dash where there is none."""
    if row is None or not row.file.name:
        return "–"
    image = image_info(row, "")
    return format_html(
        '<img src="{}" alt="{}" width="72" height="72" loading="lazy">',
        image.smallest_url,
        image.alt if alt is None else alt,
    )
