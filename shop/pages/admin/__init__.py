"""The pages in Django's admin; importing a module registers its rows."""

from shop.pages.admin import contact, content, official, personal_data

__all__ = ["contact", "content", "official", "personal_data"]
