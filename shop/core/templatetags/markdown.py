"""The shop's own texts, written in Markdown."""

from django import template
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

register = template.Library()

# Raw HTML in the text stays text.
_PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")


@register.filter
def markdown(value: str) -> SafeString:
    """The text as HTML. Markup inside it is escaped and links to scripts are dropped."""
    return mark_safe(_PARSER.render(value))  # noqa: S308 - the renderer escapes all markup
