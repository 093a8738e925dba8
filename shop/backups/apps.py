from django.apps import AppConfig
from django.conf import settings
from django.db.backends.signals import connection_created
from django.utils.translation import gettext_lazy as _


class BackupsConfig(AppConfig):
    name = "shop.backups"
    verbose_name = _("Sauvegardes")
    label = "backups"

    def ready(self) -> None:
        from shop.backups import checks  # noqa: F401 - registers them
        from shop.backups.selectors import LATE_AFTER, backed_up_until
        from shop.backups.unfinished import refuse_unfinished
        from shop.core.personal_data import register_not_personal
        from shop.core.readings import Age, register_age

        connection_created.connect(refuse_unfinished)
        if settings.BACKUP_URL:
            register_age(
                Age(
                    "backup",
                    "Dernière sauvegarde",
                    LATE_AFTER,
                    "Prévenez la personne qui s'occupe du serveur\u00a0: si la machine tombait en panne maintenant, "
                    "ce qui est plus récent serait perdu.",
                    backed_up_until,
                    never_is_late=True,
                )
            )
        register_not_personal("When the shop was backed up, under which name.", {"backups.Backup": ("*",)})
