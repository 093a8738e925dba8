"""Addresses of the catalogue in the staff area, below `/admin/`."""

from django.urls import path, register_converter
from django.urls.converters import IntConverter

from catalog.staff import products, reviews
from catalog.staff.categories import SCREENS


class KeyConverter(IntConverter):
    """A number that a database key can reach."""

    regex = "[0-9]{1,18}"


register_converter(KeyConverter, "key")

urlpatterns = [
    path("produits", products.product_list, name="staff-products"),
    path("produits/nouveau", products.product_new, name="staff-product-new"),
    path("produits/import", products.product_import, name="staff-product-import"),
    path("produits/<key:product_id>", products.product_edit, name="staff-product"),
    path("avis", reviews.review_list, name="staff-reviews"),
    path("avis/<int:review_id>", reviews.review, name="staff-review"),
    *(pattern for screen in SCREENS for pattern in screen.urls()),
]
