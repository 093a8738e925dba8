"""What pages show of the rows that operators edit: cached for a minute, read in one query each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils import timezone, translation
from django.utils.functional import cached_property
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from catalog.markup import localise, plain_text, render_markdown
from catalog.models import Category
from shop.core import images
from shop.core.fragment_cache import cached_content
from shop.core.images import ImageInfo
from shop.core.languages import SOURCE_LANGUAGE, active_language
from shop.pages.markup import fill, unescape
from shop.pages.models import FaqCategory, FaqEntry, PageText, SeasonalBanner
from shop.pages.selectors.placeholders import placeholder_values
from shop.pages.shipped import shipped


@dataclass(frozen=True)
class Passage:
    """A text of a page in the active language; `html` is its Markdown rendered, `plain` its words."""

    title: str
    body: str

    @cached_property
    def html(self) -> SafeString:
        return render_markdown(fill(self.body, placeholder_values()))

    @cached_property
    def plain(self) -> str:
        return plain_text(self.html)


@dataclass(frozen=True)
class Question:
    """A question of the FAQ in the active language."""

    anchor: str
    category: str
    question: str
    answer: str

    @cached_property
    def html(self) -> SafeString:
        return render_markdown(fill(self.answer, placeholder_values()))

    @cached_property
    def plain(self) -> str:
        return plain_text(self.html)


@dataclass(frozen=True, slots=True)
class Band:
    """The band of a season: `link` is in the active language."""

    title: str
    html: SafeString
    link_label: str
    link: str
    in_menu: bool
    image: ImageInfo | None


class PageTexts:
    """The passages of pages as `texts.home_hero`: a row in force, else the text that the shop comes with.

    One query a minute. `preview` is shown whatever its dates.
    """

    def __init__(self, preview: PageText | None = None, now: datetime | None = None) -> None:
        self._rows = {row.key: row for row in sorted(_rows(), key=_begun) if _in_force(row, now)}
        if preview is not None:
            self._rows[preview.key] = preview

    def __getitem__(self, name: str) -> Passage:
        key = name.replace("_", "-")
        default = shipped("pages", active_language())[key]
        row = self._rows.get(key)
        if row is None:
            return Passage(default["title"], default["body"])
        values = {
            place: unescape(value) for place, value in placeholder_values().items() if "{{" in row.title
        }
        return Passage(fill(row.title, values) or default["title"], row.body)


def questions(
    *, home: bool = False, contact: bool = False, preview: FaqEntry | None = None
) -> list[Question]:
    """Return the published questions of /faq, or of the home or contact page, in their order. One query a minute."""
    rows = cached_content(lambda: list(FaqEntry.objects.filter(is_published=True)), "questions")
    if preview is not None:
        rows = sorted([preview, *(row for row in rows if row.pk != preview.pk)], key=lambda row: row.position)
    wanted = [row for row in rows if (row.on_home if home else row.on_contact if contact else row.on_faq)]
    return [Question(f"question-{row.pk}", row.category, row.question, row.answer) for row in wanted]


def faq_chapters(preview: FaqEntry | None = None) -> list[tuple[str, str, list[Question]]]:
    """Return the FAQ as (code, title, questions), without empty chapters."""
    found = questions(preview=preview)
    chapters = [
        (category.value, str(category.label), [row for row in found if row.category == category])
        for category in FaqCategory
    ]
    return [chapter for chapter in chapters if chapter[2]]


def current_band(*, preview: SeasonalBanner | None = None, now: datetime | None = None) -> Band | None:
    """Return the band in force that began last, None between seasons. One query a minute."""
    if preview is not None:
        return _band(preview)
    rows = cached_content(lambda: list(SeasonalBanner.objects.all()), "bands")
    row = max((row for row in rows if _in_force(row, now)), key=_begun, default=None)
    return None if row is None else _band(row)


def _band(row: SeasonalBanner) -> Band:
    image = None
    if row.file.name:
        image = images.describe(
            name=row.file.name,
            width=row.width,
            height=row.height,
            alt=row.alt or row.title,
            colour=row.colour,
            derivatives=row.derivatives,
        )
    return Band(
        title=row.title,
        html=render_markdown(fill(row.text, placeholder_values()) if "{{" in row.text else row.text),
        link_label=row.link_label,
        link=localise(row.link),
        in_menu=row.in_menu,
        image=image,
    )


def what_keeps_category(category_id: int) -> str:
    """Return the sentence that says which band, of now or to come, leads to a category, "" for none: home and menu
    would lead nowhere. Its former addresses lead to it too. Three queries."""
    category = Category.objects.get(pk=category_id)
    with translation.override(SOURCE_LANGUAGE):
        catalogue = reverse("catalog:list")
    words = category.slugs | {former.slug for former in category.former_slugs.all()}
    addresses = [address for word in words for address in (f"/{word}", f"{catalogue}?category={word}")]
    # With a filter or an anchor, or none.
    leading = tuple(f"{address}{sign}" for address in addresses for sign in "?&#")
    now = timezone.now()
    ahead = (row for row in SeasonalBanner.objects.all() if row.ends_at is None or row.ends_at > now)
    row = next((row for row in ahead if f"{row.link}#".startswith(leading)), None)
    if row is None:
        return ""
    return _("Le bandeau de saison «\u00a0%(title)s\u00a0» mène à cette catégorie. Changez-le d'abord.") % {
        "title": row.title
    }


def next_dated_change(since: datetime) -> datetime | None:
    """Return when the next passage or band begins or ends after a moment. One query."""
    dates = PageText.objects.order_by().values_list("starts_at", "ends_at")
    rows = dates.union(SeasonalBanner.objects.order_by().values_list("starts_at", "ends_at"))
    return min(
        (moment for row in rows for moment in row if moment is not None and moment > since), default=None
    )


def _rows() -> Sequence[PageText]:
    return cached_content(lambda: list(PageText.objects.all()), "texts")


def _in_force(row: PageText | SeasonalBanner, now: datetime | None) -> bool:
    moment = now or timezone.now()
    return (row.starts_at is None or row.starts_at <= moment) and (
        row.ends_at is None or moment < row.ends_at
    )


def _begun(row: PageText | SeasonalBanner) -> tuple[float, int]:
    return (row.starts_at.timestamp() if row.starts_at else float("-inf"), row.pk or 0)
