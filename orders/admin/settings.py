"""VAT rates, delivery zones, countries without delivery and closures of the workshop in the admin."""

from typing import Any, TypeVar

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from orders.models import (
    DeliveryStop,
    ShippingZone,
    VatRate,
    WorkshopClosure,
)
from orders.pricing.vat import outside_union
from orders.selectors.workshop import orders_at_risk
from shop.core.amounts import TYPED_AMOUNT
from shop.core.content_version import content_changed
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin

Row = TypeVar("Row", bound=models.Model)


class PublicSettingAdmin(StaffAdmin[Row]):
    """Settings that cached pages show."""

    view_action = StaffAction.SEE_SETTINGS
    add_action = change_action = delete_action = StaffAction.EDIT_DELIVERY

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        content_changed()

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        super().delete_model(request, obj)
        content_changed()

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Row]) -> None:
        super().delete_queryset(request, queryset)
        content_changed()


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
                    _("%(codes)s\u00a0: déjà dans la zone «\u00a0%(zone)s\u00a0»."),
                    params={"codes": ", ".join(sorted(both)), "zone": zone.name},
                )
        return self.cleaned_data["countries"]


@admin.register(ShippingZone)
class ShippingZoneAdmin(PublicSettingAdmin[ShippingZone]):
    """The code of a zone can't be changed; the zone of all other countries can't be deleted."""

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

    def has_delete_permission(self, request: HttpRequest, obj: ShippingZone | None = None) -> bool:
        # Without the zone of all other countries no cart could be priced.
        return super().has_delete_permission(request, obj) and (obj is None or not obj.is_fallback)

    def get_readonly_fields(self, request: HttpRequest, obj: ShippingZone | None = None) -> tuple[str, ...]:
        return ("code", "is_fallback") if obj is not None else ("is_fallback",)


@admin.register(VatRate)
class VatRateAdmin(StaffAdmin[VatRate]):
    """Rates of other countries of the Union, for the year in which the shop sells beyond its threshold."""

    view_action = StaffAction.SEE_SETTINGS
    add_action = change_action = delete_action = StaffAction.EDIT_VAT
    formfield_overrides = {models.DecimalField: TYPED_AMOUNT}
    list_display = ("country", "percent")


class DeliveryStopForm(forms.ModelForm[DeliveryStop]):
    """Countries of the Union can't be chosen."""

    class Meta:
        model = DeliveryStop
        fields = ("country", "reason")

    def clean_country(self) -> Any:
        country = self.cleaned_data["country"]
        if not outside_union(str(country)):
            raise forms.ValidationError(
                _("La livraison ne s'arrête pas à l'intérieur de l'Union européenne.")
            )
        return country


@admin.register(DeliveryStop)
class DeliveryStopAdmin(PublicSettingAdmin[DeliveryStop]):
    """A row stops delivery; deleting it starts it again."""

    form = DeliveryStopForm
    list_display = ("country", "reason", "stopped_at")


@admin.register(WorkshopClosure)
class WorkshopClosureAdmin(PublicSettingAdmin[WorkshopClosure]):
    """Saving one says how many promised dates it makes impossible."""

    fields = ("starts_on", "ends_on", *(f"message_{code}" for code, _name in settings.LANGUAGES))
    list_display = ("__str__", "starts_on", "ends_on", "message")

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        late = orders_at_risk(timezone.localdate()).count()
        if late:
            self.message_user(
                request,
                ngettext(
                    "%(count)d commande promise ne peut plus partir à temps\u00a0: elle est dans "
                    "«\u00a0À traiter\u00a0».",
                    "%(count)d commandes promises ne peuvent plus partir à temps\u00a0: elles sont dans "
                    "«\u00a0À traiter\u00a0».",
                    late,
                )
                % {"count": late},
                messages.WARNING,
            )
