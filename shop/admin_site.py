"""The administration's first page and menu: what the family uses, by what they come to do."""

from typing import Any

from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from shop.core import jobs
from shop.core.staff_actions import StaffAction, may

# Name, what to know about it, and the models in the order of their use. A model that no room names stands in the last.
ROOMS = (
    (
        "daily",
        _("Au quotidien"),
        "",
        ("orders.Order", "orders.WithdrawalCase", "pages.ContactRequest", "catalog.Review"),
    ),
    (
        "money",
        _("Argent"),
        "",
        (
            "orders.Payment",
            "orders.Invoice",
            "orders.RefundRequest",
            "orders.Dispute",
            "orders.Discrepancy",
        ),
    ),
    (
        "catalogue",
        _("Catalogue"),
        "",
        (
            "catalog.Product",
            "catalog.Category",
            "catalog.Notice",
            "catalog.Favourite",
            "catalog.PricePoint",
        ),
    ),
    (
        "texts",
        _("Pages et textes"),
        "",
        (
            "pages.PageText",
            "pages.FaqEntry",
            "pages.SeasonalBanner",
            "pages.OfficialText",
            "pages.Redirect",
        ),
    ),
    (
        "settings",
        _("Réglages"),
        "",
        (
            "core.ShopSettings",
            "orders.ShippingZone",
            "orders.DeliveryStop",
            "orders.VatRate",
            "accounts.User",
        ),
    ),
    (
        "records",
        _("Coulisses"),
        _("Ce que la boutique écrit elle-même : pour comprendre ce qui s'est passé, rien à y faire."),
        ("core.OutgoingMail", "core.ScheduledJob", "orders.Refund", "orders.Attempt", "orders.StoredCard"),
    ),
)


class ShopAdminSite(AdminSite):
    site_header = _("Gestion de la boutique")
    site_title = _("Gestion")
    index_title = _("Tableau de bord")

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        late = {"background_is_late": jobs.background_work_is_late()}
        return super().index(request, {**late, **(extra_context or {})})

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """Rooms instead of applications; the page of a single application stays Django's."""
        apps = super().get_app_list(request, app_label)
        if app_label is not None:
            return apps
        models = {model["model"]._meta.label: model for app in apps for model in app["models"]}
        rooms: list[dict[str, Any]] = []
        for name, title, note, labels in ROOMS:
            listed = [models.pop(label) for label in labels if label in models]
            rooms.append(
                {
                    "app_label": name,
                    "name": title,
                    "note": note,
                    "app_url": "",
                    "has_module_perms": True,
                    "models": listed,
                }
            )
        rooms[-1]["models"] += models.values()
        if may(request.user, StaffAction.SEE_BOOKS):
            books = {"name": _("Mes comptes"), "object_name": "Books", "admin_url": reverse("books:index")}
            next(room for room in rooms if room["app_label"] == "money")["models"].insert(0, books)
        return [room for room in rooms if room["models"]]
