"""Addresses for programs that write products, as the specification names them."""

from django.urls import path

from catalog.api.automation import ProductAutomation

urlpatterns = [path("product-automation", ProductAutomation.as_view(), name="automation-products")]
