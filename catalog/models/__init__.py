"""What is sold: categories, products with their variations and pictures, and their prices over time.

The managers are declared with their types because modeltranslation replaces them by classes made at run time, which
the type checker can't see.
"""

from catalog.models.category import (
    CATEGORY_TEXTS,
    SLUG_FIELDS,
    SLUG_LENGTH,
    Category,
    CategoryFeature,
    CategoryKind,
    FormerSlug,
    MenuPlace,
)
from catalog.models.facets import DRAWN_PLACE, DRAWN_PLACES, FACETS, Facet
from catalog.models.favourite import Favourite
from catalog.models.media import CategoryPicture, PictureRow, ProductImage, ProductModel, RetiredPicture
from catalog.models.notice import Notice
from catalog.models.picture_import import ImportState, PictureImport
from catalog.models.price import PricePoint
from catalog.models.product import PRODUCT_TEXTS, Finish, Product
from catalog.models.promotion import (
    REDUCTIONS,
    Promotion,
    PromotionState,
    PromotionType,
)
from catalog.models.review import Review, ReviewDecision, ReviewState
from catalog.models.safety import SafetyClass, SafetyFields
from catalog.models.search import SearchEntry, SearchSpelling, SearchWord, Synonym
from catalog.models.variant import ProductVariation, Variant

__all__ = [
    "CATEGORY_TEXTS",
    "DRAWN_PLACE",
    "DRAWN_PLACES",
    "FACETS",
    "PRODUCT_TEXTS",
    "REDUCTIONS",
    "SLUG_FIELDS",
    "SLUG_LENGTH",
    "Category",
    "CategoryFeature",
    "CategoryKind",
    "CategoryPicture",
    "Facet",
    "Favourite",
    "Finish",
    "FormerSlug",
    "ImportState",
    "MenuPlace",
    "Notice",
    "PictureImport",
    "PictureRow",
    "PricePoint",
    "Product",
    "ProductImage",
    "ProductModel",
    "ProductVariation",
    "Promotion",
    "PromotionState",
    "PromotionType",
    "RetiredPicture",
    "Review",
    "ReviewDecision",
    "ReviewState",
    "SafetyClass",
    "SafetyFields",
    "SearchEntry",
    "SearchSpelling",
    "SearchWord",
    "Synonym",
    "Variant",
]
