"""The administration's first page and menu: what the family uses, by what they come to do."""

from dataclasses import dataclass
from typing import Any

from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from shop.core import jobs


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the menu: what to know about it, and its models in the order of their use."""

    name: str
    title: Promise
    models: tuple[str, ...]
    note: str | Promise = ""


# A model that no section names is in the last one.
SECTIONS = (
    Section(
        "daily",
        _("Au quotidien"),
        ("orders.Order", "orders.WithdrawalCase", "pages.ContactRequest", "catalog.Review"),
    ),
    Section(
        "money",
        _("Argent"),
        ("orders.Payment", "orders.Invoice", "orders.RefundRequest", "orders.Dispute", "orders.Discrepancy"),
    ),
    Section(
        "catalogue",
        _("Catalogue"),
        ("catalog.Product", "catalog.Category", "catalog.Notice", "catalog.Favourite", "catalog.PricePoint"),
    ),
    Section(
        "texts",
        _("Pages et textes"),
        ("pages.PageText", "pages.FaqEntry", "pages.SeasonalBanner", "pages.OfficialText", "pages.Redirect"),
    ),
    Section(
        "settings",
        _("Réglages"),
        (
            "core.ShopSettings",
            "orders.ShippingZone",
            "orders.Territory",
            "orders.DeliveryStop",
            "orders.WorkshopClosure",
            "orders.VatRate",
            "accounts.User",
        ),
    ),
    Section(
        "records",
        _("Coulisses"),
        (
            "core.AuditEntry",
            "core.OutgoingMail",
            "core.ScheduledJob",
            "orders.Refund",
            "orders.Attempt",
            "orders.StoredCard",
        ),
        _("Ce que la boutique écrit elle-même : pour comprendre ce qui s'est passé, rien à y faire."),
    ),
)


class ShopAdminSite(AdminSite):
    """Django's site with the shop's sections, and a warning when background work is late."""

    site_header = _("Gestion de la boutique")
    site_title = _("Gestion")
    index_title = _("Tableau de bord")

    def has_permission(self, request: HttpRequest) -> bool:
        """Return whether the person may open any page of the administration; see `shop.core.staff_actions.may`."""
        return super().has_permission(request) and not getattr(request.user, "second_factor_missing", False)

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        late = {"background_is_late": jobs.background_work_is_late()}
        return super().index(request, {**late, **(extra_context or {})})

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """Return sections instead of applications; the page of a single application stays Django's."""
        apps = super().get_app_list(request, app_label)
        if app_label is not None:
            return apps
        models = {model["model"]._meta.label: model for app in apps for model in app["models"]}
        sections: list[dict[str, Any]] = [
            {
                "app_label": section.name,
                "name": section.title,
                "note": section.note,
                "app_url": "",
                "has_module_perms": True,
                "models": [models.pop(label) for label in section.models if label in models],
            }
            for section in SECTIONS
        ]
        sections[-1]["models"] += models.values()
        return [part for part in sections if part["models"]]
