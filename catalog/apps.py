from django.apps import AppConfig


class CatalogConfig(AppConfig):
    name = "catalog"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from catalog.selectors.favourites import favourite_ids
        from shop.core.me_parts import register_me_part

        register_me_part("favourites", favourite_ids)
