"""Addresses of orders in the staff area, below `/admin/`."""

from django.urls import path

from orders.staff import orders

urlpatterns = [
    path("commandes", orders.order_list, name="staff-orders"),
    path("commandes/<uuid:order_id>", orders.order_detail, name="staff-order"),
]
