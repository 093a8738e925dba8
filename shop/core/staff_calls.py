"""Who may call an API endpoint, and answers that are for the caller alone.

The server decides at every request; the interface only hides what is refused.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast
from urllib.parse import urlencode

from django.contrib.auth.base_user import AbstractBaseUser
from django.urls import reverse
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction, may


class MomentField(serializers.DateTimeField):
    """A moment of a call; one that has no equal in UTC is refused, where REST framework's own field breaks."""

    def enforce_timezone(self, value: datetime) -> datetime:
        try:
            return super().enforce_timezone(value)
        except OverflowError:
            self.fail("overflow")


class KnownFieldsSerializer(serializers.Serializer[Any]):
    """For calls in which what is left out has a meaning: a misspelt name must not become « everything », « at once »
    or « for good »."""

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        unknown = sorted(set(cast(Mapping[str, Any], self.initial_data)) - set(self.fields))
        if unknown:
            raise serializers.ValidationError({unknown[0]: [_("Ce champ n'existe pas.")]})
        return attrs


class IsMember(BasePermission):
    """Anybody who is signed in; 401 otherwise."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not request.user or not request.user.is_authenticated:
            raise NotAuthenticated
        return True


def allowed(**actions: StaffAction) -> type[IsMember]:
    """Return the permission class of a staff call: the action that each method asks for, `allowed(get=…, post=…)`.

    401 for nobody, 403 for anybody who may not, with the code `second_factor_missing` for staff who still have to add
    one. A method that is not named is refused to whoever may do none of them.
    """

    class MayCall(IsMember):
        def has_permission(self, request: Request, view: APIView) -> bool:
            super().has_permission(request, view)
            if getattr(request.user, "second_factor_missing", False):
                raise Problem(
                    "second_factor_missing",
                    _("Une seconde étape est nécessaire"),
                    403,
                    extra={"setup_url": reverse("accounts:security")},
                )
            method = "get" if request.method == "HEAD" else (request.method or "").lower()
            asked = [actions[method]] if method in actions else actions.values()
            return any(may(request.user, action) for action in asked)

    return MayCall


def staff_actor(request: Request) -> AbstractBaseUser:
    """Who asks, once the permission has let them in."""
    return cast(AbstractBaseUser, request.user)


def next_address(request: Request, kept: Mapping[str, Any], cursor: str) -> str | None:
    """Return the address of a list's following page with what was asked for, None after the last one."""
    return f"{request.path}?{urlencode({**kept, 'cursor': cursor})}" if cursor else None


def private(data: Any, status: int = 200) -> Response:
    """Return an answer for this caller alone: no cache stores it."""
    return Response(data, status=status, headers={"Cache-Control": "no-store"})
