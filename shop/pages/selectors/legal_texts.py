"""Legal pages: Markdown files with places that the shop's settings, its delivery zones and its delays fill.

A value is text, never markup: it is escaped before the Markdown is read, and what comes out is sanitised. A mention
that nobody has filled in yet is said to be missing rather than left blank (LCEN art. 1-1, L221-5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.html import strip_tags
from django.utils.safestring import SafeString
from django.utils.text import slugify
from django.utils.translation import gettext as _
from markdown_it.token import Token

from catalog.markup import MARKDOWN, put_in_place, render_tokens
from catalog.selectors.wording import default_production_days, production_text
from orders.selectors.mail_contexts import with_withdrawal_form
from orders.selectors.withdrawals import function_sentence
from shop.core.languages import active_language
from shop.core.models import ShopSettings
from shop.pages.markup import PLACEHOLDER, escape, unescape
from shop.pages.selectors.cookie_tables import CHOICE_PLACE, choice_html, cookie_values
from shop.pages.selectors.official import ShownText, official_texts
from shop.pages.selectors.personal_data import printed_activities
from shop.pages.selectors.placeholders import shipping_markdown
from shop.terms.models import OfficialTerm, TermsText, TermsVersion
from shop.terms.versions import OFFICIAL_PLACE, current_terms

_FOLDER = Path(__file__).resolve().parent.parent / "texts"


@dataclass(frozen=True, slots=True)
class LegalText:
    """A legal page: `contents` are the (anchor, title) of its chapters."""

    title: str
    description: str
    version: str
    html: SafeString
    contents: tuple[tuple[str, str], ...]


def legal_page(page: str) -> LegalText:
    """`terms`, `privacy`, `cookies` or `legal-notice` in the active language, the terms as they were published last.
    One query for the delivery zones; for the terms one, two more while none are published, and one a minute for the
    official texts."""
    if page == "terms" and (version := current_terms()) is not None:
        return published_terms(version)
    text, official = _filled(page), [asdict(shown) for shown in official_texts()]
    return _rendered(text, official)


def published_terms(version: TermsVersion) -> LegalText:
    """Return a version of the terms in the active language. No query."""
    text = version.text(active_language())
    return _rendered((text["title"], text["description"], version.number, text["body"]), text["official"])


def draft_terms() -> dict[str, TermsText]:
    """Return the terms as they would be published now, in every language."""
    found: dict[str, TermsText] = {}
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            title, description, _version, body = _filled("terms")
            found[language] = TermsText(
                title=title,
                description=description,
                body=body,
                official=[_official_term(shown) for shown in official_texts()],
            )
    return found


def _official_term(shown: ShownText) -> OfficialTerm:
    return OfficialTerm(
        label=shown.label,
        language=shown.language,
        text=shown.text,
        url=shown.url,
        width=shown.width,
        height=shown.height,
    )


def _filled(page: str) -> tuple[str, str, str, str]:
    """Title, description, version and Markdown of a page in the active language, the shop's mentions in place."""
    language = active_language()
    values = _values(language)
    meta, body = _parse(page, language)
    plain = {key: unescape(value) for key, value in values.items()}
    return (
        _fill(meta["title"], plain),
        _fill(meta["description"], plain),
        meta["version"],
        _fill(body, values),
    )


def _rendered(text: tuple[str, str, str, str], official: Sequence[Mapping[str, object]]) -> LegalText:
    page = _render(active_language(), *text)
    page = replace(page, html=put_in_place(page.html, CHOICE_PLACE, choice_html()))
    if OFFICIAL_PLACE not in page.html:
        return page
    shown = render_to_string("components/official_texts.html", {"texts": official})
    return replace(page, html=put_in_place(page.html, OFFICIAL_PLACE, shown))


def _values(language: str) -> dict[str, str]:
    shop = ShopSettings.load()
    missing = _("[à compléter]")

    def text(value: str) -> str:
        return escape(", ".join(line.strip() for line in value.splitlines() if line.strip()) or missing)

    mediator = [shop.mediator_name, shop.mediator_address, shop.mediator_url]
    return {
        "shop_name": text(shop.shop_name),
        "trader_name": text(shop.trader_name),
        "siret": text(shop.siret),
        "address": text(shop.address),
        "email": _mail_link(shop.email) if shop.email else text(""),
        "phone": text(shop.phone),
        "publication_director": text(shop.publication_director),
        "host_name": text(shop.host_name),
        "host_address": text(shop.host_address),
        "host_phone": text(shop.host_phone),
        "mediator": text("\n".join(part for part in mediator if part)),
        "packaging_id": text(shop.packaging_id),
        "vat_notice": text(shop.vat_notice_text),
        "production_delay": production_text(default_production_days()),
        "shipping_table": shipping_markdown(language),
        "processing_table": _processing_table(),
        "retention_list": _retention_list(),
        # The owner's official texts, put in once the rest is rendered: they are no Markdown.
        "guarantee_box": OFFICIAL_PLACE,
        **cookie_values(),
        "withdrawal_function": function_sentence(_french_path("orders:withdrawal")),
    }


def _processing_table() -> str:
    """What is processed, for what and on which basis (GDPR art. 13), from the register of what apps hold."""
    rows = [
        [str(_("Usage")), str(_("Données")), str(_("Base légale"))],
        ["---"] * 3,
        *(
            [
                escape(str(text))
                for text in (
                    printed.activity.label,
                    printed.activity.data,
                    printed.activity.basis.label,
                )
            ]
            for printed in printed_activities()
        ),
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _retention_list() -> str:
    """How long, from the same register."""
    line = _("%(label)s\u00a0: %(periods)s.")
    return "\n".join(
        "- " + escape(line % {"label": printed.activity.label, "periods": ", ".join(printed.periods)})
        for printed in printed_activities()
    )


def _french_path(name: str) -> str:
    """Return an address as texts hold them: the French one, which rendering turns into the active language's."""
    with translation.override(settings.LANGUAGE_CODE):
        return reverse(name)


def _mail_link(address: str) -> str:
    return f"[{escape(address)}](<mailto:{address}>)"


@lru_cache(maxsize=32)
def _render(language: str, title: str, description: str, version: str, body: str) -> LegalText:
    """`language` is the active one: links lead to its pages."""
    tokens = MARKDOWN.parse(body)
    contents = _mark_chapters(tokens)
    return LegalText(
        title=title, description=description, version=version, html=render_tokens(tokens), contents=contents
    )


def _parse(page: str, language: str) -> tuple[dict[str, str], str]:
    path = _FOLDER / page / f"{language}.md"
    if not path.exists():
        path = _FOLDER / page / f"{settings.LANGUAGE_CODE}.md"
    _start, head, body = path.read_text(encoding="utf-8").split("---\n", 2)
    meta = dict(line.split(": ", 1) for line in head.splitlines() if line.strip())
    return meta, with_withdrawal_form(body, language)


def _fill(text: str, values: Mapping[str, str]) -> str:
    """Put the values into their places. An unknown place is an error: a law's mention would go missing silently."""
    return PLACEHOLDER.sub(lambda place: values[place[1]], text)


def _mark_chapters(tokens: list[Token]) -> tuple[tuple[str, str], ...]:
    chapters: list[tuple[str, str]] = []
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open" and opening.tag == "h2":
            label = strip_tags(MARKDOWN.renderInline(inline.content))
            anchor = f"{slugify(label) or 'chapitre'}"
            if any(anchor == known for known, _label in chapters):
                anchor = f"{anchor}-{len(chapters) + 1}"
            opening.attrSet("id", anchor)
            chapters.append((anchor, label))
    return tuple(chapters)
