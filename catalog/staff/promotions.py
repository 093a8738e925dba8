"""`/admin/promotions`: what is cheaper or offered, when, and what it does to the prices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from catalog.models import Product, Promotion, PromotionState
from catalog.selectors import wording
from catalog.selectors.promotion_previews import preview_of_promotion
from catalog.services.prices import refresh_due_promotions
from catalog.services.promotions import (
    delete_promotion,
    end_promotion,
    lock_concerned,
    save_promotion,
)
from shop.core.audit import record_audit
from shop.core.dates import day_in_words, unbroken
from shop.core.row_keys import read_keys
from shop.core.staff_actions import StaffAction
from shop.core.staff_pages import staff_page
from shop.core.staff_row_fields import Line, Part, staff_formfield
from shop.staff_rows import StaffRows

_TARGETS = ("starts_at", "ends_at", "categories", "products")


class PromotionForm(forms.ModelForm[Promotion]):
    """A promotion with its dates. The pieces to choose from are those it has and those that were chosen in the list of
    products; a product's own has no dates, and applies to nothing else."""

    class Meta:
        model = Promotion
        fields = (
            *("name", "type", "buy_quantity", "get_quantity", "percent", "amount"),
            *("is_active", *_TARGETS),
        )
        formfield_callback = staff_formfield
        widgets: ClassVar[dict[str, Any]] = {
            "categories": forms.CheckboxSelectMultiple,
            "products": forms.CheckboxSelectMultiple,
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        start = [row.pk if isinstance(row, Product) else row for row in self.initial.get("products") or ()]
        sent = self.data.getlist("products") if self.is_bound else []  # type: ignore[attr-defined]
        chosen = Q(pk__in=read_keys([*map(str, start), *sent]))
        field = cast("forms.ModelMultipleChoiceField[Product]", self.fields["products"])
        # Restored, one of the trash is what it was: saved without it, the promotion would have lost it.
        own = Promotion.products.through.objects.filter(promotion=self.instance.pk).values("product")
        known = Product.objects.filter(chosen, Q(trashed_at=None) | Q(pk__in=own))
        field.queryset = known.order_by("sort_name_fr", "pk")
        field.label = "Pièces"
        self.fields["is_active"].label = "Active"
        field.help_text = _where_to_choose(self.instance)
        for name in ("categories", "products"):
            self.fields[name].widget.attrs.pop("multiple", None)
            self.fields[name].required = False
        if self.instance.product_id:
            # Called as its product is.
            for name in ("name", *_TARGETS):
                del self.fields[name]
            self.fields["is_active"].help_text = (
                "Décochée, elle ne s'applique pas. Elle vaut pour cette pièce seule, sans dates\u00a0: pour des dates "
                "ou d'autres pièces, créez une promotion."
            )


def _where_to_choose(promotion: Promotion) -> SafeString:
    """How pieces are added, by the list of products that leads back to this very promotion."""
    query = {"promotion": promotion.pk} if promotion.pk else {}
    return format_html(
        'Pour en ajouter\u00a0: cochez-les dans la <a href="{}">liste des produits</a>, puis «\u00a0{}\u00a0».',
        reverse("staff-products", query=query),
        "Ajouter à la promotion" if promotion.pk else "Promotion",
    )


class Promotions(StaffRows[Promotion]):
    """A product's own promotion is written on the product's page too."""

    name, address, title = "promotions", "promotions", "Promotions"
    add_label, deleted = "Nouvelle promotion", "La promotion est supprimée."
    note = (
        "Une seule à la fois sur un produit\u00a0: celle qui le vise passe avant celle de sa catégorie\u00a0; entre "
        "deux, celle qui a commencé en dernier. Celle d'une fiche, qui n'a pas de dates, compte comme la plus ancienne."
    )
    empty = "Aucune promotion."
    model, form = Promotion, PromotionForm
    below = "staff/products/promotion_below.html"
    view_action, edit_action = StaffAction.SEE_PRICES, StaffAction.EDIT_PRICES
    search_fields = ("name",)
    parts = (
        Part("La promotion", ("name", "type", "percent", "amount", "buy_quantity", "get_quantity")),
        Part("Quand", ("starts_at", "ends_at", "is_active")),
        Part("Sur quoi", ("categories", "products")),
    )

    def urls(self) -> list[URLPattern]:
        end = staff_page(self.edit_action, ("POST",))
        return [
            *super().urls(),
            path(f"{self.address}/<int:row_id>/terminer", end(self.end_page), name="staff-promotions-end"),
        ]

    def rows(self) -> QuerySet[Promotion]:
        """Three queries."""
        rows = Promotion.objects.select_related("product").prefetch_related("products", "categories")
        return rows.order_by("-starts_at", "-pk")

    def line(self, row: Promotion) -> Line:
        named = [str(row.product)] if row.product else []
        if row.pk:
            named += [str(each) for each in (*row.categories.all(), *row.products.all())]
        targets = ", ".join(named[:4]) + (" …" if len(named) > 4 else "") or "aucune pièce"
        about = (wording.promotion_label(row), _dates(row), targets)
        return Line(row.name, " · ".join(filter(None, about)), str(row.state(timezone.now()).label))

    def form_page(self, request: HttpRequest, row_id: int | None) -> HttpResponseBase:
        """`produits=1,2` are pieces that were chosen in their list, beside those it has."""
        chosen = read_keys(request.GET.get("produits", "").split(","))
        if request.method == "POST" or not chosen:
            return super().form_page(request, row_id)
        row = self._found(row_id)
        own = row.products.values_list("pk", flat=True) if row.pk else ()
        return self._drawn(request, PromotionForm(instance=row, initial={"products": [*own, *chosen]}), None)

    def prepare(self) -> None:
        refresh_due_promotions()

    def lock_before(self, row: Promotion, request: HttpRequest) -> None:
        sent = request.POST
        lock_concerned(
            row,
            products=read_keys(sent.getlist("products")),
            categories=read_keys(sent.getlist("categories")),
        )

    def save(self, row: Promotion, form: Any) -> None:
        values = form.cleaned_data
        is_own = row.product_id is not None
        save_promotion(
            promotion=row,
            products=None if is_own else values["products"],
            categories=None if is_own else values["categories"],
        )

    def target(self, row: Promotion) -> str:
        """What it does to the prices is shown there."""
        return f"{reverse('staff-promotions-edit', args=[row.pk])}#apercu"

    def delete(self, row: Promotion) -> None:
        delete_promotion(promotion=row)

    def links(self, row: Promotion) -> Iterable[tuple[str, str]]:
        if row.product_id:
            yield "Fiche du produit", reverse("staff-product", args=[row.product_id])

    def below_context(self, request: HttpRequest, row: Promotion) -> dict[str, Any]:
        state = row.state(timezone.now())
        return {
            "preview": preview_of_promotion(row, timezone.now()),
            "is_reduction": row.is_reduction,
            "may_end": self._may_edit(request) and state in (PromotionState.RUNNING, PromotionState.PLANNED),
            "is_planned": state == PromotionState.PLANNED,
            "end_url": reverse("staff-promotions-end", args=[row.pk]),
        }

    def end_page(self, request: HttpRequest, row_id: int) -> HttpResponseBase:
        self.prepare()
        with transaction.atomic():
            self.lock_before(self._found(row_id), request)
            row = end_promotion(promotion=self._found(row_id, lock=True))
            record_audit("promotion.ended", row, actor=cast(AbstractBaseUser, request.user))
        messages.success(request, "La promotion est terminée.")
        return redirect("staff-promotions")


def _dates(row: Promotion) -> str:
    first, last = (
        unbroken(day_in_words(timezone.localtime(moment), "DATETIME_FORMAT")) if moment else ""
        for moment in (row.starts_at, row.ends_at)
    )
    if first and last:
        return f"du {first} au {last}"
    return f"à partir du {first}" if first else f"jusqu'au {last}" if last else ""


SCREENS: tuple[StaffRows[Any], ...] = (Promotions(),)
