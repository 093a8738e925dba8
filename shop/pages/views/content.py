"""Pages that are read: home, story, FAQ, legal texts. The same bytes for every visitor."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from shop.core import structured_data
from shop.core.public_pages import public_page
from shop.pages.models import FaqEntry, PageText, SeasonalBanner, SectionKind
from shop.pages.selectors.content import PageTexts, faq_chapters
from shop.pages.selectors.home import Preview, home_sections
from shop.pages.selectors.legal_texts import legal_page


@require_safe
@public_page()
def home(request: HttpRequest) -> HttpResponse:
    """`/`."""
    return draw_home(request)


def draw_home(
    request: HttpRequest,
    *,
    text: PageText | None = None,
    entry: FaqEntry | None = None,
    band: SeasonalBanner | None = None,
) -> HttpResponse:
    """The sections, as staff arranged them. `text`, `entry` and `band` are shown whatever their dates: for previews."""
    sections = home_sections(Preview(entry=entry, band=band))
    context: dict[str, Any] = {
        "texts": PageTexts(text),
        "sections": sections,
        "has_title": any(section.kind == SectionKind.HERO for section in sections),
    }
    for section in sections:
        context |= section.content
    return render(request, "shop/home.html", context)


@require_safe
@public_page()
def story(request: HttpRequest) -> HttpResponse:
    """`/notre-histoire`."""
    return draw_story(request)


def draw_story(request: HttpRequest, *, text: PageText | None = None) -> HttpResponse:
    """Who the workshop is. `text` is shown whatever its dates: for previews."""
    return render(
        request,
        "pages/story.html",
        {
            "texts": PageTexts(text),
            "breadcrumbs": [(_("Accueil"), reverse("home")), (_("Notre histoire"), None)],
        },
    )


@require_safe
@public_page()
def faq(request: HttpRequest) -> HttpResponse:
    """`/faq`."""
    return draw_faq(request)


def draw_faq(
    request: HttpRequest, *, text: PageText | None = None, entry: FaqEntry | None = None
) -> HttpResponse:
    """The questions in four chapters. `text` and `entry` are shown whatever their state: for previews."""
    chapters = faq_chapters(entry)
    asked = [(row.question, row.plain) for _code, _title, rows in chapters for row in rows]
    return render(
        request,
        "pages/faq.html",
        {
            "texts": PageTexts(text),
            "chapters": chapters,
            "faq_data": structured_data.faq_page(asked),
            "breadcrumbs": [(_("Accueil"), reverse("home")), (_("FAQ"), None)],
        },
    )


@require_safe
@public_page()
def legal_text(request: HttpRequest, page: str) -> HttpResponse:
    """Terms, privacy policy or legal notice, from their Markdown and the shop's settings."""
    text = legal_page(page)
    return render(
        request,
        "pages/text.html",
        {"text": text, "breadcrumbs": [(_("Accueil"), reverse("home")), (text.title, None)]},
    )


@require_safe
def terms_alias(request: HttpRequest) -> HttpResponse:
    """`/conditions-generales-vente` is another name of `/cgv`."""
    return HttpResponsePermanentRedirect(reverse("terms"))
