from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = _("Comptes et rôles")

    def ready(self) -> None:
        from accounts import mails, personal_data
        from accounts.models import FACTOR_NAMES, Role
        from shop.core.audit_labels import register_choices
        from shop.core.mail_content import register_resolver

        register_resolver("account_sign_up", mails.sign_up_content)
        register_resolver("account_password_reset", mails.password_reset_content)
        register_resolver("account_email_change", mails.email_change_content)
        register_choices("accounts.user", "role", Role.choices)
        for name in ("type", "types"):
            register_choices("accounts.user", name, list(FACTOR_NAMES.items()))
        personal_data.register()
