"""Texts that the law has shown word for word, supplied by the shop's owner."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from shop.core.languages import SOURCE_LANGUAGE


class OfficialKind(models.TextChoices):
    """Which text, in the order in which they are shown."""

    GUARANTEE_NOTICE = (
        "guarantee-notice",
        _("Notice harmonisée sur la garantie légale (règlement UE 2025/1960)"),
    )
    GUARANTEE_BOX = "guarantee-box", _("Encadré des garanties légales (art. D211-2)")


class OfficialText(models.Model):
    """An official text in one language, shown without a change: its picture as it was uploaded where there is one,
    else its words. A language without its own shows the French one."""

    kind = models.CharField(_("texte officiel"), max_length=20, choices=OfficialKind.choices)
    language = models.CharField(
        _("langue"), max_length=5, choices=settings.LANGUAGES, default=SOURCE_LANGUAGE
    )
    text = models.TextField(
        _("texte"),
        help_text=_("Copié mot pour mot, retours à la ligne compris. Avec une image : tout ce qu'elle dit."),
    )
    file = models.FileField(_("image"), max_length=120, blank=True, editable=False)
    width = models.PositiveIntegerField(_("largeur"), default=0, editable=False)
    height = models.PositiveIntegerField(_("hauteur"), default=0, editable=False)
    updated_at = models.DateTimeField(_("modifié le"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("texte officiel")
        verbose_name_plural = _("textes officiels")
        ordering = ("kind", "language")
        constraints = (
            models.UniqueConstraint(fields=("kind", "language"), name="official_text_once_a_language"),
            models.CheckConstraint(
                condition=Q(kind__in=OfficialKind.values), name="official_text_kind_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_kind_display()} ({self.language})"
