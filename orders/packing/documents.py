"""Delivery notes and address labels as PDF, made when they are asked for: nothing of them is stored."""

import json
from collections.abc import Sequence
from typing import Any

from django.utils import timezone, translation
from django.utils.translation import gettext as _

from orders.models import Order, Shipment
from orders.packing.typeset import typeset
from orders.selectors.addresses import delivery_address
from orders.selectors.sending_marks import sending_marks
from orders.selectors.withdrawals import rest_follows, units_that_follow
from shop.core.dates import day_in_words
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.letters import drawable, without_pictures
from shop.core.models import ShopSettings


def packing_slip(order: Order, shipment: Shipment | None) -> bytes:
    """Return the sheet that goes into a parcel, in the customer's language and without any price.

    It lists the pieces of `shipment`; without one those that are still to be sent, and all once everything has left. It
    bears why staff do not send them, in French, and is printed anew once they may.
    """
    return typeset("slip.typ", json.dumps(drawable(slip_view(order, shipment)), ensure_ascii=False))


def slip_view(order: Order, shipment: Shipment | None = None) -> dict[str, Any]:
    """Return the texts of `packing_slip`."""
    with translation.override(SOURCE_LANGUAGE):
        mark = "" if shipment is not None else sending_marks([order]).get(order.pk, "")
    with translation.override(order.language):
        units = _units(order, shipment)
        delivery = delivery_address(order)
        return {
            "language": order.language,
            "shop_name": ShopSettings.load().shop_name,
            "title": _("Bon de livraison"),
            "reference": order.reference,
            "mark": mark,
            "order": _("Commande %(reference)s du %(day)s")
            % {"reference": order.reference, "day": day_in_words(timezone.localdate(order.created_at))},
            "deliver_to": _("Livrer à"),
            "address": [delivery.name, *delivery.lines],
            "columns": [_("Article"), _("Finition et format"), _("Quantité")],
            "lines": [
                {
                    "name": item.product_name,
                    "sku": item.sku,
                    "detail": item.detail or "–",
                    "quantity": str(units[item.pk]),
                }
                for item in order.items.all()
                if units.get(item.pk)
            ],
            "rest": _("Le reste de votre commande suit dans un autre colis.")
            if shipment is not None and rest_follows(order)
            else "",
            "gift_title": _("%(name)s vous écrit") % {"name": order.customer_name},
            "gift_message": without_pictures(order.gift_message),
        }


def address_labels(orders: Sequence[Order]) -> bytes:
    """Return one label of 105 × 148 mm for each order: who sends, where it goes, and the order's reference."""
    shop = ShopSettings.load()
    labels = []
    for order in orders:
        delivery = delivery_address(order)
        labels.append(
            {
                "address": [delivery.name, *delivery.lines],
                "phone": order.phone,
                "reference": order.reference,
            }
        )
    view = {
        "shop_name": shop.shop_name,
        "title": _("Étiquettes d'adresse"),
        "from": _("Expéditeur"),
        "sender": [shop.shop_name, *shop.address_lines],
        "labels": labels,
    }
    return typeset("label.typ", json.dumps(drawable(view), ensure_ascii=False))


def _units(order: Order, shipment: Shipment | None) -> dict[int, int]:
    if shipment is not None:
        return {line.item_id: line.quantity for line in shipment.lines.all()}
    to_send = units_that_follow(order)
    return to_send if any(to_send.values()) else {item.pk: item.quantity for item in order.items.all()}
