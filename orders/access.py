"""The signed links by which an order is followed and paid without signing in."""

import uuid
from datetime import timedelta

from django.conf import settings
from django.core import signing
from django.urls import reverse
from django.utils import translation

from orders.models import Order, PiecePhoto, Withdrawal
from shop.core.shop_settings import link_salt

_SALT = "orders.access"
_PAYMENT_SALT = "orders.payment-link"
_PHOTO_SALT = "orders.piece-photo"
_STATEMENT_SALT = "orders.withdrawal.statement"
_STATEMENT_DAYS = timedelta(days=30)


def access_token(order: Order) -> str:
    """Return the signature of an order's link. It does not expire, as the order's mail doesn't, until its e-mail
    address is found to be another's (`correct_email`)."""
    return signing.Signer(salt=_SALT).signature(_link_name(order))


def token_is_valid(order: Order, token: str) -> bool:
    """Return whether `token` is the order's `access_token`."""
    return _is_signed(_link_name(order), token, salt=_SALT)


def _link_name(order: Order, name: str = "") -> str:
    """What is signed: links of an earlier version open the order no longer."""
    name = name or str(order.pk)
    return f"{name}/{order.link_version}" if order.link_version else name


def order_url(order: Order, language: str = "") -> str:
    """Return the absolute address of the order's page, usable without signing in: in its language, or another."""
    with translation.override(language or order.language):
        path = reverse("orders:order", args=[order.pk])
    return f"{settings.SITE_URL}{path}?acces={access_token(order)}"


def payment_token(order: Order) -> str:
    """Return the token of an order's payment page. It opens that page only, as long as something is owed, and ends as
    an `access_token` does."""
    name = order.pk.hex
    return f"{name}-{signing.Signer(salt=_PAYMENT_SALT).signature(_link_name(order, name))}"


def payment_token_is_valid(order: Order, token: str) -> bool:
    """Return whether `token` is the order's `payment_token`."""
    name, _dash, signature = token.partition("-")
    return name == order.pk.hex and _is_signed(_link_name(order, name), signature, salt=_PAYMENT_SALT)


def order_id_of_payment_token(token: str) -> uuid.UUID | None:
    """Return the order that a payment link names, signed or not; None where it names none."""
    try:
        return uuid.UUID(hex=token.partition("-")[0])
    except ValueError:
        return None


def payment_page_url(order: Order) -> str:
    """Return the absolute address of the page where what an order still owes is paid, in the order's language."""
    with translation.override(order.language):
        path = reverse("orders:pay", args=[payment_token(order)])
    return f"{settings.SITE_URL}{path}"


def photo_url(photo: PiecePhoto) -> str:
    """Return the path of a photograph's picture. Its signature opens that picture alone, until a
    backup is brought back: another one may have its key then."""
    return reverse("api-piece-photo", args=[signing.Signer(salt=link_salt(_PHOTO_SALT)).sign(str(photo.pk))])


def photo_of_token(token: str) -> int:
    """Return the id of the photograph that a `photo_url` was made for. Raises `BadSignature`."""
    return int(signing.Signer(salt=link_salt(_PHOTO_SALT)).unsign(token))


def statement_token(withdrawal: Withdrawal) -> str:
    """Return the token of the link that shows a declaration to whom it was mailed; valid for 30 days."""
    return signing.dumps(str(withdrawal.pk), salt=_STATEMENT_SALT)


def withdrawal_of_token(token: str) -> uuid.UUID:
    """Return the id of the declaration that a `statement_token` was made for. Raises `BadSignature`."""
    return uuid.UUID(signing.loads(token, salt=_STATEMENT_SALT, max_age=_STATEMENT_DAYS))


def _is_signed(value: str, signature: str, *, salt: str) -> bool:
    """Return whether the shop signed `value` so, with its secret or with one that it had before."""
    try:
        return signing.Signer(salt=salt).unsign(f"{value}:{signature}") == value
    except signing.BadSignature:
        return False
