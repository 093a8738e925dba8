"""What the browser may know about the visitor."""

from typing import Any

from django.middleware.csrf import get_token
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Role
from accounts.selectors import roles_of
from shop.core.me_parts import me_parts


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


@method_decorator(never_cache, name="dispatch")
class MeView(APIView):
    """Who is signed in here. Never cached; a query for the roles of a member and one
    for each part that an app registered; none for a visitor without a session."""

    @extend_schema(operation_id="me", responses=MeSerializer)
    def get(self, request: Request) -> Response:
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
