"""References by which a mail carries an invoice or a credit note; the file is read when the mail leaves."""

import uuid

from shop.core.mail_content import Attachment

ORDER_INVOICE = "order-invoice"
CREDIT_NOTE = "credit-note"
DOCUMENT = "invoice"


def order_invoice(order_id: uuid.UUID) -> Attachment:
    """The invoice of an order, whatever its number. A mail that leaves without it is followed by one with it."""
    return Attachment(ORDER_INVOICE, str(order_id), required=False)


def credit_note_of(request_id: uuid.UUID) -> Attachment:
    """The credit note of a refund decision, on the same terms."""
    return Attachment(CREDIT_NOTE, str(request_id), required=False)


def document(invoice_id: int) -> Attachment:
    """One document, for a mail that has no sense without it."""
    return Attachment(DOCUMENT, str(invoice_id), required=True)
