"""Tags: written as words, found again whatever their capitals and accents."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.text import slugify
from django.utils.translation import gettext as _

from blog.models import TAG_LENGTH, Tag
from shop.core.problems import Problem

MOST_TAGS = 12


def tags_named(names: Iterable[str]) -> list[Tag]:
    """The tags of these names in the order given, made where there are none; a name given twice counts once. Two
    queries, one more for each new tag.

    Raises `Problem` (400 `invalid`, field `tags`) for a name that is too long or without any letter, and for too many.
    """
    wanted: dict[str, str] = {}
    for name in names:
        text = " ".join(name.split())
        if not text:
            continue
        slug = slugify(text)[:60].strip("-")
        if not slug:
            raise _refusal(_("«\u00a0%(name)s\u00a0» n'a ni lettre ni chiffre.") % {"name": text})
        if len(text) > TAG_LENGTH:
            raise _refusal(_("Une étiquette a %(count)d signes au plus.") % {"count": TAG_LENGTH})
        wanted.setdefault(slug, text)
    if len(wanted) > MOST_TAGS:
        raise _refusal(_("Un article a %(count)d étiquettes au plus.") % {"count": MOST_TAGS})
    known = {tag.slug: tag for tag in Tag.objects.filter(slug__in=wanted)}
    for slug, text in wanted.items():
        if slug not in known:
            # Somebody else may make the same tag at the same time.
            known[slug] = Tag.objects.get_or_create(slug=slug, defaults={"name_fr": text})[0]
    return [known[slug] for slug in wanted]


def _refusal(message: str) -> Problem:
    return Problem("invalid", message, errors={"tags": [message]})
