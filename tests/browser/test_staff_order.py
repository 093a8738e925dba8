"""Rows and photos put in order by a real pointer, and the pictures of the help."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import DESKTOP, PHONE
from tests.browser.hands import finger
from tests.browser.people import sign_in_as_admin

pytestmark = pytest.mark.browser

ADDRESSES = ("/admin/categories", "/admin/textes/questions", "/admin/textes/accueil")
LIFTED = re.compile(r"\bis-lifted\b")


def middle(target: Locator) -> tuple[float, float]:
    box = target.bounding_box()
    assert box is not None
    # Left of the buttons at the end of a row.
    return box["x"] + min(60, box["width"] / 2), box["y"] + box["height"] / 2


def drag_by_mouse(page: Page, row: Locator, over: Locator) -> None:
    row.scroll_into_view_if_needed()
    page.mouse.move(*middle(row))
    page.mouse.down()
    # The browser makes a drag of the first moves, and says where it is from the next on.
    page.mouse.move(*middle(over), steps=6)
    page.mouse.move(*middle(over), steps=2)
    page.mouse.up()


def drag_by_finger(page: Page, row: Locator, over: Locator, lifted: Locator) -> None:
    row.scroll_into_view_if_needed()
    (from_x, from_y), (to_x, to_y) = middle(row), middle(over)
    with finger(page) as touch:
        touch("touchStart", (from_x, from_y))
        expect(lifted).to_have_class(LIFTED)
        for step in range(1, 6):
            touch("touchMove", (from_x + (to_x - from_x) * step / 5, from_y + (to_y - from_y) * step / 5))
        touch("touchEnd")
        expect(lifted).not_to_have_class(LIFTED)


def test_lists_are_put_in_order_by_mouse_and_finger(new_page, shop, snap):
    for width in (DESKTOP, PHONE):
        page = new_page(width=width)
        sign_in_as_admin(page, shop)
        for address in ADDRESSES:
            page.goto(address)
            rows = page.locator("[data-ordered] > [data-row]")
            # Its script is there.
            expect(rows.first).to_have_attribute("draggable", "true")
            names = rows.evaluate_all("rows => rows.map((row) => row.dataset.row)")
            first = page.locator(f"[data-row='{names[0]}']")
            if width == PHONE:
                drag_by_finger(page, first, rows.nth(2), first)
            else:
                drag_by_mouse(page, first, rows.nth(2))
            moved = [names[1], names[2], names[0], *names[3:]]
            expect(page.locator("#live")).to_contain_text("est maintenant à la place 3")
            page.reload()
            for place, key in enumerate(moved):
                expect(rows.nth(place)).to_have_attribute("data-row", key)


def test_photos_are_put_in_order_by_mouse_and_finger(new_page, shop):
    [(product,)] = shop.rows(
        "SELECT product_id FROM catalog_productimage GROUP BY product_id HAVING count(*) > 2"
        " ORDER BY product_id LIMIT 1"
    )
    for width in (DESKTOP, PHONE):
        page = new_page(width=width)
        sign_in_as_admin(page, shop)
        before = stored_photos(shop, product)
        page.goto(f"/admin/produits/{product}")
        photos = page.get_by_role("list", name="Photos du produit, dans l'ordre").get_by_role("listitem")
        expect(photos).to_have_count(len(before))
        expect(photos.first).to_have_attribute("draggable", "true")
        pictures = photos.locator(".photo__picture")
        if width == PHONE:
            drag_by_finger(page, pictures.first, pictures.nth(1), photos.first)
        else:
            drag_by_mouse(page, pictures.first, pictures.nth(1))
        save = page.get_by_role("button", name="Sauvegarder l'ordre")
        save.click()
        expect(save).to_have_count(0)
        assert stored_photos(shop, product) == [before[1], before[0], *before[2:]]


def stored_photos(shop, product: int) -> list[int]:
    query = "SELECT id FROM catalog_productimage WHERE product_id = ? ORDER BY position, id"
    return [key for (key,) in shop.rows(query, product)]


def test_a_picture_of_the_help_is_read_once_its_panel_opens(new_page, shop):
    page = new_page(width=PHONE)
    sign_in_as_admin(page, shop)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/static/help/" in request.url else None)
    page.goto("/admin/categories")
    summary = page.get_by_text("À quoi sert cet écran ?")
    summary.scroll_into_view_if_needed()
    page.wait_for_load_state("networkidle")
    assert asked == []
    with page.expect_response(re.compile("/static/help/categories")) as answer:
        summary.click()
    assert answer.value.ok
    assert len(asked) == 1
