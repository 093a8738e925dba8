from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class IntegrationsConfig(AppConfig):
    name = "shop.integrations"
    verbose_name = _("Automatisation")
    label = "integrations"

    def ready(self) -> None:
        # Importing the scheme registers it.
        from shop.integrations import personal_data, schema  # noqa: F401

        personal_data.register()
