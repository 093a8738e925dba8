import gc
from typing import Any

from django.apps import AppConfig
from django.db.models.signals import pre_migrate
from django.utils.translation import gettext_lazy as _


class CoreConfig(AppConfig):
    name = "shop.core"
    verbose_name = _("Réglages et e-mails")
    label = "core"

    def ready(self) -> None:
        # Importing the modules registers what they hold.
        from shop.core import api_schema, checks, deploy_checks, field_messages, kernel_data, seen_texts  # noqa: F401

        kernel_data.register()
        field_messages.use_own_messages()
        seen_texts.refuse_unseen_texts()
        pre_migrate.connect(leave_out_of_collections, sender=self)
        gc.enable()


def leave_out_of_collections(**kwargs: Any) -> None:
    """Have the garbage collector pass over what is loaded: each of the many models that `migrate` makes and drops had
    it look through all of the shop, a quarter of the time."""
    gc.freeze()
