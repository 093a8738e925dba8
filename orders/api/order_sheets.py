"""Orders as staff read them, as JSON: in a list, and one with all its parts."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from orders.api.photo_fields import PiecePhotoSerializer
from orders.api.serializers import OrderLineSerializer, OrderSerializer, TrackingSerializer
from orders.models import AttemptState, Order, OrderEvent, OrderItem, PieceStage, Shipment
from orders.selectors.admin_orders import has_undecided_money
from orders.selectors.changes import change_in_words
from orders.selectors.invoices import document_path
from orders.selectors.order_sheet import OrderSheet
from orders.selectors.provider_words import review_in_words
from orders.services.fulfilment.archiving import removal_obstacles
from orders.services.status.transitions import status_offers
from shop.core.staff_actions import StaffAction, may


class AdminTrackingSerializer(TrackingSerializer):
    actor = serializers.CharField(allow_null=True)


class AdminOrderLineSerializer(OrderLineSerializer):
    """A line as staff read it: in French, whatever the order's language, and without the product's page."""

    product_url = None  # type: ignore[assignment]
    product_name = serializers.CharField(source="staff_name")
    detail = serializers.CharField(
        source="staff_detail", allow_blank=True, read_only=True, help_text="Finish and format."
    )


class AdminOrderSerializer(OrderSerializer):
    """An order as operators see it: with whose it is, its payment at Stripe, and who wrote each step. A caller who may
    not see payments reads none."""

    user_id = serializers.IntegerField(allow_null=True)
    email = serializers.EmailField()
    customer_name = serializers.CharField()
    payment_mode = serializers.CharField()
    payment_intent_id = serializers.SerializerMethodField()
    review_reason = serializers.SerializerMethodField(help_text="Why somebody must look, in words.")
    updated_at = serializers.DateTimeField()
    items = AdminOrderLineSerializer(many=True)
    tracking = AdminTrackingSerializer(many=True)
    flags = serializers.SerializerMethodField(
        help_text="What is to be done: late, review, refund_failed, withdrawal, money, partly_sent."
    )

    def to_representation(self, instance: Any) -> dict[str, Any]:
        shown: dict[str, Any] = super().to_representation(instance)
        if not may(self.context["reader"], StaffAction.SEE_PAYMENTS):
            shown |= {"payments": [], "payment_intent_id": None}
        return shown

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_flags(self, order: Order) -> list[str]:
        return order_flags(order)

    def get_review_reason(self, order: Order) -> str:
        return review_in_words(order.review_reason)

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_payment_intent_id(self, order: Order) -> str | None:
        """That of the first charge; the other installments have their own."""
        attempts = [attempt for payment in order.payments.all() for attempt in payment.attempts.all()]
        paid = (attempt.intent_id for attempt in attempts if attempt.state == AttemptState.SUCCEEDED)
        return next(paid, None)


class StatusOfferSerializer(serializers.Serializer[Any]):
    """A status that may or may not be set now, and why not."""

    status = serializers.CharField()
    status_label = serializers.CharField(source="label")
    allowed = serializers.BooleanField()
    reason = serializers.CharField(allow_blank=True)
    needs_reason = serializers.BooleanField()


def order_flags(order: Any) -> list[str]:
    """Return what is to be done about an order of the list, the most pressing first: `late`, `review`,
    `refund_failed`, `withdrawal`, `money`, `partly_sent`. No query."""
    found = (
        ("late", order.is_overdue),
        ("review", bool(order.review_reason)),
        ("refund_failed", order.refund_failed),
        ("withdrawal", order.withdrawal_open),
        ("money", has_undecided_money(order)),
        ("partly_sent", order.first_sent_at is not None and not order.all_goods_have_left),
    )
    return [name for name, holds in found if holds]


class SheetLineSerializer(AdminOrderLineSerializer):
    """A line of the order. `paid` is what was paid for all its units."""

    finish = serializers.CharField(allow_blank=True)
    variation_name = serializers.CharField(source="staff_variation_name", allow_blank=True)
    sku = serializers.CharField(allow_blank=True)
    made_quantity = serializers.IntegerField()
    sent_quantity = serializers.IntegerField()
    returned_quantity = serializers.IntegerField()
    to_send = serializers.IntegerField()
    withdrawn_quantity = serializers.IntegerField(
        help_text="Units at the workshop that its customer withdrew from."
    )
    paid = serializers.DecimalField(max_digits=10, decimal_places=2)


class ParcelLineSerializer(serializers.Serializer[Any]):
    item_id = serializers.IntegerField()
    quantity = serializers.IntegerField()


class ShipmentSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    carrier = serializers.CharField(allow_blank=True)
    carrier_label = serializers.SerializerMethodField()
    tracking_number = serializers.CharField(allow_blank=True)
    parcel_url = serializers.CharField(allow_blank=True)
    sent_at = serializers.DateTimeField()
    actor = serializers.CharField(allow_null=True)
    undone_at = serializers.DateTimeField(allow_null=True)
    undo_reason = serializers.CharField(allow_blank=True)
    lines = ParcelLineSerializer(many=True)

    def get_carrier_label(self, shipment: Shipment) -> str:
        return str(shipment.get_carrier_display()) if shipment.carrier else ""


class SheetPieceSerializer(serializers.Serializer[Any]):
    """A unit of a line at the workshop: where it stands, and its photographs."""

    id = serializers.IntegerField()
    name = serializers.CharField(source="item.staff_name")
    detail = serializers.CharField(source="item.staff_detail", allow_blank=True)
    number = serializers.IntegerField()
    quantity = serializers.IntegerField(source="item.quantity")
    stage = serializers.ChoiceField(choices=PieceStage.choices)
    photos = PiecePhotoSerializer(many=True, read_only=True)


class NoteSerializer(serializers.Serializer[Any]):
    """A note; `corrects` is the id of the one that it replaces."""

    id = serializers.IntegerField()
    text = serializers.CharField()
    author = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()
    corrects = serializers.IntegerField(source="corrects_id", allow_null=True)


class ChangeSerializer(serializers.Serializer[Any]):
    """What was changed, in words; empty: there was, or is, nothing."""

    before = serializers.CharField(allow_blank=True)
    after = serializers.CharField(allow_blank=True)


class EventSerializer(serializers.Serializer[Any]):
    """A line of the journal: a dotted name, and the texts and numbers that go with it."""

    name = serializers.CharField()
    actor = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()
    details = serializers.SerializerMethodField()
    change = serializers.SerializerMethodField()

    @extend_schema_field(ChangeSerializer(allow_null=True))
    def get_change(self, event: OrderEvent) -> dict[str, str] | None:
        found = change_in_words(event)
        return None if found is None else {"before": found[0], "after": found[1]}

    @extend_schema_field(serializers.DictField(child=serializers.CharField()))
    def get_details(self, event: OrderEvent) -> dict[str, str]:
        return {name: str(value) for name, value in event.data.items() if isinstance(value, str | int)}


class MoneySerializer(serializers.Serializer[Any]):
    refunded = serializers.DecimalField(max_digits=10, decimal_places=2)
    under_way = serializers.DecimalField(max_digits=10, decimal_places=2)
    failed = serializers.DecimalField(max_digits=10, decimal_places=2)
    disputed = serializers.DecimalField(max_digits=10, decimal_places=2)
    retained = serializers.DecimalField(max_digits=10, decimal_places=2)
    to_come = serializers.DecimalField(max_digits=10, decimal_places=2)


class SheetRefundLineSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    item_id = serializers.IntegerField()
    quantity = serializers.IntegerField()
    restocked = serializers.BooleanField()


class SheetRefundSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    amount = serializers.DecimalField(max_digits=10, decimal_places=2)
    voided = serializers.DecimalField(max_digits=10, decimal_places=2)
    reason = serializers.CharField(allow_blank=True)
    progress = serializers.CharField()
    created_at = serializers.DateTimeField()
    error = serializers.CharField(allow_blank=True)
    lines = SheetRefundLineSerializer(many=True)


class SheetDocumentSerializer(serializers.Serializer[Any]):
    number = serializers.CharField()
    is_credit_note = serializers.BooleanField()
    is_contract = serializers.BooleanField(help_text="It has no number.")
    url = serializers.CharField()


class SheetMailSerializer(serializers.Serializer[Any]):
    kind = serializers.CharField()
    subject = serializers.CharField(allow_blank=True)
    state = serializers.CharField()
    sent_at = serializers.DateTimeField(allow_null=True)
    next_attempt_at = serializers.DateTimeField()
    created_at = serializers.DateTimeField()


class AdminOrderDetailSerializer(AdminOrderSerializer):
    """One order with all that its page shows, as far as the caller may see it. Made of an `OrderSheet`."""

    allowed_statuses = serializers.SerializerMethodField()
    language = serializers.CharField()
    paid_at = serializers.DateTimeField(allow_null=True)
    excused_until = serializers.DateField(
        allow_null=True, help_text="Last day on which the order is not late, where a bank's dispute kept it."
    )
    shipped_at = serializers.DateTimeField(allow_null=True)
    delivered_at = serializers.DateTimeField(allow_null=True)
    original_total = serializers.DecimalField(max_digits=10, decimal_places=2)
    archived_at = serializers.DateTimeField(allow_null=True)
    withdrawal_until = serializers.SerializerMethodField()
    charged_early = serializers.SerializerMethodField(
        help_text="Installments that dispatch brought forward and that were charged."
    )
    lines = serializers.SerializerMethodField()
    shipments = serializers.SerializerMethodField()
    pieces = serializers.SerializerMethodField(help_text="Units at the workshop.")
    staff_notes = serializers.SerializerMethodField()
    events = serializers.SerializerMethodField()
    money = serializers.SerializerMethodField(help_text="Null for who may not see payments.")
    refundable = serializers.SerializerMethodField()
    refunds = serializers.SerializerMethodField()
    documents = serializers.SerializerMethodField()
    mails = serializers.SerializerMethodField()
    may = serializers.SerializerMethodField(help_text="What the caller may do now.")
    removal_obstacles = serializers.SerializerMethodField(
        help_text="Why the order can't be archived yet, for who may remove it."
    )

    @property
    def sheet(self) -> OrderSheet:
        sheet: OrderSheet = self.context["sheet"]
        return sheet

    @extend_schema_field(StatusOfferSerializer(many=True))
    def get_allowed_statuses(self, order: Order) -> Any:
        return StatusOfferSerializer(status_offers(order), many=True).data

    @extend_schema_field(serializers.DateField(allow_null=True))
    def get_withdrawal_until(self, order: Order) -> Any:
        return self.sheet.withdrawal_until

    def get_charged_early(self, order: Order) -> int:
        return self.sheet.charged_early

    @extend_schema_field(SheetLineSerializer(many=True))
    def get_lines(self, order: Order) -> Any:
        rows = [
            _line(
                row.item, returned_quantity=row.returned, to_send=row.to_send, withdrawn_quantity=row.withdrawn,
                paid=row.paid,
            )
            for row in self.sheet.lines
        ]  # fmt: skip
        return SheetLineSerializer(rows, many=True).data

    @extend_schema_field(ShipmentSerializer(many=True))
    def get_shipments(self, order: Order) -> Any:
        return ShipmentSerializer(self.sheet.shipments, many=True).data

    @extend_schema_field(SheetPieceSerializer(many=True))
    def get_pieces(self, order: Order) -> Any:
        return SheetPieceSerializer(self.sheet.pieces, many=True).data

    @extend_schema_field(NoteSerializer(many=True))
    def get_staff_notes(self, order: Order) -> Any:
        return NoteSerializer(self.sheet.notes, many=True).data

    @extend_schema_field(EventSerializer(many=True))
    def get_events(self, order: Order) -> Any:
        return EventSerializer(self.sheet.events, many=True).data

    @extend_schema_field(MoneySerializer(allow_null=True))
    def get_money(self, order: Order) -> Any:
        return None if self.sheet.money is None else MoneySerializer(self.sheet.money).data

    @extend_schema_field(serializers.DecimalField(max_digits=10, decimal_places=2))
    def get_refundable(self, order: Order) -> Any:
        return f"{self.sheet.refundable:.2f}"

    @extend_schema_field(SheetRefundSerializer(many=True))
    def get_refunds(self, order: Order) -> Any:
        return SheetRefundSerializer(self.sheet.refunds, many=True).data

    @extend_schema_field(SheetDocumentSerializer(many=True))
    def get_documents(self, order: Order) -> Any:
        address = reverse("api-admin-order-invoice-pdf", args=[order.pk])
        rows = [
            {
                "number": entry.number,
                "is_credit_note": entry.is_credit_note,
                "is_contract": entry.is_contract,
                "url": document_path(order, entry)
                if entry.is_contract
                else f"{address}?number={entry.number}",
            }
            for entry in self.sheet.documents
        ]
        return SheetDocumentSerializer(rows, many=True).data

    @extend_schema_field(SheetMailSerializer(many=True))
    def get_mails(self, order: Order) -> Any:
        return SheetMailSerializer(self.sheet.mails, many=True).data

    def get_removal_obstacles(self, order: Order) -> list[str]:
        return removal_obstacles(order) if self.sheet.may_remove else []

    @extend_schema_field(serializers.DictField(child=serializers.BooleanField()))
    def get_may(self, order: Order) -> dict[str, bool]:
        sheet = self.sheet
        return {
            "correct_address": sheet.may_correct_address,
            "ship": sheet.may_ship,
            "refund": sheet.may_refund,
            "remove": sheet.may_remove,
            "cancel": sheet.may_cancel,
            "note": sheet.may_note,
            "restock": sheet.may_restock,
        }


def _line(item: OrderItem, **values: Any) -> dict[str, Any]:
    names = (
        *("id", "staff_name", "staff_detail", "finish", "staff_variation_name", "sku"),
        *("quantity", "free_quantity", "made_quantity", "sent_quantity"),
        *("unit_price", "line_total", "product_image"),
    )
    return {**{name: getattr(item, name) for name in names}, **values}
