"""The mails of an order: written with the change that causes them, each once."""

from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from django.conf import settings
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from orders.access import access_token, order_url
from orders.invoices.attachments import order_invoice
from orders.models import Order, PaymentMode, Refund, RefundReason
from orders.selectors.customs import outside_union
from orders.selectors.destinations import destination_of
from orders.selectors.installments import agreed_plan
from orders.selectors.invoices import tax_notice
from orders.selectors.rules import country_name
from orders.selectors.withdrawal_period import withdrawal_deadline
from orders.selectors.withdrawals import function_sentence, withdrawal_path
from shop.core.mail import queue_mail
from shop.core.models import ShopSettings
from shop.core.site import absolute_url

WITHDRAWAL_TEXTS = Path(settings.BASE_DIR) / "shop" / "pages" / "texts" / "withdrawal-notice"


def mail_confirmation(order: Order) -> None:
    """To the customer, once, when the payment is verified: the contract on a durable medium (L221-13)."""
    queue_mail(
        kind="order_confirmation",
        to=order.email,
        language=order.language,
        context=confirmation_context(order),
        dedupe_key=f"order_confirmation:{order.pk}",
        reference=order.reference,
        attachments=[order_invoice(order.pk)],
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


def confirmation_context(order: Order) -> dict[str, Any]:
    return {
        "order": order_context(order, order.language),
        "terms_version": order.terms_version,
        "withdrawal_notice": withdrawal_notice(order.language),
        "seller": {**seller_context(), "vat_notice": tax_notice(order, order.language)},
    }


def order_context(order: Order, language: str) -> dict[str, Any]:
    """The order as JSON for a mail: amounts as "49.99", texts in `language`."""
    with translation.override(language):
        address = [
            order.customer_name,
            order.address,
            f"{order.postal_code} {order.city}",
            country_name(order.country, order.custom_country),
        ]
        return {
            "id": str(order.pk),
            "reference": order.reference,
            "url": order_url(order),
            "withdrawal_until": deadline.isoformat() if (deadline := withdrawal_deadline(order)) else "",
            "withdrawal_url": absolute_url(withdrawal_path(order, access_token(order))),
            "created_at": order.created_at.isoformat(),
            "status": order.status,
            "status_label": order.get_status_display(),
            "language": order.language,
            "email": order.email,
            "customer_name": order.customer_name,
            "first_name": order.first_name,
            "phone": order.phone,
            "address_lines": address,
            "items": [
                {
                    "name": item.product_name,
                    "detail": item.detail,
                    "image": urljoin(settings.SITE_URL, item.product_image) if item.product_image else "",
                    "quantity": item.quantity,
                    "free_quantity": item.free_quantity,
                    "unit_price": str(item.unit_price),
                    "line_total": str(item.line_total),
                }
                for item in order.items.all()
            ],
            "original_total": str(order.original_total),
            "promotion_savings": str(order.promotion_savings),
            "subtotal": str(order.subtotal),
            "shipping_cost": str(order.shipping_cost),
            "total": str(order.total),
            "promised_by": order.promised_by.isoformat(),
            "payment_label": str(PaymentMode(order.payment_mode).label),
            "instalments": [
                {"due": part.due.isoformat(), "amount": str(part.amount)} for part in agreed_plan(order)
            ],
            "mandate_text": order.mandate_text,
            "meets_customs": outside_union(destination_of(order)),
            "notes": order.notes,
        }


def _refund_reason(reason: str, language: str) -> str:
    with translation.override(language):
        texts = {
            RefundReason.DUPLICATE: _(
                "La commande avait déjà été payée : votre second paiement vous est rendu."
            ),
            RefundReason.UNAVAILABLE: _("Une pièce n'était plus disponible quand le paiement est arrivé."),
        }
        return texts.get(RefundReason(reason), "")


def seller_context() -> dict[str, Any]:
    """Who sells, as the law wants it on every confirmation."""
    shop = ShopSettings.load()
    names = ("shop_name", *ShopSettings.REQUIRED_LEGAL_FIELDS, "vat_notice")
    return {name: str(getattr(shop, name)) for name in names}


def withdrawal_notice(language: str) -> str:
    """The withdrawal notice with its form, in Markdown without its header."""
    shop = ShopSettings.load()
    text = (WITHDRAWAL_TEXTS / f"{language}.md").read_text(encoding="utf-8")
    if text.startswith("---"):
        text = text.split("---", 2)[2]
    with translation.override(language):
        text = text.replace("{{ withdrawal_function }}", function_sentence(absolute_url(withdrawal_path())))
    for name in ("shop_name", *ShopSettings.REQUIRED_LEGAL_FIELDS):
        text = text.replace(f"{{{{ {name} }}}}", str(getattr(shop, name)))
    return text.strip()
