"""VAT rates, delivery zones, territories, countries without delivery and closures of the workshop in Django's admin: to
look up. Staff keep them on their own screens."""

from django.contrib import admin

from orders.models import (
    DeliveryStop,
    ShippingRateStep,
    ShippingZone,
    Territory,
    VatRate,
    WorkshopClosure,
)
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin, StaffRights


class RateStepInline(StaffRights, admin.TabularInline[ShippingRateStep, ShippingZone]):
    view_action = StaffAction.SEE_SETTINGS
    model = ShippingRateStep


@admin.register(ShippingZone)
class ShippingZoneAdmin(StaffAdmin[ShippingZone]):
    view_action = StaffAction.SEE_SETTINGS
    staff_list, staff_row = "staff-zones", "staff-zones-edit"
    inlines = (RateStepInline,)
    list_display = (
        *("name", "code", "rate", "free_from", "delivery_days_min", "delivery_days_max", "is_fallback"),
    )
    search_fields = ("name_fr", "code")


@admin.register(Territory)
class TerritoryAdmin(StaffAdmin[Territory]):
    view_action = StaffAction.SEE_SETTINGS
    staff_list, staff_row = "staff-territories", "staff-territories-edit"
    list_display = ("name", "code", "within", "postcodes", "country", "vat", "in_customs_area", "zone")
    list_select_related = ("zone",)
    search_fields = ("name_fr", "code", "postcodes")


@admin.register(VatRate)
class VatRateAdmin(StaffAdmin[VatRate]):
    view_action = StaffAction.SEE_SETTINGS
    staff_list, staff_row = "staff-vat", "staff-vat-edit"
    list_display = ("country", "category", "percent", "starts_on")
    list_select_related = ("category",)
    search_fields = ("country",)


@admin.register(DeliveryStop)
class DeliveryStopAdmin(StaffAdmin[DeliveryStop]):
    view_action = StaffAction.SEE_SETTINGS
    staff_list, staff_row = "staff-stops", "staff-stops-edit"
    list_display = ("country", "reason", "stopped_at")
    search_fields = ("country", "reason")


@admin.register(WorkshopClosure)
class WorkshopClosureAdmin(StaffAdmin[WorkshopClosure]):
    view_action = StaffAction.SEE_SETTINGS
    staff_list, staff_row = "staff-closures", "staff-closures-edit"
    list_display = ("__str__", "starts_on", "ends_on", "message")
    search_fields = ("message_fr",)
