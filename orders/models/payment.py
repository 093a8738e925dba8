"""Money: what is due, each attempt to collect it, what was collected, refunded and disputed."""

import uuid

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from orders.models.order import Order
from shop.core.amounts import localised_amount

# Identifiers of the payment provider grow: 66 characters today.
PROVIDER_ID = 255
EVENT_KIND = 100
"""The kinds of its events have up to 70."""


class PaymentState(models.TextChoices):
    """`scheduled` has a day to come, `overdue` is not charged any more; `void` is not owed, `written_off` is lost."""

    SCHEDULED = "scheduled", _("Programmé")
    DUE = "due", _("À payer")
    PAID = "paid", _("Payé")
    PARTLY_REFUNDED = "partly_refunded", _("Remboursé en partie")
    REFUNDED = "refunded", _("Remboursé")
    OVERDUE = "overdue", _("En retard")
    WRITTEN_OFF = "written_off", _("Abandonné")
    VOID = "void", _("Annulé")


OPEN_PAYMENTS = (PaymentState.SCHEDULED, PaymentState.DUE, PaymentState.OVERDUE)
"""States in which a payment is still to be collected."""
COLLECTED_PAYMENTS = (PaymentState.PAID, PaymentState.PARTLY_REFUNDED, PaymentState.REFUNDED)
"""States of a payment that was charged, whatever was refunded since."""


class Payment(models.Model):
    """An amount that an order owes on a day: the whole, or one of three installments. What follows a refusal is counted
    from `link_sent_at`, later by the days for which nothing was collected."""

    order = models.ForeignKey(
        Order, verbose_name=_("commande"), on_delete=models.PROTECT, related_name="payments", db_index=False
    )
    position = models.PositiveSmallIntegerField(_("échéance n°"), default=1)
    count = models.PositiveSmallIntegerField(_("nombre d'échéances"), default=1)
    amount = models.DecimalField(_("montant (€)"), max_digits=10, decimal_places=2)
    due_on = models.DateField(_("à payer le"))
    state = models.CharField(_("état"), max_length=16, choices=PaymentState.choices, default=PaymentState.DUE)
    paid_at = models.DateTimeField(_("payé le"), null=True, blank=True)
    announced_at = models.DateTimeField(_("rappel envoyé le"), null=True, blank=True)
    moved_from = models.DateField(_("d'abord prévu le"), null=True, blank=True)
    next_try_on = models.DateField(_("prochain essai le"), null=True, blank=True)
    link_sent_at = models.DateTimeField(_("premier refus ou premier lien le"), null=True, blank=True)
    stopped_code = models.CharField(_("pourquoi la carte n'est plus débitée"), max_length=60, blank=True)
    merged_into = models.ForeignKey(
        "self",
        verbose_name=_("payé avec l'échéance"),
        on_delete=models.PROTECT,
        related_name="merged",
        null=True,
        blank=True,
        help_text=_("Le client a tout payé d'avance : cette échéance est comptée dans une autre."),
    )

    class Meta:
        verbose_name = _("paiement")
        verbose_name_plural = _("paiements")
        ordering = ("order", "position")
        constraints = (
            models.UniqueConstraint(fields=("order", "position"), name="payment_once_a_position"),
            models.CheckConstraint(condition=Q(amount__gt=0), name="payment_amount_positive"),
            models.CheckConstraint(condition=Q(state__in=PaymentState.values), name="payment_state_known"),
        )
        indexes = (
            models.Index(fields=("due_on",), name="payment_to_collect", condition=Q(state__in=OPEN_PAYMENTS)),
        )

    def __str__(self) -> str:
        return f"{self.order} {self.position}/{self.count}"


class AttemptKind(models.TextChoices):
    """Paid at checkout, charged to the stored card, or paid by the customer on a page for installments."""

    CHECKOUT = "checkout", _("Page de paiement")
    OFF_SESSION = "off_session", _("Prélèvement programmé")
    LINK = "link", _("Lien de paiement")


class AttemptState(models.TextChoices):
    """`prepared`: the provider was not called yet. `review`: what came does not fit, and staff have to look."""

    PREPARED = "prepared", _("Préparée")
    SENT = "sent", _("En cours")
    PROCESSING = "processing", _("Confirmation de la banque attendue")
    SUCCEEDED = "succeeded", _("Réussie")
    FAILED = "failed", _("Refusée")
    EXPIRED = "expired", _("Expirée")
    CANCELLED = "canceled", _("Abandonnée")
    REVIEW = "review", _("À vérifier")


LIVE_ATTEMPTS = (AttemptState.PREPARED, AttemptState.SENT, AttemptState.PROCESSING)
UNSETTLED_ATTEMPTS = (*LIVE_ATTEMPTS, AttemptState.REVIEW)
"""States in which money may still come."""


class Attempt(models.Model):
    """One try to collect a payment. Its key makes every call to the provider about it repeatable."""

    id = models.UUIDField(_("identifiant"), primary_key=True, default=uuid.uuid4, editable=False)
    payment = models.ForeignKey(
        Payment, verbose_name=_("paiement"), on_delete=models.PROTECT, related_name="attempts", db_index=False
    )
    number = models.PositiveSmallIntegerField(_("essai n°"), default=1)
    kind = models.CharField(
        _("moyen"), max_length=12, choices=AttemptKind.choices, default=AttemptKind.CHECKOUT
    )
    state = models.CharField(
        _("état"), max_length=12, choices=AttemptState.choices, default=AttemptState.PREPARED
    )
    amount_cents = models.PositiveIntegerField(_("montant (centimes)"))
    pays_off = models.BooleanField(_("paie aussi les échéances suivantes"), default=False)
    checkout_session_id = models.CharField(
        _("page de paiement chez Stripe"), max_length=PROVIDER_ID, unique=True, null=True, blank=True
    )
    checkout_session_url = models.TextField(_("adresse de la page de paiement"), blank=True)
    intent_id = models.CharField(
        _("paiement chez Stripe"), max_length=PROVIDER_ID, unique=True, null=True, blank=True
    )
    charge_id = models.CharField(
        _("débit chez Stripe"), max_length=PROVIDER_ID, unique=True, null=True, blank=True
    )
    error_code = models.CharField(_("code d'erreur"), max_length=100, blank=True)
    advice_code = models.CharField(_("conseil de la banque"), max_length=60, blank=True)
    created_at = models.DateTimeField(_("créée le"), default=timezone.now)
    sent_at = models.DateTimeField(_("envoyée le"), null=True, blank=True)
    settled_at = models.DateTimeField(_("close le"), null=True, blank=True)
    expires_at = models.DateTimeField(_("valable jusqu'à"))
    # Since when one process has the provider close the page or cancel the charge: the others wait for it.
    closing_at = models.DateTimeField(_("fermeture demandée le"), null=True, blank=True, editable=False)

    class Meta:
        verbose_name = _("tentative de paiement")
        verbose_name_plural = _("tentatives de paiement")
        ordering = ("payment", "number")
        indexes = (
            models.Index(fields=("created_at",), name="attempt_live", condition=Q(state__in=LIVE_ATTEMPTS)),
        )
        constraints = (
            models.UniqueConstraint(fields=("payment", "number"), name="attempt_once_a_number"),
            # Two live attempts could both succeed: a customer would pay twice.
            models.UniqueConstraint(
                fields=("payment",), condition=Q(state__in=LIVE_ATTEMPTS), name="attempt_one_live_a_payment"
            ),
            models.CheckConstraint(condition=Q(state__in=AttemptState.values), name="attempt_state_known"),
        )

    def __str__(self) -> str:
        return f"{self.payment} · {self.get_state_display()}"

    @property
    def idempotency_key(self) -> str:
        """The provider's idempotency key: one an attempt, never one a payment."""
        return f"att-{self.pk}"


class RefundState(models.TextChoices):
    """`requested`: the provider was not called yet. `pending`: the bank has not finished."""

    REQUESTED = "requested", _("Demandé")
    SENT = "sent", _("Envoyé")
    PENDING = "pending", _("En cours à la banque")
    SUCCEEDED = "succeeded", _("Effectué")
    FAILED = "failed", _("Échoué")


REFUNDS_UNDER_WAY = (RefundState.REQUESTED, RefundState.SENT, RefundState.PENDING)
"""States in which money is on its way to the customer."""
COMMITTED_REFUNDS = (*REFUNDS_UNDER_WAY, RefundState.SUCCEEDED)
"""States whose money can't be refunded a second time."""


class RefundReason(models.TextChoices):
    """`requested` and `external` follow a decision, in the shop or at the provider; the others are automatic."""

    REQUESTED = "requested", _("Demande de remboursement")
    DUPLICATE = "duplicate", _("Payé deux fois")
    UNAVAILABLE = "unavailable", _("Commande annulée avant le paiement")
    EXTERNAL = "external", _("Remboursé hors de la boutique")


AUTOMATIC_REFUNDS = (RefundReason.DUPLICATE, RefundReason.UNAVAILABLE)
"""Reasons of refunds that nobody decides: the whole of a charge that could not be accepted."""


class RefundMethod(models.TextChoices):
    CARD = "card", _("Sur la carte")
    TRANSFER = "transfer", _("Par virement")


DEMONSTRATION_MOVEMENT = "demo-"
"""How the movements of the demonstration begin: they never went through a provider."""
TRANSFER_MOVEMENT = "transfer-"
"""How refunds by bank transfer begin in the ledger: the provider knows nothing of them."""


class TransferReturn(models.TextChoices):
    """Why a transfer that was written down did not reach its customer."""

    RETURNED = "transfer_returned", _("La banque l'a renvoyé")
    MISTAKEN = "transfer_mistaken", _("Il n'est jamais parti : noté par erreur")


class Refund(models.Model):
    """A refund to the customer. Written before the provider is asked.

    By `method` transfer it never goes through the provider: staff record what they sent from the shop's bank because
    the card could not take it. When it did not arrive, `error` is a TransferReturn.
    """

    id = models.UUIDField(_("identifiant"), primary_key=True, default=uuid.uuid4, editable=False)
    order = models.ForeignKey(
        Order, verbose_name=_("commande"), on_delete=models.PROTECT, related_name="refunds"
    )
    attempt = models.ForeignKey(
        Attempt, verbose_name=_("paiement rendu"), on_delete=models.PROTECT, related_name="refunds"
    )
    request = models.ForeignKey(
        "orders.RefundRequest",
        verbose_name=_("décision"),
        on_delete=models.PROTECT,
        related_name="refunds",
        null=True,
        blank=True,
    )
    # The failed refund that this one tries again: once, however often the button is pressed.
    replaces = models.OneToOneField(
        "self",
        verbose_name=_("refait le remboursement"),
        on_delete=models.PROTECT,
        related_name="replaced_by",
        null=True,
        blank=True,
    )
    # Whose demand « everything » was met by this retry: the same demand again gives the same answer.
    retry_key = models.CharField(
        _("clé du nouvel essai"), max_length=255, unique=True, null=True, blank=True, editable=False
    )
    amount = models.DecimalField(_("montant (€)"), max_digits=10, decimal_places=2)
    reason = models.CharField(
        _("motif"), max_length=12, choices=RefundReason.choices, default=RefundReason.REQUESTED
    )
    note = models.CharField(_("note"), max_length=500, blank=True)
    method = models.CharField(
        _("moyen"), max_length=8, choices=RefundMethod.choices, default=RefundMethod.CARD
    )
    transfer_reference = models.CharField(_("référence du virement"), max_length=100, blank=True)
    state = models.CharField(
        _("état"), max_length=10, choices=RefundState.choices, default=RefundState.REQUESTED
    )
    provider_id = models.CharField(
        _("numéro chez Stripe"), max_length=PROVIDER_ID, unique=True, null=True, blank=True
    )
    error = models.CharField(_("erreur"), max_length=300, blank=True)
    created_at = models.DateTimeField(_("demandé le"), default=timezone.now)
    settled_at = models.DateTimeField(_("réglé le"), null=True, blank=True)

    class Meta:
        verbose_name = _("remboursement")
        verbose_name_plural = _("remboursements")
        ordering = ("-created_at",)
        constraints = (
            models.CheckConstraint(condition=Q(amount__gt=0), name="refund_amount_positive"),
            models.CheckConstraint(condition=Q(state__in=RefundState.values), name="refund_state_known"),
            models.CheckConstraint(condition=Q(method__in=RefundMethod.values), name="refund_method_known"),
            # An automatic refund of a charge happens once, whoever notices first.
            models.UniqueConstraint(
                fields=("attempt", "reason"),
                condition=Q(reason__in=AUTOMATIC_REFUNDS),
                name="refund_automatic_once",
            ),
        )

    def __str__(self) -> str:
        return f"{self.order} · {localised_amount(self.amount)}"

    @property
    def idempotency_key(self) -> str:
        return f"refund-{self.pk}"

    @property
    def movement(self) -> str:
        """What the ledger calls it; "" for one that the provider does not know yet."""
        if self.method == RefundMethod.TRANSFER:
            return f"{TRANSFER_MOVEMENT}{self.pk}"
        return self.provider_id or ""


class LedgerKind(models.TextChoices):
    """What moved the money; a failed refund and a won dispute bring it back."""

    CHARGE = "charge", _("Encaissement")
    REFUND = "refund", _("Remboursement")
    REFUND_FAILED = "refund_failed", _("Remboursement rejeté")
    DISPUTE = "dispute", _("Litige")
    DISPUTE_WON = "dispute_won", _("Litige gagné")


COLLECTED_KINDS = (LedgerKind.CHARGE, LedgerKind.REFUND, LedgerKind.REFUND_FAILED)
"""Movements that decide the state of a payment: disputes leave it as it is."""


class LedgerEntry(models.Model):
    """Money that moved, once per movement of the provider. Rows are added, never changed.

    `occurred_at` is when it moved, by the provider's clock: the day that the books know. `created_at` is when the shop
    learnt of it.
    """

    order = models.ForeignKey(
        Order, verbose_name=_("commande"), on_delete=models.PROTECT, related_name="ledger"
    )
    payment = models.ForeignKey(
        Payment, verbose_name=_("paiement"), on_delete=models.PROTECT, related_name="ledger"
    )
    kind = models.CharField(_("nature"), max_length=16, choices=LedgerKind.choices)
    amount = models.DecimalField(_("montant signé (€)"), max_digits=10, decimal_places=2)
    provider_id = models.CharField(_("mouvement chez le prestataire"), max_length=PROVIDER_ID)
    occurred_at = models.DateTimeField(_("mouvement du"), default=timezone.now)
    created_at = models.DateTimeField(_("écrit le"), default=timezone.now)

    class Meta:
        verbose_name = _("écriture")
        verbose_name_plural = _("grand livre")
        ordering = ("occurred_at", "pk")
        indexes = (models.Index(fields=("occurred_at",), name="ledger_by_day"),)
        constraints = (
            models.UniqueConstraint(fields=("provider_id", "kind"), name="ledger_once_a_movement"),
            models.CheckConstraint(
                condition=Q(kind="charge", amount__gt=0)
                | Q(kind="refund", amount__lt=0)
                | Q(kind="refund_failed", amount__gt=0)
                | Q(kind="dispute", amount__lt=0)
                | Q(kind="dispute_won", amount__gt=0),
                name="ledger_sign",
            ),
        )

    def __str__(self) -> str:
        return f"{self.order} · {localised_amount(self.amount)}"


class DisputeState(models.TextChoices):
    """The provider's own statuses; inquiries, which move no money, have no row."""

    NEEDS_RESPONSE = "needs_response", _("Réponse attendue")
    UNDER_REVIEW = "under_review", _("Examiné par la banque")
    WON = "won", _("Gagné")
    LOST = "lost", _("Perdu")


OPEN_DISPUTES = (DisputeState.NEEDS_RESPONSE, DisputeState.UNDER_REVIEW)


class Dispute(models.Model):
    """A customer's bank takes a charge back. While one is open nothing is sent, refunded or charged."""

    order = models.ForeignKey(
        Order, verbose_name=_("commande"), on_delete=models.PROTECT, related_name="disputes"
    )
    attempt = models.ForeignKey(
        Attempt, verbose_name=_("paiement contesté"), on_delete=models.PROTECT, related_name="disputes"
    )
    provider_id = models.CharField(_("litige chez Stripe"), max_length=PROVIDER_ID, unique=True)
    amount = models.DecimalField(_("montant (€)"), max_digits=10, decimal_places=2)
    reason = models.CharField(_("motif"), max_length=60, blank=True)
    state = models.CharField(
        _("état"), max_length=16, choices=DisputeState.choices, default=DisputeState.NEEDS_RESPONSE
    )
    answer_by = models.DateTimeField(_("à répondre avant le"), null=True, blank=True)
    opened_at = models.DateTimeField(_("ouvert le"), default=timezone.now)
    closed_at = models.DateTimeField(_("clos le"), null=True, blank=True)

    class Meta:
        verbose_name = _("litige")
        verbose_name_plural = _("litiges")
        ordering = ("-opened_at", "-pk")
        constraints = (
            models.CheckConstraint(condition=Q(amount__gt=0), name="dispute_amount_positive"),
            models.CheckConstraint(condition=Q(state__in=DisputeState.values), name="dispute_state_known"),
        )

    def __str__(self) -> str:
        return f"{self.order} · {localised_amount(self.amount)}"
