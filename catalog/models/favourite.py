"""Products that members have saved."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from catalog.models.product import Product


class Favourite(models.Model):
    """A product in the list of a member, the latest first.

    `missing_since` is when the scheduled job first saw the product unavailable; it is set only where the member asked
    for a mail on its return, and emptied when that mail is written.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="favourites",
        verbose_name=_("membre"),
        db_index=False,
    )
    product = models.ForeignKey(
        Product, on_delete=models.CASCADE, related_name="favourites", verbose_name=_("produit")
    )
    notify_when_back = models.BooleanField(_("prévenir du retour"), default=False)
    language = models.CharField(_("langue"), max_length=5, default=settings.LANGUAGE_CODE)
    missing_since = models.DateTimeField(_("absent depuis le"), null=True, blank=True, editable=False)
    created_at = models.DateTimeField(_("ajouté le"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("favori")
        verbose_name_plural = _("favoris")
        ordering = ("-created_at", "-pk")
        constraints = (
            models.UniqueConstraint(fields=("user", "product"), name="favourite_once_a_member"),
            models.CheckConstraint(
                condition=Q(missing_since__isnull=True) | Q(notify_when_back=True),
                name="favourite_watched_only_if_asked",
            ),
        )

    def __str__(self) -> str:
        return f"{self.user_id} · {self.product_id}"
