"""The pages in Django's admin; importing a module registers its rows."""

from shop.pages.admin import contact, content, personal_data, records

__all__ = ["contact", "content", "personal_data", "records"]
