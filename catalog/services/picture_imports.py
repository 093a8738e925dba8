"""Copying pictures that a program named by their addresses: asked for with the product, fetched in the background."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from itertools import zip_longest

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from catalog.models import ImportState, PictureImport, Product, ProductImage, ProductVariation
from catalog.selectors.product_documents import image_address, own_addresses
from catalog.services.media import PHOTOS, add_product_image, delete_product_image
from shop.core.clocks import is_due, is_free
from shop.core.enqueue import enqueue, enqueue_after_commit
from shop.core.image_drawing import DrawnImage
from shop.core.images import MAX_BYTES, store_image
from shop.core.outbound import AddressRefused, CallFailed, fetch
from shop.core.problems import Problem
from shop.core.remote_images import ACCEPT, draw_fetched

logger = logging.getLogger(__name__)

FETCH_TASK = "catalog.tasks.fetch_picture"
SECONDS = 20.0
RETRY_DELAYS = (timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1))
_LEASE = timedelta(minutes=2)


class FetchFailed(Exception):
    """No picture came. `is_final` says that none will."""

    def __init__(self, reason: str, *, is_final: bool) -> None:
        super().__init__(reason)
        self.reason, self.is_final = reason, is_final


def set_gallery(
    *,
    product: Product,
    urls: Sequence[str],
    variation: ProductVariation | None = None,
    waiting: Collection[str] = (),
) -> None:
    """Make these the photos of a product (or of one of its formats), in this order: photos that it has already, by
    their own addresses or by those that they are copies of, stay; others are fetched, and what is not named is removed,
    as many as are fetched not before those are there. Of those still to be fetched, `waiting` ones keep their place and
    state.

    In the caller's transaction, with the product's row locked. The addresses must have been checked.
    """
    own: dict[str, ProductImage] = {}
    for image in product.images.filter(variation=variation).order_by("-position", "-pk"):
        own |= dict.fromkeys(own_addresses(image), image)
    imports = PictureImport.objects.filter(product=product, variation=variation)
    kept = {row.url: row for row in imports.filter(url__in=waiting).exclude(url__in=urls)}
    imports.exclude(url__in=kept).delete()
    order = list(dict.fromkeys(urls))
    for row in kept.values():
        order.insert(row.position, row.url)
    shown: set[int] = set()
    fetched: list[PictureImport] = []
    for position, url in enumerate(order):
        known = own.get(url)
        if known is not None:
            shown.add(known.pk)
            ProductImage.objects.filter(pk=known.pk).update(position=position)
            continue
        if url in kept:
            row = kept[url]
            row.position = position
            row.save(update_fields=["position"])
        else:
            row = PictureImport.objects.create(
                product=product, variation=variation, url=url, position=position
            )
            enqueue_after_commit(FETCH_TASK, row.pk)
        fetched.append(row)
    removed = {image.pk: image for image in own.values() if image.pk not in shown}
    free = [row for row in fetched if row.state == ImportState.QUEUED and row.replaces_id not in shown]
    for image, row in zip_longest(sorted(removed.values(), key=_place), free[: len(removed)]):
        if row is None:
            delete_product_image(image=image)
            continue
        ProductImage.objects.filter(pk=image.pk).update(position=row.position)
        PictureImport.objects.filter(pk=row.pk).update(replaces=image)


def _place(image: ProductImage) -> tuple[int, int]:
    return image.position, image.pk


def set_main_picture(*, product: Product, url: str) -> None:
    """Put a photo before the others of a product, one of its own or one to be fetched. Like `set_gallery` otherwise."""
    images = product.images.filter(variation=None)
    own = [image_address(image) for image in images if url not in own_addresses(image)]
    imports = PictureImport.objects.filter(product=product, variation=None).exclude(url=url)
    imports.update(position=F("position") + 1)
    set_gallery(
        product=product,
        urls=[url, *own],
        waiting=list(imports.values_list("url", flat=True)),
    )


def fetch_picture(*, import_id: int, now: datetime | None = None) -> ProductImage | None:
    """Fetch one picture if it is due, and store its copy as a photo. None when there was nothing to do or it failed;
    its row says so. Safe to call any number of times and from any number of workers."""
    moment = now or timezone.now()
    claimed = _due(moment).filter(pk=import_id)
    if not claimed.update(attempts=F("attempts") + 1, lease_until=timezone.now() + _LEASE):
        return None
    row = PictureImport.objects.filter(pk=import_id).first()
    if row is None:
        return None
    try:
        return _copy(row)
    except FetchFailed as failed:
        _mark_failed(row, failed, moment)
        return None
    except Exception:
        _mark_failed(row, FetchFailed("unforeseen", is_final=False), moment)
        raise


def _copy(row: PictureImport) -> ProductImage | None:
    # Before the transaction, which locks the product.
    stored = store_image(image=_fetch(row.url), folder=PHOTOS)
    with transaction.atomic():
        # Gone: the gallery was written again, and does without it.
        product = Product.objects.select_for_update(no_key=True).filter(pk=row.product_id).first()
        found = PictureImport.objects.select_for_update().filter(pk=row.pk).first()
        if product is None or found is None:
            return None
        # The row goes first, so that what is reported of the product no longer waits for it.
        found.delete()
        image = add_product_image(
            product=product,
            image=stored,
            variation=found.variation,
            position=found.position,
            source_url=found.url,
        )
        if found.replaces is not None:
            delete_product_image(image=found.replaces)
        return image


def enqueue_due(*, now: datetime, limit: int) -> int:
    """Hand the pictures that are due to the workers; return how many."""
    keys = list(_due(now).order_by("next_attempt_at", "pk").values_list("pk", flat=True)[:limit])
    for key in keys:
        enqueue(FETCH_TASK, key)
    return len(keys)


def _due(now: datetime) -> QuerySet[PictureImport]:
    longest = RETRY_DELAYS[-1]
    return PictureImport.objects.filter(
        is_free("lease_until", now, within=longest),
        is_due("next_attempt_at", now, within=longest),
        state=ImportState.QUEUED,
    )


def _fetch(url: str) -> DrawnImage:
    try:
        answer = fetch(url, seconds=SECONDS, most=MAX_BYTES, accept=ACCEPT)
    except AddressRefused as refused:
        raise FetchFailed(refused.reason, is_final=True) from refused
    except CallFailed as failed:
        raise FetchFailed(
            failed.reason, is_final=failed.reason in ("too_large", "too_many_redirects")
        ) from failed
    if answer.status != 200:
        is_final = answer.status < 500 and answer.status not in (408, 425, 429)
        raise FetchFailed(f"status_{answer.status}", is_final=is_final)
    try:
        return draw_fetched(answer.body)
    except Problem as problem:
        raise FetchFailed(problem.code, is_final=problem.status != 503) from problem


def _mark_failed(row: PictureImport, failed: FetchFailed, now: datetime) -> None:
    logger.info("picture %s not fetched: %s", row.pk, failed.reason)
    is_over = failed.is_final or row.attempts > len(RETRY_DELAYS)
    wait = timedelta(0) if is_over else RETRY_DELAYS[row.attempts - 1]
    PictureImport.objects.filter(pk=row.pk).update(
        state=ImportState.FAILED if is_over else ImportState.QUEUED,
        failure=failed.reason[:40],
        next_attempt_at=now + wait,
        lease_until=None,
    )
