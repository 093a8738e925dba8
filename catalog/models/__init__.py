"""What is sold: categories, products with their variations and pictures, and their prices over time.

The managers are declared with their types because modeltranslation replaces them by classes made at run time, which
the type checker can't see.
"""

from catalog.models.category import Category, CategoryFeature, CategoryKind, Colour
from catalog.models.favourite import Favourite
from catalog.models.image import CategoryPicture, PictureRow, ProductImage
from catalog.models.model3d import ProductModel
from catalog.models.notice import Notice
from catalog.models.price import AppendOnlyError, PricePoint
from catalog.models.product import FIXED_PROMOTIONS, Finish, Product, ProductVariation, PromotionType
from catalog.models.review import Review, ReviewDecision, ReviewState

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
    "PromotionType",
    "Review",
    "ReviewDecision",
    "ReviewState",
]
