from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class StatisticsConfig(AppConfig):
    name = "shop.statistics"
    verbose_name = _("Statistiques")
    label = "statistics"

    def ready(self) -> None:
        from shop.statistics import personal_data

        personal_data.register()
