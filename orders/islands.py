"""What the islands of cart, checkout and payment result are given by their pages."""

from typing import Any

from rest_framework import serializers

from orders.models import PaymentMode
from shop.core.islands import island_serializer
from shop.core.postcodes import OTHER_COUNTRY


class CountryChoiceSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    name = serializers.CharField()
    needs_postcode = serializers.BooleanField()


class PaymentMethodSerializer(serializers.Serializer[Any]):
    icon = serializers.CharField(help_text="The name of a sign of the shop's sprite.")
    name = serializers.CharField()


class CheckoutLinksSerializer(serializers.Serializer[Any]):
    cart = serializers.CharField()
    terms = serializers.CharField()
    withdrawal = serializers.CharField(help_text="Where a contract is withdrawn from.")
    withdrawal_form = serializers.CharField(
        help_text="The notice about the right of withdrawal, and its form."
    )
    guarantees = serializers.CharField(help_text="Where the legal guarantees are explained.")
    privacy = serializers.CharField()
    forgot = serializers.CharField()


class CartLinksSerializer(serializers.Serializer[Any]):
    catalogue = serializers.CharField()
    checkout = serializers.CharField()


class ResultLinksSerializer(serializers.Serializer[Any]):
    cart = serializers.CharField()
    orders = serializers.CharField()
    contact = serializers.CharField(help_text="The contact page.")


@island_serializer("cart")
class CartPropsSerializer(serializers.Serializer[Any]):
    countries = CountryChoiceSerializer(many=True)
    default_country = serializers.CharField(help_text="Chosen until the visitor chooses another.")
    payment_methods = PaymentMethodSerializer(many=True)
    links = CartLinksSerializer()


@island_serializer("checkout")
class CheckoutPropsSerializer(serializers.Serializer[Any]):
    countries = CountryChoiceSerializer(many=True)
    default_country = serializers.CharField(help_text="Chosen until the visitor chooses another.")
    payment_methods = PaymentMethodSerializer(many=True)
    other_country = serializers.ChoiceField(choices=[OTHER_COUNTRY])
    payment_modes = serializers.ListField(child=serializers.ChoiceField(choices=PaymentMode.choices))
    pay_label = serializers.CharField()
    terms_version = serializers.CharField(
        allow_blank=True, help_text="Of the terms that the page leads to; empty while none are published."
    )
    password_min = serializers.IntegerField()
    links = CheckoutLinksSerializer()


@island_serializer("payment-result")
class PaymentResultPropsSerializer(serializers.Serializer[Any]):
    session_id = serializers.CharField()
    # Known without asking the provider again: what was bought stands on the page already.
    paid = serializers.BooleanField()
    links = ResultLinksSerializer()


class StaffChoiceSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    name = serializers.CharField()


class StaffLinkSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    url = serializers.CharField()


@island_serializer("staff-board")
class StaffBoardPropsSerializer(serializers.Serializer[Any]):
    may_move = serializers.BooleanField()


@island_serializer("staff-dispatch")
class StaffDispatchPropsSerializer(serializers.Serializer[Any]):
    carriers = StaffChoiceSerializer(many=True)


@island_serializer("staff-order")
class StaffOrderPropsSerializer(serializers.Serializer[Any]):
    order_id = serializers.UUIDField()
    is_archived = serializers.BooleanField()
    may_restore = serializers.BooleanField()
    list_url = serializers.CharField()
    carriers = StaffChoiceSerializer(many=True)
    countries = StaffChoiceSerializer(many=True)
    links = StaffLinkSerializer(many=True, help_text="Pages of the operators about this order.")
