"""The catalogue in Django's admin. Saving goes through the services, which hold the rules."""

from catalog.admin import categories, products, promotions, records, search, visitors

__all__ = ["categories", "products", "promotions", "records", "search", "visitors"]
