"""The shop's own texts, written in Markdown."""

from collections.abc import Sequence
from functools import lru_cache

from django import template
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.token import Token

register = template.Library()

# Raw HTML in the text stays text.
_PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")


# Both filters: what is written in Markdown are the shop's own texts, the same on every page and in every mail.
@register.filter
@lru_cache(maxsize=64)
def markdown(value: str) -> SafeString:
    """The text as HTML. Markup inside it is escaped and links to scripts are dropped."""
    return SafeString(_PARSER.render(value))


@register.filter
@lru_cache(maxsize=64)
def markdown_text(text: str) -> str:
    """Return Markdown as a plain-text mail writes it: no marks, a title in capitals, a link as `words <address>`."""
    blocks: list[str] = []
    parsed, prefix = _PARSER.parse(text), ""
    for before, token in zip([None, *parsed], parsed, strict=False):
        if token.type == "list_item_open":
            prefix = f"{token.info}. " if token.info else "- "
        if token.type == "inline":
            words = _inline_text(token.children or [])
            is_title = before is not None and before.type == "heading_open"
            blocks.append(prefix + (words.upper() if is_title else words))
            prefix = ""
        elif token.type in ("fence", "code_block"):
            blocks.append(token.content.rstrip())
    return "\n\n".join(blocks)


def _inline_text(tokens: Sequence[Token]) -> str:
    words, addresses, starts = "", [""], [0]
    for token in tokens:
        if token.type == "link_open":
            addresses.append(str(token.attrGet("href") or ""))
            starts.append(len(words))
        elif token.type == "link_close":
            address = addresses.pop()
            if words[starts.pop() :] != address:
                words += f" <{address}>"
        elif token.type in ("softbreak", "hardbreak"):
            words += "\n"
        else:
            words += token.content
    return words
