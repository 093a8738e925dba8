"""The address book of a member."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from django.db import transaction
from django.utils.translation import gettext as _
from django_countries import countries

from accounts.models import Address, User
from shop.core.members import lock_member
from shop.core.postcodes import OTHER_COUNTRY, postcode_error
from shop.core.problems import InvalidFields, Problem

MAX_ADDRESSES = 20
DEFAULTS = ("is_delivery_default", "is_billing_default")


@dataclass(frozen=True, slots=True)
class AddressDetails:
    """An address as it was typed, on one line each. `country` is an ISO 3166-1 code, or ZZ with `custom_country`."""

    first_name: str
    last_name: str
    address: str
    city: str
    country: str
    postal_code: str = ""
    custom_country: str = ""
    phone: str = ""
    label: str = ""
    is_delivery_default: bool = False
    is_billing_default: bool = False


def save_address(*, user: User, details: AddressDetails, address_id: int | None = None) -> Address:
    """Add an address, or change the one of this key; the first one is the first choice of both.

    One that the book holds already is not added again. Raises Problem: 400 `invalid` with messages by field, 404
    `not_found` for an unknown key and for somebody else's, 409 `too_many_addresses`;
    and `NotAuthenticated` (see `lock_member`).
    """
    values = _checked(details)
    with transaction.atomic():
        # Two tabs at once: the second waits here and counts what the first left.
        lock_member(user.pk)
        book = list(Address.objects.filter(user=user))
        row = _row_to_write(book, user, values, address_id)
        if not any(other.pk != row.pk for other in book):
            values |= dict.fromkeys(DEFAULTS, True)
        for name in DEFAULTS:
            if values[name]:
                Address.objects.filter(user=user).update(**{name: False})
        for name, value in values.items():
            setattr(row, name, value)
        row.save()
    return row


def delete_address(*, user: User, address_id: int) -> None:
    """Remove an address from the book; orders hold their own copy.

    Raises Problem 404 `not_found`; and `NotAuthenticated` (see `lock_member`).
    """
    with transaction.atomic():
        # One that is being changed is waited for: stored after its deletion, it would be there again.
        lock_member(user.pk)
        address = Address.objects.filter(user=user, pk=address_id).first()
        if address is None:
            raise _not_found()
        address.delete()


def _row_to_write(
    book: list[Address], user: User, values: dict[str, str | bool], address_id: int | None
) -> Address:
    if address_id is not None:
        row = next((address for address in book if address.pk == address_id), None)
        if row is None:
            raise _not_found()
        return row
    where = [name for name in values if name not in (*DEFAULTS, "label", "phone")]
    for row in book:
        if all(getattr(row, name) == values[name] for name in where):
            for name in ("label", "phone"):
                values[name] = values[name] or getattr(row, name)
            for name in DEFAULTS:
                values[name] = values[name] or getattr(row, name)
            return row
    if len(book) >= MAX_ADDRESSES:
        raise Problem(
            "too_many_addresses",
            _("Votre carnet contient déjà %(count)d adresses. Supprimez-en une d'abord.")
            % {"count": MAX_ADDRESSES},
            409,
        )
    return Address(user=user)


def _checked(details: AddressDetails) -> dict[str, str | bool]:
    """The columns to write. Raises Problem 400 `invalid`."""
    values = {
        name: " ".join(value.split()) if isinstance(value, str) else value
        for name, value in asdict(details).items()
    }
    errors: dict[str, list[str]] = {}
    for name in ("first_name", "last_name", "address", "city"):
        if not values[name]:
            errors[name] = [_("Ce champ est obligatoire.")]
    for name, value in values.items():
        limit = getattr(Address._meta.get_field(name), "max_length", 0)
        if isinstance(value, str) and len(value) > limit:
            errors[name] = [_("Au plus %(count)d caractères.") % {"count": limit}]
    country = values["country"] = str(values["country"]).upper()
    if country == OTHER_COUNTRY:
        if not values["custom_country"]:
            errors.setdefault("custom_country", [_("Indiquez votre pays.")])
    else:
        values["custom_country"] = ""
        if country not in countries:
            errors["country"] = [_("Choisissez un pays de la liste.")]
        elif refusal := postcode_error(country, str(values["postal_code"])):
            errors.setdefault("postal_code", [refusal])
    if errors:
        raise InvalidFields(errors)
    return values


def _not_found() -> Problem:
    return Problem("not_found", _("Cette adresse n'existe pas."), 404)
