"""API paths of the accounts app, without the ``api/`` prefix."""

from django.urls import path

from accounts.api import AddressesView, MeView

urlpatterns = [
    path("me", MeView.as_view(), name="api-me"),
    path("me/addresses", AddressesView.as_view(), name="api-addresses"),
]
