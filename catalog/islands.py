"""What the islands of the product page get from the server."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from rest_framework import serializers

from catalog.models import Finish
from catalog.selectors import wording
from catalog.selectors.product_detail import FinishChoice, ProductDetail
from shop.core.images import ImageInfo
from shop.core.islands import island_serializer
from shop.core.law import HOME_COUNTRY
from shop.core.money import amount_string


class BuyImage(serializers.Serializer[Any]):
    url = serializers.CharField()
    width = serializers.IntegerField()
    height = serializers.IntegerField()
    alt = serializers.CharField(allow_blank=True)


class BuyFinish(serializers.Serializer[Any]):
    code = serializers.ChoiceField(choices=Finish.choices)
    label = serializers.CharField()  # type: ignore[assignment]
    image = BuyImage(allow_null=True)
    available = serializers.BooleanField()
    reason = serializers.CharField(allow_blank=True)


class BuyVariation(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    is_default = serializers.BooleanField()
    available = serializers.BooleanField()


class BuyOffer(serializers.Serializer[Any]):
    finish = serializers.ChoiceField(choices=Finish.choices, allow_null=True)
    variation_id = serializers.IntegerField(allow_null=True)
    price = serializers.CharField()
    original_price = serializers.CharField(allow_null=True)
    price_text = serializers.CharField()
    original_price_text = serializers.CharField(allow_null=True)
    available = serializers.BooleanField()
    # None: made to order. What the cart has of it already counts against this.
    available_quantity = serializers.IntegerField(allow_null=True)
    stock_text = serializers.CharField(allow_blank=True)


class BuySelection(serializers.Serializer[Any]):
    finish = serializers.ChoiceField(choices=Finish.choices, allow_null=True)
    variation_id = serializers.IntegerField(allow_null=True)


@island_serializer("product-buy")
class ProductBuyProps(serializers.Serializer[Any]):
    product_id = serializers.IntegerField()
    name = serializers.CharField()
    finishes = BuyFinish(many=True)
    variations = BuyVariation(many=True)
    offers = BuyOffer(many=True)
    selected = BuySelection()
    promotion_badge = serializers.CharField(allow_blank=True)
    promotion_text = serializers.CharField(allow_blank=True)
    available = serializers.BooleanField()
    cart_url = serializers.CharField()
    checkout_url = serializers.CharField()
    home_country = serializers.CharField()
    unavailable_text = serializers.CharField()


class GallerySource(serializers.Serializer[Any]):
    type = serializers.CharField()
    srcset = serializers.CharField()


class GalleryImage(serializers.Serializer[Any]):
    url = serializers.CharField()
    width = serializers.IntegerField()
    height = serializers.IntegerField()
    alt = serializers.CharField(allow_blank=True)
    # The very files that the page's own picture offers: the browser has one of them already.
    sources = GallerySource(many=True)
    # Left out where the middle of the photo stays in sight.
    focus_class = serializers.CharField(required=False)


@island_serializer("gallery")
class GalleryProps(serializers.Serializer[Any]):
    name = serializers.CharField()
    images = GalleryImage(many=True)


def product_buy_props(product: ProductDetail) -> ProductBuyProps:
    """The choices of a product's page. The format choice is left out where the category offers none."""
    variations = product.variations if product.offers_formats else ()
    return ProductBuyProps(
        {
            "product_id": product.id,
            "name": product.name,
            "finishes": [_buy_finish(choice) for choice in product.finishes],
            "variations": [
                {
                    "id": choice.id,
                    "name": choice.name,
                    "is_default": choice.is_default,
                    "available": choice.in_stock,
                }
                for choice in variations
            ],
            "offers": [
                {
                    "finish": offer.finish or None,
                    "variation_id": offer.variation_id,
                    "price": amount_string(offer.price),
                    "original_price": None
                    if offer.original_price is None
                    else amount_string(offer.original_price),
                    "price_text": wording.amount_text(offer.price),
                    "original_price_text": (
                        None if offer.original_price is None else wording.amount_text(offer.original_price)
                    ),
                    "available": offer.available,
                    "available_quantity": offer.stock,
                    "stock_text": offer.stock_text,
                }
                for offer in product.offers
            ],
            "selected": {
                "finish": (product.selected.finish or None) if product.selected else None,
                "variation_id": product.selected.variation_id if product.selected else None,
            },
            "promotion_badge": product.promotion_badge,
            "promotion_text": product.promotion_text,
            "available": product.available,
            "cart_url": reverse("orders:cart"),
            "checkout_url": reverse("orders:checkout"),
            "home_country": HOME_COUNTRY,
            "unavailable_text": _("Rupture de stock"),
        }
    )


def gallery_props(product: ProductDetail) -> GalleryProps:
    """The photos of the choice that a product's page shows."""
    return GalleryProps(
        {
            "name": product.name,
            "images": [
                {
                    "url": image.url,
                    "width": image.width,
                    "height": image.height,
                    "alt": image.alt,
                    "sources": [
                        {"type": media_type, "srcset": srcset} for media_type, srcset in image.sources
                    ],
                    **({"focus_class": image.focus_class} if image.focus_class else {}),
                }
                for image in product.shown_images
            ],
        }
    )


def _buy_finish(choice: FinishChoice) -> dict[str, Any]:
    return {
        "code": choice.code,
        "label": choice.label,
        "image": None if choice.image is None else _buy_image(choice.image),
        "available": choice.available,
        "reason": _("Finition non proposée") if choice.price is None else "",
    }


def _buy_image(image: ImageInfo) -> dict[str, Any]:
    return {"url": image.smallest_url, "width": image.width, "height": image.height, "alt": image.alt}


class StaffRightsProps(serializers.Serializer[Any]):
    """What the person may do here."""

    edit = serializers.BooleanField()
    prices = serializers.BooleanField()
    stock = serializers.BooleanField()
    remove = serializers.BooleanField()
    history = serializers.BooleanField()


class StaffCategoryChoice(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    slug = serializers.CharField()
    offers_finishes = serializers.BooleanField()


class StaffLabelledCode(serializers.Serializer[Any]):
    code = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]


class StaffCountryChoice(serializers.Serializer[Any]):
    code = serializers.CharField()
    name = serializers.CharField()


class StaffProductBase(serializers.Serializer[Any]):
    categories = StaffCategoryChoice(many=True)
    promotion_types = StaffLabelledCode(many=True)
    rights = StaffRightsProps()
    trash_days = serializers.IntegerField()


@island_serializer("staff-products")
class StaffProductsProps(StaffProductBase):
    most_at_once = serializers.IntegerField()


@island_serializer("staff-product-form")
class StaffProductFormProps(StaffProductBase):
    """`product_id` is null for a new one."""

    product_id = serializers.IntegerField(allow_null=True)
    countries = StaffCountryChoice(many=True)
    safety_classes = StaffLabelledCode(many=True)


@island_serializer("staff-product-import")
class StaffProductImportProps(serializers.Serializer[Any]):
    most_lines = serializers.IntegerField()


@island_serializer("staff-pictures")
class StaffPicturesProps(serializers.Serializer[Any]):
    """`can_edit`: photos may be added, changed and removed."""

    product_id = serializers.IntegerField()
    can_edit = serializers.BooleanField()


@island_serializer("staff-variants")
class StaffVariantsProps(serializers.Serializer[Any]):
    product_id = serializers.IntegerField()
    rights = StaffRightsProps()
