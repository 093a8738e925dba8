"""The documents of an order on its customer's page."""

from typing import Any
from urllib.parse import urlencode

from django import template
from django.urls import reverse
from django.utils.translation import get_language

from orders.access import access_token
from orders.models import Order
from orders.selectors.invoices import documents_of, tax_notice

register = template.Library()


@register.inclusion_tag("orders/_documents.html")
def order_documents(order: Order, signed: bool = False) -> dict[str, Any]:
    """Links to the invoice and the credit notes, `signed` for who came by a signed link, and what is said of VAT.

    Two queries.
    """
    address = reverse("api-order-invoice", args=[order.pk])
    access = {"acces": access_token(order)} if signed else {}
    return {
        "tax_notice": tax_notice(order, get_language() or "fr"),
        "documents": [
            {"entry": entry, "url": f"{address}?{urlencode({'number': entry.number, **access})}"}
            for entry in documents_of(order)
        ],
    }
