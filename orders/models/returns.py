"""What customers return: withdrawals as they were declared, and the refunds that staff decide."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from orders.models.order import Order, OrderItem
from shop.core.amounts import localised_amount
from shop.core.languages import SOURCE_LANGUAGE


class WithdrawalChannel(models.TextChoices):
    SITE = "site", _("Sur le site")
    LETTER = "letter", _("Par courrier")
    MAIL = "mail", _("Par e-mail")
    OTHER = "other", _("Autrement")


class Withdrawal(models.Model):
    """A customer's declaration, exactly as it came in. The database refuses to change or delete it (L221-21).

    `order` is empty when no order fits what was declared: the declaration is stored and acknowledged all the same.
    One that did not come through the site is filed by staff (`filed_by`): `sent_on` is then the day that the customer
    sent it, which decides whether it is in time, and `declared_at` when the shop had it, from which the days to refund
    count (L221-24).
    """

    id = models.UUIDField(_("clé"), primary_key=True, default=uuid.uuid4, editable=False)
    order = models.ForeignKey(
        Order,
        on_delete=models.PROTECT,
        related_name="withdrawals",
        null=True,
        blank=True,
        verbose_name=_("commande"),
    )
    name = models.CharField(_("nom déclaré"), max_length=200)
    email = models.EmailField(_("e-mail déclaré"))
    order_text = models.CharField(_("commande déclarée"), max_length=100)
    reason = models.TextField(_("motif"), max_length=2000, blank=True)
    statement = models.TextField(_("texte de la déclaration"))
    language = models.CharField(_("langue"), max_length=5, default=SOURCE_LANGUAGE)
    declared_at = models.DateTimeField(_("déclarée le"), default=timezone.now)
    channel = models.CharField(
        _("reçue"), max_length=6, choices=WithdrawalChannel.choices, default=WithdrawalChannel.SITE
    )
    sent_on = models.DateField(_("envoyée le"), null=True, blank=True)
    filed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("enregistrée par"),
    )
    submission_key = models.CharField(_("clé du formulaire"), max_length=64, unique=True, editable=False)

    class Meta:
        verbose_name = _("rétractation")
        verbose_name_plural = _("rétractations")
        ordering = ("-declared_at",)
        constraints = (
            models.CheckConstraint(
                condition=Q(channel__in=WithdrawalChannel.values), name="withdrawal_channel_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.order_text} · {timezone.localtime(self.declared_at):%d/%m/%Y %H:%M}"

    @property
    def by_site(self) -> bool:
        """Whether the customer made it on the site, so that its hour is known and not only its day."""
        return self.channel == WithdrawalChannel.SITE

    @property
    def reference(self) -> str:
        """What customer and shop call the declaration."""
        return f"R-{self.pk.hex[-8:].upper()}"


class WithdrawalLine(models.Model):
    """A part of the order that the customer returns. Without lines the whole order is meant."""

    withdrawal = models.ForeignKey(
        Withdrawal,
        on_delete=models.PROTECT,
        related_name="lines",
        db_index=False,
        verbose_name=_("rétractation"),
    )
    item = models.ForeignKey(
        OrderItem, on_delete=models.PROTECT, related_name="+", verbose_name=_("ligne de commande")
    )
    quantity = models.PositiveIntegerField(_("quantité"))

    class Meta:
        verbose_name = _("ligne rétractée")
        verbose_name_plural = _("lignes rétractées")
        constraints = (
            models.UniqueConstraint(fields=("withdrawal", "item"), name="withdrawal_line_once"),
            models.CheckConstraint(condition=Q(quantity__gte=1), name="withdrawal_line_quantity"),
        )

    def __str__(self) -> str:
        return f"{self.quantity} × {self.item.staff_label}"


class WithdrawalState(models.TextChoices):
    """`goods_awaited` when they had left the workshop; `refused` ends a declaration without a refund."""

    DECLARED = "declared", _("Déclarée")
    GOODS_AWAITED = "goods_awaited", _("Retour attendu")
    REFUNDED = "refunded", _("Remboursée")
    REFUSED = "refused", _("Sans suite")


OPEN_CASES = (WithdrawalState.DECLARED, WithdrawalState.GOODS_AWAITED)
"""States in which the shop still owes something: a decision, or money."""


class WithdrawalCase(models.Model):
    """How the shop deals with a declaration: the part that moves on.

    `order` is the one that the declaration fits, or that staff found for it. `taken_up_at` is when the declaration took
    effect on the order: charges stopped, return asked for. It is empty while staff still have to decide. `voided` are
    the euros that will not be collected because of it. `goods` is what a customer wrote who returns a part of the order
    without having chosen its lines. `revocation_text` are the words of `revoked_on` by which the customer took the
    declaration back. `email` is the address of its author by now, empty while it is the declared one.
    """

    withdrawal = models.OneToOneField(
        Withdrawal, verbose_name=_("déclaration"), on_delete=models.PROTECT, related_name="case"
    )
    order = models.ForeignKey(
        Order,
        on_delete=models.PROTECT,
        related_name="withdrawal_cases",
        verbose_name=_("commande"),
        null=True,
        blank=True,
    )
    state = models.CharField(
        _("état"), max_length=16, choices=WithdrawalState.choices, default=WithdrawalState.DECLARED
    )
    in_time = models.BooleanField(_("dans le délai"), null=True, blank=True)
    refund_by = models.DateField(_("à rembourser au plus tard le"), null=True, blank=True)
    taken_up_at = models.DateTimeField(_("prise en compte le"), null=True, blank=True)
    voided = models.DecimalField(_("échéances arrêtées (€)"), max_digits=10, decimal_places=2, default=0)
    email = models.EmailField(_("adresse e-mail"), blank=True, default="", db_default="")
    goods = models.CharField(_("articles rendus, selon le client"), max_length=500, blank=True)
    shipping_allowed_at = models.DateTimeField(_("expédition du reste permise le"), null=True, blank=True)
    goods_received_at = models.DateTimeField(_("retour reçu le"), null=True, blank=True)
    shipping_proof_at = models.DateTimeField(_("preuve d'expédition reçue le"), null=True, blank=True)
    decision = models.CharField(_("motif de la décision"), max_length=500, blank=True)
    revocation_text = models.TextField(_("écrit du client qui y renonce"), max_length=5000, blank=True)
    revoked_on = models.DateField(_("écrit du"), null=True, blank=True)
    alerted_day = models.PositiveSmallIntegerField(_("dernière alerte (jour)"), default=0)
    updated_at = models.DateTimeField(_("modifié le"), auto_now=True)

    class Meta:
        verbose_name = _("suivi de rétractation")
        verbose_name_plural = _("suivis de rétractation")
        constraints = (
            models.CheckConstraint(
                condition=Q(state__in=WithdrawalState.values), name="withdrawal_state_known"
            ),
            models.CheckConstraint(condition=Q(voided__gte=0), name="withdrawal_voided_positive"),
        )

    def __str__(self) -> str:
        return self.state_label

    @property
    def address(self) -> str:
        """The e-mail address that its author is written to."""
        return self.email or self.withdrawal.email

    @property
    def goods_left(self) -> bool:
        """Whether its pieces were sent: they came back, are on their way by a proof, or were asked for."""
        awaited = self.state == WithdrawalState.GOODS_AWAITED
        return awaited or bool(self.goods_received_at or self.shipping_proof_at)

    @property
    def state_label(self) -> str:
        """How far it is, in words: what came back, or is on its way by a proof, is awaited no more."""
        if self.state == WithdrawalState.GOODS_AWAITED:
            if self.goods_received_at:
                return str(_("Retour reçu"))
            if self.shipping_proof_at:
                return str(_("Retour en route"))
        return self.get_state_display()


class RefundRequest(models.Model):
    """A decision to credit a customer: the whole order, some lines, or an amount. Money moves by its refunds.

    `amount` is what is credited in euros: what goes back to the customer plus `voided`, the installments that will
    not be collected any more. `reason` is shown to the customer.
    """

    id = models.UUIDField(_("identifiant"), primary_key=True, default=uuid.uuid4, editable=False)
    order = models.ForeignKey(
        Order, verbose_name=_("commande"), on_delete=models.PROTECT, related_name="refund_requests"
    )
    key = models.CharField(_("clé d'idempotence"), max_length=255, unique=True, editable=False)
    fingerprint = models.CharField(
        _("empreinte de la demande"), max_length=64, blank=True, default="", editable=False
    )
    amount = models.DecimalField(_("montant crédité (€)"), max_digits=10, decimal_places=2)
    voided = models.DecimalField(_("dont échéances annulées (€)"), max_digits=10, decimal_places=2, default=0)
    shipping = models.DecimalField(_("dont livraison (€)"), max_digits=10, decimal_places=2, default=0)
    reason = models.CharField(_("motif"), max_length=500, blank=True)
    withdrawal = models.ForeignKey(
        Withdrawal,
        on_delete=models.PROTECT,
        related_name="refund_requests",
        null=True,
        blank=True,
        verbose_name=_("rétractation"),
    )
    external = models.BooleanField(_("décidé hors de la boutique"), default=False)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("décidé par"),
    )
    created_at = models.DateTimeField(_("décidé le"), default=timezone.now)
    settled_at = models.DateTimeField(_("rendu en entier le"), null=True, blank=True)

    class Meta:
        verbose_name = _("décision de remboursement")
        verbose_name_plural = _("décisions de remboursement")
        ordering = ("-created_at",)
        constraints = (
            models.CheckConstraint(
                condition=Q(amount__gt=0, voided__gte=0, shipping__gte=0), name="refund_request_amounts"
            ),
        )

    def __str__(self) -> str:
        return f"{self.order} · {localised_amount(self.amount)}"


class RefundLine(models.Model):
    """Units of a line that a decision credits, for how much, and whether they go back on the shelf.

    `sent_quantity` of them had been sent before it, and their parcel was not undone since. The units of the line that
    were neither sent nor credited are still to be sent.
    """

    request = models.ForeignKey(RefundRequest, on_delete=models.PROTECT, related_name="lines", db_index=False)
    item = models.ForeignKey(
        OrderItem, on_delete=models.PROTECT, related_name="refund_lines", verbose_name=_("ligne de commande")
    )
    quantity = models.PositiveIntegerField(_("quantité"))
    amount = models.DecimalField(_("montant (€)"), max_digits=10, decimal_places=2)
    restocked = models.BooleanField(_("remis en stock"), default=False)
    sent_quantity = models.PositiveIntegerField(_("dont déjà expédiés"), default=0, db_default=0)

    class Meta:
        verbose_name = _("ligne remboursée")
        verbose_name_plural = _("lignes remboursées")
        constraints = (
            models.UniqueConstraint(fields=("request", "item"), name="refund_line_once"),
            models.CheckConstraint(condition=Q(quantity__gte=1, amount__gte=0), name="refund_line_amounts"),
        )

    def __str__(self) -> str:
        return f"{self.quantity} × {self.item.staff_label}"
