from django.apps import AppConfig


class CoreConfig(AppConfig):
    name = "shop.core"
    label = "core"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Importing the module registers its checks.
        from shop.core import checks  # noqa: F401
