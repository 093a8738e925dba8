"""Taking products out of the shop: the archive keeps them, the trash keeps them for 30 days."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from catalog.models import Product
from catalog.services.prices import refresh_due_promotions
from catalog.services.products import delete_product, save_product
from catalog.services.staff_products import lock_found, named_problem
from shop.core.audit import record_audit
from shop.core.each_row import each_row
from shop.core.problems import Problem

TRASH_DAYS = 30


def archive_products(
    *, product_ids: Sequence[int], actor: AbstractBaseUser | None, preview_key: str = ""
) -> int:
    """Take products out of sale for good and keep them; those that are archived or in the trash stay as they are.

    Return how many changed. This and the functions below raise `Problem`: 404 `unknown_products`, and 409 `conflict`
    when `preview_key` (`staff_products.key_of_versions`) is of other versions.
    """
    return _move(product_ids, actor, preview_key, "product.archived", _archive)


def unarchive_products(
    *, product_ids: Sequence[int], actor: AbstractBaseUser | None, preview_key: str = ""
) -> int:
    """Take products out of the archive: published again if they were."""
    return _move(product_ids, actor, preview_key, "product.unarchived", _unarchive)


def trash_products(
    *, product_ids: Sequence[int], actor: AbstractBaseUser | None, preview_key: str = ""
) -> int:
    """Move products to the trash: to the shop they are gone at once, staff can restore them for 30 days."""
    return _move(product_ids, actor, preview_key, "product.trashed", _trash)


def restore_products(
    *, product_ids: Sequence[int], actor: AbstractBaseUser | None, preview_key: str = ""
) -> int:
    """Take products out of the trash: where they were before, published if they were."""
    return _move(product_ids, actor, preview_key, "product.restored", _restore)


def delete_trashed(*, product_id: int, actor: AbstractBaseUser | None) -> None:
    """Delete a product of the trash now and for ever. Raises `Product.DoesNotExist`, and `Problem` (409
    `not_trashed`)."""
    with transaction.atomic():
        product = Product.objects.select_for_update().get(pk=product_id)
        if product.trashed_at is None:
            raise Problem(
                "not_trashed", _("Seul un produit de la corbeille peut être supprimé définitivement."), 409
            )
        _purge(product, actor)


def purge_trash(*, now: datetime) -> int:
    """Delete what has been in the trash for 30 days; return how many products. Safe to repeat."""
    due = Product.objects.filter(trashed_at__lte=now - timedelta(days=TRASH_DAYS))

    def purge(product_id: int) -> bool:
        with transaction.atomic():
            product = due.select_for_update().filter(pk=product_id).first()
            if product is None:
                # Restored meanwhile: it stays.
                return False
            _purge(product, None)
        return True

    return each_row(list(due.order_by("pk").values_list("pk", flat=True)), purge)


def _purge(product: Product, actor: AbstractBaseUser | None) -> None:
    record_audit(
        "product.deleted",
        product,
        actor=actor,
        before={"name": product.name, "price": f"{product.price:f}", "external_id": product.external_id},
    )
    delete_product(product=product)


def _move(
    product_ids: Sequence[int],
    actor: AbstractBaseUser | None,
    preview_key: str,
    action: str,
    change: Callable[[Product], bool],
) -> int:
    """Save the products that `change` moved; nothing is archived within the trash."""
    refresh_due_promotions()
    with transaction.atomic():
        moved = [product for product in lock_found(product_ids, preview_key) if change(product)]
        for product in moved:
            _save(product, action, actor)
    return len(moved)


def _archive(product: Product) -> bool:
    if product.archived_at is not None or product.trashed_at is not None:
        return False
    product.archived_at = timezone.now()
    _hide(product)
    return True


def _unarchive(product: Product) -> bool:
    if product.archived_at is None or product.trashed_at is not None:
        return False
    product.archived_at = None
    _show(product)
    return True


def _trash(product: Product) -> bool:
    if product.trashed_at is not None:
        return False
    product.trashed_at = timezone.now()
    _hide(product)
    return True


def _restore(product: Product) -> bool:
    if product.trashed_at is None:
        return False
    product.trashed_at = None
    if product.archived_at is None:
        _show(product)
    return True


def _hide(product: Product) -> None:
    # Archived first and put into the trash after: what it was before the archive counts.
    product.was_published = product.was_published or product.is_published
    product.is_published = False


def _show(product: Product) -> None:
    product.is_published, product.was_published = product.was_published, False


def _save(product: Product, action: str, actor: AbstractBaseUser | None) -> None:
    try:
        save_product(product=product)
    except Problem as problem:
        raise named_problem(problem, product) from problem
    record_audit(action, product, actor=actor)
