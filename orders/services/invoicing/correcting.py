"""What staff may change: the draft before the invoice is issued; afterwards a credit note and a new invoice."""

import uuid
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _

from orders.invoices.issuing import current_invoice, reissue_invoice
from orders.journal import record_event
from orders.models import Invoice, InvoiceDraft, Order
from orders.services.invoicing.sending import mail_documents
from shop.core.problems import Problem

if TYPE_CHECKING:
    from accounts.models import User


@dataclass(frozen=True, slots=True)
class DraftValues:
    """The parts of an invoice that can be edited. An empty name, address or number means that of the order."""

    customer_name: str = ""
    customer_address: str = ""
    customer_number: str = ""
    notes: str = ""


def edit_invoice(
    *,
    order_id: uuid.UUID,
    values: DraftValues,
    explanation: str = "",
    seen: str | None = None,
    actor: "User | None" = None,
) -> Invoice | None:
    """Store `values` for the invoice to come (None is returned), or correct the one that was issued.

    A correction needs an `explanation`, which both new documents print; the customer gets them by mail. Values that
    change nothing change nothing: a form sent twice corrects once. `seen` is the number of the invoice that the person
    saw, empty before there was one. Raises Order.DoesNotExist, and Problem 400 without an explanation, 409 for an
    invoice that a refund has credited in part, and `conflict` for another one than was seen.
    """
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
        issued = current_invoice(order)
        draft = InvoiceDraft.objects.filter(order=order).first() or InvoiceDraft(order=order)
        names = [field.name for field in fields(DraftValues)]
        unchanged = all(getattr(draft, name) == getattr(values, name) for name in names)
        if issued is not None and unchanged:
            return issued
        if seen is not None and seen != (issued.number if issued else ""):
            raise Problem(
                "conflict",
                _("La facture a changé entre-temps. Relisez-la, reprenez ses valeurs, puis recommencez."),
                409,
            )
        for name in names:
            setattr(draft, name, getattr(values, name))
        if issued is None:
            draft.save()
            record_event(order, "invoice.draft", actor=actor)
            return None
        _refuse_unless_correctable(issued, explanation)
        draft.save()
        credit_note, invoice = reissue_invoice(credited=issued, draft=draft, reason=explanation)
        record_event(
            order,
            "invoice.corrected",
            actor=actor,
            replaced=issued.number,
            credit_note=credit_note.number,
            number=invoice.number,
        )
        mail_documents([invoice, credit_note], explanation=explanation)
        return invoice


def _refuse_unless_correctable(issued: Invoice, explanation: str) -> None:
    if issued.credit_notes.exists():
        raise Problem(
            "invoice_credited", _("Cette facture a déjà un avoir : elle ne peut plus être rectifiée."), 409
        )
    if not explanation:
        text = _("Expliquez la rectification : le client la lira.")
        raise Problem("explanation_required", text, 400, errors={"explanation": [text]})
