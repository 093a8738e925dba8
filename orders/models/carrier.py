"""Carriers whose parcels can be followed on a page of theirs."""

from functools import reduce
from typing import cast
from urllib.parse import quote

from django.db import models
from django.db.models import F, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Replace
from django.utils.translation import gettext_lazy as _


class Carrier(models.TextChoices):
    """Who brings the parcel. Names are the carriers' own; `""` is one that is not listed."""

    COLISSIMO = "colissimo", "Colissimo (La Poste)"
    CHRONOPOST = "chronopost", "Chronopost"
    MONDIAL_RELAY = "mondial-relay", "Mondial Relay"
    DPD = "dpd", "DPD"
    UPS = "ups", "UPS"
    DHL = "dhl", "DHL"

    __empty__ = _("Autre transporteur, ou remise en main propre")


def offered_carriers() -> list[dict[str, str]]:
    """Return the carriers as staff choose among them, with `code` and `name`: the usual one first, `""` last."""
    named = [(code, name) for code, name in Carrier.choices if code]
    return [{"code": code, "name": str(name)} for code, name in (*named, ("", Carrier.__empty__))]


# What stands between groups: a space, on pages one that does not break.
_SPACES = " \u00a0\u202f"
_WITHOUT_SPACES = str.maketrans("", "", _SPACES)
_PAGES = {
    Carrier.COLISSIMO: "https://www.laposte.fr/outils/suivre-vos-envois?code={number}",
    Carrier.CHRONOPOST: "https://www.chronopost.fr/tracking-no-cms/suivi-page?listeNumerosLT={number}",
    Carrier.MONDIAL_RELAY: (
        "https://www.mondialrelay.fr/suivi-de-colis/?numeroExpedition={number}&codePostal={postal_code}"
    ),
    Carrier.DPD: "https://trace.dpd.fr/fr/trace/{number}",
    Carrier.UPS: "https://www.ups.com/track?tracknum={number}",
    Carrier.DHL: "https://www.dhl.com/fr-fr/home/tracking.html?tracking-id={number}",
}


def as_one_word(number: str) -> str:
    """Return a tracking number without spaces: labels print it in groups, and it is typed or scanned either way."""
    return number.translate(_WITHOUT_SPACES)


def column_as_one_word(column: str) -> Combinable:
    """The same in the database, of a column."""
    return reduce(lambda found, space: Replace(found, Value(space)), _SPACES, cast(Combinable, F(column)))


def parcel_url(carrier: str, number: str, postal_code: str) -> str:
    """Return the carrier's page about a parcel; "" without a number or for a carrier that is not listed."""
    page = _PAGES.get(Carrier(carrier)) if carrier in Carrier.values else None
    if page is None or not number:
        return ""
    return page.format(number=quote(as_one_word(number), safe=""), postal_code=quote(postal_code, safe=""))
