"""Accounts and their roles, for admins."""

from __future__ import annotations

from typing import Any, cast

from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Role, User
from accounts.recent_authentication import require_recent
from accounts.selectors import find_users, role_of, with_proof
from accounts.services import grant_role
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction
from shop.core.staff_calls import allowed, next_address

PAGE_SIZE, MOST_A_PAGE = 20, 100


class AdminUserSerializer(serializers.ModelSerializer[User]):
    """An account. `last_sign_in` is null for who never signed in."""

    email_confirmed = serializers.BooleanField(source="has_proved_email")
    role = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField(source="date_joined")
    last_sign_in = serializers.DateTimeField(source="last_login", allow_null=True)

    class Meta:
        model = User
        fields = (
            *("id", "email", "email_confirmed", "first_name", "last_name", "role", "is_active"),
            *("created_at", "last_sign_in"),
        )

    def get_role(self, user: User) -> Role:
        return role_of(user)


class AdminUserPageSerializer(serializers.Serializer[Any]):
    next = serializers.CharField(allow_null=True, help_text="Address of the following page.")
    next_cursor = serializers.CharField(allow_null=True)
    results = AdminUserSerializer(many=True)


class UserSearchSerializer(serializers.Serializer[Any]):
    search = serializers.CharField(max_length=100, required=False, allow_blank=True, default="")
    role = serializers.ChoiceField(choices=Role.choices, required=False, allow_blank=True, default="")
    cursor = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")
    page_size = serializers.IntegerField(
        min_value=1, max_value=MOST_A_PAGE, required=False, default=PAGE_SIZE
    )


class RoleChangeSerializer(serializers.Serializer[Any]):
    role = serializers.ChoiceField(choices=Role.choices)


@method_decorator(never_cache, name="dispatch")
class AdminUserListView(APIView):
    """The accounts, newest first."""

    permission_classes = (allowed(get=StaffAction.SEE_USERS),)

    @extend_schema(
        operation_id="admin_users_list",
        parameters=[UserSearchSerializer],
        responses=AdminUserPageSerializer,
    )
    def get(self, request: Request) -> Response:
        form = UserSearchSerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        asked = form.validated_data
        page = find_users(**asked)
        searched = {name: value for name, value in asked.items() if value and name != "cursor"}
        answer = {
            "next": next_address(request, searched, page.next_cursor),
            "next_cursor": page.next_cursor or None,
            "results": page.rows,
        }
        return Response(AdminUserPageSerializer(answer).data)


@method_decorator(never_cache, name="dispatch")
class AdminUserRoleView(APIView):
    """The role of one account; its sessions end when it changes. 409 `last_admin` for the last one, `blocked_account`
    and `account_erased`, 403 `reauthentication_required` until the admin proved again who they are."""

    permission_classes = (allowed(post=StaffAction.CHANGE_ROLES),)

    @extend_schema(
        operation_id="admin_user_role", request=RoleChangeSerializer, responses=AdminUserSerializer
    )
    def post(self, request: Request, user_id: int) -> Response:
        form = RoleChangeSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        user = User.objects.filter(pk=user_id).first()
        if user is None:
            raise Problem("not_found", _("Compte introuvable."), 404)
        require_recent(request._request)
        grant_role(user=user, role=form.validated_data["role"], changed_by=cast(User, request.user))
        changed = with_proof(User.objects.select_related("user_role")).get(pk=user_id)
        return Response(AdminUserSerializer(changed).data)
