"""The home page and the legal pages: the same bytes for every visitor."""

from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from catalog.selectors.cards import daily_gallery, featured_cards, finish_pair
from catalog.selectors.categories import collection_categories, main_categories
from shop.pages.home_texts import home_texts
from shop.pages.legal_texts import legal_page

HERO_SLIDES = 6
GALLERY_PIECES = 6
CHRISTMAS = "noel"
CHRISTMAS_MONTHS = (11, 12)


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Featured pieces, six pieces of the day, the two finishes of one piece, the categories, the season."""
    collections = collection_categories()
    today = timezone.localdate()
    season = next((card for card in collections if card.slug == CHRISTMAS and card.count), None)
    return render(
        request,
        "shop/home.html",
        {
            "texts": home_texts(),
            "hero": featured_cards(limit=HERO_SLIDES),
            "gallery": daily_gallery(count=GALLERY_PIECES),
            "pair": finish_pair(),
            "categories": main_categories(),
            "collections": collections,
            "season": season if today.month in CHRISTMAS_MONTHS else None,
            "season_title": _("Collection Noël %(year)d") % {"year": today.year},
        },
    )


@require_safe
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
