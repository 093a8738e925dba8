"""Markdown that staff wrote, as clean HTML: no markup of its own, sanitised, its links in the visitor's language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from itertools import pairwise

import nh3
from django.conf import settings
from django.urls import Resolver404, resolve, translate_url
from django.utils import translation
from django.utils.html import strip_tags
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

from catalog.models import Category
from catalog.selectors.addresses import category_url
from catalog.selectors.categories import find_category
from shop.core.languages import active_language
from shop.core.site import COLLECTION_VIEW

MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
_TAGS = {
    "h2", "h3", "h4", "p", "ul", "ol", "li", "strong", "em", "a", "br", "hr", "blockquote", "code",
    "table", "thead", "tbody", "tr", "th", "td", "div",
}  # fmt: skip
_ATTRIBUTES = {
    "a": {"href"}, "h2": {"id"}, "ol": {"start"}, "table": {"aria-label"}, "div": {"class", "tabindex", "role"},
}  # fmt: skip


def render_markdown(text: str) -> SafeString:
    """Return the text as sanitised HTML."""
    return render_tokens(MARKDOWN.parse(text))


def render_tokens(tokens: Sequence[Token]) -> SafeString:
    """Parsed Markdown as sanitised HTML; links to pages of the shop go to the active language's."""
    _localise_links(tokens)
    name_tables(tokens)
    html = nh3.clean(
        MARKDOWN.renderer.render(tokens, MARKDOWN.options, {}),
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        link_rel="noopener",
    )
    html = html.replace("&nbsp;", "\u00a0")
    # Wide tables scroll by themselves; they can be reached and scrolled by keyboard.
    html = re.sub(
        r'<table( aria-label="[^"]*")?>',
        r'<div class="table-scroll" tabindex="0" role="group"\1><table\1>',
        html,
    )
    html = html.replace("</table>", "</table></div>")
    return mark_safe(html)  # noqa: S308 - sanitised just above


def put_in_place(html: SafeString, place: str, inner: SafeString) -> SafeString:
    """Rendered HTML with the paragraph that says only `place` replaced by other HTML, itself safe already."""
    return mark_safe(html.replace(f"<p>{place}</p>", inner))  # noqa: S308 - both are HTML made safe before


def plain_text(html: str) -> str:
    """Return the words of rendered Markdown on one line, for search engines: a row of a table is a sentence."""
    html = re.sub(r"</t[dh]>\s*</tr>", ".", re.sub(r"</t[dh]>\s*<t[dh]>", " · ", html))
    return unescape(" ".join(strip_tags(html).split()))


def localise(address: str) -> str:
    """Return a French address of this shop, a path or a full one, as the active language's; other addresses as they
    are. Query and anchor stay: a campaign is counted by its words."""
    path = address.removeprefix(settings.SITE_URL)
    if not path.startswith("/") or path.startswith("//"):
        return address
    language, page = active_language(), path.partition("#")[0].partition("?")[0]
    with translation.override(settings.LANGUAGE_CODE):
        translated = translate_url(path, language)
        row = _collection_at(page)
    if row is not None:
        own, rest = category_url(row), path.removeprefix(page)
        translated = f"{own}&{rest[1:]}" if "?" in own and rest.startswith("?") else own + rest
    return address.removesuffix(path) + translated


def _collection_at(path: str) -> Category | None:
    """The collection at a French address, whose word is its own in each language."""
    try:
        match = resolve(path)
    except Resolver404:
        return None
    return find_category(match.kwargs["slug"]) if match.view_name == COLLECTION_VIEW else None


def _localise_links(tokens: Sequence[Token]) -> None:
    for token in tokens:
        if token.type == "link_open":
            token.attrSet("href", localise(str(token.attrGet("href") or "")))
        _localise_links(token.children or [])


def heading_words(inline: Token) -> str:
    """What a heading says, without its markup: one that is underlined may have several lines."""
    breaks = ("softbreak", "hardbreak")
    return "".join(" " if child.type in breaks else child.content for child in inline.children or [])


def name_tables(tokens: Sequence[Token]) -> None:
    """Call each table what the heading above it says: readers of a screen choose one from a list of names. A table that
    has its name keeps it."""
    heading = ""
    for token, following in pairwise(tokens):
        if token.type == "heading_open":
            heading = heading_words(following)
        elif token.type == "table_open" and heading and token.attrGet("aria-label") is None:
            token.attrSet("aria-label", heading)
