"""Promotions in the admin: those that are planned, running and over, and what each will do to the prices."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db import models, transaction
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from catalog.models import Promotion, PromotionState
from catalog.selectors import wording
from catalog.selectors.promotion_previews import preview_of_promotion
from catalog.selectors.promotions import in_state
from catalog.services.promotions import delete_promotion, end_promotion, save_promotion
from shop.core.amounts import TYPED_AMOUNT
from shop.core.audit import record_audit
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin, staff_action


class StateFilter(admin.SimpleListFilter):
    """Where the promotions stand now."""

    title = _("état")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return list(PromotionState.choices)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Promotion]) -> QuerySet[Promotion]:
        state = self.value()
        return in_state(queryset, state, timezone.now()) if state in PromotionState.values else queryset


@admin.register(Promotion)
class PromotionAdmin(StaffAdmin[Promotion]):
    """Promotions with their dates. A product's own is written on the product's page too."""

    view_action = StaffAction.SEE_PRICES
    add_action = change_action = delete_action = StaffAction.EDIT_PRICES
    list_display = ("name", "state", "label", "starts_at", "ends_at", "targets")
    list_filter = (StateFilter, "type")
    search_fields = ("name",)
    ordering = ("-starts_at", "-pk")
    formfield_overrides = {
        models.DecimalField: TYPED_AMOUNT,
        models.ManyToManyField: {"widget": forms.CheckboxSelectMultiple},
    }
    autocomplete_fields = ("products",)
    readonly_fields = ("preview",)
    actions = ("end",)
    fieldsets = (
        (
            None,
            {
                "fields": (
                    ("name", "is_active"),
                    "type",
                    ("buy_quantity", "get_quantity"),
                    ("percent", "amount"),
                )
            },
        ),
        (_("Dates"), {"fields": (("starts_at", "ends_at"),)}),
        (
            _("S'applique à"),
            {
                "fields": ("products", "categories"),
                "description": _(
                    "Une seule promotion à la fois sur un produit\u00a0: celle qui vise le produit passe avant"
                    " celle de sa catégorie\u00a0; entre deux, celle qui a commencé en dernier."
                ),
            },
        ),
        (_("Aperçu des prix"), {"fields": ("preview",)}),
    )

    @admin.display(description=_("état"))
    def state(self, promotion: Promotion) -> str:
        return str(promotion.state(timezone.now()).label)

    @admin.display(description=_("promotion"))
    def label(self, promotion: Promotion) -> str:
        return wording.promotion_label(promotion)

    @admin.display(description=_("s'applique à"))
    def targets(self, promotion: Promotion) -> str:
        named = [str(promotion.product)] if promotion.product else []
        named += [str(row) for row in promotion.categories.all()]
        named += [str(row) for row in promotion.products.all()]
        return ", ".join(named[:4]) + (" …" if len(named) > 4 else "")

    @admin.display(description=_("prix avant et pendant"))
    def preview(self, promotion: Promotion) -> SafeString | str:
        if promotion._state.adding:
            return str(_("Enregistrez la promotion pour voir les prix qu'elle donnera."))
        preview = preview_of_promotion(promotion, timezone.now())
        return render_to_string("admin/catalog/promotion/preview.html", {"preview": preview})

    @staff_action(StaffAction.EDIT_PRICES, description=_("Terminer maintenant"))
    def end(self, request: HttpRequest, chosen: QuerySet[Promotion]) -> None:
        for promotion in chosen.order_by("pk"):
            with transaction.atomic():
                end_promotion(promotion=promotion)
                record_audit("promotion.ended", promotion, actor=request.user)  # type: ignore[arg-type]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Promotion]:
        return (
            super().get_queryset(request).select_related("product").prefetch_related("products", "categories")
        )

    def get_readonly_fields(self, request: HttpRequest, obj: Promotion | None = None) -> tuple[str, ...]:
        own = obj is not None and obj.product_id is not None
        return (*self.readonly_fields, *(("starts_at", "ends_at", "products", "categories") if own else ()))

    def save_model(
        self, request: HttpRequest, obj: Promotion, form: ModelForm[Promotion], change: bool
    ) -> None:
        chosen = form.cleaned_data
        save_promotion(promotion=obj, products=chosen.get("products"), categories=chosen.get("categories"))

    def delete_model(self, request: HttpRequest, obj: Promotion) -> None:
        delete_promotion(promotion=obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Promotion]) -> None:
        for promotion in queryset.order_by("pk"):
            delete_promotion(promotion=promotion)
