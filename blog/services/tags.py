"""Tags: written as words, found again whatever their capitals and accents, also by a name that staff gave them
since."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.text import slugify
from django.utils.translation import gettext as _

from blog.models import TAG_LENGTH, Tag
from shop.core.content_version import save_shown
from shop.core.problems import InvalidFields, Problem

MOST_TAGS = 12


def tags_named(names: Iterable[str]) -> list[Tag]:
    """The tags of these names in the order given, made where there are none; a name given twice counts once. One query,
    two more for each new tag.

    Raises `Problem` (400 `invalid`, field `tags`) for a name that is too long or without any letter, and for too many.
    """
    wanted: dict[str, str] = {}
    for name in names:
        text = " ".join(name.split())
        if not text:
            continue
        slug = _word_of(text)
        if not slug:
            raise _refusal(_("«\u00a0%(name)s\u00a0» n'a ni lettre ni chiffre.") % {"name": text})
        if len(text) > TAG_LENGTH:
            raise _refusal(_("Une étiquette a %(count)d signes au plus.") % {"count": TAG_LENGTH})
        wanted.setdefault(slug, text)
    if len(wanted) > MOST_TAGS:
        raise _refusal(_("Un article a %(count)d étiquettes au plus.") % {"count": MOST_TAGS})
    known = _known_tags()
    for slug, text in wanted.items():
        if slug not in known:
            # Somebody else may make the same tag at the same time.
            known[slug] = Tag.objects.get_or_create(slug=slug, defaults={"name_fr": text})[0]
    # Its name of now and the one that it was made of are one tag.
    return list(dict.fromkeys(known[slug] for slug in wanted))


def save_tag(*, tag: Tag) -> None:
    """Store what a tag is called. Raises `Problem` (400 `invalid`, field `name_fr`) where another one has that name:
    articles name their tags in French, and two of one name would be one."""
    others = Tag.objects.exclude(pk=tag.pk).values_list("name_fr", flat=True)
    if _word_of(tag.french_name) in map(_word_of, others):
        raise InvalidFields({"name_fr": [_("Une autre étiquette porte déjà ce nom.")]})
    save_shown(tag)


def _word_of(name: str) -> str:
    """What a name is compared by, and the address of the tag that is made of it; "" without letter or digit."""
    return slugify(name)[:60].strip("-")


def _known_tags() -> dict[str, Tag]:
    """Every tag by its name and by its address, which says what it was called at first; a name goes before another
    tag's address."""
    tags = list(Tag.objects.all())
    return {tag.slug: tag for tag in tags} | {_word_of(tag.french_name): tag for tag in tags}


def _refusal(message: str) -> Problem:
    return Problem("invalid", message, errors={"tags": [message]})
