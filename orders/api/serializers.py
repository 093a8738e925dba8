"""What the calls take and answer. Amounts travel as strings in euros (`"49.99"`), countries as ISO 3166-1."""

from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from catalog.models import Finish
from orders.api.billing import (
    AddressSerializer,
    BillingSerializer,
    GiftSerializer,
    billing_details,
    billing_document,
    gift_details,
)
from orders.api.fields import CountryField, EmailAddressField, ParagraphField, PlainTextField
from orders.models import PaymentMode
from orders.selectors.destinations import country_code
from orders.selectors.orders import product_path
from orders.selectors.quotes import MAX_LINES, MAX_QUANTITY, RequestedLine
from orders.services.checkout.placement import CustomerDetails
from shop.core.amounts import AmountField
from shop.core.models import EMAIL_MAX_LENGTH
from shop.core.postcodes import postcode_error
from shop.core.row_keys import ROW_KEY


class StrictIntegerField(serializers.IntegerField):
    """A JSON whole number: no text, no fraction, no boolean."""

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, bool) or not isinstance(data, int):
            self.fail("invalid")
        return super().to_internal_value(data)


class LineSerializer(serializers.Serializer[RequestedLine]):
    product_id = StrictIntegerField(**ROW_KEY)
    variation_id = StrictIntegerField(**ROW_KEY, required=False, allow_null=True)
    finish = serializers.ChoiceField(
        choices=Finish.choices, required=False, allow_null=True, allow_blank=True
    )
    quantity = StrictIntegerField(min_value=1, max_value=MAX_QUANTITY)


class LinesField(serializers.ListField):
    child = LineSerializer()

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=MAX_LINES, **kwargs)


def requested_lines(data: list[dict[str, Any]]) -> tuple[RequestedLine, ...]:
    """Return the cart lines of a validated request."""
    return tuple(
        RequestedLine(
            product_id=line["product_id"],
            variation_id=line.get("variation_id"),
            finish=line.get("finish") or "",
            quantity=line["quantity"],
        )
        for line in data
    )


class QuoteRequestSerializer(serializers.Serializer[Any]):
    lines = LinesField(allow_empty=True)
    country = CountryField(required=False, allow_null=True)
    custom_country = serializers.CharField(
        max_length=60, required=False, allow_blank=True, help_text="The name of a country that is « Autre »."
    )
    postal_code = serializers.CharField(
        max_length=20, required=False, allow_blank=True, help_text="As far as it has been typed."
    )


class CustomerSerializer(AddressSerializer):
    email = EmailAddressField(
        max_length=EMAIL_MAX_LENGTH,
        error_messages={"blank": gettext_lazy("Saisissez votre adresse e-mail.")},
    )
    firstName = PlainTextField(max_length=100)  # noqa: N815
    lastName = PlainTextField(max_length=100)  # noqa: N815
    postalCode = PlainTextField(max_length=20, allow_blank=True)  # noqa: N815
    phone = PlainTextField(max_length=40, required=False, allow_blank=True, default="")
    notes = ParagraphField(max_length=2000, required=False, allow_blank=True, default="")
    billing = BillingSerializer(required=False, allow_null=True, default=None)
    gift = GiftSerializer(required=False, allow_null=True, default=None)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        super().validate(attrs)
        refusal = postcode_error(country_code(attrs["country"], attrs["customCountry"]), attrs["postalCode"])
        if refusal:
            raise serializers.ValidationError({"postalCode": [refusal]})
        return attrs


def customer_details(data: dict[str, Any]) -> CustomerDetails:
    """Return the customer of a validated checkout; its fields carry the names of the public API."""
    return CustomerDetails(
        email=data["email"],
        first_name=data["firstName"],
        last_name=data["lastName"],
        address=data["address"],
        postal_code=data["postalCode"],
        city=data["city"],
        country=data["country"],
        custom_country=data["customCountry"],
        phone=data["phone"],
        notes=data["notes"],
        billing=billing_details(data["billing"]),
        gift=gift_details(data["gift"]),
    )


class AccountSerializer(serializers.Serializer[Any]):
    mode = serializers.ChoiceField(choices=["signup", "signin"])
    password = serializers.CharField(max_length=512, trim_whitespace=False)


class CheckoutSerializer(serializers.Serializer[Any]):
    lines = LinesField(allow_empty=True)
    customer = CustomerSerializer()
    account = AccountSerializer(required=False, allow_null=True)
    payment_mode = serializers.ChoiceField(choices=PaymentMode.choices)
    expected_total = AmountField(min_value=Decimal("0"), coerce_to_string=True)
    expected_date = serializers.DateField(
        required=False,
        help_text="`lead_time.latest` of the quote. A later date is refused: 409 `date_changed`, with the fresh quote.",
    )
    accept_terms = serializers.BooleanField()
    terms_version = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=20,
        help_text="The version of the terms that the page showed; left out, the one in force. Another one is refused: "
        "409 `terms_changed`, with the version in force as `terms_version`.",
    )

    def validate_accept_terms(self, value: bool) -> bool:
        if value is not True:
            raise serializers.ValidationError(_("Acceptez les conditions générales de vente pour commander."))
        return value


# --- Answers ---------------------------------------------------------------------------------------


class InstallmentSerializer(serializers.Serializer[Any]):
    due = serializers.DateField()
    amount = serializers.DecimalField(max_digits=10, decimal_places=2)
    due_text = serializers.CharField(help_text="The date in the visitor's language.")


class InstallmentOfferSerializer(serializers.Serializer[Any]):
    available = serializers.BooleanField()
    minimum = serializers.DecimalField(max_digits=10, decimal_places=2)
    plan = InstallmentSerializer(many=True)
    mandate = serializers.CharField(
        allow_blank=True,
        help_text="What a customer agrees to by choosing installments; empty when not offered.",
    )


class QuoteImageSerializer(serializers.Serializer[Any]):
    url = serializers.CharField()
    width = serializers.IntegerField()
    height = serializers.IntegerField()
    alt = serializers.CharField(allow_blank=True)
    srcset = serializers.CharField(allow_blank=True)


class QuoteLineSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    product_id = serializers.IntegerField()
    variation_id = serializers.IntegerField(allow_null=True)
    finish = serializers.ChoiceField(choices=Finish.choices, allow_null=True)
    name = serializers.CharField()
    finish_label = serializers.CharField(allow_blank=True)
    variation_name = serializers.CharField(allow_blank=True)
    category = serializers.CharField(allow_blank=True)
    url = serializers.CharField(allow_blank=True)
    image = QuoteImageSerializer(allow_null=True)
    promotion_label = serializers.CharField(allow_blank=True)
    quantity = serializers.IntegerField()
    unit_price = serializers.DecimalField(max_digits=10, decimal_places=2, allow_null=True)
    original_price = serializers.DecimalField(
        max_digits=10,
        decimal_places=2,
        allow_null=True,
        help_text="Shown crossed out beside `unit_price`; null when the law allows none.",
    )
    free_quantity = serializers.IntegerField()
    line_total = serializers.DecimalField(max_digits=10, decimal_places=2)
    available = serializers.BooleanField()
    available_quantity = serializers.IntegerField(allow_null=True)
    reserved = serializers.BooleanField(
        help_text="Units of it are held by an unpaid order of this browser, which a new order takes the place of."
    )
    problem = serializers.CharField(required=False)
    problem_detail = serializers.CharField(required=False)


class LeadTimeSerializer(serializers.Serializer[Any]):
    days_min = serializers.IntegerField()
    days_max = serializers.IntegerField()
    earliest = serializers.DateField()
    latest = serializers.DateField()
    text = serializers.CharField(help_text="The two dates in the visitor's language.")
    christmas = serializers.CharField(
        allow_blank=True,
        help_text="Until when to order for a delivery before Christmas; empty unless it can be done.",
    )


class SuggestionSerializer(serializers.Serializer[Any]):
    """So many pieces of one line make the next ones free: what a line of a cart asks for, and its name."""

    product_id = serializers.IntegerField()
    variation_id = serializers.IntegerField(allow_null=True)
    finish = serializers.ChoiceField(choices=Finish.choices, allow_null=True)
    name = serializers.CharField()
    quantity = serializers.IntegerField()


class OfferHintSerializer(serializers.Serializer[Any]):
    """What an offer in the cart lacks. `names` are its pieces, `keys` its lines; `missing` units complete it.
    `suggestion` is null when no piece of the cart has enough units left."""

    label = serializers.CharField()  # type: ignore[assignment]
    text = serializers.CharField()
    keys = serializers.ListField(child=serializers.CharField())
    names = serializers.ListField(child=serializers.CharField())
    missing = serializers.IntegerField()
    suggestion = SuggestionSerializer(allow_null=True)


class QuoteSerializer(serializers.Serializer[Any]):
    """A priced cart. The client displays these figures and never adds them up."""

    lines = QuoteLineSerializer(many=True)
    item_count = serializers.IntegerField()
    original_total = serializers.DecimalField(max_digits=10, decimal_places=2)
    promotion_savings = serializers.DecimalField(max_digits=10, decimal_places=2)
    subtotal = serializers.DecimalField(max_digits=10, decimal_places=2)
    country = serializers.CharField()
    shipping_zone = serializers.CharField()
    customs_notice = serializers.BooleanField(
        help_text="The parcel leaves the Union's VAT or customs area: its receiver owes import taxes or duties."
    )
    postal_code_error = serializers.CharField(
        allow_blank=True, help_text="Why no order takes the postcode, in the visitor's language."
    )
    postal_code_notice = serializers.CharField(
        allow_blank=True,
        help_text="What is doubtful about a postcode that an order takes, in the visitor's language.",
    )
    shipping_cost = serializers.DecimalField(max_digits=10, decimal_places=2)
    total = serializers.DecimalField(max_digits=10, decimal_places=2)
    free_shipping_missing = serializers.DecimalField(max_digits=10, decimal_places=2, allow_null=True)
    free_shipping_share = serializers.IntegerField(help_text="Percent of the way to free delivery, 0 to 100.")
    next_free = OfferHintSerializer(many=True, help_text="What is missing for the next free pieces.")
    lead_time = LeadTimeSerializer(allow_null=True)
    installments = InstallmentOfferSerializer()


class CheckoutAnswerSerializer(serializers.Serializer[Any]):
    order_id = serializers.UUIDField()
    reference = serializers.CharField()
    url = serializers.CharField()
    total = serializers.DecimalField(max_digits=10, decimal_places=2)
    installment_plan = InstallmentSerializer(many=True, required=False)
    cart_owner = serializers.CharField(
        required=False, help_text="A member's order: whose saved cart its lines leave with the payment."
    )


class VerifyAnswerSerializer(serializers.Serializer[Any]):
    payment_status = serializers.ChoiceField(choices=["paid", "pending", "failed", "expired"])
    order_reference = serializers.CharField(required=False)
    order_url = serializers.CharField(required=False)
    refunded = serializers.BooleanField(required=False)
    installment_plan = InstallmentSerializer(many=True, required=False)


class OrderLineSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    product_name = serializers.CharField()
    detail = serializers.CharField(
        allow_blank=True, read_only=True, help_text="Finish and format in the caller's language."
    )
    quantity = serializers.IntegerField()
    free_quantity = serializers.IntegerField()
    price = serializers.DecimalField(max_digits=10, decimal_places=2, source="unit_price")
    line_total = serializers.DecimalField(max_digits=10, decimal_places=2)
    product_image = serializers.CharField(allow_blank=True)
    product_url = serializers.SerializerMethodField(
        help_text="The product's page in the caller's language; null when it is gone or not on sale."
    )

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_product_url(self, item: Any) -> str | None:
        return product_path(item) or None


class TrackingSerializer(serializers.Serializer[Any]):
    status = serializers.CharField()
    status_label = serializers.CharField(
        source="label", help_text="The status in words, or that a parcel left which is not the last one."
    )
    message = serializers.CharField(allow_blank=True)
    tracking_number = serializers.CharField(allow_blank=True)
    carrier = serializers.CharField(allow_blank=True)
    parcel_url = serializers.SerializerMethodField(
        help_text="The carrier's page about the parcel, empty for an unknown carrier and a number corrected since."
    )
    undone = serializers.BooleanField(help_text="The dispatch that it tells of was undone.")
    created_at = serializers.DateTimeField()

    @extend_schema_field(serializers.CharField(allow_blank=True))
    def get_parcel_url(self, step: Any) -> str:
        return step.parcel_url if step.leads_to_parcel else ""


class PaymentDueSerializer(serializers.Serializer[Any]):
    position = serializers.IntegerField()
    due = serializers.DateField(source="due_on")
    amount = serializers.DecimalField(max_digits=10, decimal_places=2)
    state = serializers.CharField()


class OrderSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    reference = serializers.CharField()
    status = serializers.CharField()
    status_label = serializers.CharField(source="get_status_display")
    created_at = serializers.DateTimeField()
    promised_by = serializers.DateField()
    subtotal = serializers.DecimalField(max_digits=10, decimal_places=2)
    promotion_savings = serializers.DecimalField(max_digits=10, decimal_places=2)
    shipping_cost = serializers.DecimalField(max_digits=10, decimal_places=2)
    total_amount = serializers.DecimalField(max_digits=10, decimal_places=2, source="total")
    shipping_address = serializers.SerializerMethodField()
    billing_address = serializers.SerializerMethodField(help_text="Null when it is that of the delivery.")
    gift = serializers.SerializerMethodField(
        help_text="Who receives the parcel; null when it is the customer."
    )
    items = OrderLineSerializer(many=True)
    tracking = TrackingSerializer(many=True)
    payments = PaymentDueSerializer(many=True)

    @extend_schema_field(serializers.DictField(child=serializers.CharField(allow_blank=True)))
    def get_shipping_address(self, order: Any) -> dict[str, str]:
        return {
            "firstName": order.first_name,
            "lastName": order.last_name,
            "address": order.address,
            "postalCode": order.postal_code,
            "city": order.city,
            "country": order.country,
            "customCountry": order.custom_country,
            "phone": order.phone,
            "notes": order.notes,
        }

    @extend_schema_field(
        serializers.DictField(child=serializers.CharField(allow_blank=True), allow_null=True)
    )
    def get_billing_address(self, order: Any) -> dict[str, str] | None:
        return billing_document(order)

    @extend_schema_field(
        serializers.DictField(child=serializers.CharField(allow_blank=True), allow_null=True)
    )
    def get_gift(self, order: Any) -> dict[str, str] | None:
        return {"recipient": order.gift_recipient, "message": order.gift_message} if order.is_gift else None
