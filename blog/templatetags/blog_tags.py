"""What pages of the blog show of the newsletter."""

from __future__ import annotations

from django import template

from blog.models import Purpose
from blog.selectors.consents import consent_text
from catalog.markup import render_markdown

register = template.Library()
register.filter("clean_markdown", render_markdown)


@register.simple_tag
def newsletter_consent() -> str:
    """The words that are agreed to by subscribing."""
    return consent_text(Purpose.NEWSLETTER)
