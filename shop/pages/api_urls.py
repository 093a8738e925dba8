"""Addresses of the pages' API."""

from django.urls import path

from shop.pages.api import ContactApi

urlpatterns = [path("contact", ContactApi.as_view(), name="api-contact")]
