"""Reminders of carts that were left."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class CartReminder(models.Model):
    """The last reminder of a member's cart; one row a member.

    `things` are the lines that it named, `[product, variation or null, finish]`: a cart that still holds one of them is
    the same cart, unless it was bought since.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        verbose_name=_("client"),
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="+",
    )
    things = models.JSONField(_("articles nommés"), default=list)
    sent_at = models.DateTimeField(_("envoyé le"))

    class Meta:
        verbose_name = _("rappel de panier")
        verbose_name_plural = _("rappels de panier")

    def __str__(self) -> str:
        return f"{self.user_id}"
