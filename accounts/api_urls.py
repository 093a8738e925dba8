"""API paths of the accounts app, without the ``api/`` prefix."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
