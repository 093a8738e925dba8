from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class WatchingConfig(AppConfig):
    name = "shop.watching"
    verbose_name = _("Surveillance")
    label = "watching"

    def ready(self) -> None:
        from shop.core.personal_data import register_not_personal
        from shop.watching import ages
        from shop.watching.error_reports import start_error_reports
        from shop.watching.traces import start_traces

        start_error_reports()
        start_traces()
        ages.register()
        register_not_personal(
            "What stood still, and since when; no word of a person.", {"watching.Incident": ("*",)}
        )
