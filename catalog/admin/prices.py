"""Prices over time in the admin."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from catalog.models import PricePoint, Product
from catalog.selectors import search
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin


@admin.register(PricePoint)
class PricePointAdmin(StaffAdmin[PricePoint]):
    """Prices over time: the proof of what was asked. Nobody writes them here."""

    view_action = StaffAction.SEE_PRICES
    list_display = ("product_id", "variation_id", "finish", "amount", "starts_at", "lowest_prior")
    list_filter = ("finish",)
    date_hierarchy = "starts_at"
    search_fields = ("product_id",)
    search_help_text = _("Nom du produit ou son numéro.")
    ordering = ("-starts_at", "-pk")
    fields = list_display
    show_full_result_count = False

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[PricePoint], search_term: str
    ) -> tuple[QuerySet[PricePoint], bool]:
        words = search.query_words(search_term)
        if not words:
            return queryset, False
        named = search.matching(Product.objects.all(), words).order_by().values("pk")
        found = queryset.filter(product_id__in=named)
        number = search_term.strip()
        if number.isascii() and number.isdigit() and len(number) <= 18:
            # Also of products that were deleted.
            found |= queryset.filter(product_id=int(number))
        return found, False
