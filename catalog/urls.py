"""Addresses of the catalogue's pages."""

from django.urls import re_path

from catalog import views

app_name = "catalog"

urlpatterns = [
    re_path(r"^produits$", views.catalogue, name="list"),
    re_path(r"^(?P<slug>pokeball|noel|crochet|figurines|goodies)$", views.collection, name="collection"),
    # Numbers that no database key can reach, and anything that is no number, end at the last line: not found.
    re_path(r"^produit/(?P<product_id>[0-9]{1,18})-(?P<slug>[-a-zA-Z0-9_]+)$", views.product, name="product"),
    re_path(r"^produit/(?P<product_id>[0-9]{1,18})(?:-.*)?$", views.product_by_number, name="product-number"),
    re_path(r"^produit/.*$", views.no_product, name="no-product"),
]
