"""What buyers think of a product, and what was decided about it."""

from __future__ import annotations

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from catalog.models.product import Product
from catalog.models.variant import Variant
from shop.core.append_only import AppendOnlyModel
from shop.core.models import EMAIL_MAX_LENGTH

TITLE_MAX_LENGTH = 120
TEXT_MAX_LENGTH = 4000


class ReviewState(models.TextChoices):
    """Nothing is seen by others before somebody read it."""

    PENDING = "pending", _("À relire")
    PUBLISHED = "published", pgettext_lazy("review", "Publié")
    REFUSED = "refused", _("Refusé")


class Review(models.Model):
    """A buyer's opinion, one a product. Its words are the author's for good: moderation publishes or refuses.

    Its author is a member, or who bought the product without an account: then `guest_email` is the order's address.
    `experience_date` is when the author received the product (or paid for it), which the law has shown beside the date
    of publication (D111-17). A demonstration review has no author and counts in no average.
    """

    product = models.ForeignKey(
        Product, on_delete=models.CASCADE, related_name="reviews", verbose_name=_("produit"), db_index=False
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="reviews",
        verbose_name=_("membre"),
        db_index=False,
    )
    guest_email = models.EmailField(
        _("adresse de l'auteur sans compte"), max_length=EMAIL_MAX_LENGTH, blank=True, db_default=""
    )
    variant = models.ForeignKey(
        Variant,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("déclinaison achetée"),
    )
    author_name = models.CharField(_("nom affiché"), max_length=60, blank=True)
    order_reference = models.CharField(_("référence de la commande"), max_length=20, blank=True)
    rating = models.PositiveSmallIntegerField(
        pgettext_lazy("review", "note"), validators=[MinValueValidator(1), MaxValueValidator(5)]
    )
    title = models.CharField(_("titre"), max_length=TITLE_MAX_LENGTH)
    text = models.TextField(_("texte"), max_length=TEXT_MAX_LENGTH)
    language = models.CharField(_("langue"), max_length=5, default=settings.LANGUAGE_CODE)
    experience_date = models.DateField(_("date de l'expérience"))
    state = models.CharField(
        _("état"), max_length=10, choices=ReviewState.choices, default=ReviewState.PENDING
    )
    moderation_reason = models.CharField(_("motif"), max_length=500, blank=True)
    moderated_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("relu par"),
    )
    moderated_at = models.DateTimeField(_("relu le"), null=True, blank=True)
    published_at = models.DateTimeField(_("publié le"), null=True, blank=True)
    demonstration = models.BooleanField(_("démonstration"), default=False)
    created_at = models.DateTimeField(_("écrit le"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("avis client")
        verbose_name_plural = _("avis clients")
        ordering = ("-created_at", "-pk")
        indexes = (
            models.Index(fields=("product", "state", "-published_at"), name="review_of_product"),
            models.Index(fields=("state", "-published_at"), name="review_latest"),
        )
        constraints = (
            models.UniqueConstraint(fields=("user", "product"), name="review_once_a_buyer"),
            models.UniqueConstraint(
                fields=("guest_email", "product"), condition=~Q(guest_email=""), name="review_once_a_guest"
            ),
            models.CheckConstraint(
                condition=Q(user__isnull=True) | Q(guest_email=""), name="review_of_member_or_guest"
            ),
            models.CheckConstraint(condition=Q(rating__gte=1, rating__lte=5), name="review_rating_of_five"),
            models.CheckConstraint(condition=Q(state__in=ReviewState.values), name="review_state_known"),
            models.CheckConstraint(
                condition=~Q(state=ReviewState.PUBLISHED) | Q(published_at__isnull=False),
                name="review_published_has_date",
            ),
            models.CheckConstraint(
                condition=~Q(state=ReviewState.REFUSED) | ~Q(moderation_reason=""),
                name="review_refused_has_reason",
            ),
        )

    def __str__(self) -> str:
        return f"{self.rating}/5 · {self.title}"


class ReviewDecision(AppendOnlyModel):
    """The journal of moderation (D111-17 asks how reviews are controlled): rows are added, never changed, and outlive
    the review. Who decided is named by the account's key (`#12`), so that the row outlives the account and names nobody
    after an erasure. The database itself refuses changes (trigger of the migration)."""

    review = models.ForeignKey(
        Review,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="decisions",
        verbose_name=_("avis client"),
    )
    state_before = models.CharField(_("avant"), max_length=10, choices=ReviewState.choices)
    state_after = models.CharField(_("après"), max_length=10, choices=ReviewState.choices)
    reason = models.CharField(_("motif"), max_length=500, blank=True)
    actor = models.CharField(_("par"), max_length=EMAIL_MAX_LENGTH)
    decided_at = models.DateTimeField(_("le"), default=timezone.now)

    class Meta:
        verbose_name = _("décision sur un avis")
        verbose_name_plural = _("décisions sur les avis")
        ordering = ("decided_at", "pk")

    def __str__(self) -> str:
        return f"{self.state_before} → {self.state_after}"
