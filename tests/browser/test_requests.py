"""What a browser asks for when a page is first seen on a phone, up to the end of its loading and a while after."""

from __future__ import annotations

import pytest

from tests.browser.conftest import PHONE
from tests.browser.visitor import Visitor

pytestmark = pytest.mark.browser

# Page, styles, two typefaces, icons and the visit that is counted; the others are scripts. With photos.
MOST = {"home": (11, 25), "list": (11, 25), "product": (10, 20), "cart": (10, 12)}


@pytest.mark.parametrize("name", MOST)
def test_a_first_view_asks_for_so_many_files(new_context, name):
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
    # The icon of the tab is the browser's own affair. How near photos must come before they are fetched is, too: there
    # is room for some more of them.
    files = sorted(url for url in asked if "favicon" not in url)
    beside_photos = [url for url in files if "/media/" not in url]
    most_beside_photos, most = MOST[name]
    assert len(beside_photos) <= most_beside_photos, beside_photos
    assert len(files) <= most, files
