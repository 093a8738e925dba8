"""Forms of the catalogue's administration: uploads, versions, fields by language, previews."""

from __future__ import annotations

from typing import IO, Any, cast

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from catalog.models import (
    ProductModel,
)
from catalog.selectors.pictures import image_info
from catalog.services.products import LANGUAGES
from shop.core import models3d
from shop.core.image_drawing import DrawnImage
from shop.core.models3d import CheckedModel
from shop.core.problems import Problem
from shop.core.uploads import drawn_upload


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
