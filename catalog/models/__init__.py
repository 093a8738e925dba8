"""What is sold: categories, products with their variations and pictures, and their prices over time.

The managers are declared with their types because modeltranslation replaces them by classes made at run time, which
the type checker can't see.
"""

from catalog.models.category import (
    SLUG_FIELDS,
    SLUG_LENGTH,
    Category,
    CategoryFeature,
    CategoryKind,
    Colour,
    FormerSlug,
    MenuPlace,
)
from catalog.models.facets import DRAWN_PLACE, DRAWN_PLACES, FACETS, Facet
from catalog.models.favourite import Favourite
from catalog.models.media import CategoryPicture, PictureRow, ProductImage, ProductModel, RetiredPicture
from catalog.models.notice import Notice
from catalog.models.picture_import import ImportState, PictureImport
from catalog.models.price import PricePoint
from catalog.models.product import Finish, Product
from catalog.models.promotion import (
    FIXED_PROMOTIONS,
    REDUCTIONS,
    Promotion,
    PromotionQuantities,
    PromotionState,
    PromotionType,
)
from catalog.models.review import Review, ReviewDecision, ReviewState
from catalog.models.safety import SafetyClass, SafetyFields
from catalog.models.search import SearchEntry, SearchSpelling, SearchWord, Synonym
from catalog.models.variant import ProductVariation, Variant
from shop.core.append_only import AppendOnlyError

__all__ = [
    "DRAWN_PLACE",
    "DRAWN_PLACES",
    "FACETS",
    "FIXED_PROMOTIONS",
    "REDUCTIONS",
    "SLUG_FIELDS",
    "SLUG_LENGTH",
    "AppendOnlyError",
    "Category",
    "CategoryFeature",
    "CategoryKind",
    "CategoryPicture",
    "Colour",
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
    "PromotionQuantities",
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
