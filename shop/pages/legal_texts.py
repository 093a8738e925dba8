"""Legal pages: Markdown files with places that the shop's settings, its delivery zones and its delays fill.

A value is text, never markup: it is escaped before the Markdown is read, and what comes out is sanitised. A mention
that nobody has filled in yet is said to be missing rather than left blank (LCEN art. 1-1, L221-5).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import nh3
from django.conf import settings
from django.utils.html import strip_tags
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.token import Token

from orders.selectors.delivery import shipping_table
from shop.core.models import ShopSettings
from shop.core.money import format_amount

_FOLDER = Path(__file__).resolve().parent / "texts"
_PLACE = re.compile(r"\{\{ (\w+) \}\}")
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~&])")
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
_TAGS = {
    "h2", "h3", "h4", "p", "ul", "ol", "li", "strong", "em", "a", "br", "hr", "blockquote", "code",
    "table", "thead", "tbody", "tr", "th", "td", "div",
}  # fmt: skip
_ATTRIBUTES = {"a": {"href"}, "h2": {"id"}, "ol": {"start"}, "div": {"class", "tabindex", "role"}}


@dataclass(frozen=True, slots=True)
class LegalText:
    """A legal page: `contents` are the (anchor, title) of its chapters."""

    title: str
    description: str
    version: str
    html: SafeString
    contents: tuple[tuple[str, str], ...]


def legal_page(page: str) -> LegalText:
    """`terms`, `privacy` or `legal-notice` in the active language. One query for the delivery zones."""
    language = (get_language() or settings.LANGUAGE_CODE)[:2]
    return _render(page, language, tuple(sorted(_values(language).items())))


def _values(language: str) -> dict[str, str]:
    shop = ShopSettings.load()
    missing = _("[à compléter]")

    def text(value: str) -> str:
        return _escape(", ".join(line.strip() for line in value.splitlines() if line.strip()) or missing)

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
        "production_min_days": str(shop.default_production_days_min),
        "production_max_days": str(shop.default_production_days_max),
        "shipping_table": _shipping_markdown(language),
        **{f"retention_{name}": str(value) for name, value in settings.RETENTION.items()},
        # The owner supplies the official text of the legal guarantees (D211-2); there is none yet.
        "guarantee_box": "",
        "withdrawal_function": "",
    }


def _escape(value: str) -> str:
    return _SPECIAL.sub(r"\\\1", value)


def _mail_link(address: str) -> str:
    return f"[{_escape(address)}](<mailto:{address}>)"


def _shipping_markdown(language: str) -> str:
    head = [_("Zone"), _("Pays"), _("Livraison"), _("Offerte à partir de")]
    rows = [
        [
            _escape(row.name),
            _escape(", ".join(row.countries)) or _("Tous les autres"),
            format_amount(row.rate, language),
            format_amount(row.free_from, language) if row.free_from is not None else "–",
        ]
        for row in shipping_table()
    ]
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


@lru_cache(maxsize=32)
def _render(page: str, language: str, values: tuple[tuple[str, str], ...]) -> LegalText:
    filled = dict(values)
    meta, body = _parse(page, language)
    tokens = _MARKDOWN.parse(_fill(body, filled))
    contents = _mark_chapters(tokens)
    html = nh3.clean(
        _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}),
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        link_rel="noopener",
    )
    html = html.replace("&nbsp;", "\u00a0")
    # Wide tables scroll by themselves; they can be reached and scrolled by keyboard.
    html = html.replace("<table>", '<div class="table-scroll" tabindex="0" role="group"><table>')
    html = html.replace("</table>", "</table></div>")
    plain = {key: re.sub(r"\\(.)", r"\1", value) for key, value in filled.items()}
    return LegalText(
        title=_fill(meta["title"], plain),
        description=_fill(meta["description"], plain),
        version=meta["version"],
        html=mark_safe(html),  # noqa: S308 - sanitised just above
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
    """Puts the values into their places. An unknown place is an error: a law's mention would go missing silently."""
    return _PLACE.sub(lambda place: values[place[1]], text)


def _mark_chapters(tokens: list[Token]) -> tuple[tuple[str, str], ...]:
    chapters: list[tuple[str, str]] = []
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open" and opening.tag == "h2":
            label = strip_tags(_MARKDOWN.renderInline(inline.content))
            anchor = f"{slugify(label) or 'chapitre'}"
            if any(anchor == known for known, _label in chapters):
                anchor = f"{anchor}-{len(chapters) + 1}"
            opening.attrSet("id", anchor)
            chapters.append((anchor, label))
    return tuple(chapters)
