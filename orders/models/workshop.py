"""When the workshop is closed."""

from __future__ import annotations

from datetime import date, timedelta
from typing import ClassVar

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from shop.core.dates import day_in_words


class WorkshopClosure(models.Model):
    """Days, both ends included, on which nothing is made or sent: dates promised from now on count without them.

    Dates that were promised before stay; staff see the orders that can't be sent in time any more.
    """

    LONGEST = timedelta(days=366)

    starts_on = models.DateField(_("premier jour de fermeture"))
    ends_on = models.DateField(_("dernier jour de fermeture"), db_index=True)
    message = models.CharField(
        _("message aux clients"),
        max_length=240,
        blank=True,
        help_text=_("Vide\u00a0: «\u00a0L'atelier est fermé du … au …\u00a0». Affiché sur toutes les pages."),
    )

    objects: ClassVar[models.Manager[WorkshopClosure]] = models.Manager()
    _default_manager: ClassVar[models.Manager[WorkshopClosure]]

    class Meta:
        verbose_name = _("fermeture de l'atelier")
        verbose_name_plural = _("fermetures de l'atelier")
        ordering = ("-starts_on", "-pk")
        constraints = (
            models.CheckConstraint(condition=Q(starts_on__lte=F("ends_on")), name="closure_days_ordered"),
        )

    def __str__(self) -> str:
        return f"{self.starts_on:%d/%m/%Y} – {self.ends_on:%d/%m/%Y}"

    def clean(self) -> None:
        super().clean()
        if self.starts_on and self.ends_on:
            if self.ends_on < self.starts_on:
                raise ValidationError({"ends_on": _("Le dernier jour vient avant le premier.")})
            if self.ends_on - self.starts_on > self.LONGEST:
                raise ValidationError({"ends_on": _("Une fermeture dure un an au plus.")})
            self._refuse_overlap(self.starts_on, self.ends_on)

    def _refuse_overlap(self, first: date, last: date) -> None:
        """Pages announce one closure at a time: of two that overlap they would tell an end on which it goes on."""
        others = WorkshopClosure.objects.filter(starts_on__lte=last, ends_on__gte=first).exclude(pk=self.pk)
        other = others.order_by("starts_on", "pk").first()
        if other is not None:
            message = _(
                "Une autre fermeture a déjà de ces jours, du %(first)s au %(last)s\u00a0: modifiez-la plutôt."
            )
            days = {"first": day_in_words(other.starts_on), "last": day_in_words(other.ends_on)}
            raise ValidationError({"starts_on" if other.starts_on <= first else "ends_on": message % days})
