"""Addresses of the catalogue's API."""

from django.urls import re_path

from catalog import api, favourites_api, notice_api, review_api

urlpatterns = [
    re_path(r"^products$", api.ProductList.as_view(), name="api-products"),
    re_path(r"^products/(?P<product_id>[0-9]{1,18})$", api.ProductOne.as_view(), name="api-product"),
    re_path(
        r"^products/(?P<product_id>[0-9]{1,18})/reviews$",
        review_api.ProductReviews.as_view(),
        name="api-reviews",
    ),
    re_path(r"^favourites$", favourites_api.FavouriteList.as_view(), name="api-favourites"),
    re_path(
        r"^favourites/(?P<product_id>[0-9]{1,18})$",
        favourites_api.FavouriteOne.as_view(),
        name="api-favourite",
    ),
    re_path(r"^notify$", notice_api.Notify.as_view(), name="api-notify"),
]
