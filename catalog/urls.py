"""Addresses of the catalogue's pages."""

from django.urls import re_path

from catalog.views import listing, notices, product, reviews

app_name = "catalog"

urlpatterns = [
    re_path(r"^produits$", listing.catalogue, name="list"),
    re_path(r"^(?P<slug>pokeball|noel|crochet|figurines|goodies)$", listing.collection, name="collection"),
    re_path(r"^favoris$", listing.favourites, name="favourites"),
    re_path(r"^avis/demander$", notices.ask, name="notice-ask"),
    re_path(r"^avis/demande$", notices.asked, name="notice-asked"),
    re_path(r"^avis/confirmer$", notices.confirm, name="notice-confirm"),
    re_path(r"^avis/desinscription$", notices.stop, name="notice-stop"),
    re_path(r"^avis-clients$", reviews.rules, name="review-rules"),
    re_path(
        r"^produit/(?P<product_id>[0-9]{1,18})-(?P<slug>[-a-zA-Z0-9_]+)/avis$",
        reviews.reviews,
        name="reviews",
    ),
    re_path(r"^produit/(?P<product_id>[0-9]{1,18})/avis$", reviews.write, name="review-write"),
    # Numbers that no database key can reach, and anything that is no number, end at the last line: not found.
    re_path(
        r"^produit/(?P<product_id>[0-9]{1,18})-(?P<slug>[-a-zA-Z0-9_]+)$", product.product, name="product"
    ),
    re_path(
        r"^produit/(?P<product_id>[0-9]{1,18})(?:-.*)?$", product.product_by_number, name="product-number"
    ),
    re_path(r"^produit/.*$", product.no_product, name="no-product"),
]
