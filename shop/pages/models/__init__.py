"""Rows behind the pages: texts, questions, the band of a season, redirects, official texts, what visitors write."""

from shop.pages.models.contact import ContactImage, ContactKind, ContactReply, ContactRequest, ContactState
from shop.pages.models.content import (
    FaqCategory,
    FaqEntry,
    HomeSection,
    PageText,
    Redirect,
    SeasonalBanner,
    SectionKind,
    own_path,
)
from shop.pages.models.official import OfficialKind, OfficialText

__all__ = [
    "ContactImage",
    "ContactKind",
    "ContactReply",
    "ContactRequest",
    "ContactState",
    "FaqCategory",
    "FaqEntry",
    "HomeSection",
    "OfficialKind",
    "OfficialText",
    "PageText",
    "Redirect",
    "SeasonalBanner",
    "SectionKind",
    "own_path",
]
