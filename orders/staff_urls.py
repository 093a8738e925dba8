"""Addresses of orders in the staff area, below `/admin/`."""

from django.urls import path

from orders.staff import orders
from orders.staff.settings import SCREENS

urlpatterns = [
    path("commandes", orders.order_list, name="staff-orders"),
    path("commandes/<uuid:order_id>", orders.order_detail, name="staff-order"),
    *(pattern for screen in SCREENS for pattern in screen.urls()),
]
