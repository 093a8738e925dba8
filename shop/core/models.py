"""Rows of the kernel: mails to send, the shop's own settings, scheduled jobs, the audit trail."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from email.utils import parseaddr
from typing import Any, ClassVar

from django.conf import settings
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator, RegexValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy as _

from shop.core.append_only import AppendOnlyModel
from shop.core.languages import SOURCE_LANGUAGE

EMAIL_MAX_LENGTH = 254
"""Of an address (RFC 5321), as Django's e-mail fields have it."""


WEEKDAYS_VALIDATOR = RegexValidator(r"\A[1-7]{1,7}\Z", _("Choisissez au moins un jour de la semaine."))
"""Days of the week as ISO numbers, `12345` for Monday to Friday."""


class MailState(models.TextChoices):
    """Where a mail stands between being written and being delivered."""

    QUEUED = "queued", _("En file d'attente")
    SENDING = "sending", _("En cours d'envoi")
    SENT = "sent", _("Envoyé")
    FAILED = "failed", _("Échec définitif")


class OutgoingMail(models.Model):
    """One mail to one person: written in the transaction that causes it, delivered later by a worker.

    The row is the truth and a message to Celery only starts its delivery sooner: where the message was lost, the
    sweep finds the row; a killed worker's row becomes due again when its lease ends. What was rendered is kept.
    """

    kind = models.CharField(_("type"), max_length=60)
    to = models.EmailField(_("destinataire"))
    language = models.CharField(_("langue"), max_length=5, default=SOURCE_LANGUAGE)
    context = models.JSONField(_("données"), default=dict)
    attachments = models.JSONField(_("pièces jointes"), default=list, blank=True)
    reference = models.CharField(_("référence"), max_length=80, blank=True, db_index=True)
    dedupe_key = models.CharField(_("clé d'unicité"), max_length=200, unique=True, null=True, blank=True)

    state = models.CharField(_("état"), max_length=10, choices=MailState.choices, default=MailState.QUEUED)
    attempts = models.PositiveSmallIntegerField(_("tentatives"), default=0)
    crashes = models.PositiveSmallIntegerField(_("ouvriers morts pendant l'envoi"), default=0)
    next_attempt_at = models.DateTimeField(_("prochaine tentative"), default=timezone.now)
    lease_until = models.DateTimeField(_("réservé jusqu'à"), null=True, blank=True)
    last_error = models.TextField(_("dernière erreur"), blank=True)

    subject = models.CharField(_("objet"), max_length=998, blank=True)
    text = models.TextField(_("texte"), blank=True)
    html = models.TextField(_("HTML"), blank=True)
    message_id = models.CharField(_("identifiant du message"), max_length=255, blank=True)

    created_at = models.DateTimeField(_("créé le"), default=timezone.now, editable=False)
    sent_at = models.DateTimeField(_("envoyé le"), null=True, blank=True)

    class Meta:
        verbose_name = _("e-mail sortant")
        verbose_name_plural = _("e-mails sortants")
        ordering = ("-created_at", "-pk")
        indexes = (
            models.Index(
                fields=("next_attempt_at",),
                name="mail_due",
                condition=Q(state__in=("queued", "sending")),
            ),
            models.Index(fields=("state", "-created_at"), name="mail_state_newest"),
        )
        constraints = (
            models.CheckConstraint(condition=Q(state__in=MailState.values), name="mail_state_known"),
        )

    def __str__(self) -> str:
        return f"{self.kind} → {self.to}"


class AttemptCounter(models.Model):
    """How often something was tried in one window of a limit. Written by ``shop.core.limits`` only.

    ``key`` is a hash, so that the table lists neither addresses nor people.
    """

    key = models.CharField(max_length=64, unique=True)
    count = models.PositiveIntegerField(default=0)
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name = _("compteur d'essais")
        verbose_name_plural = _("compteurs d'essais")

    def __str__(self) -> str:
        return f"{self.key[:12]}: {self.count}"


@dataclass(frozen=True, slots=True)
class MissingLegalField:
    """A legal mention that the shop must show and that nobody has filled in yet."""

    name: str
    label: str


class ShopSettings(models.Model):
    """The one sheet of settings that the owner of the shop fills in.

    Read it with ``ShopSettings.load()``; write it through ``shop.core.shop_settings.save_shop_settings``,
    which drops the cached copy.
    """

    CACHE_KEY: ClassVar[str] = "shop-settings"
    CACHE_SECONDS: ClassVar[int] = 60
    PK: ClassVar[int] = 1

    # What a trader must tell consumers (LCEN art. 1-1, Code de la consommation L221-5, L616-1,
    # Code de l'environnement L541-10-13). The check lists what is empty.
    REQUIRED_LEGAL_FIELDS: ClassVar[tuple[str, ...]] = (
        "trader_name",
        "siret",
        "address",
        "email",
        "phone",
        "publication_director",
        "host_name",
        "host_address",
        "host_phone",
        "mediator_name",
        "mediator_address",
        "mediator_url",
        "packaging_id",
    )

    shop_name = models.CharField(_("nom de la boutique"), max_length=120, default="L'Établi aux figurines")

    trader_name = models.CharField(
        _("nom du vendeur"),
        max_length=160,
        blank=True,
        help_text=_("Nom et prénom suivis de la mention «\u00a0EI\u00a0»."),
    )
    siret = models.CharField(_("SIRET"), max_length=20, blank=True)
    address = models.TextField(_("adresse postale"), blank=True)
    email = models.EmailField(_("e-mail de contact"), blank=True)
    phone = models.CharField(_("téléphone"), max_length=40, blank=True)
    vat_notice = models.CharField(
        _("mention de TVA"),
        max_length=160,
        default="TVA non applicable, art. 293 B du CGI",
    )
    publication_director = models.CharField(_("directeur de la publication"), max_length=160, blank=True)
    host_name = models.CharField(_("hébergeur"), max_length=160, blank=True)
    host_address = models.TextField(_("adresse de l'hébergeur"), blank=True)
    host_phone = models.CharField(_("téléphone de l'hébergeur"), max_length=40, blank=True)
    mediator_name = models.CharField(_("médiateur de la consommation"), max_length=160, blank=True)
    mediator_address = models.TextField(_("adresse du médiateur"), blank=True)
    mediator_url = models.URLField(_("site du médiateur"), blank=True)
    packaging_id = models.CharField(
        _("identifiant unique emballages"),
        max_length=60,
        blank=True,
        help_text=_("Identifiant REP délivré par l'ADEME."),
    )
    is_demonstration = models.BooleanField(
        _("données de démonstration"),
        default=False,
        help_text=_("Les mentions sont fictives\u00a0: la boutique ne peut pas vendre pour de vrai."),
    )

    instagram_url = models.URLField(_("page Instagram"), blank=True)
    facebook_url = models.URLField(_("page Facebook"), blank=True)
    workshop_email = models.EmailField(
        _("e-mail de l'atelier"),
        blank=True,
        help_text=_("Reçoit les nouvelles commandes et les alertes."),
    )
    default_production_days_min = models.PositiveSmallIntegerField(
        _("fabrication par défaut, minimum (jours)"), default=14
    )
    default_production_days_max = models.PositiveSmallIntegerField(
        _("fabrication par défaut, maximum (jours)"), default=28
    )
    default_weight_grams = models.PositiveIntegerField(
        _("poids d'une pièce emballée par défaut (g)"),
        default=500,
        help_text=_("Pour les frais de port au poids, quand une pièce n'a pas le sien."),
    )
    weekly_capacity = models.PositiveSmallIntegerField(
        _("pièces fabriquées par semaine"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text=_(
            "Les dates promises tiennent compte des pièces déjà commandées et pas encore envoyées. "
            "Vide\u00a0: sans limite."
        ),
    )
    making_days = models.CharField(
        _("jours de fabrication"), max_length=7, default="123456", validators=[WEEKDAYS_VALIDATOR]
    )
    dispatch_days = models.CharField(
        _("jours d'expédition"), max_length=7, default="12345", validators=[WEEKDAYS_VALIDATOR]
    )
    installments_enabled = models.BooleanField(_("paiement en 3 fois proposé"), default=False)
    installments_minimum = models.DecimalField(
        _("montant minimum du paiement en 3 fois (€)"),
        max_digits=10,
        decimal_places=2,
        default=Decimal("150.00"),
        validators=[MinValueValidator(Decimal("0.00"))],
    )
    refund_confirmation_above = models.DecimalField(
        _("remboursement à confirmer au-delà de (€)"),
        max_digits=10,
        decimal_places=2,
        default=Decimal("200.00"),
        null=True,
        blank=True,
        validators=[MinValueValidator(Decimal("0.00"))],
        help_text=_("Le mot de passe ou le code est redemandé. 0\u00a0: toujours. Vide\u00a0: jamais."),
    )
    franchise_ceiling = models.DecimalField(
        _("plafond de la franchise de TVA (€ par an)"),
        max_digits=10,
        decimal_places=2,
        default=Decimal("85000.00"),
        help_text=_("Ventes de marchandises, art. 293 B du CGI. À vérifier chaque année."),
    )
    franchise_ceiling_upper = models.DecimalField(
        _("plafond majoré de la franchise (€ par an)"),
        max_digits=10,
        decimal_places=2,
        default=Decimal("93500.00"),
    )
    eu_sales_threshold = models.DecimalField(
        _("seuil des ventes aux particuliers de l'Union (€ par an)"),
        max_digits=10,
        decimal_places=2,
        default=Decimal("10000.00"),
        help_text=_("Au-delà, la TVA est due dans le pays de destination (art. 258 A du CGI)."),
    )
    oss_number = models.CharField(_("numéro de guichet unique TVA (OSS)"), max_length=40, blank=True)
    terms_version = models.CharField(_("version des conditions de vente"), max_length=40, default="2026-11")

    class Meta:
        verbose_name = _("réglages de la boutique")
        verbose_name_plural = _("réglages de la boutique")
        constraints = (
            models.CheckConstraint(condition=Q(pk=1), name="shop_settings_single_row"),
            models.CheckConstraint(
                condition=Q(default_production_days_min__lte=F("default_production_days_max")),
                name="shop_settings_days_ordered",
            ),
            models.CheckConstraint(
                condition=Q(weekly_capacity__isnull=True) | Q(weekly_capacity__gte=1),
                name="shop_settings_capacity_positive",
            ),
            models.CheckConstraint(
                condition=~Q(making_days="") & ~Q(dispatch_days=""), name="shop_settings_weekdays_named"
            ),
            models.CheckConstraint(
                condition=Q(installments_minimum__gte=0),
                name="shop_settings_minimum_positive",
            ),
        )

    def __str__(self) -> str:
        return self.shop_name

    @property
    def vat_notice_text(self) -> str:
        """What pages and mails say of VAT in the active language: the French mention that the law prescribes and, for
        readers of another language, what the shipped one means."""
        shipped = _("TVA non applicable, art. 293 B du CGI")
        with translation.override(SOURCE_LANGUAGE):
            is_shipped = self.vat_notice == str(shipped)
        meaning = str(shipped)
        return (
            f"{self.vat_notice} ({meaning})" if is_shipped and meaning != self.vat_notice else self.vat_notice
        )

    @classmethod
    def load(cls) -> ShopSettings:
        """Return the settings: cached for a minute, the defaults when nothing was saved yet. At most one query."""
        values: dict[str, Any] | None = cache.get(cls.CACHE_KEY)
        names = [field.attname for field in cls._meta.concrete_fields]
        if values is None or set(values) != set(names):
            values = cls.objects.filter(pk=cls.PK).values(*names).first()
            if values is None:
                fresh = cls(pk=cls.PK)
                values = {name: getattr(fresh, name) for name in names}
            cache.set(cls.CACHE_KEY, values, cls.CACHE_SECONDS)
        return cls(**values)

    def missing_legal_fields(self) -> list[MissingLegalField]:
        """Mentions required by law that are still empty, in the order of the form.

        Those of the demonstration are fiction: outside DEBUG all of them count as missing.
        """
        fiction = self.is_demonstration and not settings.DEBUG
        return [
            MissingLegalField(name, str(self._meta.get_field(name).verbose_name))  # type: ignore[union-attr]
            for name in self.REQUIRED_LEGAL_FIELDS
            if fiction or not str(getattr(self, name)).strip()
        ]

    @property
    def address_lines(self) -> list[str]:
        return [line.strip() for line in self.address.splitlines() if line.strip()]

    @property
    def alert_address(self) -> str:
        """Where mails for the workshop go: its own address, else the public one, else the sender's."""
        return self.workshop_email or self.email or parseaddr(settings.DEFAULT_FROM_EMAIL)[1]


class ScheduledJob(models.Model):
    """When a scheduled job last ran; the row is the lock that makes it run once per period."""

    name = models.CharField(_("nom"), max_length=80, unique=True)
    last_started_at = models.DateTimeField(_("dernier démarrage"), null=True, blank=True)
    last_finished_at = models.DateTimeField(_("dernière fin"), null=True, blank=True)
    last_error = models.TextField(_("dernière erreur"), blank=True)
    locked_until = models.DateTimeField(_("réservé jusqu'à"), null=True, blank=True)

    class Meta:
        verbose_name = _("tâche planifiée")
        verbose_name_plural = _("tâches planifiées")
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class Seasonal(models.Model):
    """Something shown from one day to another, both included; empty means without end. Days begin at midnight, when
    every cached page ends too (`shop.core.fragment_cache`): a season begins and ends by itself."""

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
