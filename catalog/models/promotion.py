"""Promotions: what is cheaper or offered, for which products, and when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from catalog.models.category import Category
from catalog.models.product import AMOUNT_DIGITS, Product


class PromotionType(models.TextChoices):
    """Buy N, get M, of which the first three have fixed quantities, or a reduction of the price."""

    BUY_2_GET_1 = "buy_2_get_1", _("2 achetés, 1 offert")
    BUY_3_GET_1 = "buy_3_get_1", _("3 achetés, 1 offert")
    BUY_4_GET_3 = "buy_4_get_3", _("4 achetés, 3 offerts")
    BUY_N_GET_M = "buy_n_get_m", _("Quantités libres")
    PERCENT = "percent", _("Réduction en pourcentage")
    AMOUNT = "amount", _("Réduction d'un montant")


@dataclass(frozen=True, slots=True)
class PromotionQuantities:
    """Of every `buy + get` units, `get` are free."""

    buy: int
    get: int


FIXED_PROMOTIONS: dict[str, PromotionQuantities] = {
    PromotionType.BUY_2_GET_1: PromotionQuantities(2, 1),
    PromotionType.BUY_3_GET_1: PromotionQuantities(3, 1),
    PromotionType.BUY_4_GET_3: PromotionQuantities(4, 3),
}
REDUCTIONS = (PromotionType.PERCENT.value, PromotionType.AMOUNT.value)

_WITHOUT_QUANTITIES = Q(buy_quantity__isnull=True, get_quantity__isnull=True)


class PromotionState(models.TextChoices):
    """Where a promotion stands at a moment."""

    PLANNED = "planned", _("Programmée")
    RUNNING = "running", _("En cours")
    ENDED = "ended", _("Terminée")
    OFF = "off", _("Désactivée")


class Promotion(models.Model):
    """A promotion of chosen products and of all products of chosen categories, from `starts_at` until just before
    `ends_at`; without a date it has no such end.

    `product` is set for the one that belongs to a product itself, which its form switches on and off: it has no dates
    and applies to nothing else. `next_boundary` is the next start or end that `catalog.services.prices` has still to
    record. Which of several applies to a product: `catalog.pricing.running_promotion`. Write it through
    `catalog.services.promotions`.
    """

    name = models.CharField(
        _("nom interne"), max_length=120, help_text=_("Pour l'équipe\u00a0: il n'est jamais affiché.")
    )
    type = models.CharField(_("type"), max_length=20, choices=PromotionType.choices)
    buy_quantity = models.PositiveSmallIntegerField(
        _("quantité achetée"), null=True, blank=True, validators=[MinValueValidator(1)]
    )
    get_quantity = models.PositiveSmallIntegerField(
        _("quantité offerte"), null=True, blank=True, validators=[MinValueValidator(1)]
    )
    percent = models.PositiveSmallIntegerField(
        _("réduction (%)"), null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(99)]
    )
    amount = models.DecimalField(
        _("réduction (€)"),
        max_digits=AMOUNT_DIGITS,
        decimal_places=2,
        null=True,
        blank=True,
        validators=[MinValueValidator(Decimal("0.01"))],
    )
    starts_at = models.DateTimeField(
        _("début"), null=True, blank=True, help_text=_("Vide\u00a0: dès maintenant.")
    )
    ends_at = models.DateTimeField(_("fin"), null=True, blank=True, help_text=_("Vide\u00a0: sans fin."))
    is_active = models.BooleanField(
        _("active"),
        default=True,
        help_text=_("Décochée, elle ne s'applique pas, quelles que soient ses dates."),
    )
    product = models.OneToOneField(
        Product,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        editable=False,
        related_name="own_promotion",
        verbose_name=_("produit"),
    )
    products = models.ManyToManyField(
        Product, blank=True, related_name="promotions", verbose_name=_("produits")
    )
    categories = models.ManyToManyField(
        Category, blank=True, related_name="promotions", verbose_name=_("catégories")
    )
    next_boundary = models.DateTimeField(null=True, editable=False, db_index=True)

    class Meta:
        verbose_name = _("promotion")
        verbose_name_plural = _("promotions")
        ordering = ("-starts_at", "-pk")
        constraints = (
            models.CheckConstraint(condition=Q(type__in=PromotionType.values), name="promotion_type_known"),
            models.CheckConstraint(
                condition=_WITHOUT_QUANTITIES & Q(percent__gte=1, percent__lte=99, amount__isnull=True)
                | _WITHOUT_QUANTITIES & Q(amount__gt=0, percent__isnull=True)
                | Q(
                    buy_quantity__gte=1,
                    get_quantity__gte=1,
                    get_quantity__lte=F("buy_quantity"),
                    percent__isnull=True,
                    amount__isnull=True,
                ),
                name="promotion_one_kind",
            ),
            models.CheckConstraint(
                condition=~Q(type=PromotionType.PERCENT) | Q(percent__isnull=False),
                name="promotion_has_percent",
            ),
            models.CheckConstraint(
                condition=~Q(type=PromotionType.AMOUNT) | Q(amount__isnull=False),
                name="promotion_has_amount",
            ),
            models.CheckConstraint(
                condition=Q(type__in=REDUCTIONS) | Q(buy_quantity__isnull=False),
                name="promotion_has_quantities",
            ),
            models.CheckConstraint(
                condition=Q(starts_at__isnull=True) | Q(ends_at__isnull=True) | Q(ends_at__gt=F("starts_at")),
                name="promotion_dates_ordered",
            ),
            models.CheckConstraint(
                condition=Q(product__isnull=True) | Q(starts_at__isnull=True, ends_at__isnull=True),
                name="promotion_own_undated",
            ),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def quantities(self) -> PromotionQuantities | None:
        """What "buy N, get M" is, None for a reduction."""
        if self.buy_quantity is None or self.get_quantity is None:
            return None
        return PromotionQuantities(self.buy_quantity, self.get_quantity)

    @property
    def is_reduction(self) -> bool:
        """Whether it makes the price of one unit lower."""
        return self.type in REDUCTIONS

    def state(self, now: datetime) -> PromotionState:
        """Where it stands: running from its start on, the start included, until its end, the end excluded."""
        if not self.is_active:
            return PromotionState.OFF
        if self.ends_at is not None and self.ends_at <= now:
            return PromotionState.ENDED
        if self.starts_at is not None and now < self.starts_at:
            return PromotionState.PLANNED
        return PromotionState.RUNNING

    def boundary_after(self, moment: datetime) -> datetime | None:
        """The first start or end after a moment."""
        dates = (self.starts_at, self.ends_at) if self.is_active else ()
        return min((date for date in dates if date is not None and date > moment), default=None)

    def clean(self) -> None:
        """Fills in the quantities of the named types, empties what is not of the type, and refuses what the
        constraints refuse with a sentence on the field at fault."""
        errors: dict[str, Any] = {}
        fixed = FIXED_PROMOTIONS.get(self.type)
        if fixed is not None:
            self.buy_quantity, self.get_quantity = fixed.buy, fixed.get
        if self.type != PromotionType.PERCENT:
            self.percent = None
        elif self.percent is None:
            errors["percent"] = _("Indiquez le pourcentage.")
        if self.type != PromotionType.AMOUNT:
            self.amount = None
        elif self.amount is None:
            errors["amount"] = _("Indiquez le montant.")
        if self.is_reduction:
            self.buy_quantity = self.get_quantity = None
        elif self.type:
            errors |= self._quantity_errors()
        if self.starts_at is not None and self.ends_at is not None and self.ends_at <= self.starts_at:
            errors["ends_at"] = _("La fin doit venir après le début.")
        if errors:
            raise ValidationError(errors)

    def _quantity_errors(self) -> dict[str, Any]:
        buy, get = self.buy_quantity, self.get_quantity
        errors: dict[str, Any] = {}
        if buy is None:
            errors["buy_quantity"] = _("Indiquez la quantité à acheter.")
        if get is None:
            errors["get_quantity"] = _("Indiquez la quantité offerte.")
        if buy is not None and get is not None and get > buy:
            errors["get_quantity"] = _("La quantité offerte ne peut pas dépasser la quantité achetée.")
        return errors
