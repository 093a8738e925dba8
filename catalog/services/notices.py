"""« Me prévenir du retour », « Me notifier du lancement »: one mail for one wish, after a confirmation.

A confirmation is all that asking can cause, and few of them an hour for one address.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import quote

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from catalog.models import Category, Favourite, Notice, Product, ProductVariation, Variant
from catalog.pricing import offers
from catalog.selectors.addresses import category_url, choice_query, product_url
from catalog.selectors.availability import availability_of, available_condition
from catalog.selectors.categories import find_category
from catalog.selectors.variants import variants_of
from catalog.services.favourites import RETURN_MAIL, stop_return_mails
from shop.core import limits
from shop.core.each_row import each_row
from shop.core.email_addresses import clean_email
from shop.core.mail import queue_mail
from shop.core.members import blocked_members
from shop.core.models import OutgoingMail
from shop.core.personal_data import period_text
from shop.core.problems import Problem
from shop.core.site import absolute_url
from shop.core.transaction_locks import lock_names

REPEAT_AFTER = timedelta(minutes=15)
MAILS = "notice_"
_SUBJECT = ("product", "category", "variant__variation")
_TOKEN = re.compile(r"[-_A-Za-z0-9]{20,64}")


@dataclass(frozen=True, slots=True)
class Subject:
    """What a notice is about: a product, perhaps one variant of it, or else a category. Its texts are in the active
    language."""

    product: Product | None
    category: Category | None
    variant: Variant | None = None

    @property
    def is_category(self) -> bool:
        return self.product is None

    @property
    def name(self) -> str:
        label = self.variant.label if self.variant else ""
        return f"{self._row.name} ({label})" if label else self._row.name

    @property
    def url(self) -> str:
        """The page where it can be bought."""
        row = self._row
        if isinstance(row, Category):
            return category_url(row)
        query = choice_query(self.variant.finish, self.variant.variation_id) if self.variant else ""
        return f"{product_url(row)}?{query}" if query else product_url(row)

    @property
    def has_page(self) -> bool:
        """Whether that page is there: not that of a piece which is off sale."""
        return self.product is None or self.product.is_published

    @property
    def _row(self) -> Product | Category:
        row = self.product or self.category
        assert row is not None
        return row


def subject_of(notice: Notice) -> Subject:
    """The product or the category of a notice. At most one query."""
    return Subject(notice.product, notice.category, notice.variant)


def ask_notice(
    *,
    email: str,
    language: str,
    product_id: int | None,
    category_slug: str = "",
    variant_id: int | None = None,
) -> None:
    """Record the wish and ask the owner of the address to confirm it.

    Whether the address is known makes no difference that the caller could see: known and confirmed, nothing is done;
    asked again too soon or too often, nothing is sent. Raises `Problem` (400 `invalid`) for an address that is none
    and for what is not in the shop.
    """
    address = clean_email(email)
    now = timezone.now()
    with transaction.atomic():
        _lock_address(address)
        subject = _find(product_id, category_slug, variant_id)
        notice, created = Notice.objects.select_for_update().get_or_create(
            email=address,
            product=subject.product,
            category=subject.category,
            variant=subject.variant,
            defaults={"language": language, "token": _new_token(), "asked_at": now},
        )
        if not created and not _may_ask_again(notice, now):
            return
        if not limits.consume_mail(limits.NOTICE_MAIL, address):
            return
        if not created:
            # A wish that was fulfilled is a new one; links of earlier mails end here.
            notice.language, notice.token, notice.asked_at = language, _new_token(), now
            notice.confirmed_at = notice.sent_at = None
            notice.save(update_fields=["language", "token", "asked_at", "confirmed_at", "sent_at"])
        with translation.override(language):
            period = period_text("notice_days")
        confirm_url = _link("catalog:notice-confirm", language, notice.token)
        _write(notice, "notice_confirm", confirm_url=confirm_url, period=period)


def find_notice(key: str) -> Notice | None:
    """The notice that the link of a mail names. One query."""
    if not _TOKEN.fullmatch(key):
        return None
    return Notice.objects.select_related(*_SUBJECT).filter(token=key).first()


def confirm_notice(*, key: str) -> Notice | None:
    """The owner of the address wants the mail; None for a link that is no longer valid. Safe to repeat."""
    if _TOKEN.fullmatch(key):
        # Read after it: another link may end the wish, or a new mail the link, while this waits.
        Notice.objects.filter(token=key, confirmed_at=None).update(confirmed_at=timezone.now())
    return find_notice(key)


def stop_notices(*, key: str) -> bool:
    """What the link at the end of every such mail does: the wish and the address are deleted. False for a link that
    names nothing (any more)."""
    notice = find_notice(key)
    if notice is None:
        return stop_return_mails(key=key)
    notice.delete()
    return True


def withdraw_notice(*, notice_id: int, emails: Collection[str]) -> None:
    """Delete a wish of one of these proven addresses; somebody else's stays, and none is no error."""
    Notice.objects.filter(pk=notice_id, email__in=emails).delete()


def end_alerts(*, emails: Collection[str]) -> None:
    """Write no more about what is back or opens to who asked to be erased, which may wait for open orders, or does not
    want our mails. Runs in the caller's transaction."""
    Notice.objects.filter(email__in=emails).delete()
    Favourite.objects.filter(user__email__in=emails).update(notify_when_back=False, missing_since=None)


def change_alert_language(*, user_id: int, email: str, language: str) -> None:
    """A member chose the language of the shop's mails: those about what is back or opens follow."""
    Notice.objects.filter(email=email).update(language=language)
    Favourite.objects.filter(user_id=user_id).update(language=language)


def move_notices(old: str, new: str) -> None:
    """A member proved another address: their wishes go there. Of two for one thing the one that waits for its mail
    stays. Runs in the caller's transaction."""
    _lock_address(new)
    wishes = list(Notice.objects.select_for_update().filter(email__in=(old, new)).order_by("pk"))
    wishes.sort(key=_is_waiting)
    kept = {(wish.product_id, wish.variant_id, wish.category_id): wish.pk for wish in wishes}.values()
    rows = Notice.objects.filter(pk__in=[wish.pk for wish in wishes])
    rows.exclude(pk__in=kept).delete()
    rows.update(email=new)


def send_due_notices() -> int:
    """Write the mails whose product can be bought again or whose collection has a product; return how many.

    The mark and the mail are one transaction and the mark is guarded, so that a repeated or parallel run writes none
    twice.
    """
    waiting = Notice.objects.filter(confirmed_at__isnull=False, sent_at=None)
    waiting = waiting.exclude(email__in=blocked_members().values("email"))
    opened = Exists(Product.objects.filter(category_id=OuterRef("category_id"), is_published=True))
    back = Exists(Product.objects.filter(available_condition(), pk=OuterRef("product_id"), is_published=True))
    due = waiting.filter(back | (Q(category__isnull=False) & opened))
    notices = list(due.select_related("product__category", *_SUBJECT).order_by("pk"))
    variants = variants_of({notice.variant.product_id for notice in notices if notice.variant})

    def send(notice: Notice) -> bool:
        is_due = notice.variant is None or _is_back(notice.variant, notice.product, variants)
        return is_due and _send(notice)

    return each_row(notices, send)


def purge_notices(before: datetime, limit: int) -> int:
    """Delete wishes that nobody confirmed since, wishes that were answered before, and the mails about them and about
    favourites: at most `limit` wishes. Returns how many."""
    old = Q(confirmed_at=None, asked_at__lt=before) | Q(sent_at__lt=before)
    rows = list(Notice.objects.filter(old).values_list("pk", flat=True)[:limit])
    about = Q(kind__startswith=MAILS) | Q(kind=RETURN_MAIL)
    OutgoingMail.objects.filter(about, created_at__lt=before).delete()
    # A wish that is confirmed at this moment is waited for, and stays.
    return Notice.objects.filter(old, pk__in=rows).delete()[0]


def purge_waiting_notices(before: datetime, limit: int) -> int:
    """Delete wishes that were confirmed before and still wait, as the piece never came back: at most `limit`. Returns
    how many."""
    old = Q(confirmed_at__lt=before, sent_at=None)
    rows = list(Notice.objects.filter(old).values_list("pk", flat=True)[:limit])
    # One that is answered at this moment stays for the days after its mail.
    return Notice.objects.filter(old, pk__in=rows).delete()[0]


def end_notices(*, variation: ProductVariation) -> None:
    """Tell who waits for a format, which is about to be removed, that it will not be back: one mail an address, which
    fulfils the wish. Who waits for the piece as well goes on waiting for that. In the transaction that removes it, with
    the product locked."""
    now, product = timezone.now(), variation.product
    waiting = Notice.objects.filter(variant__variation=variation, confirmed_at__isnull=False, sent_at=None)
    waiting = waiting.exclude(email__in=blocked_members().values("email"))
    of_piece = Notice.objects.filter(product=product, variant=None)
    told = set(of_piece.select_for_update().values_list("email", flat=True))
    for notice in waiting.select_for_update(of=("self",)).select_related(*_SUBJECT).order_by("pk"):
        if notice.email not in told:
            told.add(notice.email)
            key = f"notice-gone-{notice.pk}-{notice.asked_at:%Y%m%d%H%M%S%f}"
            _write(notice, "notice_available", dedupe_key=key, is_gone=True)
            Notice.objects.filter(pk=notice.pk).update(variant=None, sent_at=now)


def _is_back(wanted: Variant, product: Product | None, variants: Mapping[int, list[Variant]]) -> bool:
    """Whether the product's page offers the very variant, and it can be bought. One that formats or finishes of former
    days left behind is back in any of them."""
    if product is None:
        return False
    shown = (offer.variant for offer in offers(product, variants[product.pk]))
    return any(
        wanted.variation_id in (None, row.variation_id)
        and wanted.finish in ("", row.finish)
        and availability_of(product, row).available
        for row in shown
    )


def _send(notice: Notice) -> bool:
    now = timezone.now()
    with transaction.atomic():
        # One whose owner has another address by now is written to in the next run.
        due = Notice.objects.filter(
            pk=notice.pk, email=notice.email, sent_at=None, confirmed_at__isnull=False
        )
        if not due.update(sent_at=now):
            return False
        _write(notice, "notice_available", dedupe_key=f"notice-{notice.pk}-{notice.asked_at:%Y%m%d%H%M%S%f}")
    return True


def _write(
    notice: Notice, kind: str, *, dedupe_key: str | None = None, is_gone: bool = False, **links: str
) -> None:
    with translation.override(notice.language):
        subject = subject_of(notice)
        # Of a format that is removed the page of the piece, if it has one.
        url = subject.url.partition("?")[0] if is_gone else subject.url
        queue_mail(
            kind=kind,
            to=notice.email,
            language=notice.language,
            context={
                "name": subject.name,
                "url": absolute_url(url) if subject.has_page or not is_gone else "",
                "is_category": subject.is_category,
                "is_gone": is_gone,
                "unsubscribe_url": _link("catalog:notice-stop", notice.language, notice.token),
                **links,
            },
            dedupe_key=dedupe_key,
        )


def _lock_address(email: str) -> None:
    """Let one transaction at a time write a wish for an address, or give it those that another address had."""
    lock_names([f"notices:{email}"])


def _is_waiting(notice: Notice) -> bool:
    return notice.confirmed_at is not None and notice.sent_at is None


def _may_ask_again(notice: Notice, now: datetime) -> bool:
    return not _is_waiting(notice) and notice.asked_at <= now - REPEAT_AFTER


def _find(product_id: int | None, category_slug: str, variant_id: int | None) -> Subject:
    """What a wish is about, which nobody deletes until the transaction ends."""
    if (product_id is None) == (not category_slug):
        message = _("Indiquez un produit ou une catégorie.")
        raise Problem("invalid", message, errors={"product_id": [message]})
    if product_id is not None:
        products = Product.objects.select_for_update(no_key=True)
        product = products.filter(pk=product_id, is_published=True).first()
        if product is None:
            message = _("Ce produit n'existe pas.")
            raise Problem("invalid", message, errors={"product_id": [message]})
        variant = None if variant_id is None else product.variants.filter(pk=variant_id).first()
        if variant_id is not None and variant is None:
            message = _("Ce produit n'existe pas.")
            raise Problem("invalid", message, errors={"variant_id": [message]})
        # Without a choice it is of the product: back in any format or finish that there is by then.
        return Subject(product, None, variant if variant is not None and variant.label else None)
    categories = Category.objects.select_for_update(no_key=True)
    named = find_category(category_slug)
    category = None if named is None else categories.filter(pk=named.pk).first()
    if category is None:
        message = _("Cette catégorie n'existe pas.")
        raise Problem("invalid", message, errors={"category_slug": [message]})
    return Subject(None, category)


def _new_token() -> str:
    return secrets.token_urlsafe(32)


def _link(name: str, language: str, token: str) -> str:
    with translation.override(language):
        return f"{absolute_url(reverse(name))}?cle={quote(token)}"
