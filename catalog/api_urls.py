"""Addresses of the catalogue's API."""

from django.urls import re_path

from catalog.api import (
    favourites,
    notices,
    product_files,
    products,
    reviews,
    search,
    staff_bulk,
    staff_pictures,
    staff_products,
    staff_variants,
)
from catalog.staff.products import InPlaceView

_ONE = r"^admin/products/(?P<product_id>[0-9]{1,18})"
_VARIATION = rf"{_ONE}/variations/(?P<variation_id>[0-9]{{1,18}})"

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
    re_path(r"^admin/products$", staff_products.AdminProductListView.as_view(), name="api-admin-products"),
    re_path(
        r"^admin/products/bulk$", staff_bulk.AdminProductBulkView.as_view(), name="api-admin-products-bulk"
    ),
    re_path(
        r"^admin/products/export\.csv$",
        product_files.AdminProductExportView.as_view(),
        name="api-admin-products-export",
    ),
    re_path(
        r"^admin/products/import$",
        product_files.AdminProductImportView.as_view(),
        name="api-admin-products-import",
    ),
    re_path(rf"{_ONE}$", staff_products.AdminProductView.as_view(), name="api-admin-product"),
    re_path(
        rf"{_ONE}/duplicate$",
        staff_products.AdminProductCopyView.as_view(),
        name="api-admin-product-duplicate",
    ),
    re_path(
        rf"{_ONE}/(?P<action>archive|unarchive|restore)$",
        staff_products.AdminProductActionView.as_view(),
        name="api-admin-product-action",
    ),
    re_path(rf"{_ONE}/in-place$", InPlaceView.as_view(), name="api-admin-product-in-place"),
    re_path(rf"{_ONE}/prices$", staff_bulk.AdminProductPricesView.as_view(), name="api-admin-product-prices"),
    re_path(
        rf"{_ONE}/promotion-preview$",
        staff_bulk.AdminPromotionPreviewView.as_view(),
        name="api-admin-product-promotion-preview",
    ),
    re_path(rf"{_ONE}/images$", staff_pictures.ProductPicturesView.as_view(), name="api-admin-pictures"),
    re_path(
        rf"{_ONE}/images/order$", staff_pictures.PictureOrderView.as_view(), name="api-admin-pictures-order"
    ),
    re_path(
        rf"{_ONE}/images/main$", staff_pictures.MainPictureView.as_view(), name="api-admin-pictures-main"
    ),
    re_path(
        rf"{_ONE}/images/(?P<image_id>[0-9]{{1,18}})$",
        staff_pictures.ProductPictureView.as_view(),
        name="api-admin-picture",
    ),
    re_path(r"^admin/uploads$", staff_pictures.UploadView.as_view(), name="api-admin-uploads"),
    re_path(rf"{_ONE}/variants$", staff_variants.VariantGridView.as_view(), name="api-admin-variants"),
    re_path(rf"{_ONE}/variations$", staff_variants.VariationListView.as_view(), name="api-admin-variations"),
    re_path(rf"{_VARIATION}$", staff_variants.VariationView.as_view(), name="api-admin-variation"),
    re_path(
        rf"{_VARIATION}/default$",
        staff_variants.DefaultVariationView.as_view(),
        name="api-admin-variation-default",
    ),
    re_path(r"^notify$", notices.Notify.as_view(), name="api-notify"),
]
