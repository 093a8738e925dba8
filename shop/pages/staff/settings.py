"""`/admin/reglages`: the shop's settings, a part a page, and what else is set once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django import forms
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.utils.dates import WEEKDAYS

from accounts.recent_authentication import ask_again
from shop.core.models import ShopSettings
from shop.core.staff_actions import StaffAction, may
from shop.core.staff_pages import WRITE, staff_page
from shop.core.staff_row_fields import Line, Part, staff_formfield
from shop.pages.selectors.official import missing_official_texts
from shop.pages.services.settings import save_settings
from shop.staff_rows import StaffRows

CEILINGS = ("franchise_ceiling", "franchise_ceiling_upper", "eu_sales_threshold")
LOWEST_CEILING, HIGHEST_CEILING = Decimal(1000), Decimal(1_000_000)
NO_WORK = "Sauf jours fériés en France et fermetures de l'atelier."


class WeekdaysField(forms.MultipleChoiceField):
    """Days of the week: ticked, and stored as their ISO numbers (`12345`)."""

    widget = forms.CheckboxSelectMultiple

    def __init__(self, **options: Any) -> None:
        choices = [(str(number + 1), name) for number, name in WEEKDAYS.items()]
        super().__init__(choices=choices, **options)

    def prepare_value(self, value: Any) -> Any:
        return list(value) if isinstance(value, str) else value

    def clean(self, value: Any) -> Any:
        return "".join(sorted(super().clean(value)))

    def has_changed(self, initial: Any, data: Any) -> bool:
        return super().has_changed(self.prepare_value(initial), data)


class SettingsForm(forms.ModelForm[ShopSettings]):
    """A part of the settings; amounts of tax law that can't be right are refused rather than alerting nobody."""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for name in CEILINGS:
            amount = cleaned.get(name)
            if amount is not None and not LOWEST_CEILING <= amount <= HIGHEST_CEILING:
                self.add_error(
                    name,
                    "Indiquez le montant annuel en euros, entre 1\u00a0000\u00a0€ et 1\u00a0000\u00a0000\u00a0€.",
                )
        lower, upper = cleaned.get("franchise_ceiling"), cleaned.get("franchise_ceiling_upper")
        if lower is not None and upper is not None and upper < lower:
            self.add_error("franchise_ceiling_upper", "Le plafond majoré est plus bas que le plafond.")
        least, most = cleaned.get("default_production_days_min"), cleaned.get("default_production_days_max")
        if least is not None and most is not None and most < least:
            self.add_error("default_production_days_max", "Le maximum est plus bas que le minimum.")
        return cleaned


class WorkshopForm(SettingsForm):
    """The days of the workshop are ticked."""

    making_days = WeekdaysField(label="jours de fabrication", help_text=NO_WORK)
    dispatch_days = WeekdaysField(label="jours d'expédition", help_text=NO_WORK)


class VatForm(SettingsForm):
    """A seller who is liable for VAT has a number, and the days are in order."""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        since, until = cleaned.get("vat_liable_from"), cleaned.get("vat_liable_until")
        if since and "vat_number" in cleaned and not cleaned["vat_number"]:
            self.add_error("vat_number", "Les factures avec TVA doivent porter votre numéro de TVA.")
        if until and (since is None or until < since):
            self.add_error("vat_liable_until", "La fin ne peut pas venir avant le début.")
        return cleaned


class SettingsPart(StaffRows[ShopSettings]):
    """A part of the one sheet of settings, on a page of its own."""

    model = ShopSettings
    view_action, edit_action = StaffAction.SEE_SETTINGS, StaffAction.EDIT_SETTINGS
    can_add = can_delete = False
    saved = "Réglages enregistrés."

    def __init__(
        self, word: str, title: str, detail: str, *parts: Part, form: type[SettingsForm] = SettingsForm
    ) -> None:
        names = tuple(name for part in parts for name in part.fields)
        self.word, self.detail = word, detail
        # Of this part alone.
        self.title, self.parts = title, parts  # type: ignore[misc]
        self.form = forms.modelform_factory(  # type: ignore[misc]
            ShopSettings, form=form, fields=names, formfield_callback=staff_formfield
        )

    @property
    def view_name(self) -> str:
        return f"staff-settings-{self.word}"

    def urls(self) -> list[URLPattern]:
        page = staff_page(self.view_action, WRITE)(self.page)
        return [path(f"reglages/{self.word}", page, name=self.view_name)]

    def page(self, request: HttpRequest) -> HttpResponseBase:
        ShopSettings.objects.get_or_create(pk=ShopSettings.PK)
        return self.form_page(request, ShopSettings.PK)

    def line(self, row: ShopSettings) -> Line:
        return Line(self.title)

    def save(self, row: ShopSettings, form: Any) -> None:
        save_settings(settings=row)

    def _url(self, page: str = "", *args: Any) -> str:
        return reverse("staff-settings")


class PaymentSettings(SettingsPart):
    """Whoever changes above which amount refunds ask again who somebody is proves that first: at an open session a
    stranger would only have to raise it."""

    def page(self, request: HttpRequest) -> HttpResponseBase:
        if request.method == "POST" and may(request.user, self.edit_action) and self._changes_limit(request):
            answer = ask_again(request)
            if answer is not None:
                return answer
        return super().page(request)

    def _changes_limit(self, request: HttpRequest) -> bool:
        form = self.form(request.POST, instance=ShopSettings.objects.filter(pk=ShopSettings.PK).first())
        return form.is_valid() and "refund_confirmation_above" in form.changed_data


SETTINGS = (
    SettingsPart(
        "boutique", "Boutique", "Nom, e-mail de l'atelier, réseaux sociaux",
        Part("", ("shop_name", "workshop_email", "instagram_url", "facebook_url", "accountant_email",
                  "cart_reminder_hours")),
    ),
    SettingsPart(
        "mentions", "Vendeur et mentions légales", "Nom, SIRET, adresse, médiateur, hébergeur",
        Part(
            "Vendeur",
            ("trader_name", "siret", "address", "email", "phone", "vat_notice", "publication_director",
             "packaging_id", "is_demonstration"),
            "Sans ces mentions, la boutique n'a pas le droit de vendre.",
        ),
        Part("Médiateur", ("mediator_name", "mediator_url", "mediator_address")),
        Part("Hébergeur", ("host_name", "host_phone", "host_address")),
    ),
    SettingsPart(
        "atelier", "Atelier et délais", "Délais, pièces par semaine, jours de fabrication et d'envoi",
        Part("Fabrication", ("default_production_days_min", "default_production_days_max", "weekly_capacity",
                             "default_weight_grams")),
        Part("Jours", ("making_days", "dispatch_days")),
        form=WorkshopForm,
    ),
    PaymentSettings(
        "paiement", "Paiement", "Paiement en 3 fois, remboursements à confirmer",
        Part("Paiement en 3 fois", ("installments_enabled", "installments_minimum")),
        Part("Remboursements", ("refund_confirmation_above",)),
    ),
    SettingsPart(
        "mesure", "Mesure et cookies", "Google Analytics, pixel Meta\u00a0: seulement avec l'accord des visiteurs",
        Part(
            "",
            ("analytics_id", "pixel_id"),
            "Chaque numéro ajoute une question au bandeau des cookies. Rien n'est chargé sans l'accord du "
            "visiteur\u00a0; un service ajouté ou retiré repose la question à tout le monde.",
        ),
    ),
    SettingsPart(
        "tva", "Plafonds et TVA", "Franchise, seuil européen, guichet unique",
        Part(
            "",
            ("franchise_ceiling", "franchise_ceiling_upper", "eu_sales_threshold", "oss_number", "oss_from"),
            "Les jauges de «\u00a0Mes comptes\u00a0» et la TVA des factures en dépendent\u00a0: vérifiez-les "
            "chaque année.",
        ),
        Part(
            "Assujettissement",
            ("vat_liable_from", "vat_liable_until", "vat_number", "reporting_step"),
            "À partir de ce jour, les factures détaillent la TVA comprise dans vos prix, et le pied de page, les "
            "conditions et les mentions légales le disent. Les prix affichés ne changent pas\u00a0: revoyez-les avant.",
        ),
        Part("URSSAF", ("urssaf_period", "urssaf_rate")),
        form=VatForm,
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the page: where it leads and what is there."""

    url: str
    title: str
    detail: str


OTHERS = (
    ("staff-closures", "Fermetures de l'atelier", "Vacances\u00a0: dates, message, dates promises"),
    ("staff-zones", "Zones de livraison", "Pays, tarifs, franco de port, paliers de poids"),
    ("staff-territories", "Territoires", "Codes postaux à part\u00a0: TVA, douane, livraison"),
    ("staff-stops", "Arrêts de livraison", "Pays où l'on n'envoie plus"),
    ("staff-accounts", "Plan comptable", "Numéros des comptes du fichier des écritures"),
    ("staff-vat", "Taux de TVA", "Par pays et par catégorie, avec leur date"),
)


@staff_page(StaffAction.SEE_SETTINGS)
def settings_index(request: HttpRequest) -> HttpResponseBase:
    missing = ShopSettings.load().missing_legal_fields()
    context = {
        "missing": ", ".join(field.label for field in missing),
        "missing_texts": missing_official_texts(),
        "groups": [("Boutique", list(_parts())), ("Atelier et livraison", list(_others()))],
    }
    return render(request, "staff/settings.html", context)


def _parts() -> Iterator[Entry]:
    return (Entry(reverse(part.view_name), part.title, part.detail) for part in SETTINGS)


def _others() -> Iterator[Entry]:
    return (Entry(reverse(name), title, detail) for name, title, detail in OTHERS)
