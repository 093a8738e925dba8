"""Correcting where a paid order goes: its customer until preparation begins, while no bank keeps it here; staff until
dispatch; nobody once nothing of it is to be sent."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _

from orders.journal import ADDRESS_CORRECTED, record_event
from orders.mails import mail_customer, mail_workshop, order_admin_url
from orders.models import IN_WORKSHOP, Order, OrderStatus
from orders.models.states import ActorKind
from orders.pricing.shipping import find_zone
from orders.pricing.territories import Place, VatPosition
from orders.search_index import index_order
from orders.selectors.addresses import delivery_address
from orders.selectors.destinations import country_code, is_stopped, not_served, place_at, place_of
from orders.selectors.invoices import is_taxed_at_destination
from orders.selectors.money import held_by_banks
from orders.selectors.rules import load_pricing_rules
from orders.selectors.workshop import is_awaited
from shop.core import limits
from shop.core.postcodes import postcode_error
from shop.core.problems import Problem

if TYPE_CHECKING:
    from accounts.models import User

_UNTIL = {ActorKind.CUSTOMER: (OrderStatus.CONFIRMED,), ActorKind.STAFF: IN_WORKSHOP}


@dataclass(frozen=True, slots=True)
class DeliveryAddress:
    """Where a parcel goes. `recipient` is only read for a gift, the first and last name for other orders."""

    address: str
    postal_code: str
    city: str
    country: str
    custom_country: str = ""
    phone: str = ""
    first_name: str = ""
    last_name: str = ""
    recipient: str = ""

    def columns(self, order: Order) -> dict[str, str]:
        """Return the columns of `order` that it fills."""
        name = (
            {"gift_recipient": self.recipient}
            if order.is_gift
            else {"first_name": self.first_name, "last_name": self.last_name}
        )
        return {
            **name,
            "address": self.address,
            "postal_code": self.postal_code,
            "city": self.city,
            "country": self.country,
            "custom_country": self.custom_country,
            "phone": self.phone,
        }


def may_correct_address(order: Order, by: ActorKind) -> bool:
    """Return whether this kind of person may still correct where the order goes. At most two queries."""
    if order.status not in _UNTIL[by] or not is_awaited(order):
        return False
    # The address that was paid for is what the shop answers the bank with.
    return by != ActorKind.CUSTOMER or not _is_held_by_bank(order)


def _is_held_by_bank(order: Order) -> bool:
    return Order.objects.filter(held_by_banks(), pk=order.pk).exists()


def correct_delivery_address(
    *, order_id: uuid.UUID, address: DeliveryAddress, by: ActorKind, actor: User | None
) -> Order:
    """Send a paid order elsewhere: the journal keeps who, before and after, and the customer gets a mail.

    Its invoice stays as it is; the customer is billed where they were before. The same address again does nothing.
    Raises Problem 409 `address_final` once it is too late, and for another country: 400 `country_not_served`, 409
    `address_changes_terms` when delivery cost, VAT or customs would be others; 400 `invalid` for a postcode that can't
    be; 429 `throttled` for a customer's eleventh in a day.
    """
    if by == ActorKind.CUSTOMER:
        limits.enforce(limits.ADDRESS_CORRECTION, str(order_id))
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
        if not may_correct_address(order, by):
            raise Problem("address_final", _too_late(order, by), 409)
        after = address.columns(order)
        before = {name: getattr(order, name) for name in after}
        if after == before:
            return order
        _refuse_other_terms(order, address, by)
        _refuse_postcode(address)
        billing = {} if order.has_own_billing else _billed_so_far(order)
        former = delivery_address(order)
        for name, value in {**after, **billing}.items():
            setattr(order, name, value)
        order.save(update_fields=[*after, *billing, "updated_at"])
        index_order(order)
        event = record_event(order, ADDRESS_CORRECTED, actor=actor, by=str(by), before=before, after=after)
        context = {"before_lines": [former.name, *former.lines]}
        mail_customer(order, "delivery_address_changed", context, once=event.pk)
        if by == ActorKind.CUSTOMER:
            mail_workshop(
                "delivery_address_changed_workshop",
                {**context, "admin_url": order_admin_url(order)},
                once=event.pk,
                order=order,
            )
    return order


def _too_late(order: Order, by: ActorKind) -> str:
    if order.status in IN_WORKSHOP and not is_awaited(order):
        return _("Il ne reste rien à expédier de cette commande.")
    if by != ActorKind.CUSTOMER:
        return _("Cette commande n'est plus à l'atelier.")
    if _is_held_by_bank(order):
        return _(
            "Votre banque conteste un paiement de cette commande\u00a0: écrivez-nous pour changer l'adresse."
        )
    return _("La préparation de votre commande a commencé\u00a0: écrivez-nous pour changer l'adresse.")


def _refuse_other_terms(order: Order, address: DeliveryAddress, by: ActorKind) -> None:
    now, then = place_at(address.country, address.custom_country, address.postal_code), place_of(order)
    # What was sold before a country was stopped still goes there.
    if now.country != then.country and is_stopped(now):
        raise not_served("country")
    if _zone(then) != _zone(now) or _taxed_as(order, then) != _taxed_as(order, now):
        refusal = _(
            "Livrer dans ce pays changerait le prix, la TVA ou les droits de douane de votre commande\u00a0:"
            " écrivez-nous, nous trouverons une solution."
        )
        if by != ActorKind.CUSTOMER:
            refusal = _(
                "Livrer à cette adresse changerait le prix, la TVA ou les droits de douane de la commande\u00a0:"
                " remboursez-la, puis invitez le client à commander de nouveau."
            )
        raise Problem("address_changes_terms", refusal, 409, errors={"country": [refusal]})


def _refuse_postcode(address: DeliveryAddress) -> None:
    country = country_code(address.country, address.custom_country)
    if refusal := postcode_error(country, address.postal_code):
        raise Problem("invalid", refusal, errors={"postalCode": [refusal]})


def _zone(place: Place) -> str:
    rules = load_pricing_rules()
    return find_zone(place, rules.zones, rules.fallback_zone).code


def _taxed_as(order: Order, place: Place) -> str:
    """Name places between which a parcel may be sent elsewhere without another VAT, other returns or other papers."""
    if place.meets_customs or (place.vat == VatPosition.UNION and is_taxed_at_destination(order)):
        return f"{place.country}/{place.territory}"
    return place.vat.value


def _billed_so_far(order: Order) -> dict[str, str]:
    return {
        "billing_name": order.customer_name,
        "billing_address": order.address,
        "billing_postal_code": order.postal_code,
        "billing_city": order.city,
        "billing_country": order.country,
        "billing_custom_country": order.custom_country,
    }
