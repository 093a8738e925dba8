"""What a product's page says of its safety (Regulation (EU) 2023/988, art. 19): one place for the defaults."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from catalog.models import Product, SafetyClass, SafetyFields


@dataclass(frozen=True, slots=True)
class Safety:
    """In the active language. `maker` has its name, postal address and e-mail in lines; "" is the shop itself."""

    kind: SafetyClass
    minimum_age: int
    warnings: str
    maker: str


AGES = {SafetyClass.COLLECTOR: 14, SafetyClass.DECORATION: 14, SafetyClass.CLOCK: 14}
"""Years; a toy has those that somebody wrote, which the database asks for."""

_SMALL_PARTS = _(
    "Ce n'est pas un jouet\u00a0: petites pièces et parties fragiles, à tenir hors de portée des enfants de moins de "
    "3\u00a0ans."
)
WARNINGS: dict[SafetyClass, tuple[str | Promise, ...]] = {
    SafetyClass.COLLECTOR: (_SMALL_PARTS,),
    SafetyClass.DECORATION: (_("Objet de décoration."), _SMALL_PARTS),
    SafetyClass.CLOCK: (
        _SMALL_PARTS,
        _(
            "Fonctionne avec une pile, à tenir hors de portée des enfants\u00a0: avalée, elle brûle gravement en moins "
            "de deux heures. Rapportez les piles usées à un point de collecte."
        ),
    ),
}


def safety_of(product: Product) -> Safety:
    """What the product says, else its category, else what is usual for its class. Read its category with it."""
    category = product.category
    # A category's words are about its own class.
    asked: list[SafetyFields] = [product]
    if product.safety_class in ("", category.safety_class):
        asked.append(category)
    kind = SafetyClass(product.safety_class or category.safety_class)
    return Safety(
        kind=kind,
        minimum_age=next(
            (row.minimum_age for row in asked if row.minimum_age is not None), AGES.get(kind, 0)
        ),
        warnings=next((row.warnings for row in asked if row.warnings), "")
        or " ".join(str(sentence) for sentence in WARNINGS.get(kind, ())),
        maker=product.maker or category.maker,
    )
