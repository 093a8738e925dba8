"""`/admin/textes`: what the pages say: passages, questions, bands, official texts, redirects, and the home page's
sections."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from shop.core import images
from shop.core.content_version import content_changed, save_shown
from shop.core.dates import day_in_words, shop_day
from shop.core.staff_actions import StaffAction
from shop.core.staff_pages import staff_page
from shop.core.staff_row_fields import Line, Part, language_parts
from shop.pages.models import FaqEntry, HomeSection, OfficialText, PageText, Redirect, SeasonalBanner
from shop.pages.selectors.official import missing_official_texts
from shop.pages.services.content import delete_content, set_banner_picture
from shop.pages.services.official import (
    delete_official_text,
    remove_official_picture,
    save_official_text,
    set_official_picture,
)
from shop.pages.staff.settings import Entry
from shop.pages.staff.text_forms import (
    BannerForm,
    FaqForm,
    OfficialTextForm,
    PageTextForm,
    RedirectForm,
    SectionForm,
    place_of,
)
from shop.pages.views.previews import preview
from shop.staff_rows import Row, StaffRows


class Texts(StaffRows[Row]):
    """Rows of pages, saved by their services."""

    view_action, edit_action = StaffAction.SEE_TEXTS, StaffAction.EDIT_TEXTS
    back = "staff-texts"

    def save(self, row: Any, form: Any) -> None:
        save_shown(row)

    def delete(self, row: Any) -> None:
        delete_content(row=row)

    def order_saved(self) -> None:
        content_changed()


class Previewed(Texts[Row]):
    """Rows that are seen on their page, in each language, before anybody else sees them."""

    def urls(self) -> list[URLPattern]:
        shown = staff_page(self.view_action)(self.preview_page)
        route = f"{self.address}/<int:row_id>/apercu/<slug:language>"
        return [*super().urls(), path(route, shown, name=f"staff-{self.name}-preview")]

    def preview_page(self, request: HttpRequest, row_id: int, language: str) -> HttpResponseBase:
        if language not in dict(settings.LANGUAGES):
            raise Http404
        row: Any = get_object_or_404(self.model, pk=row_id)
        return preview(request, row, language)

    def links(self, row: Row) -> Iterable[tuple[str, str]]:
        return [
            (f"Aperçu {code.upper()}", self._url("preview", row.pk, code))
            for code, _name in settings.LANGUAGES
        ]


class Passages(Previewed[PageText]):
    name, address, title = "passages", "textes/passages", "Textes de page"
    add_label = "Ajouter un texte"
    note = (
        "Jamais un délai ou un prix dans un texte\u00a0: {{ production_delay }}, {{ lowest_price }}, {{ "
        "shipping_table }} "
        "donnent la valeur du jour."
    )
    model, form = PageText, PageTextForm
    search_fields = ("key", "title_fr", "body_fr")
    parts = (
        Part("", ("key",)),
        *language_parts(("title", "body"), only="fr"),
        Part(
            "Dates",
            ("starts_at", "ends_at"),
            "Facultatif\u00a0: remplace le texte habituel pendant ce temps.",
        ),
        *language_parts(("title", "body"), skip="fr"),
    )

    def line(self, row: PageText) -> Line:
        return Line(row.title or row.key, place_of(row.key), _period(row))


class Questions(Previewed[FaqEntry]):
    name, address, title = "faq", "textes/questions", "Questions de la FAQ"
    add_label = "Ajouter une question"
    model, form = FaqEntry, FaqForm
    search_fields = ("question_fr", "answer_fr", "question_en", "question_es", "question_de")
    order_field = "position"
    parts = (
        *language_parts(("question", "answer"), only="fr"),
        Part("Où elle est montrée", ("category", "is_published", "on_faq", "on_home", "on_contact")),
        *language_parts(("question", "answer"), skip="fr"),
    )

    def line(self, row: FaqEntry) -> Line:
        places = (("FAQ", row.on_faq), ("accueil", row.on_home), ("contact", row.on_contact))
        shown = ", ".join(name for name, is_on in places if is_on)
        detail = f"{row.get_category_display()} · {shown or 'nulle part'}"
        return Line(row.question, detail, "" if row.is_published else "Masquée")


class Banners(Previewed[SeasonalBanner]):
    name, address, title = "banners", "textes/bandeaux", "Bandeaux de saison"
    add_label = "Ajouter un bandeau"
    note = "La bande verte de l'accueil, entre deux dates."
    model, form = SeasonalBanner, BannerForm
    search_fields = ("title_fr", "text_fr")
    parts = (
        Part("Dates", ("starts_at", "ends_at")),
        *language_parts(("title", "text", "link_label", "alt"), only="fr"),
        Part("Lien et image", ("link", "in_menu", "new_picture")),
        *language_parts(("title", "text", "link_label", "alt"), skip="fr"),
    )

    def line(self, row: SeasonalBanner) -> Line:
        return Line(row.title, row.link, _period(row), picture=self.picture(row))

    def picture(self, row: SeasonalBanner) -> str:
        if not row.file.name:
            return ""
        return images.describe(
            name=row.file.name,
            width=row.width,
            height=row.height,
            alt="",
            colour=row.colour,
            derivatives=row.derivatives,
        ).smallest_url

    def save(self, row: SeasonalBanner, form: Any) -> None:
        upload = form.cleaned_data.get("new_picture")
        if upload is None:
            save_shown(row)
        else:
            set_banner_picture(banner=row, image=upload)


class OfficialTexts(Texts[OfficialText]):
    """What terms, checkout and confirmation show word for word."""

    name, address, title = "official", "textes/officiels", "Textes officiels"
    add_label = "Ajouter un texte officiel"
    note = "Collez les mots exactement comme l'autorité les a publiés, une fiche par langue."
    model, form = OfficialText, OfficialTextForm
    parts = (Part("", ("kind", "language", "text")), Part("Image", ("new_picture", "remove_picture")))

    def warnings(self) -> Iterable[str]:
        missing = missing_official_texts()
        return [f"Textes officiels manquants en français\u00a0: {', '.join(missing)}"] if missing else []

    def line(self, row: OfficialText) -> Line:
        changed = day_in_words(shop_day(row.updated_at))
        return Line(row.get_kind_display(), f"{row.language.upper()} · modifié le {changed}")

    def picture(self, row: OfficialText) -> str:
        return row.file.url if row.file.name else ""

    def save(self, row: OfficialText, form: Any) -> None:
        picture = form.cleaned_data.get("new_picture")
        if picture is not None:
            set_official_picture(row=row, picture=picture)
        elif form.cleaned_data.get("remove_picture"):
            remove_official_picture(row=row)
        else:
            save_official_text(row=row)

    def delete(self, row: OfficialText) -> None:
        delete_official_text(row=row)


class Redirects(Texts[Redirect]):
    name, address, title = "redirects", "textes/redirections", "Redirections"
    add_label = "Ajouter une redirection"
    note = "La nouvelle adresse d'une ancienne. Une page qui existe est toujours montrée."
    model, form = Redirect, RedirectForm
    search_fields = ("old_path", "new_path")
    parts = (Part("", ("old_path", "new_path")),)

    def line(self, row: Redirect) -> Line:
        return Line(row.old_path, f"vers {row.new_path}")


class Sections(Texts[HomeSection]):
    name, address, title = "sections", "textes/accueil", "Sections de l'accueil"
    add_label = "Ajouter une section"
    note = "Dans l'ordre de la page d'accueil\u00a0: montez et descendez les lignes."
    model, form = HomeSection, SectionForm
    order_field = "position"
    parts = (Part("", ("kind", "is_visible", "starts_on", "ends_on")),)

    def line(self, row: HomeSection) -> Line:
        first = f"du {row.starts_on:%d/%m/%Y}" if row.starts_on else ""
        last = f"au {row.ends_on:%d/%m/%Y}" if row.ends_on else ""
        return Line(row.get_kind_display(), f"{first} {last}".strip(), "" if row.is_visible else "Masquée")


SCREENS: tuple[StaffRows[Any], ...] = (
    *(Passages(), Questions(), Banners(), OfficialTexts(), Redirects(), Sections()),
)


@staff_page(StaffAction.SEE_TEXTS)
def texts_index(request: HttpRequest) -> HttpResponseBase:
    entry = _entry
    entries = [
        entry("passages", "Textes de page", "Accueil, histoire, FAQ, contact\u00a0: un passage par ligne"),
        entry("faq", "Questions de la FAQ", "Chapitre, ordre, où chacune est montrée"),
        entry("banners", "Bandeaux de saison", "La bande de l'accueil entre deux dates"),
        entry("sections", "Sections de l'accueil", "Ce que l'accueil montre, dans quel ordre"),
        entry("official", "Textes officiels", "Garantie légale et encadrés, mot pour mot"),
        entry("redirects", "Redirections", "Anciennes adresses"),
        entry("synonyms", "Synonymes de la recherche", "Des mots qui veulent dire la même chose"),
    ]
    return render(request, "staff/texts.html", {"entries": entries})


def _entry(name: str, title: str, detail: str) -> Entry:
    return Entry(reverse(f"staff-{name}"), title, detail)


def _period(row: PageText | SeasonalBanner) -> str:
    """Return when a dated row is shown, in a few words."""
    now = timezone.now()
    if row.ends_at and row.ends_at <= now:
        return "Passé"
    if row.starts_at and row.starts_at > now:
        return f"Dès le {day_in_words(shop_day(row.starts_at), 'MONTH_DAY_FORMAT')}"
    return f"Jusqu'au {day_in_words(shop_day(row.ends_at), 'MONTH_DAY_FORMAT')}" if row.ends_at else ""
