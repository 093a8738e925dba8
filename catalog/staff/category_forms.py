"""What staff may type about categories."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from catalog.models import CATEGORY_TEXTS, SLUG_FIELDS, Category, CategoryFeature, Synonym
from catalog.services.categories import fill_slugs, slug_errors
from shop.core.images import StoredImage
from shop.core.languages import LANGUAGES, SOURCE_LANGUAGE
from shop.core.staff_row_fields import staff_formfield
from shop.core.uploads import stored_picture


class CategoryForm(forms.ModelForm[Category]):
    """A category, with a new picture for its card if one is chosen."""

    new_picture = forms.FileField(
        label=_("image de la carte"),
        required=False,
        help_text=_("JPEG, PNG ou WebP, 5 Mo au plus. Remplace l'image actuelle."),
    )
    remove_picture = forms.BooleanField(label=_("retirer l'image"), required=False)

    class Meta:
        model = Category
        fields = (
            *("kind", *SLUG_FIELDS.values(), "menu_place", "in_footer", "starts_on", "ends_on"),
            *("offers_finishes", "offers_formats", "colour", "safety_class", "minimum_age", "maker"),
            *(f"{field}_{language}" for language in LANGUAGES for field in CATEGORY_TEXTS),
        )
        formfield_callback = staff_formfield

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "slug" in self.fields:
            self.fields["slug"].required = False
            self.fields["slug"].help_text = _("Vide : le nom de la catégorie.")
            for language, field in SLUG_FIELDS.items():
                if language != SOURCE_LANGUAGE:
                    self.fields[field].help_text = _("Vide : la même qu'en français.")

    def clean_new_picture(self) -> StoredImage | None:
        return stored_picture(self.cleaned_data.get("new_picture"), "categories")

    def clean(self) -> dict[str, Any]:
        """The addresses that nobody typed are made of the names; none is another page's."""
        cleaned = super().clean() or {}
        if not self.errors:
            named = Category(pk=self.instance.pk)
            for field, value in cleaned.items():
                if field.startswith(("slug", "name_")):
                    setattr(named, field, value or "")
            fill_slugs(named)
            cleaned |= {field: getattr(named, field) for field in SLUG_FIELDS.values()}
            for field, messages in slug_errors(named).items():
                self.add_error(field, messages)
        return cleaned


Features = forms.inlineformset_factory(
    Category,
    CategoryFeature,
    fields=("position", *(f"{field}_{language}" for language in LANGUAGES for field in ("title", "text"))),
    extra=1,
    max_num=3,
    # More are not even drawn: Django would draw two thousand.
    absolute_max=10,
    formfield_callback=staff_formfield,
)


class SynonymForm(forms.ModelForm[Synonym]):
    """Words of one language."""

    class Meta:
        model = Synonym
        fields = ("words", "language")
        formfield_callback = staff_formfield
