from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class TermsConfig(AppConfig):
    name = "shop.terms"
    verbose_name = _("Conditions générales de vente")
    label = "terms"

    def ready(self) -> None:
        from shop.core.personal_data import register_not_personal

        register_not_personal(
            "The shop's own contract terms; whoever published them is named by key alone.",
            {"terms.TermsVersion": ("*",)},
        )
