"""A reminder of a cart that was left: to members who asked for it, once a cart, never after an order (L34-5 CPCE)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.core.files.storage import default_storage
from django.db import transaction
from django.urls import reverse
from django.utils import timezone, translation

from accounts.models import User
from blog.mails.links import preferences_url, unsubscribe_url
from blog.models import Purpose, Subscriber
from blog.services.newsletter.subscriptions import REMINDER_MAIL
from catalog.selectors.sellables import find_sellables
from orders.models import SavedCart
from orders.models.order import choice_text
from orders.selectors.saved_carts import bought_products, left_carts, line_key
from shop.core.each_row import each_row
from shop.core.mail import queue_mail
from shop.core.models import OutgoingMail, ShopSettings
from shop.core.money import amount_string
from shop.core.site import absolute_url
from shop.pages.models import CartReminder

# An older cart is no longer what its owner has in mind.
LONGEST = timedelta(days=7)
# Who has just bought something is left alone.
AFTER_ORDER = timedelta(days=3)

_Thing = list[Any]


def send_due_reminders(now: datetime) -> int:
    """Write the reminders of carts that were left for `cart_reminder_hours`; return how many. May be repeated."""
    hours = ShopSettings.load().cart_reminder_hours
    if hours is None:
        return 0
    until = now - timedelta(hours=hours)
    willing = Subscriber.objects.filter(cart_reminders_at__isnull=False, suspended_at=None).values("email")
    carts = left_carts(since=until - LONGEST, until=until, bought_since=now - AFTER_ORDER).filter(
        user__email__in=willing
    )

    def remind(key: int) -> bool:
        # Looked at again: its owner may have ordered while others were written to.
        cart = carts.filter(pk=key).first()
        return cart is not None and _remind(cart)

    return each_row(list(carts.values_list("pk", flat=True)), remind)


def may_be_sent(mail: OutgoingMail) -> bool:
    """Return whether who is reminded has ordered nothing since: the reminder may have waited for the mail server.
    Two queries."""
    member = User.objects.filter(email=mail.to).first()
    return member is None or not bought_products(member, mail.created_at - AFTER_ORDER)


def _remind(cart: SavedCart) -> bool:
    things = [[line["product_id"], line["variation_id"], line["finish"]] for line in cart.lines]
    with transaction.atomic():
        # Its lock makes two runs one after the other, and nobody who has just refused is written to.
        subscriber = (
            Subscriber.objects.select_for_update()
            .filter(email=cart.user.email, cart_reminders_at__isnull=False, suspended_at=None)
            .first()
        )
        if subscriber is None or _was_reminded(cart.user, things):
            return False
        items = _items(cart)
        if not items:
            return False
        CartReminder.objects.update_or_create(
            user_id=cart.user_id, defaults={"things": things, "sent_at": timezone.now()}
        )
        language = cart.user.language
        with translation.override(language):
            # The mail may be read where its reader is not signed in, and that browser's cart is empty.
            path = reverse("accounts:auth", query={"next": reverse("orders:cart")})
        queue_mail(
            kind=REMINDER_MAIL,
            to=subscriber.email,
            language=language,
            context={
                "items": items,
                "cart_url": absolute_url(path),
                "preferences_url": preferences_url(subscriber),
                "unsubscribe_url": unsubscribe_url(subscriber, purpose=Purpose.CART_REMINDERS),
            },
            dedupe_key=f"cart-reminder-{cart.user_id}-{cart.version}",
        )
    return True


def _was_reminded(member: User, things: list[_Thing]) -> bool:
    """Return whether the cart still holds something of the one that was reminded of, which was not bought since."""
    known = CartReminder.objects.filter(pk=member.pk).first()
    if known is None:
        return False
    bought = bought_products(member, known.sent_at)
    return any(thing in known.things and thing[0] not in bought for thing in things)


def _items(cart: SavedCart) -> list[dict[str, Any]]:
    """What of the cart can be bought now, at the prices of now, in the member's language."""
    items = []
    with translation.override(cart.user.language):
        keys = [line_key(line) for line in cart.lines]
        found = find_sellables(keys)
        for key, line in zip(keys, cart.lines, strict=True):
            piece = found[key]
            if piece.problem is None and piece.unit_price is not None:
                image = piece.image.small_jpeg if piece.image else ""
                items.append(
                    {
                        "name": piece.name,
                        "detail": choice_text(piece.finish, piece.variation_name),
                        "image": absolute_url(default_storage.url(image)) if image else "",
                        "url": absolute_url(piece.url),
                        "quantity": line["quantity"],
                        "price": amount_string(piece.unit_price),
                    }
                )
    return items
