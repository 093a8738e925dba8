"""The shop's own settings."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from email.utils import parseaddr
from typing import Any, ClassVar

from django.conf import settings
from django.core.validators import MinValueValidator, RegexValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy as _

from shop.core.fragment_cache import cached_content
from shop.core.languages import SOURCE_LANGUAGE

WEEKDAYS_VALIDATOR = RegexValidator(r"\A[1-7]{1,7}\Z", _("Choisissez au moins un jour de la semaine."))
"""Days of the week as ISO numbers, `12345` for Monday to Friday."""


MEASUREMENT_IDS = {"analytics_id": r"\AG-[A-Z0-9]{6,12}\Z", "pixel_id": r"\A[0-9]{15,16}\Z"}
"""What the ids of the shop at other companies look like, by their column."""


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

    link_salt = models.CharField(max_length=16, blank=True, default="", db_default="", editable=False)
    """Changed when a backup is brought back: links that are good once were perhaps used since, and the keys in
    others name other rows."""

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
    cart_reminder_hours = models.PositiveSmallIntegerField(
        _("rappel d'un panier laissé, après (heures)"),
        null=True,
        blank=True,
        default=24,
        validators=[MinValueValidator(1)],
        help_text=_(
            "Une seule fois par panier, et seulement aux clients qui l'ont demandé. Vide\u00a0: jamais."
        ),
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
    oss_from = models.DateField(
        _("inscrit au guichet unique à partir du"),
        null=True,
        blank=True,
        help_text=_("Jour où l'inscription prend effet. Vide\u00a0: chaque trimestre se déclare."),
    )
    analytics_id = models.CharField(
        _("numéro de mesure Google Analytics"),
        max_length=20,
        blank=True,
        validators=[
            RegexValidator(MEASUREMENT_IDS["analytics_id"], _("Un numéro de mesure s'écrit G-XXXXXXXXXX."))
        ],
        help_text=_(
            "Exemple\u00a0: G-AB12CD34EF. Vide\u00a0: rien n'est chargé, et personne n'est interrogé."
        ),
    )
    pixel_id = models.CharField(
        _("numéro du pixel Meta"),
        max_length=20,
        blank=True,
        validators=[
            RegexValidator(MEASUREMENT_IDS["pixel_id"], _("Un numéro de pixel a 15 ou 16 chiffres."))
        ],
        help_text=_("15 ou 16 chiffres. Vide\u00a0: rien n'est chargé, et personne n'est interrogé."),
    )
    accountant_email = models.EmailField(
        _("e-mail du comptable"),
        blank=True,
        help_text=_("Reçoit chaque mois l'empreinte des comptes, avec l'atelier."),
    )
    reporting_step = models.CharField(
        _("période de l'e-reporting"),
        max_length=10,
        choices=(
            ("decade", _("décade (régime réel normal mensuel)")),
            ("mois", _("mois (régime réel trimestriel ou simplifié)")),
            ("bimestre", _("deux mois (franchise de TVA)")),
        ),
        default="bimestre",
        help_text=_("Selon votre régime de TVA\u00a0; votre comptable la confirme."),
    )
    urssaf_period = models.CharField(
        _("déclaration à l'URSSAF"),
        max_length=10,
        choices=(("mois", _("chaque mois")), ("trimestre", _("chaque trimestre"))),
        default="trimestre",
    )
    urssaf_rate = models.DecimalField(
        _("taux de cotisation (%)"),
        max_digits=4,
        decimal_places=2,
        default=Decimal("12.30"),
        validators=[MinValueValidator(Decimal("0.00"))],
        help_text=_("Ventes de marchandises, pour information\u00a0: l'URSSAF calcule elle-même."),
    )
    vat_liable_from = models.DateField(
        _("assujetti à la TVA à partir du"),
        null=True,
        blank=True,
        help_text=_(
            "Premier jour où les prix comprennent la TVA. Vide\u00a0: franchise (art. 293 B du CGI)."
        ),
    )
    vat_liable_until = models.DateField(
        _("assujetti à la TVA jusqu'au"),
        null=True,
        blank=True,
        help_text=_("Compris. Vide\u00a0: sans fin."),
    )
    vat_number = models.CharField(
        _("numéro de TVA intracommunautaire"),
        max_length=14,
        blank=True,
        validators=[RegexValidator(r"\AFR[0-9A-Z]{2}[0-9]{9}\Z", _("FR, deux caractères, puis le SIREN."))],
        help_text=_("Obligatoire à partir du jour où vous êtes assujetti."),
    )

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
                condition=Q(vat_liable_from=None) | ~Q(vat_number=""), name="shop_settings_vat_number_given"
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
        """What pages and mails say of VAT today in the active language: the number of a seller who is liable, else the
        French mention that the law prescribes and, for readers of another language, what the shipped one means."""
        if self.is_vat_liable(timezone.localdate()):
            return _("N°\u00a0de TVA %(number)s") % {"number": self.vat_number}
        shipped = _("TVA non applicable, art. 293 B du CGI")
        with translation.override(SOURCE_LANGUAGE):
            is_shipped = self.vat_notice == str(shipped)
        meaning = str(shipped)
        return (
            f"{self.vat_notice} ({meaning})" if is_shipped and meaning != self.vat_notice else self.vat_notice
        )

    def is_vat_liable(self, day: date) -> bool:
        """Return whether the seller is liable for French VAT on a day, and no small business under art. 293 B CGI."""
        if self.vat_liable_from is None or day < self.vat_liable_from:
            return False
        return self.vat_liable_until is None or day <= self.vat_liable_until

    def is_oss_registered(self, day: date) -> bool:
        """Return whether the seller declares to the one-stop shop (OSS) on a day (regulation (EU) 282/2011, 57d)."""
        return bool(self.oss_number.strip()) and (self.oss_from is None or day >= self.oss_from)

    @classmethod
    def load(cls) -> ShopSettings:
        """Return the settings: cached for a minute, the defaults when nothing was saved yet. At most one query."""
        return cls(**cached_content(cls._read, "shop-settings-values"))

    @classmethod
    def _read(cls) -> dict[str, Any]:
        names = [field.attname for field in cls._meta.concrete_fields]
        values = cls.objects.filter(pk=cls.PK).values(*names).first()
        if values is not None:
            return values
        fresh = cls(pk=cls.PK)
        return {name: getattr(fresh, name) for name in names}

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
