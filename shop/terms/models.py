"""The terms of sale as they were published: what customers agreed to stays readable, word for word."""

from __future__ import annotations

from typing import TypedDict

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from shop.core.append_only import AppendOnlyModel


class OfficialTerm(TypedDict):
    """A text that the law has shown word for word. `url` is its picture, or empty."""

    label: str
    language: str
    text: str
    url: str
    width: int
    height: int


class TermsText(TypedDict):
    """The terms in one language: `body` is Markdown with every mention of the shop filled in, but for the place of the
    `official` texts."""

    title: str
    description: str
    body: str
    official: list[OfficialTerm]


class TermsVersion(AppendOnlyModel):
    """One version in every language. The database refuses to change or delete it."""

    number = models.CharField(_("numéro"), max_length=20, unique=True)
    published_at = models.DateTimeField(_("publiée le"), default=timezone.now)
    published_by = models.BigIntegerField(_("par"), null=True, help_text=_("Vide\u00a0: par le serveur."))
    texts = models.JSONField(_("textes par langue"))
    sha256 = models.CharField(_("empreinte SHA-256"), max_length=64)

    class Meta:
        verbose_name = _("version des conditions de vente")
        verbose_name_plural = _("versions des conditions de vente")
        # Not by their moments: one that a clock ahead dated would stay in force.
        ordering = ("-pk",)

    def __str__(self) -> str:
        return self.number

    def text(self, language: str) -> TermsText:
        """Return the terms in a language, in French where they have none."""
        text: TermsText = self.texts.get(language) or self.texts["fr"]
        return text
