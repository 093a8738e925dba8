"""Addresses of the pages' API."""

from django.urls import path

from shop.pages.api import ContactApi
from shop.pages.api_members import DataExportApi
from shop.pages.staff.search import StaffSearchApi

urlpatterns = [
    path("contact", ContactApi.as_view(), name="api-contact"),
    path("admin/search", StaffSearchApi.as_view(), name="api-admin-search"),
    path("me/export", DataExportApi.as_view(), name="api-me-export"),
]
