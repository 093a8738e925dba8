"""What the calls that change an order share: the version that the caller saw, a preview of the mails, the answer."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, PolymorphicProxySerializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from orders.api.base import found_order, order_not_found
from orders.api.order_sheets import AdminOrderDetailSerializer
from orders.models import Order
from orders.selectors.admin_orders import admin_order
from orders.selectors.order_sheet import order_sheet
from orders.services.fulfilment.previews import preview_mails
from orders.stripe import gateway
from shop.core.problems import Problem
from shop.core.staff_calls import MomentField, private

PREVIEW = OpenApiParameter(
    "preview", str, description="Present: nothing is done, and the answer is the mails that would be sent."
)


class ExpectedVersionSerializer(serializers.Serializer[Any]):
    """`expected_updated_at` is that of the order that the person saw; 409 `conflict` when it has changed since."""

    expected_updated_at = MomentField(required=False, allow_null=True, default=None)


class MailPreviewSerializer(serializers.Serializer[Any]):
    """A mail as it would be sent."""

    to = serializers.CharField()
    language = serializers.CharField()
    subject = serializers.CharField()
    text = serializers.CharField()
    html = serializers.CharField()


class MailPreviewsSerializer(serializers.Serializer[Any]):
    mails = MailPreviewSerializer(many=True)


ORDER_OR_MAILS = PolymorphicProxySerializer(
    component_name="OrderOrMails",
    serializers=[AdminOrderDetailSerializer, MailPreviewsSerializer],
    resource_type_field_name=None,
)
"""What a call with `PREVIEW` answers."""


def order_answer(request: Request, order: Order, status: int = 200) -> Response:
    """Return an order whose parts are prefetched, with all that the caller may see of it."""
    context = {"sheet": order_sheet(order, request.user), "reader": request.user}
    return private(AdminOrderDetailSerializer(order, context=context).data, status)


def is_preview(request: Request) -> bool:
    """Return whether the mails of a step are asked for, and not the step."""
    return "preview" in request.query_params


def changed_order(
    request: Request, order: Order, act: Callable[[], object], *, expected: datetime | None, status: int = 200
) -> Response:
    """Carry out `act` and answer with the order; with `preview` in the address, answer with its mails instead: it may
    speak to nobody but the database then.

    Raises what `act` raises, Problem 409 `conflict` with the order as `current` when somebody changed it since the
    caller read it, and 503 when the provider does not answer.
    """
    try:
        if is_preview(request):
            return private(MailPreviewsSerializer({"mails": preview_mails(order, act)}).data)
        _carry_out(request, order, act, expected)
    except gateway.GatewayError:
        raise provider_away() from None
    except Order.DoesNotExist:
        raise order_not_found() from None
    return order_answer(request, found_order(admin_order(order.pk)), status)


def provider_away() -> Problem:
    """Return the answer while Stripe is away."""
    return Problem(
        "payment_unavailable", _("Le service de paiement ne répond pas : rien n'a changé. Réessayez."), 503
    )


def _carry_out(request: Request, order: Order, act: Callable[[], object], expected: datetime | None) -> None:
    if expected is None or order.paid_at is None:
        # An unpaid order is closed at the provider first: never inside a transaction.
        if expected is not None and order.updated_at != expected:
            raise _conflict(request, order)
        act()
        return
    with transaction.atomic():
        locked = Order.objects.select_for_update(no_key=True).get(pk=order.pk)
        if locked.updated_at == expected:
            act()
            return
    raise _conflict(request, found_order(admin_order(order.pk)))


def _conflict(request: Request, order: Order) -> Problem:
    return Problem(
        "conflict",
        _("Quelqu'un a modifié cette commande entre-temps. Vérifiez-la, puis recommencez."),
        409,
        extra={"current": order_answer(request, order).data},
    )
