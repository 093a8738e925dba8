from django.apps import AppConfig


class PagesConfig(AppConfig):
    name = "shop.pages"
    label = "pages"

    def ready(self) -> None:
        from shop.pages import checks  # noqa: F401 - registers its check
