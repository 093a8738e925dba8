"""What a person asked for about their own data, and what the nightly job deleted."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class ExportState(models.TextChoices):
    """`failed` after several workers died of it: the person may ask again."""

    REQUESTED = "requested", _("Demandée")
    RUNNING = "running", _("En préparation")
    READY = "ready", _("Prête")
    FAILED = "failed", _("Échec")


EXPORTS_UNDER_WAY = (ExportState.REQUESTED, ExportState.RUNNING)


class DataExport(models.Model):
    """An archive of everything held about a person (GDPR art. 15, 20), in the private storage until it expires.

    `user_key` is the account's key, 0 for somebody without one, whose proven address is `email`: at most one is under
    way for each. `done` of `total` parts are written. A worker
    holds it until `lease_until`; another takes it over then.
    """

    id = models.UUIDField(_("clé"), primary_key=True, default=uuid.uuid4, editable=False)
    user_key = models.BigIntegerField(_("compte n°"), db_index=True)
    email = models.EmailField(_("adresse e-mail"), blank=True, default="", db_default="")
    language = models.CharField(_("langue"), max_length=5)
    state = models.CharField(
        _("état"), max_length=10, choices=ExportState.choices, default=ExportState.REQUESTED
    )
    done = models.PositiveSmallIntegerField(_("parties écrites"), default=0)
    total = models.PositiveSmallIntegerField(_("parties"), default=0)
    tries = models.PositiveSmallIntegerField(_("essais"), default=0)
    lease_until = models.DateTimeField(_("réservé jusqu'à"), null=True, blank=True)
    file = models.CharField(_("fichier"), max_length=120, blank=True)
    size = models.PositiveBigIntegerField(_("taille (octets)"), default=0)
    requested_at = models.DateTimeField(_("demandée le"), default=timezone.now)
    ready_at = models.DateTimeField(_("prête le"), null=True, blank=True)
    expires_at = models.DateTimeField(_("disponible jusqu'au"), null=True, blank=True)

    class Meta:
        verbose_name = _("archive de données")
        verbose_name_plural = _("archives de données")
        ordering = ("-requested_at",)
        constraints = (
            models.UniqueConstraint(
                fields=("user_key", "email"),
                condition=Q(state__in=EXPORTS_UNDER_WAY),
                name="export_one_for_each",
            ),
            models.CheckConstraint(condition=Q(state__in=ExportState.values), name="export_state_known"),
        )

    def __str__(self) -> str:
        whose = str(self.user_key) if self.user_key else _("Sans compte")
        return f"{whose} · {self.get_state_display()}"

    @property
    def is_under_way(self) -> bool:
        return self.state in EXPORTS_UNDER_WAY

    @property
    def percent(self) -> int:
        """How much of it is written, 0 to 100."""
        return 100 * self.done // self.total if self.total else 0


class ErasureState(models.TextChoices):
    """`registered` waits for what has to end, `running` may not be taken back."""

    REGISTERED = "registered", _("Enregistrée")
    RUNNING = "running", _("En cours")
    DONE = "done", _("Terminée")


class Erasure(models.Model):
    """A person's wish to be erased (GDPR art. 17), or the end of an inactive account.

    It begins when nothing is open any more, and at `due_by` at the latest; an order that is open even then keeps what
    its delivery needs until it is settled. `user_key` is empty for somebody without an account. `emails` are
    the addresses that are being erased: empty once it is done, so that the row itself names nobody but a key.
    """

    user_key = models.BigIntegerField(_("compte n°"), unique=True, null=True, blank=True)
    emails = models.JSONField(_("adresses"), default=list, blank=True)
    language = models.CharField(_("langue"), max_length=5)
    state = models.CharField(
        _("état"), max_length=10, choices=ErasureState.choices, default=ErasureState.REGISTERED
    )
    by_inactivity = models.BooleanField(_("compte inactif"), default=False)
    requested_at = models.DateTimeField(_("demandé le"), default=timezone.now)
    due_by = models.DateTimeField(_("au plus tard le"))
    next_try_at = models.DateTimeField(_("prochain essai"), default=timezone.now)
    lease_until = models.DateTimeField(_("réservé jusqu'à"), null=True, blank=True)
    closed_at = models.DateTimeField(_("compte fermé le"), null=True, blank=True)
    announced_at = models.DateTimeField(_("e-mail de fin écrit le"), null=True, blank=True)
    done_at = models.DateTimeField(_("terminé le"), null=True, blank=True)

    class Meta:
        verbose_name = _("effacement")
        verbose_name_plural = _("effacements")
        ordering = ("-requested_at", "-pk")
        constraints = (
            models.CheckConstraint(condition=Q(state__in=ErasureState.values), name="erasure_state_known"),
            models.CheckConstraint(
                condition=~Q(state="done") | Q(done_at__isnull=False), name="erasure_done_has_date"
            ),
        )

    def __str__(self) -> str:
        who = self.user_key or _("Sans compte")
        return f"{who} · {self.get_state_display()}"

    @property
    def is_guest(self) -> bool:
        """Whether somebody without an account asked for it."""
        return self.user_key is None

    @property
    def is_tentative(self) -> bool:
        """Whether it waits for an account that is inactive, and nobody asked for it: a visit takes it back, and the
        wish of its person takes its place."""
        return self.by_inactivity and self.closed_at is None


class InactivityNotice(models.Model):
    """A member without activity was told that the account ends; the row goes when they come back."""

    user_key = models.BigIntegerField(_("compte n°"), unique=True)
    announced_at = models.DateTimeField(_("annoncé le"), default=timezone.now)

    class Meta:
        verbose_name = _("annonce d'inactivité")
        verbose_name_plural = _("annonces d'inactivité")

    def __str__(self) -> str:
        return f"{self.user_key} · {timezone.localtime(self.announced_at):%d/%m/%Y}"


class RetentionRun(models.Model):
    """How many things a rule of retention deleted or anonymised on a day; `fault` says why it did not end."""

    day = models.DateField(_("jour"))
    rule = models.CharField(_("règle"), max_length=60)
    count = models.PositiveIntegerField(_("effacés"), default=0)
    fault = models.CharField(_("erreur"), max_length=300, blank=True)

    class Meta:
        verbose_name = _("effacement automatique")
        verbose_name_plural = _("effacements automatiques")
        ordering = ("-day", "rule")
        constraints = (models.UniqueConstraint(fields=("day", "rule"), name="retention_once_a_day"),)

    def __str__(self) -> str:
        return f"{self.day:%d/%m/%Y} · {self.rule}: {self.count}"
