"""Addresses of the pages in the staff area, below `/admin/`."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
