"""Who may call an API endpoint.

The server decides at every request; the interface only hides what is refused.
"""

from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.models import Role
from accounts.selectors import has_role


class IsMember(BasePermission):
    """Anybody who is signed in; 401 otherwise."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not request.user or not request.user.is_authenticated:
            raise NotAuthenticated
        return True


class IsAdminRole(IsMember):
    """Who holds the role admin now; 401 for nobody, 403 for anybody else."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        return super().has_permission(request, view) and has_role(request.user, Role.ADMIN)
