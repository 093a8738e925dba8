from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PagesConfig(AppConfig):
    name = "shop.pages"
    verbose_name = _("Pages et messages")
    label = "pages"

    def ready(self) -> None:
        from shop.pages import checks  # noqa: F401 - registers its check
