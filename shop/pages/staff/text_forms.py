"""What staff may type into texts, questions, bands, official texts and redirects."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from shop.core.images import StoredImage
from shop.core.staff_row_fields import staff_formfield
from shop.core.uploads import stored_once, stored_picture
from shop.pages.markup import PLACEHOLDER
from shop.pages.models import FaqEntry, HomeSection, OfficialText, PageText, Redirect, SeasonalBanner
from shop.pages.selectors.placeholders import PLACEHOLDERS
from shop.pages.services.content import BANDS
from shop.pages.services.official import store_official_picture
from shop.pages.shipped import shipped

# Where a text of these keys, or of keys that begin so, is read.
_PLACES = {
    "contact": "Contact",
    "faq": "FAQ",
    "home": "Accueil",
    "home-meta": "Accueil, dans les moteurs de recherche",
    "story": "Notre histoire",
    "value": "Notre histoire, nos valeurs",
}


def place_of(key: str) -> str:
    """Return where the passage of a key is read."""
    return _PLACES.get(key) or _PLACES.get(key.partition("-")[0], key)


def translated(*fields: str) -> tuple[str, ...]:
    """Return the columns of translated fields, by language."""
    return tuple(f"{field}_{language}" for language, _name in settings.LANGUAGES for field in fields)


class SectionForm(forms.ModelForm[HomeSection]):
    """Whether a section of the home page is shown, and when."""

    class Meta:
        model = HomeSection
        fields = ("kind", "is_visible", "starts_on", "ends_on")
        formfield_callback = staff_formfield


class PlaceholdersMixin(forms.BaseModelForm[Any]):
    """Texts are Markdown, and may name only figures that exist: `{{ production_delay }}`, not `{{ delay }}`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            if isinstance(field.widget, forms.Textarea):
                field.widget.attrs["data-markdown"] = True

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        for name, value in list(cleaned.items()):
            if not isinstance(value, str):
                continue
            unknown = sorted({place for place in PLACEHOLDER.findall(value) if place not in PLACEHOLDERS})
            if unknown:
                known = ", ".join(f"{{{{ {place} }}}}" for place in PLACEHOLDERS)
                self.add_error(
                    name,
                    ValidationError(
                        _("Valeur inconnue : %(unknown)s. Valeurs possibles : %(known)s")
                        % {"unknown": ", ".join(unknown), "known": known}
                    ),
                )
        return cleaned


class FaqForm(PlaceholdersMixin, forms.ModelForm[FaqEntry]):
    """A question with its answer."""

    class Meta:
        model = FaqEntry
        fields = (
            *("category", "on_home", "on_contact", "on_faq", "is_published"),
            *translated("question", "answer"),
        )
        formfield_callback = staff_formfield


class PageTextForm(PlaceholdersMixin, forms.ModelForm[PageText]):
    """A passage, chosen among those that the pages have."""

    key = forms.ChoiceField(label=gettext_lazy("passage"))

    class Meta:
        model = PageText
        fields = ("key", "starts_at", "ends_at", *translated("title", "body"))
        formfield_callback = staff_formfield

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        texts = shipped("pages", settings.LANGUAGE_CODE)
        self.fields["key"].choices = [  # type: ignore[attr-defined]
            ("", "Choisir…"),
            *((key, f"{place_of(key)} – {text['title']}") for key, text in texts.items()),
        ]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if not (self.errors or cleaned["title_fr"] or cleaned["body_fr"]):
            # It would take the place of the text that is shown.
            self.add_error("body_fr", "Écrivez le titre ou le texte.")
        return cleaned


class BannerForm(PlaceholdersMixin, forms.ModelForm[SeasonalBanner]):
    """The band of a season, with a new picture if one is chosen."""

    new_picture = forms.FileField(
        label=gettext_lazy("nouvelle image"),
        required=False,
        help_text=gettext_lazy("JPEG, PNG ou WebP, 5 Mo au plus. Remplace l'image actuelle."),
    )

    class Meta:
        model = SeasonalBanner
        fields = (
            "starts_at",
            "ends_at",
            "link",
            "in_menu",
            *translated("title", "text", "link_label", "alt"),
        )
        formfield_callback = staff_formfield

    def clean_new_picture(self) -> StoredImage | None:
        return stored_picture(self.cleaned_data.get("new_picture"), BANDS)


class OfficialTextForm(forms.ModelForm[OfficialText]):
    """An official text, with its picture if there is one."""

    new_picture = forms.FileField(
        label=gettext_lazy("nouvelle image"),
        required=False,
        help_text=gettext_lazy("PNG ou JPEG, 5 Mo au plus, gardé tel quel. Montré à la place du texte."),
    )
    remove_picture = forms.BooleanField(label=gettext_lazy("retirer l'image"), required=False)

    class Meta:
        model = OfficialText
        fields = ("kind", "language", "text")
        formfield_callback = staff_formfield

    def clean_new_picture(self) -> StoredImage | None:
        return stored_once(self.cleaned_data.get("new_picture"), store_official_picture)


class RedirectForm(forms.ModelForm[Redirect]):
    """A redirect that ends: its target is no other redirect's beginning, nor its own."""

    class Meta:
        model = Redirect
        fields = ("old_path", "new_path")
        formfield_callback = staff_formfield

    def clean_old_path(self) -> str:
        """As requests are looked up: pasted addresses are encoded, and pages have no slash at their end."""
        typed: str = self.cleaned_data["old_path"]
        if "?" in typed or "#" in typed:
            raise ValidationError(
                _(
                    "Arrêtez l'adresse avant «\u00a0?\u00a0» ou «\u00a0#\u00a0»\u00a0: "
                    "la suite ne peut pas être redirigée à part."
                )
            )
        return _looked_up(typed)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        old, new = cleaned.get("old_path"), cleaned.get("new_path")
        if old and new:
            target = _looked_up(new.partition("?")[0].partition("#")[0])
            if target == old:
                raise ValidationError({"new_path": _("Les deux adresses sont les mêmes.")})
            if Redirect.objects.filter(old_path=target).exclude(pk=self.instance.pk).exists():
                raise ValidationError({"new_path": _("Cette adresse est elle-même redirigée.")})
        return cleaned


def _looked_up(path: str) -> str:
    return unquote(path).rstrip("/") or "/"
