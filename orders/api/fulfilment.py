"""What staff do with an order besides its status: parcels, address, notes, prints, and back from the archive."""

import uuid
from typing import Any, cast

from django.http import HttpResponse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from orders.api.base import ORDER_ID, found_order, order_not_found, validated
from orders.api.billing import AddressSerializer
from orders.api.fields import ParagraphField, PlainTextField
from orders.api.order_sheets import AdminOrderDetailSerializer
from orders.api.serializers import StrictIntegerField
from orders.api.staff_calls import (
    ORDER_OR_MAILS,
    PREVIEW,
    ExpectedVersionSerializer,
    changed_order,
    order_answer,
)
from orders.models import Carrier, Order, Shipment
from orders.models.states import ActorKind
from orders.packing.documents import address_labels, packing_slip
from orders.selectors.admin_orders import admin_order, count_orders
from orders.selectors.quotes import MAX_LINES
from orders.services.fulfilment.archiving import restore_order
from orders.services.fulfilment.delivery_address import DeliveryAddress, correct_delivery_address
from orders.services.fulfilment.notes import write_note
from orders.services.fulfilment.shipments import ship_units, undo_shipment
from shop.core.problems import Problem
from shop.core.row_keys import ROW_KEY, read_key
from shop.core.staff_actions import StaffAction
from shop.core.staff_calls import KnownFieldsSerializer, allowed, private

MOST_LABELS = 100


class ParcelUnitsSerializer(serializers.Serializer[Any]):
    item_id = StrictIntegerField(**ROW_KEY)
    quantity = StrictIntegerField(min_value=1, max_value=2**31 - 1)


class ParcelSerializer(KnownFieldsSerializer, ExpectedVersionSerializer):
    """One parcel. `is_last`: what is not sent was refunded, so that the order is shipped; `sent_on`: today if left
    out."""

    lines = serializers.ListField(child=ParcelUnitsSerializer(), max_length=MAX_LINES)
    carrier = serializers.ChoiceField(choices=Carrier.choices, required=False, allow_blank=True, default="")
    tracking_number = PlainTextField(max_length=100, required=False, allow_blank=True, default="")
    message = ParagraphField(max_length=500, required=False, allow_blank=True, default="")
    sent_on = serializers.DateField(required=False, allow_null=True, default=None)
    is_last = serializers.BooleanField(required=False, default=False)


class UndoneParcelSerializer(ExpectedVersionSerializer, KnownFieldsSerializer):
    reason = ParagraphField(max_length=500, required=False, allow_blank=True, default="")
    message = ParagraphField(max_length=500, required=False, allow_blank=True, default="")


class NoteTextSerializer(KnownFieldsSerializer):
    """`corrects` is the id of the note that this one replaces."""

    text = ParagraphField(max_length=2000)
    corrects = StrictIntegerField(required=False, allow_null=True, default=None, **ROW_KEY)


class CorrectedAddressSerializer(AddressSerializer, ExpectedVersionSerializer):
    """`recipient` is read for a gift, the names for other orders."""

    postalCode = PlainTextField(max_length=20, allow_blank=True)  # noqa: N815
    firstName = PlainTextField(max_length=100, required=False, allow_blank=True, default="")  # noqa: N815
    lastName = PlainTextField(max_length=100, required=False, allow_blank=True, default="")  # noqa: N815
    recipient = PlainTextField(max_length=200, required=False, allow_blank=True, default="")
    phone = PlainTextField(max_length=40, required=False, allow_blank=True, default="")


class OrderCountsSerializer(serializers.Serializer[Any]):
    by_status = serializers.DictField(child=serializers.IntegerField())
    late = serializers.IntegerField()


class OrderCountsView(APIView):
    """How many orders wait at the workshop, and how many of them are late."""

    permission_classes = (allowed(get=StaffAction.SEE_ORDERS),)

    @extend_schema(responses=OrderCountsSerializer)
    def get(self, request: Request) -> Response:
        return private(OrderCountsSerializer(count_orders()).data)


class ShipmentsView(APIView):
    """Sends pieces in a parcel; the order is shipped once all have left. 409 as a status change to `shipped`."""

    permission_classes = (allowed(post=StaffAction.FULFIL_ORDER),)

    @extend_schema(request=ParcelSerializer, responses={201: ORDER_OR_MAILS}, parameters=[ORDER_ID, PREVIEW])
    def post(self, request: Request, order_id: uuid.UUID) -> Response:
        values = validated(ParcelSerializer(data=request.data))
        expected, lines = values.pop("expected_updated_at"), values.pop("lines")
        units: dict[int, int] = {}
        for line in lines:
            units[line["item_id"]] = units.get(line["item_id"], 0) + line["quantity"]
        actor = cast(User, request.user)
        return changed_order(
            request,
            found_order(admin_order(order_id)),
            lambda: ship_units(order_id=order_id, units=units, actor=actor, **values),
            expected=expected,
            status=201,
        )


class UndoneShipmentView(APIView):
    """Takes back a parcel that had not left; the customer is told."""

    permission_classes = (allowed(post=StaffAction.FULFIL_ORDER),)

    @extend_schema(
        request=UndoneParcelSerializer,
        responses=ORDER_OR_MAILS,
        parameters=[ORDER_ID, PREVIEW, OpenApiParameter("shipment_id", int, OpenApiParameter.PATH)],
    )
    def post(self, request: Request, order_id: uuid.UUID, shipment_id: int) -> Response:
        values = validated(UndoneParcelSerializer(data=request.data))
        expected = values.pop("expected_updated_at")
        order = found_order(admin_order(order_id))
        shipment = found_shipment(order, shipment_id)
        actor = cast(User, request.user)
        return changed_order(
            request,
            order,
            lambda: undo_shipment(shipment_id=shipment.pk, actor=actor, **values),
            expected=expected,
        )


class OrderNotesView(APIView):
    """Writes a note that the customer never reads, or the correction of one."""

    permission_classes = (allowed(post=StaffAction.FULFIL_ORDER),)

    @extend_schema(
        request=NoteTextSerializer, responses={201: AdminOrderDetailSerializer}, parameters=[ORDER_ID]
    )
    def post(self, request: Request, order_id: uuid.UUID) -> Response:
        values = validated(NoteTextSerializer(data=request.data))
        found_order(admin_order(order_id))
        write_note(order_id=order_id, author=cast(User, request.user), **values)
        return order_answer(request, found_order(admin_order(order_id)), 201)


class OrderAddressView(APIView):
    """Corrects where a paid order goes, until it is sent; the customer gets a mail."""

    permission_classes = (allowed(post=StaffAction.FULFIL_ORDER),)

    @extend_schema(
        request=CorrectedAddressSerializer,
        responses=ORDER_OR_MAILS,
        parameters=[ORDER_ID, PREVIEW],
    )
    def post(self, request: Request, order_id: uuid.UUID) -> Response:
        order = found_order(admin_order(order_id))
        values = validated(CorrectedAddressSerializer(data=request.data))
        _require_name(order, values)
        address = DeliveryAddress(
            address=values["address"],
            postal_code=values["postalCode"],
            city=values["city"],
            country=values["country"],
            custom_country=values["customCountry"],
            phone=values["phone"],
            first_name=values["firstName"],
            last_name=values["lastName"],
            recipient=values["recipient"],
        )
        actor = cast(User, request.user)
        return changed_order(
            request,
            order,
            lambda: correct_delivery_address(
                order_id=order_id, address=address, by=ActorKind.STAFF, actor=actor
            ),
            expected=values["expected_updated_at"],
        )


class RestoredOrderView(APIView):
    """Brings an archived order back into the lists."""

    permission_classes = (allowed(post=StaffAction.REMOVE_ORDER),)

    @extend_schema(request=None, responses=AdminOrderDetailSerializer, parameters=[ORDER_ID])
    def post(self, request: Request, order_id: uuid.UUID) -> Response:
        try:
            restore_order(order_id=order_id, actor=cast(User, request.user))
        except Order.DoesNotExist:
            raise order_not_found() from None
        return order_answer(request, found_order(admin_order(order_id)))


class PackingSlipView(APIView):
    """The sheet that goes into a parcel, without prices: what is still to be sent, or what `shipment` holds."""

    permission_classes = (allowed(get=StaffAction.FULFIL_ORDER),)

    @extend_schema(
        parameters=[ORDER_ID, OpenApiParameter("shipment", int)],
        responses={(200, "application/pdf"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, order_id: uuid.UUID) -> HttpResponse:
        order = found_order(admin_order(order_id))
        wanted = request.query_params.get("shipment", "")
        shipment = found_shipment(order, wanted) if wanted else None
        return _pdf(packing_slip(order, shipment), f"bon-{order.reference}")


class LabelQuerySerializer(serializers.Serializer[None]):
    """Whose labels."""

    order = serializers.ListField(child=serializers.UUIDField(), allow_empty=False, max_length=MOST_LABELS)


class AddressLabelsView(APIView):
    """Address labels of 105 × 148 mm, one for each `order` of the address, a hundred at most."""

    permission_classes = (allowed(get=StaffAction.FULFIL_ORDER),)

    @extend_schema(
        parameters=[OpenApiParameter("order", OpenApiTypes.UUID, many=True, required=True)],
        responses={(200, "application/pdf"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request) -> HttpResponse:
        asked = validated(LabelQuerySerializer(data=request.query_params))
        keys = list(dict.fromkeys(asked["order"]))
        found = Order.objects.filter(archived_at=None).in_bulk(keys)
        if len(found) != len(keys):
            raise order_not_found()
        name = found[keys[0]].reference if len(keys) == 1 else str(len(keys))
        return _pdf(address_labels([found[key] for key in keys]), f"etiquettes-{name}")


def found_shipment(order: Order, shipment_id: int | str) -> Shipment:
    """Return a parcel of this order. Raises Problem 404."""
    key = read_key(str(shipment_id))
    shipment = None if key is None else order.shipments.filter(pk=key).first()
    if shipment is None:
        raise Problem("not_found", _("Colis introuvable."), 404)
    return shipment


def _require_name(order: Order, values: dict[str, Any]) -> None:
    names = ("recipient",) if order.is_gift else ("firstName", "lastName")
    missing = {name: [_("Ce champ est obligatoire.")] for name in names if not values[name]}
    if missing:
        raise serializers.ValidationError(missing)


def _pdf(content: bytes, name: str) -> HttpResponse:
    response = HttpResponse(content, content_type="application/pdf")
    response["Content-Disposition"] = f'inline; filename="{name}.pdf"'
    response["Cache-Control"] = "private, no-store"
    response["X-Robots-Tag"] = "noindex"
    return response
