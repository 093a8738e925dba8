"""What staff may type about delivery, VAT and closures."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.forms import BaseInlineFormSet
from django.utils.translation import gettext_lazy as _

from orders.models import (
    AccountNumber,
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
from shop.core.staff_row_fields import staff_formfield

NAMES = tuple(f"name_{language}" for language, _label in settings.LANGUAGES)
MESSAGES = tuple(f"message_{language}" for language, _label in settings.LANGUAGES)


class ZoneForm(forms.ModelForm[ShippingZone]):
    """One country belongs to one zone."""

    class Meta:
        model = ShippingZone
        fields = (
            *("code", *NAMES, "countries", "rate", "free_from"),
            *("delivery_days_min", "delivery_days_max", "position"),
        )
        formfield_callback = staff_formfield
        widgets: ClassVar[dict[str, Any]] = {"countries": forms.CheckboxSelectMultiple}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            # Placed orders and invoices name it.
            self.fields["code"].disabled = True

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

    def clean(self) -> dict[str, Any] | None:
        data = super().clean() or {}
        least, most = data.get("delivery_days_min"), data.get("delivery_days_max")
        if least is not None and most is not None and most < least:
            self.add_error("delivery_days_max", _("Le maximum est plus bas que le minimum."))
        return data


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
                    _("Jusqu'à %(heavier)d\u00a0g, le tarif est plus bas que jusqu'à %(lighter)d\u00a0g."),
                    params={"heavier": heavier, "lighter": lighter},
                )
        if steps and self.instance.rate is not None and self.instance.rate < steps[-1][1]:
            raise forms.ValidationError(
                _(
                    "Au-delà de %(weight)d\u00a0g, le tarif de la zone est plus bas que celui du dernier palier."
                ),
                params={"weight": steps[-1][0]},
            )


class TerritoryForm(forms.ModelForm[Territory]):
    """A postcode belongs to one territory, unless a longer beginning names a part of it."""

    class Meta:
        model = Territory
        fields = (
            *("code", *NAMES, "within", "postcodes", "country"),
            *("vat", "vat_percent", "in_customs_area", "zone"),
        )
        formfield_callback = staff_formfield

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            # Placed orders and invoices name it.
            self.fields["code"].disabled = True

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


class DeliveryStopForm(forms.ModelForm[DeliveryStop]):
    """Countries of the Union can't be chosen."""

    class Meta:
        model = DeliveryStop
        fields = ("country", "reason")
        formfield_callback = staff_formfield

    def clean_country(self) -> Any:
        country = self.cleaned_data["country"]
        if place_at(str(country), "", "").in_customs_area:
            raise forms.ValidationError(
                _("La livraison ne s'arrête pas à l'intérieur de l'Union européenne.")
            )
        return country


class ClosureForm(forms.ModelForm[WorkshopClosure]):
    """The first and last day, and what pages say meanwhile."""

    class Meta:
        model = WorkshopClosure
        fields = ("starts_on", "ends_on", *MESSAGES)
        formfield_callback = staff_formfield


class AccountForm(forms.ModelForm[AccountNumber]):
    """An account's number and name."""

    class Meta:
        model = AccountNumber
        fields = ("number", "label")
        formfield_callback = staff_formfield


class VatForm(forms.ModelForm[VatRate]):
    """A country's rate, or that of a category there; one a day."""

    class Meta:
        model = VatRate
        fields = ("country", "category", "percent", "starts_on")
        formfield_callback = staff_formfield

    def clean(self) -> dict[str, Any] | None:
        data = super().clean() or {}
        if data.get("category") is None and "country" in data and "starts_on" in data:
            same_day = VatRate.objects.filter(
                country=data["country"], category=None, starts_on=data["starts_on"]
            )
            if same_day.exclude(pk=self.instance.pk).exists():
                self.add_error("starts_on", _("Ce pays a déjà un taux normal à partir de ce jour."))
        return data


RateSteps = forms.inlineformset_factory(
    ShippingZone,
    ShippingRateStep,
    formset=RateStepFormSet,
    fields=("up_to_grams", "rate"),
    extra=1,
    # More are not even drawn: Django would draw two thousand.
    max_num=100,
    absolute_max=100,
    formfield_callback=staff_formfield,
)
