"""What the browser may know about the visitor."""

from typing import Any, cast

from django.middleware.csrf import get_token
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Address, Role, User
from accounts.recent_authentication import prove_fully
from accounts.selectors import addresses_of, roles_of
from accounts.services.addresses import AddressDetails, save_address
from shop.core.languages import active_language
from shop.core.me_parts import erase_me, me_parts
from shop.core.staff_calls import IsMember, KnownFieldsSerializer


class MeCartSerializer(serializers.Serializer[dict[str, Any]]):
    """The saved cart of a member: whose it is, and how often it changed."""

    owner = serializers.CharField()
    version = serializers.IntegerField()


class MeSerializer(serializers.Serializer[dict[str, Any]]):
    """The visitor: member or not, and the token that unsafe calls send back in ``X-CSRFToken``."""

    authenticated = serializers.BooleanField()
    email = serializers.EmailField(required=False)
    first_name = serializers.CharField(required=False, allow_blank=True)
    roles = serializers.ListField(child=serializers.ChoiceField(choices=Role.values))
    favourites = serializers.ListField(child=serializers.IntegerField())
    cart = MeCartSerializer(required=False)
    csrf_token = serializers.CharField()


class ErasureBody(serializers.Serializer[Any]):
    """The member's password, once more."""

    password = serializers.CharField(trim_whitespace=False)


class ErasureAnswer(serializers.Serializer[Any]):
    """`registered` waits for what is open, named in sentences; it is done on `due_by` at the latest."""

    state = serializers.CharField()
    due_by = serializers.DateTimeField()
    open_matters = serializers.ListField(child=serializers.CharField())


@method_decorator(never_cache, name="dispatch")
class MeView(APIView):
    """Who is signed in here. Never cached."""

    @extend_schema(operation_id="me", responses=MeSerializer)
    def get(self, request: Request) -> Response:
        # A query for the roles of a member and one for each part that an app registered; none without a session.
        user = request.user
        me: dict[str, Any] = {
            "authenticated": user.is_authenticated,
            "roles": roles_of(user),
            "favourites": [],
            "csrf_token": get_token(request._request),
        }
        if user.is_authenticated:
            me |= {"email": user.email, "first_name": user.first_name, **me_parts(user.pk)}
        return Response(MeSerializer(me).data)

    @extend_schema(operation_id="me_erase", request=ErasureBody, responses={202: ErasureAnswer})
    def delete(self, request: Request) -> Response:
        """Have everything about the member erased, as soon as nothing is open (GDPR art. 17). 400 for a wrong password,
        403 `reauthentication_required` until a second factor was proved lately, 409 `last_admin`."""
        user = request.user
        if not isinstance(user, User):
            raise exceptions.NotAuthenticated
        body = ErasureBody(data=request.data)
        body.is_valid(raise_exception=True)
        prove_fully(request._request, body.validated_data["password"])
        return Response(ErasureAnswer(erase_me(user, active_language())).data, status=202)


class AddressSerializer(KnownFieldsSerializer, serializers.ModelSerializer[Address]):
    """An address of the caller's book. Whether it can be right is the service's affair."""

    class Meta:
        model = Address
        fields = (
            *("id", "label", "first_name", "last_name", "address", "postal_code", "city", "country"),
            *("custom_country", "phone", "is_delivery_default", "is_billing_default"),
        )


@method_decorator(never_cache, name="dispatch")
class AddressesView(APIView):
    """The caller's address book: the first choice of delivery first, then the newest. An address that it holds already
    is not added again."""

    permission_classes = (IsMember,)

    @extend_schema(operation_id="addresses_list", responses=AddressSerializer(many=True))
    def get(self, request: Request) -> Response:
        # One query beside the session's.
        return Response(AddressSerializer(addresses_of(cast(User, request.user)), many=True).data)

    @extend_schema(operation_id="address_add", request=AddressSerializer, responses={201: AddressSerializer})
    def post(self, request: Request) -> Response:
        serializer = AddressSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        details = AddressDetails(**serializer.validated_data)
        address = save_address(user=cast(User, request.user), details=details)
        return Response(AddressSerializer(address).data, status=201)
