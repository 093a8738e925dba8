"""Addresses for programs that read orders."""

from django.urls import path

from orders.api.automation import OrderAutomation

urlpatterns = [path("orders", OrderAutomation.as_view(), name="automation-orders")]
