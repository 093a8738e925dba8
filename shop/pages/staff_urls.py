"""Addresses of the pages in the staff area, below `/admin/`."""

from django.urls import path

from shop.pages.staff.search import staff_search

urlpatterns = [path("recherche", staff_search, name="staff-search")]
