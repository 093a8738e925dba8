"""What a letter shows: its Markdown cut into blocks, which its mail, its plain text and its archive page each draw."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from django.conf import settings
from django.core.files.storage import default_storage
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from markdown_it.token import Token

from blog.mails.links import archive_url, preferences_url, unsubscribe_url
from blog.markup import ARTICLE, PRODUCT, linked_alone
from blog.models import Campaign, CampaignText, Subscriber
from blog.selectors.articles import cited_articles
from catalog.markup import MARKDOWN, localise
from catalog.selectors.cards import ProductCard, build_cards, read_published_cards
from shop.core.images import ImageInfo
from shop.core.money import amount_string
from shop.core.site import absolute_url
from shop.core.templatetags.markdown import markdown_text

Block = dict[str, str]
_SITE = re.escape(settings.SITE_URL)
# The title of the first level is the subject's.
_TITLE = re.compile(r"^#(?=\s)", re.MULTILINE)
_OWN_LINK = re.compile(rf"\]\(((?:{_SITE})?/[^)\s]*)")
# What it is, its number, and the query that its address has.
_Cited = tuple[str, int, str]


def make_blocks(body: str, language: str) -> list[Block]:
    """Return the blocks of a text: `{"kind": "text", "markdown", "text"}` and, for a paragraph that is only the address
    of a piece or an article of the shop, `{"kind": "piece" | "article", "name", "url", "image", "price", "detail"}`.

    Prices are those of now, `""` for an article; links are absolute, lead to pages in `language` and keep their query.
    What is not on sale, or not published, is left out. As many queries as the cards and articles take, whatever their
    number.
    """
    parts = list(_parts(body))
    pieces = [part[1] for part in parts if isinstance(part, tuple) and part[0] == "piece"]
    articles = [part[1] for part in parts if isinstance(part, tuple) and part[0] == "article"]
    with translation.override(language):
        found: dict[tuple[str, int], Block] = {
            ("piece", card.id): _piece(card) for card in build_cards(read_published_cards(pieces))
        }
        for article in cited_articles(articles):
            found["article", article.id] = {
                "kind": "article",
                "name": article.title,
                "url": absolute_url(article.url),
                "image": _picture(article.image),
                "price": "",
                "detail": article.excerpt,
            }
        blocks = (_text(part) if isinstance(part, str) else _shown(found, part) for part in parts)
        return [block for block in blocks if block is not None]


def letter_context(text: CampaignText, *, anew: bool = False) -> dict[str, Any]:
    """Return what the mail of a letter shows, the same for everybody: of one that was not sent yet, and `anew`, with
    the pieces and prices of now."""
    blocks = text.shown_blocks
    if blocks is None or anew:
        blocks = make_blocks(text.body, text.language)
    return {
        "subject": text.subject,
        "preheader": text.preheader,
        "blocks": blocks,
        "archive_url": archive_url(text.campaign, text.language),
    }


def letter_links(subscriber: Subscriber, campaign: Campaign) -> dict[str, str]:
    """Return the links of a letter that are one subscriber's."""
    return {
        "preferences_url": preferences_url(subscriber),
        "unsubscribe_url": unsubscribe_url(subscriber, campaign_id=campaign.pk),
    }


def sample_links(language: str) -> dict[str, str]:
    """Return links of a letter that are nobody's: for previews and tests."""
    with translation.override(language):
        return {
            "preferences_url": absolute_url(reverse("blog:newsletter-preferences")),
            "unsubscribe_url": absolute_url(reverse("blog:newsletter-stop")),
        }


def _parts(body: str) -> Iterator[str | _Cited]:
    """The Markdown between lines that cite something, and what these cite."""
    # The lines that the parser counts: text that was pasted may have other ends of lines in it.
    lines = [part for line in body.split("\n") for part in (("", line, "") if _is_cited(line) else (line,))]
    body, start = "\n".join(lines), 0
    for opening, inline in zip(tokens := MARKDOWN.parse(body), tokens[1:], strict=False):
        cited = _cited(inline) if opening.type == "paragraph_open" and opening.level == 0 else None
        if cited is not None and opening.map is not None:
            yield "\n".join(lines[start : opening.map[0]])
            yield cited
            start = opening.map[1]
    yield "\n".join(lines[start:])


def _is_cited(line: str) -> bool:
    """Whether a line would cite something between two empty ones: writers are not asked for those."""
    tokens = MARKDOWN.parse(line) if "/" in line else []
    return len(tokens) == 3 and _cited(tokens[1]) is not None


def _cited(token: Token) -> _Cited | None:
    address = linked_alone(token) or token.content.strip()
    for kind, pattern in (("piece", PRODUCT), ("article", ARTICLE)):
        if found := pattern.fullmatch(address):
            return kind, int(found[1]), found[2] or ""
    return None


def _shown(found: Mapping[tuple[str, int], Block], cited: _Cited) -> Block | None:
    kind, key, query = cited
    block = found.get((kind, key))
    return block and {**block, "url": block["url"] + query}


def _text(markdown: str) -> Block | None:
    if not markdown.strip():
        return None
    text = _TITLE.sub("##", markdown.strip())
    own = _OWN_LINK.sub(lambda found: f"]({absolute_url(localise(found[1]))}", text)
    return {"kind": "text", "markdown": own, "text": markdown_text(own)}


def _piece(card: ProductCard) -> Block:
    """A piece that is sold out says so, and offers no price."""
    price, detail = amount_string(card.price), "from" if card.price_to else ""
    if not card.available:
        price, detail = "", _("Rupture de stock")
    return {
        "kind": "piece",
        "name": card.name,
        "url": absolute_url(card.url),
        "image": _picture(card.image),
        "price": price,
        "detail": detail,
    }


def _picture(image: ImageInfo | None) -> str:
    """The address of a picture that every mail program shows; "" without one."""
    if image is None:
        return ""
    return absolute_url(default_storage.url(image.small_jpeg) if image.small_jpeg else image.url)
