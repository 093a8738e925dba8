"""Addresses of the catalogue's API."""

from django.urls import re_path

from catalog.api import favourites, notices, products, reviews, search

urlpatterns = [
    re_path(r"^products$", products.ProductList.as_view(), name="api-products"),
    re_path(r"^products/(?P<product_id>[0-9]{1,18})$", products.ProductOne.as_view(), name="api-product"),
    re_path(
        r"^products/(?P<product_id>[0-9]{1,18})/reviews$",
        reviews.ProductReviews.as_view(),
        name="api-reviews",
    ),
    re_path(r"^search/suggestions$", search.SuggestionList.as_view(), name="api-search-suggestions"),
    re_path(r"^favourites$", favourites.FavouriteList.as_view(), name="api-favourites"),
    re_path(
        r"^favourites/(?P<product_id>[0-9]{1,18})$",
        favourites.FavouriteOne.as_view(),
        name="api-favourite",
    ),
    re_path(r"^notify$", notices.Notify.as_view(), name="api-notify"),
]
