"""The mails of a payment: written with the change that causes them, each once."""

from django.utils import translation

from orders.invoices.contracts import contract_attachment
from orders.invoices.documents import order_invoice_attachment
from orders.mails import mail_customer, mail_workshop, order_admin_url
from orders.models import Attempt, CardChange, Contract, Invoice, Order, Refund, RefundReason
from orders.selectors.invoices import tax_notice_of
from orders.selectors.mail_contexts import seller_context, withdrawal_notice
from orders.selectors.refund_words import automatic_refund_text, is_of_installment_not_owed


def mail_confirmation(
    order: Order, contract: Contract, invoice: Invoice, *, once: object | None = None
) -> None:
    """To the customer, when the payment is verified: the contract on a durable medium (L221-13). Once, and again for
    each `once`.

    The mail waits for the contract's PDF, which it carries, and goes without the invoice's if that can't be made.
    """
    context = {
        "terms_version": order.terms_version,
        "withdrawal_notice": withdrawal_notice(order.language),
        "seller": {**seller_context(), "vat_notice": tax_notice_of(invoice, order.language)},
    }
    attachments = [contract_attachment(contract), order_invoice_attachment(order.pk)]
    mail_customer(order, "order_confirmation", context, once=once or order.pk, attachments=attachments)


def mail_new_order(order: Order) -> None:
    """To the workshop: there is an order to make."""
    mail_workshop("order_new_workshop", {}, once=order.pk, order=order)


def mail_automatic_refund(order: Order, refund: Refund) -> None:
    """To the customer: a payment came that could not be accepted, and is refunded."""
    with translation.override(order.language):
        reason = automatic_refund_text(refund)
    stands = refund.reason == RefundReason.DUPLICATE or is_of_installment_not_owed(refund)
    context = {"amount": str(refund.amount), "reason": reason, "order_stands": stands}
    mail_customer(order, "payment_refunded_automatically", context, once=refund.pk)


def mail_review_alert(order: Order, subject: Attempt | CardChange, reason: str) -> None:
    """To the workshop: a payment, or a card that was left, does not fit its order, and nothing was confirmed."""
    mail_workshop(
        "payment_review_alert",
        {"reason": reason, "admin_url": order_admin_url(order)},
        once=f"{subject.pk}:{reason[:80]}",
        order=order,
    )


def mail_refused_cards(order: Order, page_id: str, refused: int) -> None:
    """To the workshop: a page is closed, as card after card was refused. `page_id`: its attempt or card change."""
    mail_workshop(
        "payment_review_alert",
        {"reason": f"cards refused: {refused}", "refused": True, "admin_url": order_admin_url(order)},
        once=page_id,
        order=order,
    )
