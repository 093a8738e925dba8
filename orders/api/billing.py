"""Who is billed and who gets the gift, where that is not who receives the parcel."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from orders.api.fields import CompanyNumberField, CountryField, ParagraphField, PlainTextField
from orders.models import Order
from orders.models.addresses import GIFT_MESSAGE_LENGTH
from orders.services.checkout.placement import BillingDetails, GiftDetails
from shop.core.postcodes import OTHER_COUNTRY


class AddressSerializer(serializers.Serializer[Any]):
    """Where a parcel or an invoice goes."""

    address = PlainTextField(max_length=250)
    city = PlainTextField(max_length=100)
    postalCode = PlainTextField(max_length=20)  # noqa: N815
    country = CountryField()
    customCountry = PlainTextField(max_length=60, required=False, allow_blank=True, default="")  # noqa: N815

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["country"] == OTHER_COUNTRY and not attrs["customCountry"]:
            raise serializers.ValidationError({"customCountry": [_("Indiquez votre pays.")]})
        if attrs["country"] != OTHER_COUNTRY:
            attrs["customCountry"] = ""
        return attrs


class BillingSerializer(AddressSerializer):
    name = PlainTextField(max_length=200)
    company = PlainTextField(max_length=120, required=False, allow_blank=True, default="")
    companyNumber = CompanyNumberField()  # noqa: N815

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs = super().validate(attrs)
        if attrs["companyNumber"] and not attrs["company"]:
            raise serializers.ValidationError({"company": [_("Indiquez le nom de la société.")]})
        return attrs


class GiftSerializer(serializers.Serializer[GiftDetails]):
    recipient = PlainTextField(max_length=200)
    message = ParagraphField(max_length=GIFT_MESSAGE_LENGTH, required=False, allow_blank=True, default="")


def billing_details(data: dict[str, Any] | None) -> BillingDetails | None:
    """Return who is billed, of a validated checkout; None for the customer at the address of the delivery."""
    if not data:
        return None
    return BillingDetails(
        name=data["name"],
        company=data["company"],
        company_number=data["companyNumber"],
        address=data["address"],
        postal_code=data["postalCode"],
        city=data["city"],
        country=data["country"],
        custom_country=data["customCountry"],
    )


def gift_details(data: dict[str, Any] | None) -> GiftDetails | None:
    """Return the gift of a validated checkout; None when the customer receives the parcel."""
    return GiftDetails(**data) if data else None


def billing_document(order: Order) -> dict[str, str] | None:
    """Return an order's billing address in the names of the public API."""
    if not order.has_own_billing:
        return None
    return {
        "name": order.billing_name,
        "company": order.billing_company,
        "companyNumber": order.billing_company_number,
        "address": order.billing_address,
        "postalCode": order.billing_postal_code,
        "city": order.billing_city,
        "country": order.billing_country,
        "customCountry": order.billing_custom_country,
    }
