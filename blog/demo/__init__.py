"""The demonstration's articles: see README.md beside this file."""

from blog.demo.loader import load_articles
from shop.core.demo import demo_part

demo_part(order=30)(load_articles)
