"""Addresses of the catalogue in the staff area, below `/admin/`."""

from django.urls import path

from catalog.staff import reviews
from catalog.staff.categories import SCREENS

urlpatterns = [
    path("avis", reviews.review_list, name="staff-reviews"),
    path("avis/<int:review_id>", reviews.review, name="staff-review"),
    *(pattern for screen in SCREENS for pattern in screen.urls()),
]
