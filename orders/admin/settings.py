"""VAT rates, delivery zones, territories, countries without delivery and closures of the workshop in the admin."""

from itertools import pairwise
from typing import Any, TypeVar

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.db import models
from django.db.models import QuerySet
from django.forms import BaseInlineFormSet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from orders.models import (
    DeliveryStop,
    ShippingRateStep,
    ShippingZone,
    Territory,
    TerritoryVat,
    VatRate,
    WorkshopClosure,
)
from orders.pricing.territories import PostcodesInvalid, parse_postcodes
from orders.selectors.destinations import place_at
from orders.selectors.workshop import orders_at_risk
from shop.core.amounts import TYPED_AMOUNT
from shop.core.content_version import content_changed
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin, StaffRights

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


NAMES = tuple(f"name_{language}" for language, _label in settings.LANGUAGES)


class ZoneForm(forms.ModelForm[ShippingZone]):
    """One country belongs to one zone."""

    class Meta:
        model = ShippingZone
        fields = (
            *("code", *NAMES, "countries", "rate", "free_from"),
            *("delivery_days_min", "delivery_days_max", "is_fallback", "position"),
        )

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


class RateStepFormSet(BaseInlineFormSet[ShippingRateStep, ShippingZone, "forms.ModelForm[ShippingRateStep]"]):
    """A heavier parcel never costs less than a lighter one, those beyond the last step included."""

    def clean(self) -> None:
        super().clean()
        if any(self.errors):
            return
        steps = sorted(
            (data["up_to_grams"], data["rate"])
            for form in self.forms
            if (data := form.cleaned_data) and not data.get("DELETE")
        )
        for (lighter, less), (heavier, more) in pairwise(steps):
            if more < less:
                raise forms.ValidationError(
                    _("Jusqu'à %(heavier)d g, le tarif est plus bas que jusqu'à %(lighter)d g."),
                    params={"heavier": heavier, "lighter": lighter},
                )
        if steps and self.instance.rate is not None and self.instance.rate < steps[-1][1]:
            raise forms.ValidationError(
                _("Au-delà de %(weight)d g, le tarif de la zone est plus bas que celui du dernier palier."),
                params={"weight": steps[-1][0]},
            )


class RateStepInline(StaffRights, admin.TabularInline[ShippingRateStep, ShippingZone]):
    view_action = StaffAction.SEE_SETTINGS
    add_action = change_action = delete_action = StaffAction.EDIT_DELIVERY
    model = ShippingRateStep
    formset = RateStepFormSet
    formfield_overrides = {models.DecimalField: TYPED_AMOUNT}
    extra = 0


@admin.register(ShippingZone)
class ShippingZoneAdmin(PublicSettingAdmin[ShippingZone]):
    """The code of a zone can't be changed; the zone of all other countries can't be deleted."""

    form = ZoneForm
    inlines = (RateStepInline,)
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


class TerritoryForm(forms.ModelForm[Territory]):
    """A postcode belongs to one territory, unless a longer beginning names a part of it."""

    class Meta:
        model = Territory
        fields = (
            *("code", *NAMES, "within", "postcodes", "country"),
            *("vat", "vat_percent", "in_customs_area", "zone"),
        )

    def clean_postcodes(self) -> str:
        text: str = self.cleaned_data["postcodes"]
        try:
            parse_postcodes(text)
        except PostcodesInvalid as error:
            raise forms.ValidationError(
                _(
                    "« %(part)s » n'est ni le début d'un code postal ni un intervalle comme « 971-978 », dont les "
                    "deux bouts ont la même longueur et se suivent."
                ),
                params={"part": error.part},
            ) from error
        return text

    def clean(self) -> dict[str, Any] | None:
        data = super().clean() or {}
        if data.get("vat") != TerritoryVat.UNION and data.get("vat_percent") is not None:
            self.add_error(
                "vat_percent", _("Un taux propre n'existe que pour la TVA d'un autre pays de l'Union.")
            )
        if data.get("vat") not in (None, TerritoryVat.OUTSIDE) and not data.get("in_customs_area"):
            self.add_error(
                "in_customs_area", _("Un territoire de TVA de l'Union est dans son territoire douanier.")
            )
        if "postcodes" in data and "within" in data:
            self._refuse_overlap(str(data["within"]), data["postcodes"])
        return data

    def _refuse_overlap(self, within: str, postcodes: str) -> None:
        ranges = parse_postcodes(postcodes)
        for other in Territory.objects.filter(within=within).exclude(pk=self.instance.pk):
            others = parse_postcodes(other.postcodes)
            if not ranges and not others:
                self.add_error(
                    "postcodes",
                    forms.ValidationError(
                        _("« %(territory)s » couvre déjà tout ce pays."), params={"territory": other.name}
                    ),
                )
            both = [mine for mine in ranges for its in others if mine.overlaps(its)]
            if both:
                self.add_error(
                    "postcodes",
                    forms.ValidationError(
                        _("%(postcodes)s : déjà dans le territoire « %(territory)s »."),
                        params={
                            "postcodes": ", ".join(
                                each.first if each.first == each.last else f"{each.first}-{each.last}"
                                for each in both
                            ),
                            "territory": other.name,
                        },
                    ),
                )


@admin.register(Territory)
class TerritoryAdmin(PublicSettingAdmin[Territory]):
    """What holds at an address for VAT, customs and delivery. Issued invoices and placed orders stay as they are."""

    add_action = change_action = delete_action = StaffAction.EDIT_VAT
    form = TerritoryForm
    formfield_overrides = {models.DecimalField: TYPED_AMOUNT}
    list_display = ("name", "code", "within", "postcodes", "country", "vat", "in_customs_area", "zone")
    list_select_related = ("zone",)

    def get_readonly_fields(self, request: HttpRequest, obj: Territory | None = None) -> tuple[str, ...]:
        return ("code",) if obj is not None else ()


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
        if place_at(str(country), "", "").in_customs_area:
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
