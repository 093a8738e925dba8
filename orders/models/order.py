"""An order as it was agreed: every text and amount is a frozen copy, never computed again."""

import uuid
from datetime import date, datetime

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Round
from django.db.models.lookups import Exact
from django.utils import timezone, translation
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalog.models import Finish
from orders.models.addresses import OrderAddresses
from orders.models.carrier import Carrier, parcel_url
from shop.core.dates import shop_day
from shop.core.languages import SOURCE_LANGUAGE


class OrderStatus(models.TextChoices):
    """The seven statuses; one label each, everywhere."""

    PENDING = "pending", _("En attente")
    CONFIRMED = "confirmed", _("Confirmée")
    PROCESSING = "processing", _("En préparation")
    SHIPPED = "shipped", _("Expédiée")
    DELIVERED = "delivered", _("Livrée")
    CANCELLED = "cancelled", _("Annulée")
    REFUNDED = "refunded", _("Remboursée")


IN_WORKSHOP = (OrderStatus.CONFIRMED, OrderStatus.PROCESSING)
PAID_STATUSES = (*IN_WORKSHOP, OrderStatus.SHIPPED, OrderStatus.DELIVERED)
CLOSED_STATUSES = (OrderStatus.CANCELLED, OrderStatus.REFUNDED)
DONE_STATUSES = (OrderStatus.DELIVERED, *CLOSED_STATUSES)


class PaymentMode(models.TextChoices):
    FULL = "full", _("En une fois")
    INSTALLMENTS = "installments", _("En trois fois")


def _cents(amount: Combinable) -> Cast:
    """An amount as whole cents: SQLite keeps decimals as floating-point numbers, which never compare equal."""
    return Cast(Round(Cast(amount * 100, models.FloatField())), models.BigIntegerField())


class Order(OrderAddresses):
    """What a customer ordered. It exists, `pending`, before the customer leaves for the payment page."""

    id = models.UUIDField(_("identifiant"), primary_key=True, default=uuid.uuid4, editable=False)
    reference = models.CharField(_("référence"), max_length=8, db_index=True, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="orders",
        verbose_name=_("membre"),
        db_index=False,
    )
    status = models.CharField(
        _("statut"), max_length=12, choices=OrderStatus.choices, default=OrderStatus.PENDING
    )
    language = models.CharField(_("langue"), max_length=5, default=SOURCE_LANGUAGE)

    payment_mode = models.CharField(
        _("mode de paiement"), max_length=12, choices=PaymentMode.choices, default=PaymentMode.FULL
    )
    original_total = models.DecimalField(_("total avant promotions (€)"), max_digits=10, decimal_places=2)
    promotion_savings = models.DecimalField(_("promotions (€)"), max_digits=10, decimal_places=2)
    subtotal = models.DecimalField(_("sous-total (€)"), max_digits=10, decimal_places=2)
    shipping_zone = models.CharField(_("zone de livraison"), max_length=40)
    shipping_cost = models.DecimalField(_("livraison (€)"), max_digits=10, decimal_places=2)
    total = models.DecimalField(_("total (€)"), max_digits=10, decimal_places=2)

    promised_by = models.DateField(_("livraison promise au plus tard le"))
    # With the days on which a bank kept the order here, where there are some: see `late_after`.
    excused_until = models.DateField(_("en retard après le, litiges compris"), null=True, editable=False)
    # What is made is begun in this order, so that every date that was promised can be kept.
    start_by = models.DateField(_("à commencer au plus tard le"), null=True, blank=True, editable=False)
    terms_version = models.CharField(_("version des conditions acceptées"), max_length=40)
    terms_accepted_at = models.DateTimeField(_("conditions acceptées le"))
    mandate_text = models.TextField(
        _("autorisation de prélèvement acceptée"),
        blank=True,
        help_text=_("Le texte exact, montants et dates compris, que le client a accepté avant de payer."),
    )

    idempotency_key = models.CharField(_("clé d'idempotence"), max_length=255, unique=True, editable=False)
    request_fingerprint = models.CharField(_("empreinte de la demande"), max_length=64, editable=False)
    demand_digest = models.CharField(
        _("empreinte de la demande et de son auteur"),
        max_length=64,
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text=_("Une seule commande impayée peut porter la même."),
    )
    review_reason = models.CharField(_("à vérifier"), max_length=200, blank=True)
    link_version = models.PositiveSmallIntegerField(
        _("version des liens"), default=0, db_default=0, editable=False
    )

    created_at = models.DateTimeField(_("créée le"), default=timezone.now, editable=False)
    updated_at = models.DateTimeField(_("modifiée le"), auto_now=True)
    paid_at = models.DateTimeField(_("payée le"), null=True, blank=True)
    # The first parcel, and the last: the order is shipped once all its pieces have left.
    first_sent_at = models.DateTimeField(_("premier colis parti le"), null=True, blank=True, editable=False)
    shipped_at = models.DateTimeField(_("expédiée le"), null=True, blank=True)
    delivered_at = models.DateTimeField(_("livrée le"), null=True, blank=True)
    cancelled_at = models.DateTimeField(_("annulée le"), null=True, blank=True)
    archived_at = models.DateTimeField(_("archivée le"), null=True, blank=True)
    personal_data_erased_at = models.DateTimeField(
        _("données personnelles effacées le"), null=True, blank=True, editable=False
    )
    status_before_closing = models.CharField(
        _("statut avant la clôture"), max_length=12, choices=OrderStatus.choices, blank=True, editable=False
    )
    # Money of a cancelled order that stays with the shop: why it was not refunded, and what was decided since.
    retention_reason = models.CharField(_("pourquoi l'argent est gardé"), max_length=500, blank=True)
    retention_decision = models.CharField(_("décision sur l'argent gardé"), max_length=500, blank=True)

    class Meta:
        verbose_name = _("commande")
        verbose_name_plural = _("commandes")
        ordering = ("-created_at", "-pk")
        indexes = (
            models.Index(fields=("user", "-created_at"), name="order_user_newest"),
            models.Index(fields=("status", "-created_at"), name="order_status_newest"),
            models.Index(fields=("email",), name="order_email"),
            models.Index(
                fields=("-created_at", "-id"), name="order_newest", condition=Q(archived_at__isnull=True)
            ),
        )
        constraints = (
            models.CheckConstraint(condition=Q(status__in=OrderStatus.values), name="order_status_known"),
            models.CheckConstraint(
                condition=~Q(status="pending") | Q(paid_at__isnull=True), name="order_pending_is_unpaid"
            ),
            models.CheckConstraint(
                condition=Q(
                    original_total__gte=0, promotion_savings__gte=0, shipping_cost__gte=0, total__gte=0
                ),
                name="order_amounts_positive",
            ),
            models.UniqueConstraint(
                fields=("demand_digest",),
                condition=Q(status="pending") & ~Q(demand_digest=""),
                name="order_one_unpaid_demand",
            ),
            models.CheckConstraint(
                condition=~Q(
                    billing_name="", _connector=Q.OR, billing_address="", billing_city="", billing_country=""
                )
                | Q(
                    billing_name="",
                    billing_company="",
                    billing_company_number="",
                    billing_address="",
                    billing_postal_code="",
                    billing_city="",
                    billing_country="",
                    billing_custom_country="",
                ),
                name="order_billing_whole",
            ),
            models.CheckConstraint(
                condition=~Q(gift_recipient="") | Q(gift_message=""), name="order_gift_has_recipient"
            ),
            models.CheckConstraint(
                condition=Q(
                    Exact(_cents(F("subtotal")), _cents(F("original_total") - F("promotion_savings")))
                )
                & Q(Exact(_cents(F("total")), _cents(F("subtotal") + F("shipping_cost")))),
                name="order_amounts_add_up",
            ),
        )

    def __str__(self) -> str:
        return self.reference

    @property
    def is_paid(self) -> bool:
        """True once money was confirmed and not all of it refunded."""
        return self.status in PAID_STATUSES

    @property
    def all_goods_have_left(self) -> bool:
        """True once the last of them was sent or handed over."""
        return self.shipped_at is not None or self.delivered_at is not None

    @property
    def supplied_at(self) -> datetime | None:
        """When the first of the goods left, from which the fifty days of L312-4 4° run; None while all are here."""
        return self.first_sent_at or self.shipped_at or self.delivered_at

    @property
    def goods_have_left(self) -> bool:
        """True once any of them was sent or handed over."""
        return self.supplied_at is not None


def choice_text(finish: str, variation_name: str) -> str:
    """Return finish and format in the active language: `Peint · 18 cm`; "" for a piece without choices."""
    label = str(Finish(finish).label) if finish in Finish.values else ""
    return " · ".join(part for part in (label, variation_name) if part)


class OrderItem(models.Model):
    """One line of an order. `quantity` counts all units, `free_quantity` those among them that were offered,
    `made_quantity` those that were not in stock.

    Its names are in the order's language, for its customer and its documents. Staff read the French ones, through
    `staff_name` and those beside it; the French columns are empty where both are the same.

    `picture` is a file of the catalogue's, which stays as long as the line: see `catalog.models.RetiredPicture`.
    """

    order = models.ForeignKey(Order, on_delete=models.CASCADE, related_name="items")
    position = models.PositiveSmallIntegerField(default=0)
    product = models.ForeignKey("catalog.Product", on_delete=models.SET_NULL, null=True, blank=True)
    variant = models.ForeignKey("catalog.Variant", on_delete=models.SET_NULL, null=True, blank=True)
    finish = models.CharField(_("finition"), max_length=10, blank=True)
    product_name = models.CharField(_("produit"), max_length=200)
    variation_name = models.CharField(_("format"), max_length=120, blank=True)
    french_name = models.CharField(
        _("produit en français"), max_length=200, blank=True, default="", db_default=""
    )
    french_variation_name = models.CharField(
        _("format en français"), max_length=120, blank=True, default="", db_default=""
    )
    category_name = models.CharField(_("catégorie"), max_length=120, blank=True)
    sku = models.CharField(_("référence article"), max_length=80, blank=True)
    hs_code = models.CharField(_("code douanier (SH)"), max_length=10, blank=True)
    origin_country = models.CharField(_("pays de fabrication"), max_length=2, blank=True)
    weight_grams = models.PositiveIntegerField(_("poids emballé d'une pièce (g)"), null=True, blank=True)
    picture = models.FileField(_("image"), max_length=120, blank=True, editable=False, db_index=True)
    promotion_buy = models.PositiveSmallIntegerField(null=True, blank=True)
    promotion_get = models.PositiveSmallIntegerField(null=True, blank=True)
    quantity = models.PositiveIntegerField(_("quantité"))
    free_quantity = models.PositiveIntegerField(_("dont offertes"), default=0)
    made_quantity = models.PositiveIntegerField(_("dont à fabriquer"), default=0, editable=False)
    # Those of the order's shipments that were not undone.
    sent_quantity = models.PositiveIntegerField(_("dont parties"), default=0, db_default=0, editable=False)
    unit_price = models.DecimalField(_("prix unitaire (€)"), max_digits=10, decimal_places=2)
    line_total = models.DecimalField(_("total de la ligne (€)"), max_digits=10, decimal_places=2)

    class Meta:
        verbose_name = _("ligne de commande")
        verbose_name_plural = _("lignes de commande")
        ordering = ("position", "pk")
        constraints = (
            models.CheckConstraint(
                condition=Q(quantity__gte=1) & Q(free_quantity__lte=F("quantity")), name="item_quantities"
            ),
            models.CheckConstraint(condition=Q(made_quantity__lte=F("quantity")), name="item_made_quantity"),
            models.CheckConstraint(condition=Q(sent_quantity__lte=F("quantity")), name="item_sent_quantity"),
            models.CheckConstraint(
                condition=Q(
                    Exact(
                        _cents(F("line_total")),
                        _cents((F("quantity") - F("free_quantity")) * F("unit_price")),
                    )
                ),
                name="item_amounts_add_up",
            ),
        )

    def __str__(self) -> str:
        return f"{self.quantity} × {self.staff_label}"

    @property
    def product_image(self) -> str:
        """The address of a small picture of what was bought; "" without one."""
        return self.picture.url if self.picture else ""

    @property
    def detail(self) -> str:
        """Finish and format in the active language: `Peint · 18 cm`; "" for a piece without choices."""
        return choice_text(self.finish, self.variation_name)

    @property
    def label(self) -> str:
        """Which piece it is, in the active language: `Golem (Peint · 18 cm)`."""
        return f"{self.product_name} ({self.detail})" if self.detail else self.product_name

    @property
    def staff_name(self) -> str:
        """`product_name` in French."""
        return self.french_name or self.product_name

    @property
    def staff_variation_name(self) -> str:
        """`variation_name` in French."""
        return self.french_variation_name or self.variation_name

    @property
    def staff_detail(self) -> str:
        """`detail` in French, whatever language is active."""
        with translation.override(SOURCE_LANGUAGE):
            return choice_text(self.finish, self.staff_variation_name)

    @property
    def staff_label(self) -> str:
        """`label` in French, whatever language is active."""
        detail = self.staff_detail
        return f"{self.staff_name} ({detail})" if detail else self.staff_name


class OrderTracking(models.Model):
    """What the customer sees of the order's progress."""

    order = models.ForeignKey(
        Order, verbose_name=_("commande"), on_delete=models.CASCADE, related_name="tracking"
    )
    status = models.CharField(_("statut"), max_length=12, choices=OrderStatus.choices)
    message = models.CharField(_("message"), max_length=500, blank=True)
    tracking_number = models.CharField(_("numéro de suivi"), max_length=100, blank=True)
    carrier = models.CharField(_("transporteur"), max_length=20, choices=Carrier.choices, blank=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("par"),
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    shipment = models.ForeignKey(
        "orders.Shipment",
        verbose_name=_("expédition"),
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="tracking",
    )
    # The dispatch that it announces was undone: its number leads nowhere.
    undone = models.BooleanField(_("annulée depuis"), default=False)
    created_at = models.DateTimeField(_("le"), default=timezone.now)

    class Meta:
        verbose_name = _("étape de suivi")
        verbose_name_plural = _("étapes de suivi")
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return f"{self.get_status_display()} · {timezone.localtime(self.created_at):%d/%m/%Y %H:%M}"

    @property
    def label(self) -> str:
        """The status, or that a parcel left which is not the last one: it leaves the status as it is."""
        if self.shipment is None or self.status not in IN_WORKSHOP:
            return self.get_status_display()
        # A step of its own tells that a parcel is here again.
        is_sent = self.undone or self.shipment.undone_at is None
        return gettext("Expédition d'un colis") if is_sent else self.get_status_display()

    @property
    def sent_on(self) -> date | None:
        """The day on which the parcel of a dispatch left, where that was written down on a later one."""
        if self.status != OrderStatus.SHIPPED or self.shipment is None:
            return None
        day = shop_day(self.shipment.sent_at)
        return day if day != shop_day(self.created_at) else None

    @property
    def parcel_url(self) -> str:
        """The carrier's page about the parcel, or ""."""
        return parcel_url(self.carrier, self.tracking_number, self.order.postal_code)


class OrderEvent(models.Model):
    """The journal of an order: a dotted name, who did it and with what, written with the change itself."""

    order = models.ForeignKey(
        Order, verbose_name=_("commande"), on_delete=models.CASCADE, related_name="events"
    )
    name = models.CharField(_("évènement"), max_length=60)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("par"),
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    data = models.JSONField(_("données"), default=dict, blank=True)
    created_at = models.DateTimeField(_("le"), default=timezone.now)

    class Meta:
        verbose_name = _("journal")
        verbose_name_plural = _("journal")
        ordering = ("created_at", "pk")

    def __str__(self) -> str:
        return self.name
