"""Who may do what, written down once more and apart from the code: a new page, action or call is entered here."""

from __future__ import annotations

from tests.permissions.world import ACTORS

Who = frozenset[str]

EVERYBODY: Who = frozenset(ACTORS)
NOBODY: Who = frozenset()
PEOPLE = EVERYBODY - {"anonymous"}
OWNER: Who = frozenset({"member"})
ADMIN: Who = frozenset({"admin"})
WORK = ADMIN | {"staff"}
"""Who packs and answers."""
LOOK = ADMIN | {"looker"}
DESK = WORK | LOOK

ROUTES: dict[str, tuple[Who, Who]] = {
    # Name of the route: who may GET it, who may POST to it.
    **dict.fromkeys(
        (
            *("home", "terms", "terms-alias", "privacy", "legal-notice", "withdrawal-form", "story", "faq"),
            *("contact", "robots", "sitemap", "sitemap-pages", "sitemap-products", "media", "schema"),
            *("client-errors", "stripe-webhook"),
            *("catalog:list", "catalog:collection", "catalog:product", "catalog:product-number"),
            *("catalog:no-product", "catalog:review-rules", "catalog:reviews", "catalog:notice-ask"),
            *("catalog:notice-asked", "catalog:notice-confirm", "catalog:notice-stop", "catalog:favourites"),
            "erasure-link",
            *("orders:cart", "orders:checkout", "orders:payment-result", "orders:pay", "orders:withdrawal"),
            *("orders:withdrawal-confirmed", "orders:withdrawal-received"),
            *("orders:tracking", "orders:tracking-requested"),
            *("accounts:email-change", "accounts:email-change-link"),
            *("accounts:auth", "accounts:confirm-email", "accounts:confirmation", "accounts:new-password"),
            *("accounts:second-factor", "accounts:passkey-signin", "accounts:passkey-options"),
            *("accounts:reset-link", "api-search-suggestions"),
            *("accounts:signout", "api-products", "api-product", "api-notify", "api-quote"),
            *("api-checkout", "api-verify", "api-me", "api-contact", "admin:logout"),
        ),
        (EVERYBODY, EVERYBODY),
    ),
    **dict.fromkeys(
        (
            *(
                "members",
                "return-mails",
                "remove-favourite",
                "members-notice-delete",
                "api-favourites",
                "api-favourite",
                "api-orders",
            ),
            *("members-profile", "members-email", "members-address-new", "api-addresses"),
            *("members-data", "members-data-export", "members-erasure", "api-me-export"),
            *("accounts:security", "accounts:app", "accounts:new-passkey", "accounts:new-passkey-options"),
            *("accounts:passkey", "accounts:recovery-codes", "accounts:recovery-codes-file"),
            *("accounts:confirm-identity", "api-saved-cart"),
        ),
        (PEOPLE, PEOPLE),
    ),
    "staff-home": (DESK, NOBODY),
    "staff-orders": (DESK, NOBODY),
    "staff-order": (DESK, NOBODY),
    "staff-board": (DESK, NOBODY),
    "staff-dispatch": (WORK, NOBODY),
    "staff-search": (DESK, NOBODY),
    "api-admin-search": (DESK, DESK),
    # Safe methods alone.
    "french-prefix": (EVERYBODY, NOBODY),
    "api-reviews": (EVERYBODY, PEOPLE),
    # Who bought the piece, once it was delivered: nobody here.
    "catalog:review-write": (PEOPLE, NOBODY),
    # Leads who is not signed in to the page where people do.
    "admin:login": (NOBODY, NOBODY),
    "api-order": (OWNER, OWNER),
    "api-withdrawal": (OWNER, OWNER),
    "api-order-invoice": (OWNER | LOOK, OWNER | LOOK),
    "orders:order": (OWNER, OWNER),
    "orders:address": (OWNER, OWNER),
    "members-address": (OWNER, OWNER),
    "members-address-delete": (OWNER, OWNER),
    "orders:again": (OWNER, NOBODY),
    # A member's order leads to the form that members have.
    "orders:review": (OWNER, OWNER),
    "orders:order-account": (OWNER, OWNER),
    "orders:order-join": (OWNER, OWNER),
    "members-data-file": (OWNER, NOBODY),
    # Calls of the administration.
    "api-admin-orders": (DESK, DESK),
    "api-admin-order": (DESK, DESK),
    "api-admin-order-status": (WORK, WORK),
    "api-admin-order-counts": (DESK, NOBODY),
    "api-admin-board": (DESK, NOBODY),
    "api-admin-piece-move": (WORK, WORK),
    "api-admin-dispatch": (WORK, WORK),
    "api-admin-order-shipments": (WORK, WORK),
    "api-admin-order-shipment-undo": (WORK, WORK),
    "api-admin-order-notes": (WORK, WORK),
    "api-admin-order-address": (WORK, WORK),
    "api-admin-order-slip": (WORK, NOBODY),
    "api-admin-order-labels": (WORK, NOBODY),
    "api-admin-order-restore": (ADMIN, ADMIN),
    "api-admin-order-refund-preview": (ADMIN, ADMIN),
    "api-admin-order-invoice": (LOOK, ADMIN),
    "api-admin-order-invoice-pdf": (LOOK, LOOK),
    "api-admin-order-refund": (ADMIN, ADMIN),
    "api-admin-refund": (LOOK, LOOK),
    "api-admin-refund-restock": (ADMIN, ADMIN),
    "api-admin-refund-transfer": (ADMIN, ADMIN),
    "api-admin-refund-transfer-returned": (ADMIN, ADMIN),
    "api-admin-order-withdrawals": (WORK, WORK),
    "api-admin-users": (LOOK, NOBODY),
    "api-admin-user-role": (NOBODY, ADMIN),
    # Pages of the administration.
    **dict.fromkeys(
        ("books:index", "books:receipts", "books:receipts-csv", "books:reporting-csv"), (LOOK, NOBODY)
    ),
    "admin:index": (DESK, DESK),
    "admin:app_list": (DESK, DESK),
    "admin:jsi18n": (DESK, DESK),
    "admin:password_change": (DESK, DESK),
    "admin:password_change_done": (DESK, DESK),
    "admin:autocomplete": (DESK, DESK),
    "admin:view_on_site": (NOBODY, NOBODY),
    "admin:orders_order_promise": (WORK, WORK),
    "admin:orders_order_delivery": (WORK, WORK),
    "admin:orders_order_withdrawals": (DESK, DESK),
    "admin:orders_order_withdrawal_received": (WORK, WORK),
    "admin:orders_order_installments": (LOOK, LOOK),
    "admin:orders_order_invoice": (LOOK, ADMIN),
    "admin:orders_order_money": (ADMIN, ADMIN),
    "admin:orders_order_pause": (ADMIN, ADMIN),
    "admin:orders_order_transfer": (ADMIN, ADMIN),
    "admin:orders_order_transfer_returned": (ADMIN, ADMIN),
    "admin:orders_withdrawalcase_step": (WORK, WORK),
    "admin:orders_withdrawalcase_refund": (ADMIN, ADMIN),
    "admin:orders_invoice_pdf": (LOOK, LOOK),
    "admin:pages_retentionrun_register": (LOOK, LOOK),
    "admin:pages_contactimage_file": (DESK, DESK),
    "admin:pages_contactrequest_reply": (WORK, WORK),
    "admin:pages_contactrequest_mark": (WORK, WORK),
    "admin:pages_faqentry_preview": (LOOK, LOOK),
    "admin:pages_pagetext_preview": (LOOK, LOOK),
    "admin:pages_seasonalbanner_preview": (LOOK, LOOK),
}

METHODS: dict[tuple[str, str], Who] = {
    # Where a method asks for more than those of its route.
    ("api-admin-order", "delete"): ADMIN,
    ("api-me", "delete"): PEOPLE,
}

_SHOWN = (LOOK, NOBODY, NOBODY, NOBODY)
_EDITED = (LOOK, ADMIN, ADMIN, ADMIN)
MODELS: dict[str, tuple[Who, Who, Who, Who]] = {
    # Each model of the administration: who may see its list and rows, add, change, delete.
    "orders.Order": (DESK, NOBODY, NOBODY, NOBODY),
    "orders.WithdrawalCase": (DESK, WORK, NOBODY, NOBODY),
    "pages.Erasure": (LOOK, ADMIN, NOBODY, NOBODY),
    **dict.fromkeys(
        (
            *(
                "orders.Payment",
                "orders.InstallmentPause",
                "orders.StoredCard",
                "orders.Attempt",
                "orders.StripeEvent",
                "orders.Dispute",
            ),
            *(
                "orders.RefundRequest",
                "orders.Refund",
                "orders.Invoice",
                "orders.LedgerEntry",
                "orders.Discrepancy",
            ),
            "pages.RetentionRun",
            *("core.OutgoingMail", "core.ScheduledJob", "core.AuditEntry", "catalog.PricePoint"),
        ),
        _SHOWN,
    ),
    **dict.fromkeys(
        (
            *("orders.VatRate", "orders.DeliveryStop", "orders.ShippingZone", "orders.WorkshopClosure"),
            *("orders.Territory", "pages.OfficialText", "catalog.Promotion"),
            *("pages.FaqEntry", "pages.PageText", "pages.SeasonalBanner", "pages.Redirect"),
            "pages.HomeSection",
        ),
        _EDITED,
    ),
    "catalog.Synonym": _EDITED,
    "catalog.Product": (DESK, ADMIN, WORK, ADMIN),
    "catalog.Category": (DESK, ADMIN, ADMIN, ADMIN),
    "catalog.Review": (LOOK, NOBODY, ADMIN, NOBODY),
    "catalog.Notice": (LOOK, NOBODY, NOBODY, ADMIN),
    "catalog.Favourite": (LOOK, NOBODY, NOBODY, ADMIN),
    "pages.ContactRequest": (DESK, NOBODY, NOBODY, ADMIN),
    "accounts.User": (LOOK, NOBODY, ADMIN, NOBODY),
    "core.ShopSettings": (LOOK, NOBODY, ADMIN, NOBODY),
}

ACTIONS: dict[str, Who] = {
    # On chosen rows of a list. Django's own, `delete_selected`, asks for the right to delete.
    "orders.Order:ask_provider": ADMIN,
    "orders.Discrepancy:resolve": ADMIN,
    "orders.StripeEvent:process_again": ADMIN,
    "orders.RefundRequest:retry": ADMIN,
    "orders.Refund:retry": ADMIN,
    "orders.Refund:settled_by_transfer": ADMIN,
    "core.OutgoingMail:send_again": ADMIN,
    "accounts.User:make_admin": ADMIN,
    "accounts.User:make_staff": ADMIN,
    "accounts.User:make_member": ADMIN,
    "catalog.Product:publish": ADMIN,
    "catalog.Product:unpublish": ADMIN,
    "catalog.Promotion:end": ADMIN,
    "pages.ContactRequest:mark_answered": WORK,
    "pages.ContactRequest:mark_new": WORK,
}

STEPS: dict[str, Who] = {
    # Of a withdrawal.
    "attach": WORK,
    "return": WORK,
    "ship": WORK,
    "goods": WORK,
    "proof": WORK,
    "accept": ADMIN,
    "refuse": ADMIN,
}
