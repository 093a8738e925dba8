"""A small shop of which the pages are read."""

import pytest

from catalog.models import CategoryKind
from catalog.tests.factories import make_category, make_image, make_product

# The closure, the delivery line (zones with their rates), the menu and the season's entry in the header of every page,
# cached elsewhere.
HEADER_QUERIES = 4


@pytest.fixture(scope="module")
def shop(module_rows):
    mangas = make_category("mangas", name_fr="Mangas", name_en="Manga", offers_finishes=True, position=1)
    make_category("bust", name_fr="Bust", position=2)
    noel = make_category("noel", kind=CategoryKind.COLLECTION, name_fr="Noël", title_fr="Collection Noël")
    blade = make_product(
        "Lame d'automne",
        "129.00",
        name_en="Autumn Blade",
        category=mangas,
        painted_price="129.00",
        unpainted_price="62.00",
        description_fr="Elle attend.",
    )
    make_image(blade, 1)
    return {"blade": blade, "elf": make_product("Lutin", category=noel), "mangas": mangas}


def page(client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()
