"""The Markdown of an article as clean HTML with the shop's own pictures, and what can be told from it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from markdown_it.token import Token

from catalog.markup import MARKDOWN, heading_words, name_tables, plain_text, render_markdown, render_tokens
from shop.core.images import ImageInfo
from shop.core.languages import TRANSLATIONS
from shop.core.page_slugs import PAGE_SLUGS
from shop.core.templatetags.images import picture

WORDS_A_MINUTE: Final = 200
_TEXT_SIZES = "(min-width: 48rem) 40rem, 100vw"
# Where something else is put in after the text was cleaned. No keyboard writes these signs; typed ones are left out.
_PLACE = "\ue000{}\ue001"
_PLACED = re.compile("(<p>)?\ue000([0-9]+)\ue001(?(1)</p>)")
_TYPED_PLACE = re.compile("\ue000[0-9]*|\ue001")
# Names on the page around the text: a link to « Contenu » would lead to the top, and notices be said in « Live ».
_PAGE_NAMES = (
    *("contenu", "sommaire", "pieces", "a-lire", "lettre"),
    *("fil", "live", "toasts", "failed", "consent"),
)
_LANGUAGE = rf"(?:/(?:{'|'.join(TRANSLATIONS)}))?"
PRODUCT, ARTICLE = (
    re.compile(
        rf"(?:{re.escape(settings.SITE_URL)})?{_LANGUAGE}/(?:{'|'.join(PAGE_SLUGS[page])})/([1-9][0-9]{{0,17}})"
        r"(?:-[^\s?#]*)?(\?[^\s#]*)?(?:#\S*)?"
    )
    for page in ("product", "blog")
)
"""Addresses of pieces and articles, as they are copied in any language: the number, and the query if there is one."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the second level: its words and the name that its address ends in."""

    text: str
    anchor: str


@dataclass(frozen=True, slots=True)
class ArticleBody:
    """An article as it is shown, and its headings for a table of contents."""

    html: SafeString
    headings: tuple[Heading, ...]


def word_count(text: str) -> int:
    """How many words a reader of this Markdown reads."""
    return len(plain_text(render_markdown(text)).split())


def reading_minutes(words: int) -> int:
    """Words divided by 200, rounded up; a minute at least."""
    return max(1, -(-words // WORDS_A_MINUTE))


def picture_files(text: str) -> set[str]:
    """The files of the media storage that the pictures of this Markdown name."""
    sources = {str(token.attrGet("src") or "") for token in _pictures(MARKDOWN.parse(text))}
    return {
        source.removeprefix(settings.MEDIA_URL) for source in sources if source.startswith(settings.MEDIA_URL)
    }


def cited_products(text: str) -> list[int]:
    """The keys of the products that have a paragraph of their own: a link to a product (`/produit/12-…`), alone."""
    found = (_cited(token) for token in MARKDOWN.parse(text))
    return [key for key in found if key is not None]


def render_article(text: str, pictures: Mapping[str, ImageInfo], cards: Mapping[int, object]) -> ArticleBody:
    """The text as sanitised HTML, its own title's level left to the page.

    `pictures` are those that may be shown, by file; what names another is left out. `cards` are products by key
    (`catalog.selectors.cards.ProductCard`): a paragraph that cites one shows it, any other stays a link.
    """
    tokens = MARKDOWN.parse(_TYPED_PLACE.sub("", text))
    headings = _name_headings(tokens)
    # By the words of their headings, before pictures among them become places: those are filled within attributes, too.
    name_tables(tokens)
    placed: list[SafeString] = []
    for token in tokens:
        key = _cited(token)
        if key is not None and key in cards:
            token.children = [
                _place(placed, SafeString(render_to_string("blog/_cited.html", {"card": cards[key]})))
            ]
        elif token.type == "inline":
            alone = len(token.children or []) == 1
            token.children = [_shown(child, pictures, placed, alone) for child in token.children or []]
    html = _PLACED.sub(lambda found: _fill(found, placed), render_tokens(tokens))
    return ArticleBody(mark_safe(html), headings)  # noqa: S308 - sanitised, and what is placed is escaped


def _fill(found: re.Match[str], placed: Sequence[SafeString]) -> str:
    number = int(found[2])
    return placed[number] if number < len(placed) else ""


def _place(placed: list[SafeString], html: SafeString) -> Token:
    placed.append(html)
    return Token("text", "", 0, content=_PLACE.format(len(placed) - 1))


def _shown(token: Token, pictures: Mapping[str, ImageInfo], placed: list[SafeString], alone: bool) -> Token:
    """A picture as its place, or nothing; any other token as it is. Alone in its paragraph, it is a figure whose
    caption is the picture's title."""
    if token.type != "image":
        return token
    image = pictures.get(str(token.attrGet("src") or "").removeprefix(settings.MEDIA_URL))
    if image is None:
        return Token("text", "", 0)
    drawn = picture(image, sizes=_TEXT_SIZES, alt=token.content)
    if not alone:
        return _place(placed, drawn)
    title = str(token.attrGet("title") or "")
    caption = format_html("<figcaption>{}</figcaption>", title) if title else ""
    return _place(placed, format_html('<figure class="article__figure">{}{}</figure>', drawn, caption))


def _name_headings(tokens: Sequence[Token]) -> tuple[Heading, ...]:
    """Make the first level the second, and give those of the second a name of their own."""
    headings: list[Heading] = []
    used = set(_PAGE_NAMES)
    for opening, inline in pairwise(tokens):
        if opening.type in ("heading_open", "heading_close"):
            opening.tag = {"h1": "h2", "h5": "h4", "h6": "h4"}.get(opening.tag, opening.tag)
        if inline.type == "heading_close":
            inline.tag = {"h1": "h2", "h5": "h4", "h6": "h4"}.get(inline.tag, inline.tag)
        if opening.type == "heading_open" and opening.tag == "h2":
            words = heading_words(inline)
            anchor = name = slugify(words) or "partie"
            number = 2
            while anchor in used:
                anchor, number = f"{name}-{number}", number + 1
            used.add(anchor)
            opening.attrSet("id", anchor)
            headings.append(Heading(words, anchor))
    return tuple(headings)


def _pictures(tokens: Sequence[Token]) -> list[Token]:
    return [child for token in tokens for child in token.children or [] if child.type == "image"]


def _cited(token: Token) -> int | None:
    """The product that a paragraph consists of a link to."""
    found = PRODUCT.fullmatch(linked_alone(token))
    return int(found[1]) if found else None


def linked_alone(token: Token) -> str:
    """Return where the link leads that is all of a paragraph; "" for any other paragraph."""
    children = token.children or []
    if token.type != "inline" or len(children) < 2 or children[0].type != "link_open":
        return ""
    if children[-1].type != "link_close" or any(child.type == "link_close" for child in children[:-1]):
        return ""
    return str(children[0].attrGet("href") or "")
