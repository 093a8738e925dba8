"""Accounts in Django's admin: to look up. Roles and passwords are changed by services only."""

from __future__ import annotations

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

from accounts.models import User
from accounts.selectors import with_proof
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin


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

# Addresses are shown with their person; changing one by hand would part it from the account.
admin.site.unregister(EmailAddress)
# Rights come with roles.
admin.site.unregister(Group)
# Second factors and sessions are their owner's affair; `reset_second_factor` helps who lost theirs.
admin.site.unregister(Authenticator)
admin.site.unregister(UserSession)


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
