"""The favourites of members, and the mail when one of them can be bought again."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.core import signing
from django.db import transaction
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from catalog.models import Favourite, Product
from catalog.selectors.addresses import product_url
from catalog.selectors.availability import available_among
from catalog.selectors.favourites import MAX_FAVOURITES, favourite_ids
from shop.core.each_row import each_row
from shop.core.mail import queue_mail
from shop.core.members import blocked_members, lock_member
from shop.core.problems import Problem
from shop.core.shop_settings import link_salt
from shop.core.site import absolute_url

RETURN_MAIL = "favourite_available"
_SALT = "catalog.favourites.mail"


def add_favourite(*, user_id: int, product_id: int, language: str) -> list[int]:
    """Add a favourite; one that was there stays as it is. Return all of the member's.

    Raises `Problem`: 404 `unknown_product`, 409 `too_many_favourites`; and `NotAuthenticated` (see `lock_member`).
    """
    with transaction.atomic():
        lock_member(user_id)
        if not Product.objects.filter(pk=product_id, is_published=True).exists():
            raise Problem("unknown_product", _("Ce produit n'existe pas."), 404)
        known = Favourite.objects.filter(user_id=user_id)
        if known.exclude(product_id=product_id).count() >= MAX_FAVOURITES:
            raise Problem(
                "too_many_favourites", _("Vous avez déjà %(count)d favoris.") % {"count": MAX_FAVOURITES}, 409
            )
        Favourite.objects.get_or_create(
            user_id=user_id, product_id=product_id, defaults={"language": language}
        )
    return favourite_ids(user_id)


def remove_favourite(*, user_id: int, product_id: int) -> list[int]:
    """Remove a favourite; one that was not there is no error. Return those that are left."""
    Favourite.objects.filter(user_id=user_id, product_id=product_id).delete()
    return favourite_ids(user_id)


def replace_favourites(*, user_id: int, product_ids: Iterable[int], language: str) -> list[int]:
    """Make these products the favourites, and no others of those on sale: what the member is not shown stays.

    Those that were there keep their date and their wish for a mail; products that are not on sale are left out. Return
    the favourites. Raises `NotAuthenticated` (see `lock_member`).
    """
    wanted = list(dict.fromkeys(product_ids))[:MAX_FAVOURITES]
    with transaction.atomic():
        lock_member(user_id)
        known = set(Favourite.objects.filter(user_id=user_id).values_list("product_id", flat=True))
        on_sale = set(Product.objects.filter(pk__in=wanted, is_published=True).values_list("pk", flat=True))
        shown = Favourite.objects.filter(user_id=user_id, product__is_published=True)
        shown.exclude(product_id__in=wanted).delete()
        # The first of the list is the latest: written last.
        Favourite.objects.bulk_create(
            [
                Favourite(user_id=user_id, product_id=pk, language=language)
                for pk in reversed(wanted)
                if pk in on_sale and pk not in known
            ]
        )
    return favourite_ids(user_id)


def choose_return_mails(
    *, user_id: int, product_ids: Iterable[int], language: str, seen_ids: Iterable[int] = ()
) -> None:
    """Write to the member when one of these favourites is back, and no longer about those that they saw chosen
    (`seen_ids`) and did not leave so. A wish that they were not shown, made elsewhere meanwhile, stays as it is."""
    wanted, seen = set(product_ids), set(seen_ids)
    favourites = Favourite.objects.filter(user_id=user_id, product__is_published=True)
    with transaction.atomic():
        favourites.filter(product_id__in=wanted - seen).update(notify_when_back=True, language=language)
        favourites.filter(product_id__in=seen - wanted).update(notify_when_back=False, missing_since=None)


def stop_return_mails(*, key: str) -> bool:
    """What the link in such a mail does: no more of them for this product. False for a link that was not
    ours, or is older than the last restore: another favourite may have its key."""
    try:
        pk = signing.Signer(salt=link_salt(_SALT)).unsign(key)
    except signing.BadSignature:
        return False
    return bool(Favourite.objects.filter(pk=int(pk)).update(notify_when_back=False, missing_since=None))


def watch_favourites(*, now: datetime) -> int:
    """Record the awaited products that went out of stock, and write to those whose product is back; return how many
    mails were written. A mail and its mark are one transaction: run again, nothing is written twice."""
    # Without a join: PostgreSQL asks a joined row for nothing again when its UPDATE waited for who wants no more mails.
    awaited = Favourite.objects.filter(
        notify_when_back=True, product__in=Product.objects.filter(is_published=True)
    ).exclude(user__in=blocked_members())
    available = available_among(awaited.values_list("product_id", flat=True).order_by().distinct())
    awaited.filter(missing_since=None).exclude(product_id__in=available).update(missing_since=now)
    back = awaited.filter(missing_since__isnull=False, product_id__in=available)
    return each_row(back.select_related("user", "product").order_by("pk"), _write_return_mail)


def _write_return_mail(favourite: Favourite) -> bool:
    since = favourite.missing_since
    with transaction.atomic(), translation.override(favourite.language):
        if not Favourite.objects.filter(pk=favourite.pk, missing_since=since).update(missing_since=None):
            return False
        # The run may have read the address long ago.
        favourite.user.refresh_from_db(fields=["email"])
        key = signing.Signer(salt=link_salt(_SALT)).sign(str(favourite.pk))
        queue_mail(
            kind=RETURN_MAIL,
            to=favourite.user.email,
            language=favourite.language,
            context={
                "name": favourite.product.name,
                "url": absolute_url(product_url(favourite.product)),
                "unsubscribe_url": f"{absolute_url(reverse('catalog:notice-stop'))}?cle={key}",
            },
            dedupe_key=f"favourite-back-{favourite.pk}-{since:%Y%m%d%H%M%S}",
        )
    return True
