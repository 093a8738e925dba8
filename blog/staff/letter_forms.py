"""What staff type of a letter."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.conf import settings

from blog.models import BODY_LENGTH, PREHEADER_LENGTH, SUBJECT_LENGTH, Campaign, Topic
from blog.selectors.articles import published_articles
from blog.services.newsletter.campaigns import LetterDraft, LetterText
from catalog.models import Product
from catalog.selectors.category_rows import all_categories
from shop.core.problems import Problem

PARTS = ("subject", "preheader", "body")


class LetterForm(forms.Form):
    """The letter in every language; `version` is that of the letter that was opened, `lost_category` its collection
    that is gone, in whose place one is chosen."""

    title = forms.CharField(label="Nom (pour vous)", max_length=120)
    topic = forms.ChoiceField(label="Sujet", required=False)
    category = forms.TypedChoiceField(label="Collection", required=False, coerce=int, empty_value=None)
    version = forms.CharField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, lost_category: str = "", **options: Any) -> None:
        super().__init__(*args, **options)
        topic = cast(forms.ChoiceField, self.fields["topic"])
        topic.choices = [("", "Tous les abonnés"), *Topic.choices]
        topic.help_text = "Seuls ceux qui veulent ce sujet la reçoivent."
        category = cast(forms.ChoiceField, self.fields["category"])
        everybody = [("", "Choisissez"), (0, "Toutes")] if lost_category else [("", "Toutes")]
        category.choices = [*everybody, *((row.pk, row.name) for row in all_categories())]
        if lost_category:
            category.required = True
            gone = f"La collection «\u00a0{lost_category}\u00a0» n'existe plus"
            category.help_text = f"{gone}\u00a0: choisissez à qui va cette lettre."
        for code, _name in settings.LANGUAGES:
            self.fields[f"subject_{code}"] = forms.CharField(
                label="Objet", max_length=SUBJECT_LENGTH, required=False
            )
            self.fields[f"preheader_{code}"] = forms.CharField(
                label="Aperçu",
                max_length=PREHEADER_LENGTH,
                required=False,
                help_text="La phrase que les boîtes montrent à côté de l'objet.",
            )
            self.fields[f"body_{code}"] = forms.CharField(
                label="Texte",
                max_length=BODY_LENGTH,
                required=False,
                widget=forms.Textarea(attrs={"rows": 14, "lang": code, "data-markdown": True}),
                help_text="En Markdown. L'adresse d'une pièce ou d'un article, seule sur sa ligne, le montre.",
            )

    def draft(self) -> LetterDraft:
        """Return what was typed, once it is valid."""
        typed = self.cleaned_data
        texts = {
            code: LetterText(*(typed[f"{part}_{code}"] for part in PARTS))
            for code, _name in settings.LANGUAGES
        }
        return LetterDraft(typed["title"], typed["topic"], typed["category"] or None, texts)

    def show(self, problem: Problem) -> None:
        """Put what was refused beside its fields."""
        for name, lines in problem.errors.items():
            self.add_error(name if name in self.fields else None, " ".join(lines))


def values_of(campaign: Campaign) -> dict[str, Any]:
    """Return a letter as its form shows it."""
    values = {
        "title": campaign.title,
        "topic": campaign.topic,
        "category": campaign.category_id,
        "version": campaign.updated_at.isoformat(),
    }
    for text in campaign.texts.all():
        values |= {f"{part}_{text.language}": getattr(text, part) for part in PARTS}
    return values


def shown_choices() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return what can be shown in a letter, by group: its address and its name. Two queries."""
    pieces = Product.objects.filter(is_published=True).order_by("sort_name_fr", "pk")[:500]
    articles = published_articles().order_by("-publish_at", "-pk")[:50]
    return [
        ("Pièces", [(f"/produit/{row.pk}", row.name) for row in pieces]),
        ("Articles du blog", [(f"/blog/{row.pk}", row.title) for row in articles]),
    ]


def with_shown(typed: dict[str, Any], address: str) -> dict[str, Any]:
    """Return what was typed with a piece or an article at the end of every text that has begun; French always has."""
    names = {value: label for _group, choices in shown_choices() for value, label in choices}
    if address not in names:
        return typed
    line = f"[{names[address].replace('[', '(').replace(']', ')')}]({address})"
    changed = dict(typed)
    for code, _name in settings.LANGUAGES:
        body = str(typed.get(f"body_{code}", "")).rstrip()
        if body or code == settings.LANGUAGE_CODE:
            changed[f"body_{code}"] = f"{body}\n\n{line}\n".lstrip()
    return changed
