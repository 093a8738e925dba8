"""What a person receives of their orders, payments and documents, as records with files."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Model
from django.utils.text import capfirst
from django.utils.timezone import localtime
from django.utils.translation import gettext_lazy as _

from orders.invoices.contracts import contract_file_name, ensure_contract_document
from orders.invoices.documents import ensure_document, file_name
from orders.models import (
    CardChange,
    Contract,
    Dispute,
    InstallmentPause,
    Invoice,
    InvoiceDraft,
    Order,
    OrderEvent,
    OrderNote,
    PiecePhoto,
    RefundRequest,
    StoredCard,
    Withdrawal,
)
from orders.selectors.personal_data import orders_of, withdrawals_of
from orders.selectors.piece_photos import photos_of_orders
from orders.services.fulfilment.erasing import personal_words, provider_events
from shop.core.amounts import localised_amount
from shop.core.dates import day_in_words, shop_day
from shop.core.file_storage import private_storage
from shop.core.personal_data import ExportedFile, Person, Record, record_of

# Of an order, what names its customer.
ADDRESS_COLUMNS = (
    *(
        "email",
        "first_name",
        "last_name",
        "address",
        "postal_code",
        "city",
        "country",
        "custom_country",
        "phone",
    ),
    *(
        "notes",
        "billing_name",
        "billing_company",
        "billing_company_number",
        "billing_address",
        "billing_postal_code",
        "billing_city",
    ),
    *("billing_country", "billing_custom_country", "gift_recipient", "gift_message"),
)


def order_records(person: Person) -> list[Record]:
    """Return each order with its lines, the steps that its customer saw and what staff wrote about it, then the
    declarations."""
    orders = orders_of(person).prefetch_related(
        "items", "tracking", "staff_notes", "installment_pauses", "events"
    )
    photos = photos_of_orders(orders)
    return [
        *(_order(order, photos[order.pk]) for order in orders),
        *(_withdrawal(row) for row in withdrawals_of(person)),
    ]


def _order(order: Order, photos: Sequence[PiecePhoto]) -> Record:
    return record_of(
        order,
        *("reference", "created_at", "status", "language", *ADDRESS_COLUMNS),
        *("payment_mode", "subtotal", "shipping_cost", "total", "promised_by"),
        *("terms_version", "terms_accepted_at", "mandate_text", "paid_at", "shipped_at", "delivered_at"),
        *("retention_reason", "retention_decision"),
        lines=(
            str(_("Pièces")),
            [
                f"{item.quantity} × {item.label} – {localised_amount(item.line_total)}"
                for item in order.items.all()
            ],
        ),
        tracking=(
            str(_("Suivi")),
            [
                " · ".join(
                    filter(
                        None,
                        (
                            step.get_status_display(),
                            day_in_words(localtime(step.created_at), "DATETIME_FORMAT"),
                            step.message,
                            step.tracking_number,
                        ),
                    )
                )
                for step in order.tracking.all()
            ],
        ),
        photos=_listed(PiecePhoto, ((row.taken_at, row.message) for row in photos)),
        notes_of_staff=_listed(OrderNote, ((row.created_at, row.text) for row in order.staff_notes.all())),
        pauses=_listed(
            InstallmentPause, ((row.started_at, row.reason) for row in order.installment_pauses.all())
        ),
        journal=_listed(OrderEvent, ((row.created_at, _words(row)) for row in order.events.all())),
        files=[
            ExportedFile(f"{order.reference}-{photo.pk}.jpg", partial(_picture, photo)) for photo in photos
        ],
    )


def _listed(model: type[Model], rows: Iterable[tuple[datetime, str]]) -> tuple[str, list[str]]:
    """The rows of an order that have words, each with its day, under the name of their kind."""
    label = str(capfirst(model._meta.verbose_name_plural or ""))
    return label, [f"{day_in_words(shop_day(moment))} · {words}" for moment, words in rows if words]


def _words(event: OrderEvent) -> str:
    found = [
        ", ".join(str(part) for part in value.values() if part) if isinstance(value, dict) else str(value)
        for value in personal_words(event).values()
    ]
    return " → ".join(filter(None, found))


def _picture(photo: PiecePhoto) -> bytes | None:
    try:
        with private_storage().open(photo.file) as stored:
            return bytes(stored.read())
    except FileNotFoundError:
        return None


def _withdrawal(withdrawal: Withdrawal) -> Record:
    case = getattr(withdrawal, "case", None)
    return record_of(
        withdrawal,
        *(
            "name",
            "email",
            "order_text",
            "reason",
            "statement",
            "language",
            "declared_at",
            "channel",
            "sent_on",
        ),
        reference=(str(_("Rétractation")), withdrawal.reference),
        state=(str(_("Suite donnée")), str(case) if case else ""),
        decision=(str(_("Décision")), case.decision if case else ""),
        goods=(str(capfirst(_("articles rendus, selon le client"))), case.goods if case else ""),
        revocation_text=(
            str(capfirst(_("écrit du client qui y renonce"))),
            case.revocation_text if case else "",
        ),
    )


def payment_records(person: Person) -> list[Record]:
    """Return the payments and refunds of each order with their reasons, the card that is stored for it, and what the
    provider sent."""
    records: list[Record] = []
    rows_of_order = ("payments", "refunds", "refund_requests", "disputes", "card_changes")
    for order in orders_of(person).prefetch_related(*rows_of_order):
        card = StoredCard.objects.filter(order=order, forgotten_at=None).first()
        records.append(
            record_of(
                order,
                "reference",
                payments=(
                    str(_("Paiements")),
                    [
                        f"{day_in_words(row.due_on)} · {localised_amount(row.amount)} · {row.get_state_display()}"
                        for row in order.payments.all()
                    ],
                ),
                refunds=(
                    str(_("Remboursements")),
                    [
                        f"{day_in_words(shop_day(row.created_at))} · {localised_amount(row.amount)}"
                        f" · {' · '.join(filter(None, (row.get_state_display(), row.transfer_reference, row.note)))}"
                        for row in order.refunds.all()
                    ],
                ),
                decisions=_listed(
                    RefundRequest, ((row.created_at, row.reason) for row in order.refund_requests.all())
                ),
                disputes=_listed(Dispute, ((row.opened_at, row.reason) for row in order.disputes.all())),
                mandates=_listed(
                    CardChange, ((row.created_at, row.mandate_text) for row in order.card_changes.all())
                ),
                card=(str(_("Carte enregistrée chez Stripe")), str(card) if card else ""),
                files=[
                    ExportedFile(f"{event.event_id}.json", partial(_body, event.body))
                    for event in provider_events(order).exclude(body={}).order_by("pk")
                ],
            )
        )
    return records


def _body(body: object) -> bytes:
    return DjangoJSONEncoder(indent=1, ensure_ascii=False).encode(body).encode()


def _invoices(person: Person) -> list[Record]:
    invoices = Invoice.objects.filter(order__in=orders_of(person).order_by()).order_by("issued_at", "pk")
    return [
        record_of(
            invoice,
            *("number", "kind", "issued_at", "total"),
            files=[ExportedFile(file_name(invoice), partial(_pdf, invoice.pk))],
        )
        for invoice in invoices
    ]


def document_records(person: Person) -> list[Record]:
    """Return the contracts and the invoices, each with its PDF, and what is to stand on those to come."""
    drafts = InvoiceDraft.objects.filter(order__in=orders_of(person).order_by()).order_by("pk")
    return [
        *_contracts(person),
        *_invoices(person),
        *(
            record_of(draft, "customer_name", "customer_address", "customer_number", "notes")
            for draft in drafts
        ),
    ]


def _contracts(person: Person) -> list[Record]:
    contracts = Contract.objects.filter(order__in=orders_of(person).order_by()).order_by("created_at", "pk")
    return [
        record_of(
            contract,
            *("created_at", "terms_version"),
            files=[ExportedFile(contract_file_name(contract), partial(_contract_pdf, contract.pk))],
        )
        for contract in contracts
    ]


def _contract_pdf(contract_id: int) -> bytes:
    return bytes(ensure_contract_document(Contract.objects.get(pk=contract_id)).pdf)


def _pdf(invoice_id: int) -> bytes:
    return bytes(ensure_document(Invoice.objects.get(pk=invoice_id)).pdf)
