"""Values that the scripts of the pages repeat, because no schema of the API holds them, are the server's."""

import re

import pytest
from django.conf import settings

from catalog.models.promotion import FIXED_PROMOTIONS
from catalog.selectors.favourites import MAX_FAVOURITES
from catalog.selectors.suggestions import SHORTEST_TEXT
from shop.consent.registry import CHOICE_MONTHS
from shop.core.image_drawing import MASTER_SIDE
from shop.core.images import MAX_BYTES, MAX_NAME_LENGTH
from shop.core.postcodes import OTHER_COUNTRY


@pytest.mark.parametrize(
    ("file", "name", "value"),
    [
        ("consent/choice.ts", "MONTHS", CHOICE_MONTHS),
        ("lib/favourites.ts", "MAX_FAVOURITES", MAX_FAVOURITES),
        ("purchase/early.ts", "OTHER_COUNTRY", OTHER_COUNTRY),
        ("runtime/search-box.ts", "SHORTEST_TEXT", SHORTEST_TEXT),
        ("staff/order/address-dialog.tsx", "OTHER", OTHER_COUNTRY),
        ("staff/pictures/shrink.ts", "MAX_BYTES", MAX_BYTES),
        ("staff/pictures/shrink.ts", "MAX_NAME", MAX_NAME_LENGTH),
        ("staff/pictures/shrink.ts", "MAX_SIDE", MASTER_SIDE),
        ("staff/products/bulk-edit.tsx", "PLAIN_PROMOTIONS", list(FIXED_PROMOTIONS)),
    ],
)
def test_a_value_of_a_script_is_the_servers(file, name, value):
    text = (settings.BASE_DIR / "frontend_islands" / file).read_text(encoding="utf-8")
    (written,) = re.findall(rf"^(?:export )?const {name} = (?:new Set\()?(.+?)\)?;$", text, re.MULTILINE)
    assert eval(written, {"__builtins__": {}}) == value
