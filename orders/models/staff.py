"""What staff have of an order and its customer never reads: notes, and the words by which orders are found."""

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from orders.models.order import Order


class OrderNote(models.Model):
    """A note of staff's. It is never changed: another one corrects it, and the first stays readable."""

    order = models.ForeignKey(
        Order, verbose_name=_("commande"), on_delete=models.CASCADE, related_name="staff_notes"
    )
    text = models.TextField(_("note"), max_length=2000)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("par"),
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    corrects = models.OneToOneField(
        "self",
        verbose_name=_("corrige"),
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="correction",
    )
    created_at = models.DateTimeField(_("le"), default=timezone.now)

    class Meta:
        verbose_name = _("note de l'équipe")
        verbose_name_plural = _("notes de l'équipe")
        ordering = ("created_at", "pk")

    def __str__(self) -> str:
        return self.text[:80]


class OrderSearchEntry(models.Model):
    """The words by which staff find an order, in a narrow table that is read quickly as a whole.

    `orders.search_index` writes it, whenever what it is made of changes.
    """

    order = models.OneToOneField(
        Order, on_delete=models.CASCADE, primary_key=True, related_name="search_entry"
    )
    text = models.TextField(blank=True)

    class Meta:
        verbose_name = _("mots d'une commande")
        verbose_name_plural = _("mots des commandes")

    def __str__(self) -> str:
        return str(self.order_id)
