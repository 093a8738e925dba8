"""Accounts in Django's admin: to look up and to block. Roles and passwords are changed by services only."""

from __future__ import annotations

from typing import Any, cast
from urllib.parse import urlencode

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib import admin, messages
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache

from accounts.models import Role, User
from accounts.recent_authentication import ask_again
from accounts.selectors import with_proof
from accounts.services import grant_role
from shop.core.audit import record_audit
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin, staff_action


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
    view_action = StaffAction.SEE_USERS
    # Nobody is deleted here: orders and invoices refer to people, erasing one is a procedure of its own.
    change_action = StaffAction.BLOCK_USER
    audited_fields = frozenset({"language", "is_active"})
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
    actions = ("make_admin", "make_staff", "make_member")
    list_select_related = ("user_role",)
    search_fields = ("email", "first_name", "last_name")
    fields = (
        ("email", "confirmed"),
        ("first_name", "last_name"),
        ("language", "is_active", "role"),
        ("date_joined", "last_login"),
    )
    readonly_fields = ("email", "confirmed", "role", "date_joined", "last_login")

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        return with_proof(super().get_queryset(request))

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        # An admin is first made a member, which keeps the last one from being shut out.
        return (*self.readonly_fields, "is_active") if obj and obj.is_staff else self.readonly_fields

    @staff_action(StaffAction.CHANGE_ROLES, description=_("Donner le rôle Admin"))
    def make_admin(self, request: HttpRequest, chosen: QuerySet[User]) -> HttpResponseBase | None:
        return self._grant(request, chosen, Role.ADMIN)

    @staff_action(StaffAction.CHANGE_ROLES, description=_("Donner le rôle Équipe"))
    def make_staff(self, request: HttpRequest, chosen: QuerySet[User]) -> HttpResponseBase | None:
        return self._grant(request, chosen, Role.STAFF)

    @staff_action(StaffAction.CHANGE_ROLES, description=_("Donner le rôle Membre"))
    def make_member(self, request: HttpRequest, chosen: QuerySet[User]) -> HttpResponseBase | None:
        return self._grant(request, chosen, Role.USER)

    def _grant(self, request: HttpRequest, chosen: QuerySet[User], role: Role) -> HttpResponseBase | None:
        if answer := ask_again(request):
            return answer
        for user in chosen.order_by("pk"):
            try:
                grant_role(user=user, role=role, changed_by=cast(User, request.user))
            except Problem as problem:
                self.message_user(request, problem.detail, messages.ERROR)
        return None

    def log_change(self, request: HttpRequest, obj: User, message: Any) -> None:  # type: ignore[override]
        before, after = message
        if "is_active" not in after:
            super().log_change(request, obj, message)
            return
        action = "user.unblocked" if obj.is_active else "user.blocked"
        record_audit(action, obj, actor=cast(User, request.user), before=before, after=after)

    @admin.display(description=_("e-mail confirmé"), boolean=True)
    def confirmed(self, user: User) -> bool:
        return bool(getattr(user, "has_proved_email", False))

    @admin.display(description=_("rôle"), ordering="user_role__role")
    def role(self, user: User) -> str:
        held = getattr(user, "user_role", None)
        return held.get_role_display() if held else "—"
