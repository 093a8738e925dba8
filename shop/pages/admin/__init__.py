"""The pages in Django's admin; importing a module registers its rows."""

from shop.pages.admin import contact, content, official

__all__ = ["contact", "content", "official"]
