"""Addresses of orders in the staff area, below `/admin/`."""

from orders.staff.settings import SCREENS

urlpatterns = [
    *(pattern for screen in SCREENS for pattern in screen.urls()),
]
