"""`/admin/blog/etiquettes`: what each tag is called in the four languages; articles name them in French."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.db.models import Count, QuerySet

from blog.models import Tag
from blog.services.tags import save_tag
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.staff_actions import StaffAction
from shop.core.staff_row_fields import Line, Part
from shop.staff_rows import StaffRows

NAMES = tuple(f"name_{code}" for code in settings.MODELTRANSLATION_LANGUAGES)


class TagForm(forms.ModelForm[Tag]):
    """The names; the word of the address stays, links lead there."""

    class Meta:
        model = Tag
        fields = NAMES

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for code, label in settings.LANGUAGES:
            field = self.fields[f"name_{code}"]
            field.label, field.required = f"Nom ({label})", code == SOURCE_LANGUAGE


class Tags(StaffRows[Tag]):
    name, address, title = "tags", "blog/etiquettes", "Étiquettes du blog"
    note = "Les articles nomment leurs étiquettes en français\u00a0; sans traduction, les autres langues le montrent."
    empty = "Aucune étiquette\u00a0: la première naît avec un article."
    back = "staff-articles"
    view_action = edit_action = StaffAction.EDIT_ARTICLES
    model, form = Tag, TagForm
    parts = (Part("", NAMES),)
    search_fields = ("slug", *NAMES)
    can_add = can_delete = False

    def rows(self) -> QuerySet[Tag]:
        return Tag.objects.annotate(article_count=Count("articles"))

    def line(self, row: Tag) -> Line:
        missing = [code for code, _label in settings.LANGUAGES if not getattr(row, f"name_{code}")]
        count = getattr(row, "article_count", None)
        counted = "" if count is None else f"{count} article{'s' if count > 1 else ''}"
        untranslated = f"à traduire\u00a0: {', '.join(missing)}" if missing else ""
        return Line(row.french_name, " · ".join(filter(None, (counted, untranslated))))

    def save(self, row: Tag, form: Any) -> None:
        save_tag(tag=row)


SCREENS: tuple[StaffRows[Any], ...] = (Tags(),)
