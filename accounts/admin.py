"""Accounts in Django's admin: to look up. Roles and passwords are changed by services only."""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import urlencode

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache

from accounts.models import Address, EmailChange, SignUp, User, UserRole
from accounts.selectors import with_proof
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import RecordAdmin, StaffAdmin


@never_cache
def sign_in_to_admin(request: HttpRequest, extra_context: Any = None) -> HttpResponse:
    """The admin's own sign-in form has no limit of tries: people sign in on ``/auth`` instead. Staff who lack the
    second factor that they need are led to set it up.
    """
    query = urlencode({"next": request.GET.get("next") or reverse("admin:index")})
    if getattr(request.user, "second_factor_missing", False):
        return HttpResponseRedirect(f"{reverse('accounts:security')}?{query}")
    if request.user.is_authenticated:
        raise PermissionDenied
    return HttpResponseRedirect(f"{reverse('accounts:auth')}?{query}")


admin.site.login = sign_in_to_admin  # type: ignore[method-assign]


def change_own_password(request: HttpRequest, extra_context: Any = None) -> HttpResponse:
    """One's own password is changed where the account's other protections are."""
    return HttpResponseRedirect(reverse("accounts:security"))


admin.site.password_change = change_own_password  # type: ignore[method-assign, assignment]

# `shop.admin_site.WITHOUT_A_LIST` says why.
admin.site.unregister((EmailAddress, Group, Authenticator, UserSession))


@admin.register(User)
class UserAdmin(StaffAdmin[User]):
    """People to look up. Their role and their access are changed on the staff's screen."""

    view_action = StaffAction.SEE_USERS
    staff_list, staff_row = "staff-users", "staff-user"
    list_display = (
        "email",
        "confirmed",
        "first_name",
        "last_name",
        "role",
        "is_active",
        "date_joined",
        "last_login",
    )
    list_filter = ("is_active", "user_role__role", "language")
    list_select_related = ("user_role",)
    search_fields = ("email", "first_name", "last_name")
    fields = (
        ("email", "confirmed"),
        ("first_name", "last_name"),
        ("language", "is_active", "role"),
        ("date_joined", "last_login"),
    )
    readonly_fields = ("confirmed", "role")

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        return with_proof(super().get_queryset(request))

    @admin.display(description=_("e-mail confirmé"), boolean=True)
    def confirmed(self, user: User) -> bool:
        return bool(getattr(user, "has_proved_email", False))

    @admin.display(description=_("rôle"), ordering="user_role__role")
    def role(self, user: User) -> str:
        held = getattr(user, "user_role", None)
        return held.get_role_display() if held else "—"


show = partial(
    admin.site.register, admin_class=RecordAdmin, view_action=StaffAction.SEE_USERS, staff_list="staff-users"
)

show(
    UserRole,
    staff_row="staff-user",
    staff_key="user_id",
    list_display=("user", "role", "created_at"),
    list_filter=("role",),
    search_fields=("user__email",),
    ordering=("-pk",),
)
show(
    Address,
    staff_row="staff-user",
    staff_key="user_id",
    list_display=("user", "first_name", "last_name", "postal_code", "city", "country", "created_at"),
    search_fields=("user__email", "last_name", "postal_code", "city"),
    ordering=("-pk",),
)
show(
    SignUp,
    list_display=("email", "first_name", "last_name", "language", "created_at"),
    list_filter=("language",),
    date_hierarchy="created_at",
    search_fields=("email", "last_name"),
    ordering=("-created_at",),
    exclude=("password",),
)
show(
    EmailChange,
    staff_row="staff-user",
    staff_key="user_id",
    list_display=("user", "new_email", "requested_at", "old_confirmed_at", "new_confirmed_at"),
    search_fields=("user__email", "new_email"),
    ordering=("-requested_at",),
    exclude=("session_hash",),
)
