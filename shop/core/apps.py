from django.apps import AppConfig


class CoreConfig(AppConfig):
    name = "shop.core"
    label = "core"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Importing the modules registers what they hold.
        from shop.core import api_schema, checks  # noqa: F401
