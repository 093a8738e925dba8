"""Addresses of the catalogue's pages."""

from django.urls import path, re_path, register_converter

from catalog.views import listing, notices, product, reviews
from shop.core.page_slugs import localized
from shop.core.site import page_words

app_name = "catalog"


class CategoryWord:
    """A path converter: any word that begins no address of the shop may be a category's."""

    regex = "[-a-zA-Z0-9_]{1,60}"

    def to_python(self, value: str) -> str:
        """Raises ValueError for the shop's own words, whatever their language: the address is another one's."""
        if value.lower() in page_words():
            raise ValueError(value)
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(CategoryWord, "category-word")

urlpatterns = [
    re_path(localized(r"^%(products)s$"), listing.catalogue, name="list"),
    re_path(localized(r"^%(favourites)s$"), listing.favourites, name="favourites"),
    re_path(localized(r"^%(notices)s/%(ask)s$"), notices.ask, name="notice-ask"),
    re_path(localized(r"^%(notices)s/%(asked)s$"), notices.asked, name="notice-asked"),
    re_path(localized(r"^%(notices)s/%(confirm)s$"), notices.confirm, name="notice-confirm"),
    re_path(localized(r"^%(notices)s/%(unsubscribe)s$"), notices.stop, name="notice-stop"),
    re_path(localized(r"^%(review_rules)s$"), reviews.rules, name="review-rules"),
    re_path(
        localized(r"^%(product)s/(?P<product_id>[0-9]{1,18})-(?P<slug>[-a-zA-Z0-9_]+)/%(reviews)s$"),
        reviews.reviews,
        name="reviews",
    ),
    re_path(
        localized(r"^%(product)s/(?P<product_id>[0-9]{1,18})/%(reviews)s$"),
        reviews.write,
        name="review-write",
    ),
    # Numbers that no database key can reach, and anything that is no number, end at the last line: not found.
    re_path(
        localized(r"^%(product)s/(?P<product_id>[0-9]{1,18})-(?P<slug>[-a-zA-Z0-9_]+)$"),
        product.product,
        name="product",
    ),
    re_path(
        localized(r"^%(product)s/(?P<product_id>[0-9]{1,18})(?:-.*)?$"),
        product.product_by_number,
        name="product-number",
    ),
    re_path(localized(r"^%(product)s/.*$"), product.no_product, name="no-product"),
    path("<category-word:slug>", listing.collection, name="collection"),
]
