"""The signed link by which a guest follows an order."""

from django.conf import settings
from django.core import signing
from django.urls import reverse
from django.utils import translation
from django.utils.crypto import constant_time_compare

from orders.models import Order

_SALT = "orders.access"


def access_token(order: Order) -> str:
    """A signature that only the shop can make for this order; it does not expire, as the order's mail doesn't."""
    return signing.Signer(salt=_SALT).signature(str(order.pk))


def token_is_valid(order_id: str, token: str) -> bool:
    return constant_time_compare(signing.Signer(salt=_SALT).signature(order_id), token)


def order_url(order: Order) -> str:
    """The absolute address of the order's page in its language, usable without signing in."""
    with translation.override(order.language):
        path = reverse("orders:order", args=[order.pk])
    return f"{settings.SITE_URL}{path}?acces={access_token(order)}"
