"""What is sold: categories, products with their variations and pictures, and their prices over time."""

from catalog.models.category import Category, CategoryFeature, CategoryKind, Colour
from catalog.models.image import CategoryPicture, PictureRow, ProductImage
from catalog.models.price import AppendOnlyError, PricePoint
from catalog.models.product import FIXED_PROMOTIONS, Finish, Product, ProductVariation, PromotionType

__all__ = [
    "FIXED_PROMOTIONS",
    "AppendOnlyError",
    "Category",
    "CategoryFeature",
    "CategoryKind",
    "CategoryPicture",
    "Colour",
    "Finish",
    "PictureRow",
    "PricePoint",
    "Product",
    "ProductImage",
    "ProductVariation",
    "PromotionType",
]
