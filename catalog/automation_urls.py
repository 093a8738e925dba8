"""Addresses for programs that write products and read the stock."""

from django.urls import path

from catalog.api.automation import ProductAutomation, StockAutomation

urlpatterns = [
    path("product-automation", ProductAutomation.as_view(), name="automation-products"),
    path("stock", StockAutomation.as_view(), name="automation-stock"),
]
