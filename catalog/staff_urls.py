"""Addresses of the catalogue in the staff area, below `/admin/`."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
