"""Addresses of the catalogue in the staff area, below `/admin/`."""

from django.urls import path, register_converter
from django.urls.converters import IntConverter

from catalog.staff import model_3d, products, promotions, reviews, waiting_list
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
    path("produits/<key:product_id>/modele-3d", model_3d.model_page, name="staff-product-model"),
    path("attentes", waiting_list.notices_page, name="staff-waiting-list"),
    path("attentes/<key:notice_id>/supprimer", waiting_list.notice_delete, name="staff-notice-delete"),
    path("favoris", waiting_list.favourites_page, name="staff-favourites"),
    path(
        "favoris/piece/<key:product_id>",
        waiting_list.product_favourites_page,
        name="staff-product-favourites",
    ),
    path(
        "favoris/<key:favourite_id>/supprimer", waiting_list.favourite_delete, name="staff-favourite-delete"
    ),
    path("avis", reviews.review_list, name="staff-reviews"),
    path("avis/<int:review_id>", reviews.review, name="staff-review"),
    *(pattern for screen in (*SCREENS, *promotions.SCREENS) for pattern in screen.urls()),
]
