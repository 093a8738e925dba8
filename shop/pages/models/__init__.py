"""Rows behind the pages: texts, questions, the band of a season, redirects, and what visitors write."""

from shop.pages.models.contact import ContactImage, ContactKind, ContactRequest, ContactState
from shop.pages.models.content import FaqCategory, FaqEntry, PageText, Redirect, SeasonalBanner, own_path

__all__ = [
    "ContactImage",
    "ContactKind",
    "ContactRequest",
    "ContactState",
    "FaqCategory",
    "FaqEntry",
    "PageText",
    "Redirect",
    "SeasonalBanner",
    "own_path",
]
