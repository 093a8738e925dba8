"""The cart of a member, which follows them from one browser to the next."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class SavedCart(models.Model):
    """What a member chose, never what it costs; one row a member.

    `lines` are `{"product_id", "variation_id", "finish", "quantity"}` in the order they were added, each thing once;
    `finish` is "" where none is named. Every change of them adds one to `version`. `writes` are the latest writes of
    the latest devices, `[device, number]`; `ordered` the lines of the latest unpaid orders,
    `{"order": id, "lines": […]}`.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        verbose_name=_("client"),
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="saved_cart",
    )
    version = models.PositiveIntegerField(_("version"), default=0)
    lines = models.JSONField(_("lignes"), default=list)
    writes = models.JSONField(_("dernières écritures"), default=list)
    ordered = models.JSONField(_("commandes en attente de paiement"), default=list)
    updated_at = models.DateTimeField(_("modifié le"), auto_now=True)

    class Meta:
        verbose_name = _("panier enregistré")
        verbose_name_plural = _("paniers enregistrés")

    def __str__(self) -> str:
        return f"{self.user_id} v{self.version}"
