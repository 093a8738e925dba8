"""Delivery, VAT and closures of the workshop in the staff area."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpRequest
from django.template.defaultfilters import floatformat
from django.utils import timezone

from orders.models import AccountNumber, DeliveryStop, ShippingZone, Territory, VatRate, WorkshopClosure
from orders.models.books import SINCE_EVER
from orders.selectors.workshop import put_at_risk_by
from orders.staff.settings_forms import (
    MESSAGES,
    NAMES,
    AccountForm,
    ClosureForm,
    DeliveryStopForm,
    RateSteps,
    TerritoryForm,
    VatForm,
    ZoneForm,
)
from shop.core.amounts import localised_amount
from shop.core.content_version import delete_shown, save_shown
from shop.core.dates import day_in_words, shop_day
from shop.core.staff_actions import StaffAction
from shop.core.staff_row_fields import Line, Part
from shop.staff_rows import Row, StaffRows


class PublicSetting(StaffRows[Row]):
    """Rows that public pages show."""

    view_action, edit_action = StaffAction.SEE_SETTINGS, StaffAction.EDIT_DELIVERY
    back = "staff-settings"

    def save(self, row: Row, form: Any) -> None:
        save_shown(row)

    def delete(self, row: Row) -> None:
        delete_shown(row)


class Closures(PublicSetting[WorkshopClosure]):
    """Saving one says how many promised dates it makes impossible."""

    name, address, title = "closures", "fermetures", "Fermetures de l'atelier"
    add_label, saved, deleted = "Fermer l'atelier", "La fermeture est enregistrée.", "L'atelier reste ouvert."
    note = (
        "Toutes les pages l'annoncent dès deux semaines avant\u00a0; les dates promises à partir de "
        "maintenant en tiennent "
        "compte, celles d'avant restent."
    )
    empty = "Aucune fermeture."
    model, form = WorkshopClosure, ClosureForm
    parts = (
        Part("Dates", ("starts_on", "ends_on"), "Premier et dernier jour compris."),
        Part(
            "Message aux clients",
            MESSAGES,
            "Facultatif. Vide\u00a0: «\u00a0L'atelier est fermé du … au …\u00a0», dans chaque langue.",
            is_open=False,
        ),
    )

    def line(self, row: WorkshopClosure) -> Line:
        first, last = day_in_words(row.starts_on, "MONTH_DAY_FORMAT"), day_in_words(row.ends_on)
        today = timezone.localdate()
        state = (
            "En cours" if row.starts_on <= today <= row.ends_on else "Passée" if row.ends_on < today else ""
        )
        return Line(f"Du {first} au {last}", row.message, state)

    def after_save(self, request: HttpRequest, row: WorkshopClosure) -> None:
        late = put_at_risk_by(row, timezone.localdate())
        if late == 1:
            messages.warning(
                request,
                "1 commande promise ne peut plus partir à temps\u00a0: elle est dans «\u00a0À faire\u00a0».",
            )
        elif late:
            messages.warning(
                request,
                f"{late} commandes promises ne peuvent plus partir à temps\u00a0: elles sont dans "
                "«\u00a0À faire\u00a0».",
            )

    def _forms(self, row: WorkshopClosure, data: Any = None, files: Any = None) -> tuple[Any, Any]:
        """A new one is the first week from a Monday on of which no day is closed already."""
        if row._state.adding:
            monday = _monday_after(timezone.localdate())
            for other in WorkshopClosure.objects.filter(ends_on__gte=monday).order_by("starts_on"):
                if other.starts_on <= monday + timedelta(days=6):
                    monday = max(monday, _monday_after(other.ends_on))
            row.starts_on, row.ends_on = monday, monday + timedelta(days=6)
        return super()._forms(row, data, files)


class Zones(PublicSetting[ShippingZone]):
    """The zone of all other countries can't be deleted: without it no cart could be priced."""

    name, address, title = "zones", "zones-de-livraison", "Zones de livraison"
    add_label = "Ajouter une zone"
    note = "Panier, conditions de vente, fiches et factures lisent ces lignes."
    model, form, formset, formset_title = ShippingZone, ZoneForm, RateSteps, "Paliers de poids"
    parts = (
        Part(
            "Tarif",
            ("name_fr", "code", "rate", "free_from", "delivery_days_min", "delivery_days_max", "position"),
        ),
        Part("Pays", ("countries",), is_open=False),
        Part("Nom dans les autres langues", NAMES[1:], is_open=False),
    )

    def line(self, row: ShippingZone) -> Line:
        free = f", offert dès {localised_amount(row.free_from)}" if row.free_from is not None else ""
        days = f"{row.delivery_days_min} à {row.delivery_days_max} jours"
        return Line(
            row.name,
            f"{localised_amount(row.rate)}{free} · {days}",
            "Tous les autres pays" if row.is_fallback else "",
        )

    def is_deletable(self, row: ShippingZone) -> bool:
        return not row.is_fallback


class Territories(PublicSetting[Territory]):
    """What holds at an address for VAT, customs and delivery. Issued invoices and placed orders stay as they are."""

    name, address, title = "territories", "territoires", "Territoires"
    add_label = "Ajouter un territoire"
    note = "Codes postaux qui comptent autrement que leur pays\u00a0: TVA, douane, livraison."
    edit_action = StaffAction.EDIT_VAT
    model, form = Territory, TerritoryForm
    search_fields = ("name_fr", "code", "postcodes")
    parts = (
        Part("Où", ("name_fr", "code", "within", "postcodes", "country")),
        Part("Ce qui y vaut", ("vat", "vat_percent", "in_customs_area", "zone")),
        Part("Nom dans les autres langues", NAMES[1:], is_open=False),
    )

    def line(self, row: Territory) -> Line:
        place = f"{row.within.code} {row.postcodes}".strip()
        return Line(row.name, f"{place} · {row.get_vat_display()}")


class DeliveryStops(PublicSetting[DeliveryStop]):
    """A row stops delivery; deleting it starts it again."""

    name, address, title = "stops", "arrets-de-livraison", "Arrêts de livraison"
    add_label, deleted = "Arrêter un pays", "La livraison reprend."
    note = (
        "Une ligne arrête la livraison vers ce pays\u00a0; supprimez-la pour reprendre. Jamais à "
        "l'intérieur de l'Union."
    )
    empty = "Aucun arrêt\u00a0: la boutique livre partout."
    model, form = DeliveryStop, DeliveryStopForm
    parts = (Part("", ("country", "reason")),)

    def line(self, row: DeliveryStop) -> Line:
        since = day_in_words(shop_day(row.stopped_at))
        return Line(str(row.country.name), " · ".join(filter(None, (f"depuis le {since}", row.reason))))


class VatRates(PublicSetting[VatRate]):
    """Rates of France, for a seller who is liable, and of the Union beyond the threshold; by category where one
    differs."""

    name, address, title = "vat", "taux-de-tva", "Taux de TVA"
    add_label = "Ajouter un taux"
    note = (
        "Ceux de France comptent dès que vous êtes assujetti à la TVA, les autres au-delà du seuil des ventes aux "
        "particuliers de l'Union (art. 258 A du CGI). Une catégorie sans taux à elle a celui de son pays."
    )
    back = "staff-settings"
    view_action, edit_action = StaffAction.SEE_SETTINGS, StaffAction.EDIT_VAT
    model, form = VatRate, VatForm
    parts = (Part("", ("country", "category", "percent", "starts_on")),)

    def line(self, row: VatRate) -> Line:
        since = f"à partir du {day_in_words(row.starts_on)}" if row.starts_on > SINCE_EVER else ""
        category = row.category.name if row.category is not None else ""
        return Line(
            str(row.country.name),
            " · ".join(filter(None, (f"{floatformat(row.percent, -2)}\u00a0%", category, since))),
        )


class AccountNumbers(StaffRows[AccountNumber]):
    """The chart of accounts; each role has its row."""

    name, address, title = "accounts", "plan-comptable", "Plan comptable"
    note = "Les comptes du fichier des écritures comptables (FEC)\u00a0: votre comptable vous dit les siens."
    back = "staff-settings"
    can_add = can_delete = False
    view_action, edit_action = StaffAction.SEE_BOOKS, StaffAction.KEEP_BOOKS
    model, form = AccountNumber, AccountForm
    parts = (Part("", ("number", "label")),)

    def line(self, row: AccountNumber) -> Line:
        return Line(f"{row.number} {row.label}", row.get_role_display())


def _monday_after(day: date) -> date:
    return day + timedelta(days=7 - day.weekday())


SCREENS: tuple[StaffRows[Any], ...] = (
    Closures(),
    Zones(),
    Territories(),
    DeliveryStops(),
    VatRates(),
    AccountNumbers(),
)
