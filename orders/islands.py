"""What the islands of cart, checkout and payment result are given by their pages."""

from typing import Any

from rest_framework import serializers

from orders.models import PaymentMode
from orders.models.order import OTHER_COUNTRY
from shop.core.islands import island_serializer


class CountryChoiceSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    name = serializers.CharField()
    zone = serializers.CharField()
    duties_notice = serializers.BooleanField()


class CheckoutLinksSerializer(serializers.Serializer[Any]):
    cart = serializers.CharField()
    terms = serializers.CharField()
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
    home_country = serializers.CharField()
    links = CartLinksSerializer()


@island_serializer("checkout")
class CheckoutPropsSerializer(serializers.Serializer[Any]):
    countries = CountryChoiceSerializer(many=True)
    home_country = serializers.CharField()
    other_country = serializers.ChoiceField(choices=[OTHER_COUNTRY])
    payment_modes = serializers.ListField(child=serializers.ChoiceField(choices=PaymentMode.choices))
    pay_label = serializers.CharField()
    terms_version = serializers.CharField()
    password_min = serializers.IntegerField()
    links = CheckoutLinksSerializer()


@island_serializer("payment-result")
class PaymentResultPropsSerializer(serializers.Serializer[Any]):
    session_id = serializers.CharField()
    # Known without asking the provider again: what was bought stands on the page already.
    paid = serializers.BooleanField()
    links = ResultLinksSerializer()
