"""Who may look at which rows of Django's administration: `expected` for its models."""

from __future__ import annotations

from tests.permissions.expected import ADMIN, DESK, LOOK, Who

MODELS: dict[str, Who] = {
    # Each model of the administration: who may see its list and rows. Nobody adds, changes or deletes there.
    "orders.Order": DESK,
    "orders.WithdrawalCase": DESK,
    "orders.WorkPiece": DESK,
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
            "pages.Erasure",
            *("core.OutgoingMail", "core.ScheduledJob", "core.AuditEntry", "catalog.PricePoint"),
            *("catalog.Review", "accounts.User", "core.ShopSettings", "orders.Territory"),
            *("orders.VatRate", "orders.DeliveryStop", "orders.ShippingZone", "orders.WorkshopClosure"),
            *("pages.FaqEntry", "pages.PageText", "pages.SeasonalBanner", "pages.Redirect"),
            *("pages.HomeSection", "pages.OfficialText", "catalog.Synonym"),
        ),
        LOOK,
    ),
    "catalog.Promotion": LOOK,
    "catalog.Product": DESK,
    "catalog.Category": DESK,
    "catalog.Notice": LOOK,
    "catalog.Favourite": LOOK,
    "pages.ContactRequest": DESK,
    **dict.fromkeys(
        ("blog.Article", "blog.Tag", "blog.ArticleAutosave", "blog.ArticlePicture"),
        ADMIN,
    ),
    # What belongs to an order, a message or a product, and shows no more of it.
    **dict.fromkeys(
        (
            *("orders.ShipmentLine", "orders.Withdrawal", "orders.WithdrawalLine"),
            *("pages.ContactReply", "pages.ContactImage"),
            *("catalog.Variant", "catalog.ProductImage", "catalog.PictureImport", "catalog.RetiredPicture"),
            *("catalog.CategoryPicture", "catalog.FormerSlug"),
        ),
        DESK,
    ),
    # Money, people, letters, programs and the shop itself.
    **dict.fromkeys(
        (
            *("orders.CardChange", "orders.DiscardedCard", "orders.DiscardedCustomer"),
            *("orders.Payout", "orders.BalanceMovement", "orders.BankLine", "orders.AccountNumber"),
            *("orders.FiledReturn", "orders.ChainLink", "orders.ChainHead", "orders.PurgedYear"),
            *("orders.Contract", "orders.ContractDocument", "orders.InvoiceDocument"),
            *("orders.InvoiceDraft", "orders.InvoiceSeries", "orders.InvoiceGap"),
            *("accounts.UserRole", "accounts.Address", "accounts.SignUp", "accounts.EmailChange"),
            *("orders.SavedCart", "pages.CartReminder", "pages.DataExport", "pages.InactivityNotice"),
            *("consent.ConsentProof", "consent.ConsentVersion"),
            *("blog.Campaign", "blog.CampaignText", "blog.CampaignRecipient"),
            *("blog.Subscriber", "blog.ConsentRecord"),
            *("integrations.ApiKey", "integrations.RepeatedCall", "integrations.WebhookEndpoint"),
            *("integrations.WebhookEvent", "integrations.WebhookDelivery", "integrations.WebhookAttempt"),
            *("statistics.DailyCount", "statistics.DailyVital", "terms.TermsVersion"),
            *("watching.Incident", "backups.Backup", "core.DiscardedFile"),
        ),
        LOOK,
    ),
}
