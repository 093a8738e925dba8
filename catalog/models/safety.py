"""What a product's page must say of its safety (Regulation (EU) 2023/988, art. 19), as columns."""

from __future__ import annotations

from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class SafetyClass(models.TextChoices):
    """What a piece is to the law. All but toys have an age and warnings of their own: `catalog.safety`."""

    COLLECTOR = "collector", _("Objet de collection")
    DECORATION = "decoration", _("Décoration")
    CLOCK = "clock", _("Horloge")
    TOY = "toy", _("Jouet")


def toy_is_complete() -> Q:
    """No standard words fit a toy (directive 2009/48/EC, art. 11): somebody wrote its age and its warnings."""
    return ~Q(safety_class=SafetyClass.TOY) | Q(minimum_age__isnull=False, warnings_fr__gt="")


class SafetyFields(models.Model):
    """What is empty in a product is its category's; what is empty there is the class's, and the shop is the maker."""

    minimum_age = models.PositiveSmallIntegerField(
        _("âge minimum (ans)"), null=True, blank=True, validators=[MaxValueValidator(99)]
    )
    warnings = models.TextField(_("avertissements"), blank=True)
    maker = models.TextField(
        _("fabricant"),
        blank=True,
        help_text=_("Nom, adresse postale et e-mail. Vide\u00a0: la boutique."),
    )

    class Meta:
        abstract = True
