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
        (
            "orders.Order",
            "orders.WithdrawalCase",
            "pages.ContactRequest",
            "catalog.Review",
            *("orders.WorkPiece", "orders.ShipmentLine", "orders.Withdrawal", "orders.WithdrawalLine"),
            *("pages.ContactReply", "pages.ContactImage"),
        ),
    ),
    Section(
        "money",
        _("Argent"),
        (
            "orders.Payment",
            "orders.Invoice",
            "orders.RefundRequest",
            "orders.Dispute",
            "orders.Discrepancy",
            *("orders.Refund", "orders.Attempt", "orders.StripeEvent", "orders.InstallmentPause"),
            *("orders.StoredCard", "orders.CardChange", "orders.DiscardedCard", "orders.DiscardedCustomer"),
            *("orders.Contract", "orders.ContractDocument"),
            *("orders.InvoiceDocument", "orders.InvoiceDraft", "orders.InvoiceSeries", "orders.InvoiceGap"),
        ),
    ),
    Section(
        "books",
        _("Comptes et banque"),
        (
            *("orders.LedgerEntry", "orders.Payout", "orders.BalanceMovement", "orders.BankLine"),
            *("orders.AccountNumber", "orders.FiledReturn"),
            *("orders.ChainLink", "orders.ChainHead", "orders.PurgedYear"),
        ),
    ),
    Section(
        "catalogue",
        _("Catalogue"),
        (
            "catalog.Product",
            "catalog.Category",
            "catalog.Notice",
            "catalog.Favourite",
            "catalog.PricePoint",
            *("catalog.Promotion", "catalog.Variant", "catalog.ProductImage", "catalog.PictureImport"),
            *("catalog.RetiredPicture", "catalog.CategoryPicture", "catalog.FormerSlug", "catalog.Synonym"),
        ),
    ),
    Section(
        "texts",
        _("Pages et textes"),
        (
            "pages.PageText",
            "pages.FaqEntry",
            "pages.SeasonalBanner",
            "pages.OfficialText",
            "pages.Redirect",
            *("pages.HomeSection", "terms.TermsVersion"),
            *("blog.Article", "blog.ArticleAutosave", "blog.ArticlePicture", "blog.Tag"),
        ),
    ),
    Section(
        "newsletter",
        _("Newsletter"),
        (
            *("blog.Campaign", "blog.CampaignText", "blog.CampaignRecipient"),
            *("blog.Subscriber", "blog.ConsentRecord"),
        ),
    ),
    Section(
        "people",
        _("Comptes clients"),
        (
            "accounts.User",
            "accounts.UserRole",
            "accounts.Address",
            "accounts.SignUp",
            "accounts.EmailChange",
            *("orders.SavedCart", "pages.CartReminder", "consent.ConsentProof", "consent.ConsentVersion"),
            *("pages.DataExport", "pages.Erasure", "pages.InactivityNotice", "pages.RetentionRun"),
        ),
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
        ),
    ),
    Section(
        "programs",
        _("Programmes et webhooks"),
        (
            *("integrations.ApiKey", "integrations.RepeatedCall", "integrations.WebhookEndpoint"),
            *("integrations.WebhookEvent", "integrations.WebhookDelivery", "integrations.WebhookAttempt"),
        ),
    ),
    Section(
        "records",
        _("Coulisses"),
        (
            "core.AuditEntry",
            "core.OutgoingMail",
            "core.ScheduledJob",
            "watching.Incident",
            "backups.Backup",
            *("core.DiscardedFile", "statistics.DailyCount", "statistics.DailyVital"),
        ),
        _("Ce que la boutique écrit elle-même : pour comprendre ce qui s'est passé, rien à y faire."),
    ),
)

# Models whose rows have no list here, and why. The rows of an inline are on the page of what they belong to.
WITHOUT_A_LIST = {
    "account.EmailAddress": "shown with its person; changed alone, it would part from the account",
    "account.EmailConfirmation": "holds the key of a link; the shop's links are signed and have no row",
    "admin.LogEntry": "nobody acts in this administration; the audit trail has what people do",
    "auth.Group": "rights come with roles",
    "auth.Permission": "written by Django; `StaffAction` names those that count",
    "catalog.SearchEntry": "the index of the search, made anew from products",
    "catalog.SearchSpelling": "the index of the search, made anew from products",
    "catalog.SearchWord": "the index of the search, made anew from products",
    "contenttypes.ContentType": "written by Django, a row a model",
    "core.AttemptCounter": "counts under hashes of addresses, which say nothing and are nobody's to compare",
    "mfa.Authenticator": "somebody's second factor, whose secret opens their account; `reset_second_factor` helps them",
    "orders.OrderSearchEntry": "the index of the search, made anew from orders",
    "sessions.Session": "whoever reads its key is signed in as its person",
    "statistics.DailySalt": "the secret that keeps the day's visits nameless",
    "statistics.Visit": "one person's day: it is added up and forgotten, and looked at by nobody",
    "usersessions.UserSession": "its owner's affair: where and with what they signed in",
}


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
