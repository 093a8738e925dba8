from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = _("Comptes et rôles")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from accounts import mails, personal_data
        from accounts.models import Role
        from shop.core.audit_labels import register_choices
        from shop.core.mail_content import register_resolver

        register_resolver("account_sign_up", mails.sign_up_content)
        register_resolver("account_password_reset", mails.password_reset_content)
        register_resolver("account_email_change", mails.email_change_content)
        register_choices("accounts.user", "role", Role.choices)
        factors = [
            ("totp", _("Application d'authentification")),
            ("webauthn", _("Clés d'accès")),
            ("recovery_codes", _("Codes de secours")),
        ]
        for name in ("type", "types"):
            register_choices("accounts.user", name, factors)
        personal_data.register()
