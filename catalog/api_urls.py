"""Addresses of the catalogue's API."""

from django.urls import re_path

from catalog import api

urlpatterns = [
    re_path(r"^products$", api.ProductList.as_view(), name="api-products"),
    re_path(r"^products/(?P<product_id>[0-9]{1,18})$", api.ProductOne.as_view(), name="api-product"),
]
