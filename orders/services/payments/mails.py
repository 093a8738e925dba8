"""The mails of an order: written with the change that causes them, each once."""

from django.conf import settings
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from orders.invoices.documents import order_invoice_attachment
from orders.models import Order, Refund, RefundReason
from orders.selectors.mail_contexts import confirmation_context, order_context, seller_context
from shop.core.mail import queue_mail
from shop.core.models import ShopSettings


def mail_confirmation(order: Order) -> None:
    """To the customer, once, when the payment is verified: the contract on a durable medium (L221-13)."""
    queue_mail(
        kind="order_confirmation",
        to=order.email,
        language=order.language,
        context=confirmation_context(order),
        dedupe_key=f"order_confirmation:{order.pk}",
        reference=order.reference,
        attachments=[order_invoice_attachment(order.pk)],
    )


def mail_workshop(order: Order) -> None:
    """To the workshop, in French: there is a piece to make."""
    shop = ShopSettings.load()
    with translation.override("fr"):
        context = {"order": order_context(order, "fr")}
    queue_mail(
        kind="order_new_workshop",
        to=shop.alert_address,
        language="fr",
        context=context,
        dedupe_key=f"order_new_workshop:{order.pk}",
        reference=order.reference,
    )


def mail_automatic_refund(order: Order, refund: Refund) -> None:
    """To the customer: a payment came that could not be kept, and goes back."""
    queue_mail(
        kind="payment_refunded_automatically",
        to=order.email,
        language=order.language,
        context={
            "order": order_context(order, order.language),
            "amount": str(refund.amount),
            "reason": _refund_reason(refund.reason, order.language),
            "seller": seller_context(),
        },
        dedupe_key=f"payment_refunded_automatically:{refund.pk}",
        reference=order.reference,
    )


def mail_review_alert(order: Order, reason: str) -> None:
    """To the workshop: a payment does not fit its order, and nothing was confirmed."""
    queue_mail(
        kind="payment_review_alert",
        to=ShopSettings.load().alert_address,
        language="fr",
        context={
            "order": order_context(order, "fr"),
            "reason": reason,
            "admin_url": settings.SITE_URL + reverse("admin:orders_order_change", args=[order.pk]),
        },
        dedupe_key=f"payment_review_alert:{order.pk}:{reason[:80]}",
        reference=order.reference,
    )


def _refund_reason(reason: str, language: str) -> str:
    with translation.override(language):
        texts = {
            RefundReason.DUPLICATE: _(
                "La commande avait déjà été payée : votre second paiement vous est rendu."
            ),
            RefundReason.UNAVAILABLE: _("Une pièce n'était plus disponible quand le paiement est arrivé."),
        }
        return texts.get(RefundReason(reason), "")
