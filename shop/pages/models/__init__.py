"""Rows behind the pages: texts, questions, the band of a season, redirects, official texts, what visitors write."""

from shop.pages.models.cart_reminders import CartReminder
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
from shop.pages.models.personal_data import (
    EXPORTS_UNDER_WAY,
    DataExport,
    Erasure,
    ErasureState,
    ExportState,
    InactivityNotice,
    RetentionRun,
)

__all__ = [
    "EXPORTS_UNDER_WAY",
    "CartReminder",
    "ContactImage",
    "ContactKind",
    "ContactReply",
    "ContactRequest",
    "ContactState",
    "DataExport",
    "Erasure",
    "ErasureState",
    "ExportState",
    "FaqCategory",
    "FaqEntry",
    "HomeSection",
    "InactivityNotice",
    "OfficialKind",
    "OfficialText",
    "PageText",
    "Redirect",
    "RetentionRun",
    "SeasonalBanner",
    "SectionKind",
    "own_path",
]
