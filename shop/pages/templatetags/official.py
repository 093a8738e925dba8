"""`{% official_texts as texts %}`: what the law has shown word for word, where the owner has supplied it."""

from django import template

from shop.pages.selectors import official

register = template.Library()


@register.simple_tag
def official_texts() -> list[official.ShownText]:
    """At most one query a minute; an empty list shows nothing."""
    return official.official_texts()
