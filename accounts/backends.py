"""Permissions that a role brings."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import BaseBackend

from accounts.models import User, UserRole
from shop.core.staff_actions import ROLE_ACTIONS


class RolePermissions(BaseBackend):
    """Gives a person the permissions of their role. Signs nobody in.

    Read once for each request's user, so that a demotion counts at the next request.
    """

    def get_user_permissions(self, user_obj: Any, obj: Any = None) -> set[str]:
        """Permissions as Django names them. One query, for people with access to the administration only."""
        if (
            not isinstance(user_obj, User)
            or not (user_obj.is_active and user_obj.is_staff)
            or obj is not None
        ):
            return set()
        held: set[str] | None = getattr(user_obj, "_role_permissions", None)
        if held is None:
            role = UserRole.objects.filter(user_id=user_obj.pk).values_list("role", flat=True).first()
            held = {action.value for action in ROLE_ACTIONS.get(role or "", ())}
            user_obj._role_permissions = held  # type: ignore[attr-defined]
        return held
