"""Delivery zones in the admin."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db import models
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from orders.models import (
    ShippingZone,
)
from shop.core.amounts import TYPED_AMOUNT
from shop.core.content_version import content_changed
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin


class ZoneForm(forms.ModelForm[ShippingZone]):
    """One country belongs to one zone."""

    class Meta:
        model = ShippingZone
        fields = "__all__"  # noqa: DJ007

    def clean_countries(self) -> Any:
        codes = set(self.cleaned_data["countries"] or [])
        for zone in ShippingZone.objects.exclude(pk=self.instance.pk):
            both = codes & {country.code for country in zone.countries}
            if both:
                raise forms.ValidationError(
                    _("%(codes)s : déjà dans la zone « %(zone)s »."),
                    params={"codes": ", ".join(sorted(both)), "zone": zone.name},
                )
        return self.cleaned_data["countries"]


@admin.register(ShippingZone)
class ShippingZoneAdmin(StaffAdmin[ShippingZone]):
    view_action = StaffAction.SEE_SETTINGS
    add_action = change_action = delete_action = StaffAction.EDIT_DELIVERY
    form = ZoneForm
    formfield_overrides = {models.DecimalField: TYPED_AMOUNT}
    list_display = (
        "name",
        "code",
        "rate",
        "free_from",
        "delivery_days_min",
        "delivery_days_max",
        "is_fallback",
    )

    def save_model(self, request: HttpRequest, obj: ShippingZone, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        content_changed()

    def delete_model(self, request: HttpRequest, obj: ShippingZone) -> None:
        super().delete_model(request, obj)
        content_changed()

    def has_delete_permission(self, request: HttpRequest, obj: ShippingZone | None = None) -> bool:
        # Without the zone of all other countries no cart could be priced.
        return super().has_delete_permission(request, obj) and (obj is None or not obj.is_fallback)

    def get_readonly_fields(self, request: HttpRequest, obj: ShippingZone | None = None) -> tuple[str, ...]:
        return ("code", "is_fallback") if obj is not None else ("is_fallback",)
