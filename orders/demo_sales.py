"""Who bought what in the demonstration: invented people, and the same sales on every machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from orders.models import OrderStatus

_YEAR = 360
_FIRST = 25
"""Days: the sales begin a year ago; the latest are old enough to have been delivered."""


@dataclass(frozen=True, slots=True)
class Buyer:
    """An invented customer."""

    first_name: str
    last_name: str
    address: str
    postal_code: str
    city: str
    country: str = "FR"

    @property
    def email(self) -> str:
        return "client@example.com" if self == CAMILLE else f"{self.first_name.lower()}@example.com"


@dataclass(frozen=True, slots=True)
class Sale:
    """An order of the past: how many days ago, which piece by its place in the list, how many of it."""

    days: int
    buyer: Buyer
    piece: int
    quantity: int
    status: OrderStatus


CAMILLE = Buyer("Camille", "Exemple", "12 rue des Lilas", "69003", "Lyon")
_GUESTS = (
    Buyer("Sacha", "Modèle", "4 quai du Port", "13002", "Marseille"),
    Buyer("Alix", "Gabarit", "27 rue Haute", "67000", "Strasbourg"),
    Buyer("Robin", "Muster", "Lindenstrasse 8", "50674", "Köln", "DE"),
    Buyer("Noa", "Maquette", "9 place du Marché", "35000", "Rennes"),
    Buyer("Lou", "Ejemplo", "Calle Mayor 15", "46001", "Valencia", "ES"),
    Buyer("Charlie", "Ébauche", "31 rue des Tanneurs", "59800", "Lille"),
    Buyer("Andrea", "Voorbeeld", "Kerkstraat 12", "9000", "Gent", "BE"),
    Buyer("Maxime", "Croquis", "2 chemin des Vignes", "33000", "Bordeaux"),
    Buyer("Kim", "Beispiel", "Seeweg 5", "8001", "Zürich", "CH"),
)


def past_sales() -> Iterator[Sale]:
    """Some fifty sales, one every four to ten days; every twelfth went back."""
    number, days = 0, _YEAR
    while days >= _FIRST:
        yield Sale(
            days=days,
            buyer=_GUESTS[number % len(_GUESTS)],
            piece=number * 5 % 8,
            quantity=2 if number % 7 == 3 else 1,
            status=OrderStatus.REFUNDED if number % 12 == 7 else OrderStatus.DELIVERED,
        )
        number += 1
        days -= 4 + number * 3 % 7
