"""Addresses of the catalogue's pages."""

from django.urls import re_path

from catalog import favourites_views, notice_views, review_views, views

app_name = "catalog"

urlpatterns = [
    re_path(r"^produits$", views.catalogue, name="list"),
    re_path(r"^(?P<slug>pokeball|noel|crochet|figurines|goodies)$", views.collection, name="collection"),
    re_path(r"^favoris$", favourites_views.favourites, name="favourites"),
    re_path(r"^avis/demander$", notice_views.ask, name="notice-ask"),
    re_path(r"^avis/demande$", notice_views.asked, name="notice-asked"),
    re_path(r"^avis/confirmer$", notice_views.confirm, name="notice-confirm"),
    re_path(r"^avis/desinscription$", notice_views.stop, name="notice-stop"),
    re_path(r"^avis-clients$", review_views.rules, name="review-rules"),
    re_path(
        r"^produit/(?P<product_id>[0-9]{1,18})-(?P<slug>[-a-zA-Z0-9_]+)/avis$",
        review_views.reviews,
        name="reviews",
    ),
    re_path(r"^produit/(?P<product_id>[0-9]{1,18})/avis$", review_views.write, name="review-write"),
    # Numbers that no database key can reach, and anything that is no number, end at the last line: not found.
    re_path(r"^produit/(?P<product_id>[0-9]{1,18})-(?P<slug>[-a-zA-Z0-9_]+)$", views.product, name="product"),
    re_path(r"^produit/(?P<product_id>[0-9]{1,18})(?:-.*)?$", views.product_by_number, name="product-number"),
    re_path(r"^produit/.*$", views.no_product, name="no-product"),
]
