"""The demonstration catalogue: see README.md beside this file."""

from catalog.demo.loader import load_catalogue
from catalog.demo.reviews import load_reviews
from shop.core.demo import demo_part

demo_part(order=10)(load_catalogue)
demo_part(order=20)(load_reviews)
