"""Pages that are read: home, story, FAQ, legal texts. The same bytes for every visitor."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from shop.core import structured_data
from shop.core.fragment_cache import cached_fragment
from shop.core.public_pages import public_page
from shop.core.site import redirect_for_good
from shop.pages.models import FaqEntry, PageText, SeasonalBanner, SectionKind
from shop.pages.selectors.content import PageTexts, faq_chapters
from shop.pages.selectors.home import Preview, home_sections
from shop.pages.selectors.legal_texts import legal_page, published_terms
from shop.terms.models import TermsVersion


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
    sections = cached_fragment(lambda: home_sections(Preview(entry=entry, band=band)), "home-shown")
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
    """Privacy policy, legal notice or withdrawal notice, from their Markdown and the shop's settings."""
    text = legal_page(page)
    return render(
        request,
        "pages/text.html",
        {
            "text": text,
            "has_statistics_switch": page == "privacy",
            "breadcrumbs": [(_("Accueil"), reverse("home")), (text.title, None)],
        },
    )


@require_safe
@public_page()
def terms(request: HttpRequest, number: str = "") -> HttpResponse:
    """The terms of sale in force, or those of an earlier `number`. Two queries, four while none are published."""
    versions = list(TermsVersion.objects.defer("texts"))
    version = next((row for row in versions if not number or row.number == number), None)
    if number and version is None:
        raise Http404
    text = published_terms(version) if version is not None else legal_page("terms")
    is_current = version is None or version == versions[0]
    trail = [(_("Accueil"), reverse("home")), (text.title, None if is_current else reverse("terms"))]
    if version is not None and not is_current:
        trail.append((version.number, None))
    response = render(
        request,
        "pages/text.html",
        {
            "text": text,
            "version": version,
            "is_current": is_current,
            "others": [row for row in versions if row != version],
            "breadcrumbs": trail,
        },
    )
    if number:
        # The one in force is read at its own address.
        response["X-Robots-Tag"] = "noindex"
    return response


@require_safe
def terms_alias(request: HttpRequest) -> HttpResponseBase:
    """`/conditions-generales-vente` is another name of `/cgv`."""
    return redirect_for_good(reverse("terms"), request)
