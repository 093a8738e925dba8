"""The catalogue's API: the list that the catalogue page shows, and one product in full."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from catalog.models import Finish, Product, Promotion, PromotionType
from catalog.pricing import is_true_figure, reduced_price
from catalog.selectors import cards, categories, listing, wording
from catalog.selectors.addresses import product_url
from catalog.selectors.dispatch import dispatch_from
from catalog.selectors.favourites import parse_ids, products_of
from catalog.selectors.pictures import image_info, images_of
from catalog.selectors.product_detail import OfferChoice, ProductDetail
from catalog.selectors.products import find_product
from catalog.selectors.vocabulary import clean_query
from shop.core.images import ImageInfo
from shop.core.problems import Problem
from shop.core.site import absolute_url

MAX_PAGE_SIZE = 60


class ListQuery(serializers.Serializer[Any]):
    """The parameters of the list; unknown ones are ignored."""

    category = serializers.CharField(required=False, default="", allow_blank=True, max_length=60)
    search = serializers.CharField(
        required=False, default="", allow_blank=True, trim_whitespace=False, max_length=10_000
    )
    page = serializers.CharField(required=False, default="1", allow_blank=True, max_length=30)
    page_size = serializers.IntegerField(
        required=False, default=listing.PAGE_SIZE, min_value=1, max_value=MAX_PAGE_SIZE
    )
    ordering = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=10_000,
        help_text="`newest` (by first publication), `price` (lowest first), `price-desc` or `name` (in the language of"
        " the answer); anything else is `newest`.",
    )
    ids = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=4000,
        help_text="Keys of products, separated by commas: these, in this order, on one page; nothing else counts.",
    )


class Money(serializers.DecimalField):
    """An amount in euros as a string: `"49.99"`."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_digits=10, decimal_places=2, coerce_to_string=True, **kwargs)


class ProductPicture(serializers.Serializer[Any]):
    url = serializers.CharField()
    alt = serializers.CharField(allow_blank=True)
    width = serializers.IntegerField()
    height = serializers.IntegerField()
    srcset = serializers.CharField()


class ProductPromotion(serializers.Serializer[Any]):
    """The running promotion. `buy` and `get` are null for a reduction, whose price is the one of the product."""

    type = serializers.ChoiceField(choices=PromotionType.choices)
    buy = serializers.IntegerField(allow_null=True)
    get = serializers.IntegerField(allow_null=True)
    label = serializers.CharField()  # type: ignore[assignment]


class ProductSummary(serializers.Serializer[Any]):
    """A product in a list. `price` is its own price, `price_from` the lowest of those of its finishes and
    variations that can be bought; `original_price` is the one that may be shown crossed out."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    url = serializers.CharField()
    teaser = serializers.CharField(allow_blank=True)
    category = serializers.CharField()
    category_slug = serializers.CharField()
    price = Money()
    price_from = Money()
    original_price = Money(allow_null=True)
    image = ProductPicture(allow_null=True)
    featured = serializers.BooleanField()
    in_stock = serializers.BooleanField()
    promotion = ProductPromotion(allow_null=True)


class ProductPage(serializers.Serializer[Any]):
    count = serializers.IntegerField()
    next = serializers.CharField(allow_null=True)
    previous = serializers.CharField(allow_null=True)
    results = ProductSummary(many=True)


class ProductFinish(serializers.Serializer[Any]):
    code = serializers.ChoiceField(choices=Finish.choices)
    price = Money(allow_null=True)
    available = serializers.BooleanField()


class ProductFormat(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    price = Money(allow_null=True)
    in_stock = serializers.BooleanField()
    is_default = serializers.BooleanField()


class ProductVariant(serializers.Serializer[Any]):
    """One format in one finish. `stock` is null for made to order; `images` are places in the product's `images`, the
    photos that show this variant, best first; `size` is its height in cm."""

    id = serializers.IntegerField()
    sku = serializers.CharField(allow_blank=True)
    finish = serializers.ChoiceField(choices=Finish.choices, allow_null=True)
    variation_id = serializers.IntegerField(allow_null=True)
    price = Money()
    original_price = Money(allow_null=True)
    available = serializers.BooleanField()
    stock = serializers.IntegerField(allow_null=True)
    size = serializers.DecimalField(max_digits=6, decimal_places=1, allow_null=True)
    dimensions = serializers.CharField(allow_blank=True)
    production_days_min = serializers.IntegerField()
    production_days_max = serializers.IntegerField()
    dispatch_from = serializers.DateField(
        allow_null=True, help_text="When it leaves if it is ordered today; null for what can't be bought."
    )
    images = serializers.ListField(child=serializers.IntegerField())


class ProductFull(ProductSummary):
    slug = serializers.CharField()
    description = serializers.CharField(allow_blank=True)
    full_description = serializers.CharField(allow_blank=True)
    price_to = Money()
    painted_price = Money(allow_null=True)
    unpainted_price = Money(allow_null=True)
    image_url = serializers.CharField(allow_null=True)
    gallery_images = serializers.ListField(child=serializers.CharField())
    promotion_active = serializers.BooleanField()
    promotion_type = serializers.ChoiceField(choices=PromotionType.choices, allow_null=True)
    promotion_buy_quantity = serializers.IntegerField(allow_null=True)
    promotion_get_quantity = serializers.IntegerField(allow_null=True)
    dimensions = serializers.CharField(allow_blank=True)
    height_cm = serializers.DecimalField(max_digits=6, decimal_places=1, allow_null=True)
    weight = serializers.CharField(allow_blank=True)
    material = serializers.CharField(allow_blank=True)
    paint_type = serializers.CharField(allow_blank=True)
    production_time = serializers.CharField()
    production_days_min = serializers.IntegerField()
    production_days_max = serializers.IntegerField()
    dispatch_from = serializers.DateField(
        allow_null=True, help_text="The first day on which a piece ordered today may leave the workshop."
    )
    created_at = serializers.DateTimeField()
    source = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    finishes = ProductFinish(many=True)
    variations = ProductFormat(many=True)
    variants = ProductVariant(many=True)
    images = ProductPicture(many=True)
    similar = ProductSummary(many=True)


class ProductList(APIView):
    """`GET /api/products`: at most four queries, eleven for a search."""

    @extend_schema(
        operation_id="products_list",
        parameters=[
            ListQuery,
            OpenApiParameter("page", int, description="From 1; an unknown page is a 404."),
        ],
        responses=ProductPage,
    )
    def get(self, request: Request) -> Response:
        """Published products of the main catalogue, or of one category, newest first or as `ordering` says. With
        `search`, those of the whole shop that it finds, the best first."""
        query = ListQuery(data=request.query_params.dict())
        query.is_valid(raise_exception=True)
        data = query.validated_data
        if data["ids"]:
            chosen = products_of(parse_ids(data["ids"]))
            whole = {"count": len(chosen), "next": None, "previous": None, "results": summaries(chosen)}
            return Response(ProductPage(whole).data)
        text = clean_query(data["search"])
        slug = data["category"]
        size = data["page_size"]
        sort = listing.known_sort(data["ordering"], searching=bool(text))
        category_id = categories.category_key(slug) if slug else None
        if slug and category_id is None:
            raise Problem("unknown_category", _("Cette catégorie n'existe pas."), 404)
        try:
            number = listing.page_number(data["page"])
            if text:
                found = listing.search_products(
                    text=text,
                    category_id=category_id,
                    number=number,
                    size=size,
                    order=None if sort == listing.RELEVANCE else listing.sort_columns(sort),
                )
            else:
                found = listing.find_products(
                    category_ids=listing.main_catalogue() if category_id is None else [category_id],
                    number=number,
                    size=size,
                    order=listing.sort_columns(sort),
                )
        except listing.PageOutOfRangeError as error:
            raise Problem("unknown_page", _("Cette page n'existe pas."), 404) from error
        parameters = {
            "category": slug,
            "search": text,
            "ordering": "" if sort == (listing.RELEVANCE if text else listing.DEFAULT_SORT) else sort,
            "page_size": size if "page_size" in request.query_params else "",
        }
        document = {
            "count": found.count,
            "next": _link(request.path, parameters, number + 1) if number < found.page_count else None,
            "previous": _link(request.path, parameters, number - 1) if number > 1 else None,
            "results": summaries(found.products),
        }
        return Response(ProductPage(document).data)


class ProductOne(APIView):
    """`GET /api/products/{id}`: at most nine queries."""

    @extend_schema(operation_id="products_retrieve", responses=ProductFull)
    def get(self, request: Request, product_id: str) -> Response:
        """One published product with its choices, photos and similar products."""
        found = find_product(int(product_id))
        if found is None:
            raise Problem("not_found", _("Produit introuvable"), 404)
        return Response(ProductFull(_full(found)).data)


def summaries(products: list[Product]) -> list[dict[str, Any]]:
    """Products read as cards, as the API lists them. One query for the photos."""
    photos = images_of([product.pk for product in products])
    return [
        _summary(
            product,
            image_info(photos[product.pk][0], product.name) if photos[product.pk] else None,
            product.running_promotion,
            wording.promotion_label(
                product.running_promotion,
                with_figure=is_true_figure(
                    product.running_promotion, [(product.reduced_price, product.crossed_out)]
                ),
            ),
        )
        for product in products
    ]


def _summary(
    product: Product, image: ImageInfo | None, promotion: Promotion | None, label: str
) -> dict[str, Any]:
    return {
        "id": product.pk,
        "name": product.name,
        "url": product_url(product),
        "teaser": wording.teaser(product),
        "category": product.category.name,
        "category_slug": product.category.slug,
        "price": reduced_price(product.price, promotion),
        "price_from": product.price_from,
        "original_price": product.crossed_out,
        "image": None if image is None else _picture(image),
        "featured": product.featured,
        "in_stock": product.is_available,
        "promotion": _promotion(promotion, label),
    }


def _full(found: ProductDetail) -> dict[str, Any]:
    row = found.row
    promotion = found.promotion
    return {
        **_summary(row, found.images[0] if found.images else None, promotion, found.promotion_label),
        "original_price": None if found.selected is None else found.selected.original_price,
        "in_stock": found.available,
        "price_from": found.price,
        "slug": row.slug,
        "description": row.description,
        "full_description": row.full_description,
        "price_to": found.price_to or found.price,
        "painted_price": _reduced(row.painted_price, promotion),
        "unpainted_price": _reduced(row.unpainted_price, promotion),
        "image_url": found.images[0].url if found.images else None,
        "gallery_images": [image.url for image in found.images],
        "promotion_active": promotion is not None,
        "promotion_type": None if promotion is None else promotion.type,
        "promotion_buy_quantity": None if promotion is None else promotion.buy_quantity,
        "promotion_get_quantity": None if promotion is None else promotion.get_quantity,
        "dimensions": wording.measures_text(row.dimensions),
        "height_cm": row.height_cm,
        "weight": wording.measures_text(row.weight),
        "material": row.material,
        "paint_type": row.paint_type,
        "production_time": found.production_text,
        "production_days_min": found.production_days.low,
        "production_days_max": found.production_days.high,
        "dispatch_from": _dispatch_from(found.selected),
        "created_at": row.created_at,
        "source": row.source,
        "finishes": [
            {"code": choice.code, "price": choice.price, "available": choice.available}
            for choice in found.finishes
        ],
        "variations": [
            {
                "id": choice.id,
                "name": choice.name,
                "price": choice.price,
                "in_stock": choice.in_stock,
                "is_default": choice.is_default,
            }
            for choice in found.variations
        ],
        "variants": [
            {
                "id": offer.variant_id,
                "sku": offer.sku,
                "finish": offer.finish or None,
                "variation_id": offer.variation_id,
                "price": offer.price,
                "original_price": offer.original_price,
                "available": offer.available,
                "stock": offer.stock,
                "size": offer.height_cm,
                "dimensions": wording.measures_text(offer.dimensions),
                "production_days_min": offer.production_days.low,
                "production_days_max": offer.production_days.high,
                "dispatch_from": _dispatch_from(offer),
                "images": offer.images,
            }
            for offer in found.offers
        ],
        "images": [_picture(image) for image in found.images],
        "similar": summaries(cards.similar_products(row)),
    }


def _dispatch_from(offer: OfferChoice | None) -> date | None:
    """When it leaves if it is ordered today; None for what can't be bought."""
    if offer is None or not offer.available:
        return None
    return dispatch_from(offer.production_days.low, offer.production_days.high, offer.stock)


def _reduced(price: Decimal | None, promotion: Promotion | None) -> Decimal | None:
    return None if price is None else reduced_price(price, promotion)


def _promotion(promotion: Promotion | None, label: str) -> dict[str, Any] | None:
    if promotion is None:
        return None
    return {
        "type": promotion.type,
        "buy": promotion.buy_quantity,
        "get": promotion.get_quantity,
        "label": label,
    }


def _picture(image: ImageInfo) -> dict[str, Any]:
    return {
        "url": image.url,
        "alt": image.alt,
        "width": image.width,
        "height": image.height,
        "srcset": image.webp_srcset,
    }


def _link(path: str, parameters: dict[str, Any], number: int) -> str:
    """The address of another page of the same list; the page of the host that is ours, whatever was asked."""
    given = {name: value for name, value in parameters.items() if value != ""}
    return absolute_url(f"{path}?{urlencode({**given, 'page': number})}")
