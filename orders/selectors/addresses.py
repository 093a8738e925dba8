"""An order's addresses as they are written on parcels, pages, mails and invoices."""

from dataclasses import dataclass, replace

from orders.models import Order
from orders.selectors.destinations import country_code
from orders.selectors.rules import country_name


@dataclass(frozen=True, slots=True)
class PostalAddress:
    """A name and where it lives. `contact` is the person at a company, "" for a person."""

    name: str
    contact: str
    street: str
    postal_code: str
    city: str
    country: str
    custom_country: str

    @property
    def lines(self) -> list[str]:
        """What stands below the name, in the active language."""
        country = country_name(self.country, self.custom_country)
        lines = (self.contact, self.street, f"{self.postal_code} {self.city}".strip(), country)
        return [line for line in lines if line]

    @property
    def country_code(self) -> str:
        """The ISO code, also of a country typed under « Autre » where it is known."""
        return country_code(self.country, self.custom_country)


def delivery_address(order: Order) -> PostalAddress:
    """Return where the parcel goes."""
    return PostalAddress(
        name=order.recipient_name,
        contact="",
        street=order.address,
        postal_code=order.postal_code,
        city=order.city,
        country=order.country,
        custom_country=order.custom_country,
    )


def billing_address(order: Order) -> PostalAddress:
    """Return who is billed: the customer, at the address of the delivery unless they gave another."""
    if not order.has_own_billing:
        return replace(delivery_address(order), name=order.customer_name)
    return PostalAddress(
        name=order.billing_company or order.billing_name,
        contact=order.billing_name if order.billing_company else "",
        street=order.billing_address,
        postal_code=order.billing_postal_code,
        city=order.billing_city,
        country=order.billing_country,
        custom_country=order.billing_custom_country,
    )


def is_delivered_elsewhere(order: Order) -> bool:
    """Return whether the parcel goes to somebody or somewhere else than the invoice."""
    return delivery_address(order) != billing_address(order)
