"""What a browser asks for when a page is first seen on a phone, up to the end of its loading and a while after."""

from __future__ import annotations

import pytest

from tests.browser.conftest import PHONE
from tests.browser.visitor import Visitor

pytestmark = pytest.mark.browser

# Page, styles, two typefaces, logo, icons and the visit that is counted; the others are scripts.
MOST = {"home": 14, "list": 14, "product": 19, "cart": 12}


@pytest.mark.parametrize("name", MOST)
def test_a_first_view_asks_for_so_many_files_beside_photos(new_context, name):
    page = new_context(width=PHONE, consent=None).new_page()
    addresses = {
        "home": "/",
        "list": "/produits",
        "product": Visitor(page, "fr").products()[0]["url"],
        "cart": "/panier",
    }
    asked: set[str] = set()
    page.on("request", lambda request: asked.add(request.url))
    page.goto(addresses[name])
    page.wait_for_load_state("networkidle")
    # The icon of the tab is the browser's own affair. Photos wait until they come near: how near is the browser's, too.
    files = sorted(url for url in asked if "favicon" not in url and "/media/" not in url)
    assert len(files) <= MOST[name], files
