"""The shop's own texts, written in Markdown."""

from django import template
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt

register = template.Library()

# Raw HTML in the text stays text.
_PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")


@register.filter
def markdown(value: str) -> SafeString:
    """The text as HTML. Markup inside it is escaped and links to scripts are dropped."""
    return SafeString(_PARSER.render(value))
