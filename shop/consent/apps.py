from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ConsentConfig(AppConfig):
    name = "shop.consent"
    verbose_name = _("Consentement aux cookies")
    label = "consent"

    def ready(self) -> None:
        # Importing the checks registers them.
        from shop.consent import checks, personal_data  # noqa: F401

        personal_data.register()
