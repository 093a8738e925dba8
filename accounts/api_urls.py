"""API paths of the accounts app, without the ``api/`` prefix."""

from django.urls import path

from accounts.admin_api import AdminUserListView, AdminUserRoleView
from accounts.api import AddressesView, MeView

urlpatterns = [
    path("me", MeView.as_view(), name="api-me"),
    path("me/addresses", AddressesView.as_view(), name="api-addresses"),
    path("admin/users", AdminUserListView.as_view(), name="api-admin-users"),
    path("admin/users/<int:user_id>/role", AdminUserRoleView.as_view(), name="api-admin-user-role"),
]
