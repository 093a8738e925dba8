"""Writing what operators edit, and dropping the copies that pages are drawn from."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction

from shop.core import images
from shop.core.content_version import content_changed, delete_shown
from shop.core.enqueue import enqueue_after_commit
from shop.core.file_storage import discard_files, keep_files
from shop.core.images import StoredImage
from shop.pages.models import FaqEntry, HomeSection, PageText, Redirect, SeasonalBanner
from shop.pages.shipped import QUESTIONS, shipped, translated

DERIVE_TASK = "shop.pages.tasks.derive_banner_files"
BANDS = "banners"
"""The folder of their pictures."""

Content = FaqEntry | HomeSection | PageText | SeasonalBanner | Redirect


def delete_content(*, row: Content) -> None:
    """Delete one row, and a band's picture with it."""
    with transaction.atomic():
        if isinstance(row, SeasonalBanner):
            _remove_files(row)
        delete_shown(row)


def load_texts() -> int:
    """Add the rows of shipped texts and questions that are missing; return how many. Changes by staff stay."""
    with transaction.atomic():
        known = set(FaqEntry.objects.exclude(key=None).values_list("key", flat=True))
        questions = [
            FaqEntry(
                key=key,
                category=category,
                position=position,
                on_home="h" in places,
                on_contact="c" in places,
                **translated("faq", key),
            )
            for position, (key, category, places) in enumerate(QUESTIONS, start=1)
            if key not in known
        ]
        FaqEntry.objects.bulk_create(questions)
        known = set(PageText.objects.values_list("key", flat=True))
        passages = [
            PageText(key=key, **translated("pages", key))
            for key in shipped("pages", settings.LANGUAGE_CODE)
            if key not in known
        ]
        PageText.objects.bulk_create(passages)
        content_changed()
    return len(questions) + len(passages)


def set_banner_picture(*, banner: SeasonalBanner, image: StoredImage) -> None:
    """Give a band a picture that was stored, in place of the one it had."""
    with transaction.atomic():
        _remove_files(banner)
        keep_files([image.name], "default")
        banner.file = image.name
        banner.width, banner.height, banner.colour = image.width, image.height, image.colour
        banner.derivatives = {}
        banner.save()
        enqueue_after_commit(DERIVE_TASK, banner.pk)
        content_changed()


def derive_banner(*, pk: int) -> bool:
    """Make the smaller files of a band's picture. False when there is nothing to do; safe to run twice."""
    row = SeasonalBanner.objects.filter(images.UNDERIVED, pk=pk).exclude(file="").first()
    if row is None:
        return False
    name = str(row.file.name)
    # A picture that was replaced meanwhile keeps its own.
    shown = SeasonalBanner.objects.filter(pk=pk, file=name)
    derivatives = images.derive_for(shown, name, row.derivatives)
    if derivatives is None:
        return False
    with transaction.atomic():
        done = shown.update(derivatives=derivatives)
        if not done:
            # Given up before these were made.
            discard_files(images.file_names(name, derivatives), "default")
        content_changed()
    return bool(done)


def enqueue_missing(*, limit: int) -> int:
    """Ask again for the smaller files of bands that have none; return how many."""
    rows = SeasonalBanner.objects.filter(images.UNDERIVED).exclude(file="").order_by("?")
    waiting = list(rows.values_list("pk", flat=True)[:limit])
    for pk in waiting:
        enqueue_after_commit(DERIVE_TASK, pk)
    return len(waiting)


def _remove_files(banner: SeasonalBanner) -> None:
    # As it is now: its smaller files may have been made since the caller read it.
    held = SeasonalBanner.objects.select_for_update().filter(pk=banner.pk).first()
    if held is not None and held.file.name:
        discard_files(images.file_names(held.file.name, held.derivatives), "default")
