"""What is shown from one day to another."""

from __future__ import annotations

from datetime import date

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _


class Seasonal(models.Model):
    """Something shown from one day to another, both included; empty means without end. Days begin at midnight, when
    every cached page ends too (`shop.core.boundaries`): a season begins and ends by itself."""

    starts_on = models.DateField(
        _("à partir du"), null=True, blank=True, help_text=_("Vide : depuis toujours.")
    )
    ends_on = models.DateField(_("jusqu'au"), null=True, blank=True, help_text=_("Compris. Vide : sans fin."))

    class Meta:
        abstract = True

    def clean(self) -> None:
        super().clean()
        if self.starts_on and self.ends_on and self.starts_on > self.ends_on:
            raise ValidationError({"ends_on": _("La fin ne peut pas venir avant le début.")})

    def is_in_season(self, day: date) -> bool:
        """Return whether it is shown on this day."""
        return (self.starts_on is None or self.starts_on <= day) and (
            self.ends_on is None or day <= self.ends_on
        )
