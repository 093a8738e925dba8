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

SETTINGS = ("boutique", "mentions", "atelier", "paiement", "mesure", "tva")
ROWS = {
    # The kind of row that each screen of `StaffRows` keeps.
    "closures": "orders.WorkshopClosure",
    "zones": "orders.ShippingZone",
    "territories": "orders.Territory",
    "stops": "orders.DeliveryStop",
    "vat": "orders.VatRate",
    "accounts": "orders.AccountNumber",
    "categories": "catalog.Category",
    "promotions": "catalog.Promotion",
    "synonyms": "catalog.Synonym",
    "sections": "pages.HomeSection",
    "passages": "pages.PageText",
    "faq": "pages.FaqEntry",
    "banners": "pages.SeasonalBanner",
    "official": "pages.OfficialText",
    "redirects": "pages.Redirect",
    "tags": "blog.Tag",
}

ROUTES: dict[str, tuple[Who, Who]] = {
    # Name of the route: who may GET it, who may POST to it.
    **dict.fromkeys(
        (
            *("home", "terms", "terms-version", "terms-alias", "privacy", "legal-notice", "withdrawal-form"),
            *("story", "faq", "favicon"),
            *("contact", "robots", "sitemap", "sitemap-pages", "sitemap-products", "media", "schema"),
            *("client-errors", "stripe-webhook", "statistics-events", "vitals", "cookies", "api-consent"),
            *("catalog:list", "catalog:collection", "catalog:product", "catalog:product-number"),
            *("catalog:no-product", "catalog:review-rules", "catalog:reviews", "catalog:notice-ask"),
            *("catalog:notice-asked", "catalog:notice-confirm", "catalog:notice-stop", "catalog:favourites"),
            "erasure-link",
            *(
                "blog:list",
                "blog:feed",
                "blog:article",
                "blog:article-number",
                "blog:no-article",
                "blog:preview",
            ),
            *("blog:newsletter", "blog:newsletter-ask", "blog:newsletter-asked", "blog:newsletter-confirm"),
            *("blog:newsletter-preferences", "blog:newsletter-stop", "blog:newsletter-letters"),
            *("blog:newsletter-letter", "api-newsletter"),
            *("orders:cart", "orders:checkout", "orders:payment-result", "orders:pay", "orders:withdrawal"),
            *("orders:withdrawal-confirmed", "orders:withdrawal-received"),
            *("orders:tracking", "orders:tracking-requested"),
            *("accounts:email-change", "accounts:email-change-link"),
            *("accounts:auth", "accounts:confirm-email", "accounts:confirmation", "accounts:new-password"),
            *("accounts:second-factor", "accounts:passkey-signin", "accounts:passkey-options"),
            *("accounts:reset-link", "api-search-suggestions"),
            *("accounts:signout", "api-products", "api-product", "api-notify", "api-quote"),
            *("api-checkout", "api-verify", "api-me", "api-contact", "admin:logout", "api-piece-photo"),
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
                "members-newsletter",
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
    **dict.fromkeys(("staff-withdrawals", "staff-withdrawal", "staff-order-withdrawals"), (DESK, NOBODY)),
    **dict.fromkeys(
        ("staff-withdrawal-file", "staff-order-withdrawal-file", "staff-withdrawal-step"), (WORK, WORK)
    ),
    **dict.fromkeys(("staff-order-promise", "staff-order-delivery", "staff-order-email"), (WORK, WORK)),
    "staff-order-retention": (ADMIN, ADMIN),
    **dict.fromkeys(
        (
            *(
                "staff-withdrawal-refund",
                "staff-discrepancy-resolve",
                "staff-return-filed",
                "staff-bank-import",
                "staff-payout-close",
                "staff-refund-retry",
                "staff-order-pause",
            ),
            *("staff-order-transfer", "staff-order-transfer-returned", "staff-order-installment"),
        ),
        (ADMIN, ADMIN),
    ),
    **dict.fromkeys(
        (
            *(
                "staff-books",
                "staff-receipts",
                "staff-receipts-csv",
                "staff-reporting",
                "staff-reporting-csv",
            ),
            *("staff-payouts", "staff-fees-csv", "staff-entries", "staff-entries-file"),
            *("staff-oss", "staff-oss-csv", "staff-urssaf", "staff-urssaf-csv"),
            *(
                "staff-discrepancies",
                "staff-invoices",
                "staff-invoice-pdf",
                "staff-refunds",
                "staff-disputes",
            ),
            *("staff-payments", "staff-order-installments"),
        ),
        (LOOK, NOBODY),
    ),
    "staff-order-invoice": (LOOK, ADMIN),
    "staff-stripe-events": (LOOK, ADMIN),
    "staff-order-provider-state": (ADMIN, ADMIN),
    **dict.fromkeys(("staff-statistics", "staff-statistics-csv"), (LOOK, NOBODY)),
    "staff-board": (DESK, NOBODY),
    "staff-dispatch": (WORK, NOBODY),
    "staff-search": (DESK, NOBODY),
    "staff-appearance": (NOBODY, DESK),
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
    "api-order-contract": (OWNER | LOOK, OWNER | LOOK),
    "orders:order": (OWNER, OWNER),
    "orders:address": (OWNER, OWNER),
    "members-address": (OWNER, OWNER),
    "members-address-delete": (OWNER, OWNER),
    "orders:again": (OWNER, NOBODY),
    # A member's order leads to the form that members have.
    "orders:review": (OWNER, OWNER),
    "orders:order-account": (OWNER, OWNER),
    "orders:order-join": (OWNER, OWNER),
    "orders:paid-copy": (OWNER, OWNER),
    "members-data-file": (OWNER, NOBODY),
    # Calls of the administration.
    "api-admin-orders": (DESK, DESK),
    "api-admin-order": (DESK, DESK),
    "api-admin-order-status": (WORK, WORK),
    "api-admin-order-counts": (DESK, NOBODY),
    "api-admin-board": (DESK, NOBODY),
    "api-admin-piece-move": (WORK, WORK),
    "api-admin-piece-photos": (DESK, WORK),
    **dict.fromkeys(("api-admin-piece-photo", "api-admin-piece-photo-send"), (WORK, WORK)),
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
    "api-admin-products": (DESK, ADMIN),
    "api-admin-products-bulk": (WORK, WORK),
    "api-admin-products-export": (DESK, DESK),
    "api-admin-products-import": (ADMIN, ADMIN),
    "api-admin-product": (DESK, DESK),
    "api-admin-product-in-place": (ADMIN, ADMIN),
    "api-admin-product-action": (ADMIN, ADMIN),
    "api-admin-product-duplicate": (ADMIN, ADMIN),
    "api-admin-product-prices": (LOOK, LOOK),
    "api-admin-product-promotion-preview": (LOOK, LOOK),
    "api-admin-pictures": (DESK, ADMIN),
    **dict.fromkeys(("api-admin-pictures-order", "api-admin-pictures-main"), (ADMIN, ADMIN)),
    "api-admin-picture": (ADMIN, ADMIN),
    "api-admin-uploads": (ADMIN, ADMIN),
    "api-admin-variants": (DESK, DESK),
    "api-admin-variations": (DESK, ADMIN),
    "api-admin-variation": (ADMIN, ADMIN),
    "api-admin-variation-default": (ADMIN, ADMIN),
    "staff-products": (DESK, NOBODY),
    "staff-product": (DESK, NOBODY),
    "staff-product-new": (ADMIN, NOBODY),
    "staff-product-model": (DESK, ADMIN),
    **dict.fromkeys(("staff-waiting-list", "staff-favourites", "staff-product-favourites"), (LOOK, NOBODY)),
    **dict.fromkeys(("staff-notice-delete", "staff-favourite-delete"), (ADMIN, ADMIN)),
    "staff-product-import": (ADMIN, NOBODY),
    "api-admin-posts": (ADMIN, ADMIN),
    "api-admin-post": (ADMIN, NOBODY),
    "api-admin-post-in-place": (ADMIN, NOBODY),
    **dict.fromkeys(("api-admin-revisions", "api-admin-revision-comparison"), (ADMIN, NOBODY)),
    **dict.fromkeys(
        ("api-admin-post-preview", "api-admin-post-pictures", "api-admin-post-restore"), (NOBODY, ADMIN)
    ),
    "api-admin-post-autosave": (NOBODY, NOBODY),
    "api-admin-revision-restore": (NOBODY, ADMIN),
    **dict.fromkeys(("staff-articles", "staff-article", "staff-article-new"), (ADMIN, NOBODY)),
    "staff-article-act": (NOBODY, ADMIN),
    "api-admin-users": (LOOK, NOBODY),
    "api-admin-user-role": (NOBODY, ADMIN),
    # Whoever has a key, which is nobody's session.
    **dict.fromkeys(("automation-products", "automation-stock", "automation-orders"), (NOBODY, NOBODY)),
    "staff-api-keys": (LOOK, ADMIN),
    "staff-webhooks": (LOOK, NOBODY),
    "staff-webhook": (LOOK, NOBODY),
    **dict.fromkeys(
        (
            *("staff-api-key-revoke", "staff-webhook-new", "staff-webhook-edit", "staff-webhook-secret"),
            *(
                "staff-webhook-switch",
                "staff-webhook-test",
                "staff-webhook-delete",
                "staff-webhook-redeliver",
            ),
        ),
        (ADMIN, ADMIN),
    ),
    # Pages of the administration.
    "admin:index": (DESK, DESK),
    "admin:app_list": (DESK, DESK),
    "admin:jsi18n": (DESK, DESK),
    "admin:password_change": (DESK, DESK),
    "admin:password_change_done": (DESK, DESK),
    "admin:autocomplete": (DESK, DESK),
    "admin:view_on_site": (NOBODY, NOBODY),
    # Pages of the staff area.
    "staff-newsletter": (LOOK, ADMIN),
    "staff-newsletter-letter": (LOOK, ADMIN),
    **dict.fromkeys(("staff-newsletter-preview", "staff-newsletter-html"), (LOOK, NOBODY)),
    "staff-newsletter-subscribers": (LOOK, NOBODY),
    "staff-newsletter-send": (ADMIN, ADMIN),
    **dict.fromkeys(
        (
            *("staff-newsletter-step", "staff-newsletter-copy", "staff-newsletter-delete"),
            *("staff-newsletter-test", "staff-newsletter-suspension"),
        ),
        (NOBODY, ADMIN),
    ),
    "staff-messages": (DESK, NOBODY),
    "staff-message": (DESK, WORK),
    "staff-message-mark": (NOBODY, WORK),
    "staff-message-delete": (ADMIN, ADMIN),
    "staff-message-picture": (DESK, NOBODY),
    "staff-reviews": (LOOK, NOBODY),
    "staff-review": (LOOK, ADMIN),
    "staff-users": (LOOK, NOBODY),
    "staff-user": (LOOK, NOBODY),
    "staff-user-role": (NOBODY, ADMIN),
    "staff-user-block": (NOBODY, ADMIN),
    **dict.fromkeys(
        ("staff-audit", "staff-register", "staff-nights", "staff-jobs", "staff-state"), (LOOK, NOBODY)
    ),
    "staff-erasures": (LOOK, LOOK),
    # Leads to the page of mails.
    "email-preview": (EVERYBODY, EVERYBODY),
    **dict.fromkeys(("staff-mails", "staff-mail", "staff-mail-html", "staff-outbox"), (LOOK, NOBODY)),
    "staff-sent-mail": (LOOK, ADMIN),
    "staff-mail-test": (NOBODY, ADMIN),
    "api-admin-emails": (LOOK, NOBODY),
    "api-admin-email-test": (NOBODY, ADMIN),
    **dict.fromkeys((f"staff-settings-{part}" for part in SETTINGS), (LOOK, ADMIN)),
    **dict.fromkeys((f"staff-{rows}" for rows in ROWS), (LOOK, NOBODY)),
    **dict.fromkeys((f"staff-{rows}-edit" for rows in ROWS), (LOOK, ADMIN)),
    **dict.fromkeys(
        (
            f"staff-{rows}-{page}"
            for rows in ROWS
            if rows not in ("accounts", "tags")
            for page in ("new", "delete")
        ),
        (ADMIN, ADMIN),
    ),
    **dict.fromkeys((f"staff-{rows}-move" for rows in ("categories", "faq", "sections")), (NOBODY, ADMIN)),
    # What staff may see of products, categories are part of.
    "staff-categories": (DESK, NOBODY),
    "staff-categories-edit": (DESK, ADMIN),
    "staff-tags": (ADMIN, NOBODY),
    "staff-tags-edit": (ADMIN, ADMIN),
    "staff-settings": (LOOK, NOBODY),
    "staff-terms": (LOOK, ADMIN),
    "staff-terms-version": (LOOK, NOBODY),
    "staff-promotions-end": (NOBODY, ADMIN),
    "staff-texts": (LOOK, NOBODY),
    "staff-faq-preview": (LOOK, NOBODY),
    "staff-passages-preview": (LOOK, NOBODY),
    "staff-banners-preview": (LOOK, NOBODY),
}

METHODS: dict[tuple[str, str], Who] = {
    # Where a method asks for more than those of its route.
    ("api-admin-order", "delete"): ADMIN,
    ("api-admin-post", "patch"): ADMIN,
    ("api-admin-post", "delete"): ADMIN,
    ("api-admin-post-autosave", "put"): ADMIN,
    ("api-admin-post-autosave", "delete"): ADMIN,
    ("api-admin-product", "patch"): WORK,
    ("api-admin-product", "delete"): ADMIN,
    ("api-admin-variants", "put"): WORK,
    ("api-me", "delete"): PEOPLE,
}

STEPS: dict[str, Who] = {
    # Of a withdrawal.
    "clore": ADMIN,
    "rattacher": WORK,
    "renvoi": WORK,
    "expedition": WORK,
    "retour": WORK,
    "preuve": WORK,
    "retour-errone": WORK,
    "accepter": ADMIN,
    "refuser": ADMIN,
}
