"""What is sold: categories, products with their variations and pictures, and their prices over time.

The managers are declared with their types because modeltranslation replaces them by classes made at run time, which
the type checker can't see.
"""

from catalog.models.append_only import AppendOnlyError
from catalog.models.category import Category, CategoryFeature, CategoryKind, Colour
from catalog.models.favourite import Favourite
from catalog.models.media import CategoryPicture, PictureRow, ProductImage, ProductModel
from catalog.models.notice import Notice
from catalog.models.price import PricePoint
from catalog.models.product import (
    FIXED_PROMOTIONS,
    Finish,
    Product,
    ProductVariation,
    PromotionQuantities,
    PromotionType,
)
from catalog.models.review import Review, ReviewDecision, ReviewState
from catalog.models.search import SearchEntry, SearchSpelling, SearchWord, Synonym

__all__ = [
    "FIXED_PROMOTIONS",
    "AppendOnlyError",
    "Category",
    "CategoryFeature",
    "CategoryKind",
    "CategoryPicture",
    "Colour",
    "Favourite",
    "Finish",
    "Notice",
    "PictureRow",
    "PricePoint",
    "Product",
    "ProductImage",
    "ProductModel",
    "ProductVariation",
    "PromotionQuantities",
    "PromotionType",
    "Review",
    "ReviewDecision",
    "ReviewState",
    "SearchEntry",
    "SearchSpelling",
    "SearchWord",
    "Synonym",
]
