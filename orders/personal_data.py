"""What orders hold of people."""

from typing import Any

from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from orders.exported_records import ADDRESS_COLUMNS, document_records, order_records, payment_records
from orders.models import CLOSED_STATUSES, OrderStatus, SavedCart
from orders.selectors.personal_data import last_orders, matter_of, orders_of
from orders.selectors.saved_carts import line_key, line_names
from orders.services.fulfilment.archiving import archiving_obstacles
from orders.services.fulfilment.closed_years import purge_closed_years
from orders.services.fulfilment.erasing import empty_provider_events, erase_order, purge_unpaid_orders
from orders.services.fulfilment.piece_photos import purge_photos
from shop.core.personal_data import (
    Basis,
    Period,
    Person,
    ProcessingActivity,
    Record,
    RetentionRule,
    record_of,
    register_activity,
    register_last_use,
    register_not_personal,
    register_retention,
)

_CARRIER = _("transporteur, hébergeur, service d'acheminement des e-mails")


def register() -> None:
    """Register the activities and rules of orders."""
    register_activity(
        ProcessingActivity(
            name="orders",
            label=_("Préparer, livrer et suivre votre commande"),
            purpose=_("Exécuter la vente, livrer la commande, répondre à une rétractation ou à une garantie"),
            data=_(
                "nom, adresses, e-mail, téléphone et notes si vous les indiquez, pièces commandées et leurs photos, "
                "suivi du colis, déclarations de rétractation, nos notes sur la commande"
            ),
            basis=Basis.CONTRACT,
            periods=(
                Period("invoices_years", _("après la clôture de l'exercice")),
                Period("unpaid_days", _("pour une commande jamais payée")),
                Period("piece_photo_years", _("pour les photos de vos pièces finies")),
            ),
            recipients=_CARRIER,
            kept=_(
                "nom et adresse facturée, pièces, montants et déclarations de rétractation, pour la durée légale"
            ),
            columns={
                "orders.Order": (
                    *ADDRESS_COLUMNS,
                    *(
                        "user",
                        "reference",
                        "language",
                        "demand_digest",
                        "request_fingerprint",
                        "mandate_text",
                    ),
                    *("review_reason", "retention_reason", "retention_decision"),
                ),
                "orders.OrderTracking": ("message", "tracking_number", "actor"),
                "orders.Shipment": ("tracking_number", "actor", "undo_reason"),
                "orders.OrderNote": ("text", "author"),
                "orders.WorkPiece": ("moved_by",),
                "orders.PiecePhoto": ("author", "message", "file"),
                "orders.OrderSearchEntry": ("text",),
                "orders.OrderEvent": ("actor", "data"),
                "orders.StockHold": ("network", "mailbox"),
                "orders.Withdrawal": (
                    *("name", "email", "order_text", "reason", "statement", "language", "filed_by"),
                ),
                "orders.WithdrawalCase": ("email", "goods", "decision", "revocation_text"),
                "orders.InstallmentPause": ("actor", "reason"),
            },
            export=order_records,
            erase=_erase_orders,
            open_matters=_open_matters,
        )
    )
    register_activity(
        ProcessingActivity(
            name="payments",
            label=_("Encaisser et rembourser"),
            purpose=_("Encaisser le prix, débiter les échéances acceptées, rembourser"),
            data=_(
                "montant, état et identifiant du paiement, quatre derniers chiffres de la carte\u00a0; "
                "jamais son numéro"
            ),
            basis=Basis.CONTRACT,
            periods=(
                Period("invoices_years", _("après la clôture de l'exercice")),
                Period("provider_event_days", _("pour les messages de Stripe")),
            ),
            recipients=_("Stripe, hébergeur"),
            kept=_("les paiements, les remboursements et le grand livre, pour la durée légale"),
            columns={
                "orders.StoredCard": ("customer_id", "payment_method_id", "brand", "last4"),
                "orders.DiscardedCard": ("payment_method_id",),
                "orders.DiscardedCustomer": ("customer_id",),
                "orders.CardChange": (
                    *("customer_id", "mandate_text", "checkout_session_id", "checkout_session_url"),
                ),
                "orders.Attempt": ("checkout_session_id", "checkout_session_url"),
                "orders.Refund": ("note", "transfer_reference", "reason"),
                "orders.RefundRequest": ("reason", "actor"),
                "orders.StripeEvent": ("body", "error"),
                "orders.Dispute": ("reason",),
            },
            export=payment_records,
        )
    )
    register_activity(
        ProcessingActivity(
            name="invoices",
            label=_("Tenir nos comptes et nos factures"),
            purpose=_("Facturer et tenir la comptabilité (art. L123-22 du Code de commerce)"),
            data=_("identité et adresse facturée, commandes, paiements, remboursements"),
            basis=Basis.LEGAL_OBLIGATION,
            periods=(Period("invoices_years", _("après la clôture de l'exercice")),),
            recipients=_("administration fiscale, expert-comptable, hébergeur"),
            kept=_("les contrats, les factures et les avoirs, tels qu'ils ont été émis"),
            columns={
                "orders.Invoice": ("data", "language"),
                "orders.InvoiceDocument": ("pdf",),
                "orders.Contract": ("data", "language", "terms_version"),
                "orders.ContractDocument": ("pdf",),
                "orders.InvoiceDraft": ("customer_name", "customer_address", "customer_number", "notes"),
            },
            export=document_records,
        )
    )
    register_activity(
        ProcessingActivity(
            name="cart",
            label=_("Panier d'un membre"),
            purpose=_("Retrouver votre panier sur vos autres appareils"),
            data=_("pièces choisies et leurs quantités"),
            basis=Basis.CONTRACT,
            periods=(Period("inactive_years", _("après votre dernière activité")),),
            recipients=_("hébergeur"),
            columns={"orders.SavedCart": ("*",)},
            export=_saved_cart,
            erase=_erase_saved_cart,
        )
    )
    _not_personal()
    register_retention(
        RetentionRule("unpaid-orders", _("Commandes jamais payées"), "unpaid_days", purge_unpaid_orders)
    )
    register_retention(
        RetentionRule(
            "provider-events", _("Messages de Stripe"), "provider_event_days", empty_provider_events
        )
    )
    register_retention(
        RetentionRule("piece-photos", _("Photos des pièces finies"), "piece_photo_years", purge_photos)
    )
    register_retention(
        RetentionRule(
            "closed-years",
            _("Commandes et factures des années dont la durée légale est passée"),
            "invoices_years",
            purge_closed_years,
        )
    )
    register_last_use("orders", last_orders)


def _saved_cart(person: Person) -> list[Record]:
    return [
        record_of(
            cart,
            "updated_at",
            lines=(str(_("Pièces")), _named(cart.lines)),
            ordered=(
                str(capfirst(_("commandes en attente de paiement"))),
                [text for order in cart.ordered for text in _named(order["lines"])],
            ),
        )
        for cart in SavedCart.objects.filter(user=person.key)
    ]


def _named(lines: list[dict[str, Any]]) -> list[str]:
    names = line_names([line_key(line) for line in lines])
    return [f"{line['quantity']} × {name}" for line, name in zip(lines, names, strict=True)]


def _erase_saved_cart(person: Person) -> bool:
    SavedCart.objects.filter(user=person.key).delete()
    return True


def _not_personal() -> None:
    register_not_personal("What was bought, as the catalogue named it.", {"orders.OrderItem": ("*",)})
    register_not_personal(
        "Rules and dates that the shop wrote.",
        {
            f"orders.{name}": ("*",)
            for name in (
                *(
                    "VatRate",
                    "ShippingZone",
                    "ShippingRateStep",
                    "Territory",
                    "DeliveryStop",
                    "WorkshopClosure",
                ),
                *(
                    "InvoiceSeries",
                    "PurgedYear",
                    "ChainLink",
                    "ChainHead",
                    "FiledReturn",
                    "BalanceMovement",
                    "Payout",
                    "BankLine",
                    "AccountNumber",
                ),
            )
        },
    )
    register_not_personal(
        "Sentences of the shop about a movement of money, found by its identifier.",
        {"orders.Discrepancy": ("*",)},
    )
    register_not_personal(
        "A state, an amount, a date or a code, not a word about a person.",
        {
            "orders.Order": ("shipping_zone", "idempotency_key"),
            "orders.OrderEvent": ("name",),
            "orders.Dispute": ("answer_by",),
            "orders.WithdrawalCase": ("goods_received_at",),
            "orders.RefundRequest": ("fingerprint",),
            "orders.InstallmentPause": ("started_by", "ended_by"),
        },
    )


def _erase_orders(person: Person) -> bool:
    """Every order is tried: one that is not settled keeps the others from nothing."""
    settled = [erase_order(pk) for pk in orders_of(person).values_list("pk", flat=True)]
    return all(settled)


def _open_matters(person: Person) -> list[str]:
    """Some twelve queries an order that is neither archived nor unpaid and closed."""
    open_orders = orders_of(person).filter(archived_at=None, personal_data_erased_at=None)
    return [
        matter_of(order)
        for order in open_orders.exclude(status__in=CLOSED_STATUSES, paid_at=None)
        if order.status == OrderStatus.PENDING or archiving_obstacles(order)
    ]
