"""A page as it will be, with one row that is not shown yet: for operators alone, from the admin."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import translation

from shop.pages.forms import ContactForm
from shop.pages.models import FaqEntry, PageText, SeasonalBanner
from shop.pages.views.contact import draw_contact
from shop.pages.views.content import draw_faq, draw_home, draw_story


def preview(request: HttpRequest, row: FaqEntry | PageText | SeasonalBanner, language: str) -> HttpResponse:
    """The page that shows this row, in this language, whatever the row's dates and state."""
    with translation.override(language):
        return _draw(request, row)


def _draw(request: HttpRequest, row: FaqEntry | PageText | SeasonalBanner) -> HttpResponse:
    if isinstance(row, SeasonalBanner):
        return draw_home(request, band=row)
    if isinstance(row, FaqEntry):
        if row.on_faq or not row.on_home:
            row.on_faq = True
            return draw_faq(request, entry=row)
        return draw_home(request, entry=row)
    page = row.key.partition("-")[0]
    if page == "home":
        return draw_home(request, text=row)
    if page in ("story", "value"):
        return draw_story(request, text=row)
    if page == "faq":
        return draw_faq(request, text=row)
    if page == "contact":
        return draw_contact(request, form=ContactForm(), text=row)
    raise Http404
