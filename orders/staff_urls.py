"""Addresses of orders in the staff area, below `/admin/`."""

from django.urls import path

from orders.staff import orders, workshop

urlpatterns = [
    path("commandes", orders.order_list, name="staff-orders"),
    path("commandes/<uuid:order_id>", orders.order_detail, name="staff-order"),
    path("atelier", workshop.board, name="staff-board"),
    path("expedition", workshop.dispatch, name="staff-dispatch"),
]
