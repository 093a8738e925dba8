"""The audit trail."""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from shop.core.append_only import AppendOnlyModel


class AuditEntry(AppendOnlyModel):
    """What somebody changed about rights, money, prices or people: added by `shop.core.audit`, never changed.

    It names people by key alone, so that erasing a person leaves nothing of them here.
    """

    created_at = models.DateTimeField(_("date"), default=timezone.now, editable=False)
    actor_id = models.BigIntegerField(
        _("par"),
        null=True,
        help_text=_("Vide\u00a0: par une commande du serveur ou par la boutique elle-même."),
    )
    action = models.CharField(_("action"), max_length=60)
    subject_type = models.CharField(_("objet"), max_length=60)
    subject_id = models.CharField(_("clé de l'objet"), max_length=64)
    before = models.JSONField(_("avant"), default=dict)
    after = models.JSONField(_("après"), default=dict)

    class Meta:
        verbose_name = _("entrée du journal d'audit")
        verbose_name_plural = _("journal d'audit")
        ordering = ("-created_at", "-pk")
        # Each way to search the trail, in the order in which its pages follow each other.
        indexes = (
            models.Index(fields=("created_at", "id"), name="core_audit_moment"),
            models.Index(fields=("actor_id", "created_at", "id"), name="core_audit_actor"),
            models.Index(fields=("action", "created_at", "id"), name="core_audit_action"),
            models.Index(fields=("subject_type", "created_at", "id"), name="core_audit_kind"),
            models.Index(
                fields=("subject_type", "subject_id", "created_at", "id"), name="core_audit_subject"
            ),
        )

    def __str__(self) -> str:
        return f"{self.action} {self.subject_type} {self.subject_id}"
