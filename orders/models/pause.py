"""A time in which nothing is collected of an order that is paid in installments."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from orders.models.order import Order


class PausedBy(models.TextChoices):
    """Who suspended the payments."""

    CUSTOMER = "customer", _("Le client")
    STAFF = "staff", _("L'atelier")


class PauseEnd(models.TextChoices):
    """Who or what ended a pause: dispatch always does."""

    CUSTOMER = "customer", _("Le client")
    STAFF = "staff", _("L'atelier")
    DISPATCH = "dispatch", _("L'expédition")


class InstallmentPause(models.Model):
    """While one is open nothing is announced, charged or asked for; the customer may pay all the same.

    A customer may suspend payment when the goods are late, until they are delivered (Code de la consommation, L216-6);
    staff may at any time.
    """

    order = models.ForeignKey(
        Order, verbose_name=_("commande"), on_delete=models.PROTECT, related_name="installment_pauses"
    )
    started_at = models.DateTimeField(_("suspendues le"), default=timezone.now)
    started_by = models.CharField(_("suspendues par"), max_length=8, choices=PausedBy.choices)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("par"),
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    reason = models.CharField(_("motif"), max_length=500, blank=True)
    ended_at = models.DateTimeField(_("reprises le"), null=True, blank=True)
    ended_by = models.CharField(_("reprises par"), max_length=8, choices=PauseEnd.choices, blank=True)

    class Meta:
        verbose_name = _("suspension des échéances")
        verbose_name_plural = _("suspensions des échéances")
        ordering = ("started_at", "pk")
        constraints = (
            models.UniqueConstraint(
                fields=("order",), condition=Q(ended_at__isnull=True), name="pause_one_open_an_order"
            ),
        )

    def __str__(self) -> str:
        return f"{self.order} · {timezone.localtime(self.started_at):%d/%m/%Y}"
