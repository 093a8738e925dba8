"""Legal pages: Markdown files with places that the shop's settings, its delivery zones and its delays fill.

A value is text, never markup: it is escaped before the Markdown is read, and what comes out is sanitised. A mention
that nobody has filled in yet is said to be missing rather than left blank (LCEN art. 1-1, L221-5).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
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

from catalog.selectors.wording import default_production_days, production_text
from orders.selectors.withdrawals import function_sentence
from shop.core.languages import active_language
from shop.core.models import ShopSettings
from shop.pages.markup import MARKDOWN, PLACEHOLDER, escape, put_in_place, render_tokens, unescape
from shop.pages.selectors.official import official_texts
from shop.pages.selectors.personal_data import printed_activities
from shop.pages.selectors.placeholders import shipping_markdown

# A paragraph of its own in the terms.
_OFFICIAL_PLACE = "official-texts-place"
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
    """`terms`, `privacy` or `legal-notice` in the active language. One query for the delivery zones, one a minute for
    the official texts."""
    language = active_language()
    text = _render(page, language, tuple(sorted(_values(language).items())))
    official = render_to_string("components/official_texts.html", {"texts": official_texts()})
    return replace(text, html=put_in_place(text.html, _OFFICIAL_PLACE, official))


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
        "production_delay": production_text(default_production_days()),
        "shipping_table": shipping_markdown(language),
        "processing_table": _processing_table(),
        "retention_list": _retention_list(),
        # The owner's official texts, put in once the rest is rendered: they are no Markdown.
        "guarantee_box": _OFFICIAL_PLACE,
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
def _render(page: str, language: str, values: tuple[tuple[str, str], ...]) -> LegalText:
    filled = dict(values)
    meta, body = _parse(page, language)
    tokens = MARKDOWN.parse(_fill(body, filled))
    contents = _mark_chapters(tokens)
    plain = {key: unescape(value) for key, value in filled.items()}
    return LegalText(
        title=_fill(meta["title"], plain),
        description=_fill(meta["description"], plain),
        version=meta["version"],
        html=render_tokens(tokens),
        contents=contents,
    )


def _parse(page: str, language: str) -> tuple[dict[str, str], str]:
    path = _FOLDER / page / f"{language}.md"
    if not path.exists():
        path = _FOLDER / page / f"{settings.LANGUAGE_CODE}.md"
    _start, head, body = path.read_text(encoding="utf-8").split("---\n", 2)
    meta = dict(line.split(": ", 1) for line in head.splitlines() if line.strip())
    return meta, body


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
