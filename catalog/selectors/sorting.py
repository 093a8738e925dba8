"""The orders in which a list of products can be asked for; each has an index that gives a page without sorting."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db.models import CharField, F, Func
from django.db.models.functions import Coalesce, Lower, NullIf
from django.utils.translation import get_language, gettext_lazy

from catalog.selectors.cards import NEWEST

DEFAULT = "newest"
LABELS = {
    DEFAULT: gettext_lazy("Nouveautés"),
    "price": gettext_lazy("Prix croissant"),
    "price-desc": gettext_lazy("Prix décroissant"),
    "name": gettext_lazy("Nom, de A à Z"),
}

Order = tuple[Any, ...]

# Written into the statement: SQLite uses an index of an expression for that very expression, without parameters.
_EMPTY = Func(template="''", output_field=CharField())


def chosen(text: str) -> str:
    """The order asked for; one that does not exist is the usual one."""
    return text if text in LABELS else DEFAULT


def is_chosen(text: str) -> bool:
    """Whether `text` names an order as the shop's own links do: the usual one is not named."""
    return text in LABELS and text != DEFAULT


def order_of(sort: str) -> Order:
    """What to order products by. Names are those of the active language, the French one where it has none."""
    if sort == "name":
        return (name_in((get_language() or settings.LANGUAGE_CODE)[:2]).asc(), F("pk").asc())
    return {"price": ("price_from", "pk"), "price-desc": ("-price_from", "-pk")}.get(sort, NEWEST)


def name_in(language: str) -> Lower:
    """A name without regard to case, as its index of `Product` has it."""
    if language == "fr":
        return Lower("name_fr")
    return Lower(Coalesce(NullIf(F(f"name_{language}"), _EMPTY), F("name_fr")))


def choices(sort: str) -> list[tuple[str, Any, bool]]:
    """(value, label, chosen) of each order for a `select`; the usual one has no value, so that addresses stay short."""
    return [("" if code == DEFAULT else code, label, code == sort) for code, label in LABELS.items()]
