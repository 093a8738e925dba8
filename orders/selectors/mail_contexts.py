"""What mails say of an order and of the shop, as JSON."""

from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from django.conf import settings
from django.utils import translation

from orders.access import access_token, order_url
from orders.models import Order, PaymentMode
from orders.selectors.addresses import billing_address, delivery_address
from orders.selectors.destinations import place_of
from orders.selectors.installments import agreed_plan
from orders.selectors.withdrawal_period import withdrawal_deadline
from orders.selectors.withdrawals import function_sentence, withdrawal_path
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.models import ShopSettings
from shop.core.site import absolute_url

_TEXTS = Path(settings.BASE_DIR) / "shop" / "pages" / "texts"


def order_context(order: Order, language: str) -> dict[str, Any]:
    """Return the order as JSON for a mail: amounts as "49.99", texts in `language`, pieces as the customer or, in
    French, the workshop calls them."""
    in_french = language == SOURCE_LANGUAGE
    with translation.override(language):
        delivery, billing = delivery_address(order), billing_address(order)
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
            "address_lines": [delivery.name, *delivery.lines],
            "billing_lines": [billing.name, *billing.lines] if billing != delivery else [],
            "gift_recipient": order.gift_recipient,
            "gift_message": order.gift_message,
            "items": [
                {
                    "name": item.staff_name if in_french else item.product_name,
                    "detail": item.staff_detail if in_french else item.detail,
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
            "installments": [
                {"due": part.due.isoformat(), "amount": str(part.amount)} for part in agreed_plan(order)
            ],
            "mandate_text": order.mandate_text,
            "meets_customs": place_of(order).meets_customs,
            "notes": order.notes,
        }


def seller_context() -> dict[str, Any]:
    """Return who sells, as the law wants it on every confirmation."""
    shop = ShopSettings.load()
    names = ("shop_name", *ShopSettings.REQUIRED_LEGAL_FIELDS)
    with translation.override(SOURCE_LANGUAGE):
        notice = shop.vat_notice_text
    return {**{name: str(getattr(shop, name)) for name in names}, "vat_notice": notice}


def withdrawal_notice(language: str) -> str:
    """Return the withdrawal notice with its form, in Markdown without its header."""
    shop = ShopSettings.load()
    text = (_TEXTS / "withdrawal-notice" / f"{language}.md").read_text(encoding="utf-8")
    if text.startswith("---"):
        text = text.split("---", 2)[2]
    text = with_withdrawal_form(text, language)
    with translation.override(language):
        text = text.replace("{{ withdrawal_function }}", function_sentence(absolute_url(withdrawal_path())))
    for name in ("shop_name", *ShopSettings.REQUIRED_LEGAL_FIELDS):
        # An address stands in the middle of a sentence here.
        lines = str(getattr(shop, name)).splitlines()
        text = text.replace(f"{{{{ {name} }}}}", ", ".join(line.strip() for line in lines if line.strip()))
    return text.strip()


def with_withdrawal_form(text: str, language: str) -> str:
    """Return the text with the law's model form (annex of R221-1) in its place; the form's own places are left."""
    form = (_TEXTS / "withdrawal-form" / f"{language}.md").read_text(encoding="utf-8")
    return text.replace("{{ withdrawal_form }}", form.strip())
