"""The cart follows the member from one browser to the next, and stays in none that they signed out of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import violations
from tests.browser.conftest import DESKTOP, PHONE
from tests.browser.visitor import Visitor

pytestmark = pytest.mark.browser

MEMBER = "client@example.com"


def sign_in(visitor: Visitor, password: str) -> None:
    page = visitor.page
    visitor.go("/auth")
    page.locator("#id-email").fill(MEMBER)
    page.locator("#id-password").fill(password)
    with page.expect_navigation():
        page.locator("main form button[type=submit]").click()


def sign_out(visitor: Visitor) -> None:
    page = visitor.page
    # Not before the saved cart was read: the reading that comes after the end of the session is a 401.
    page.goto("/espace-membre?tab=profile", wait_until="networkidle")
    with page.expect_navigation():
        page.locator("form[action$='/auth/deconnexion'] button").first.click()


EMPTY = """async () => {
    const read = async (path) => (await fetch(path)).json();
    const [me, cart] = [await read("/api/me"), await read("/api/cart/saved")];
    const headers = { "Content-Type": "application/json", "X-CSRFToken": me.csrf_token };
    const body = JSON.stringify({ lines: [], version: cart.version });
    await fetch("/api/cart/saved", { method: "PUT", headers, body });
}"""


@pytest.fixture(autouse=True)
def empty_cart(new_page: Callable[..., Page], shop: Any) -> Iterator[None]:
    """The member's saved cart is empty before and after: other journeys sign in with the same account."""
    visitor = Visitor(new_page())
    sign_in(visitor, shop.password)
    visitor.page.evaluate(EMPTY)
    yield
    visitor.page.evaluate(EMPTY)


def pieces(visitor: Visitor) -> dict[int, int]:
    return {line["product_id"]: line["quantity"] for line in visitor.kept_lines()}


def expect_pieces(visitor: Visitor, wanted: dict[int, int]) -> None:
    """Once the page's scripts are there, and what they asked has been answered."""
    visitor.page.wait_for_load_state("networkidle")
    total = sum(wanted.values())
    count = visitor.page.locator("cart-count").first
    expect(count).to_contain_text(str(total)) if total else expect(count).to_be_hidden()
    assert pieces(visitor) == wanted


def saved(page: Page) -> dict[int, int]:
    answer = page.request.get("/api/cart/saved").json()
    return {line["product_id"]: line["quantity"] for line in answer["lines"]}


def test_cart_follows_a_member_through_three_devices_and_stays_in_none(
    new_page: Callable[..., Page], shop: Any
) -> None:
    phone, laptop, tablet = (Visitor(new_page(width=width)) for width in (PHONE, DESKTOP, DESKTOP))
    first, second, third = phone.products()[:3]
    one, two, three = first["id"], second["id"], third["id"]

    # The phone: chosen before signing in, joined by it.
    phone.add(first)
    sign_in(phone, shop.password)
    expect_pieces(phone, {one: 1})

    # The laptop has a piece of its own, gets the other and says so; undone, and put back.
    laptop.add(second)
    sign_in(laptop, shop.password)
    notice = laptop.page.locator(".toast", has_text="Votre panier vous a suivi")
    expect(notice).to_contain_text(f"Ajouté depuis votre compte\u00a0: {first['name']}")
    # Pointed at it stays, however long a slow machine looks for barriers.
    notice.hover()
    expect_pieces(laptop, {one: 1, two: 1})
    assert violations(laptop.page) == []
    notice.get_by_role("button", name="Annuler l'ajout").click()
    expect_pieces(laptop, {two: 1})
    laptop.page.locator(".toast").get_by_role("button", name="Remettre").click()
    expect_pieces(laptop, {one: 1, two: 1})

    # The tablet changes it; the phone sees that on its next page.
    sign_in(tablet, shop.password)
    expect_pieces(tablet, {one: 1, two: 1})
    tablet.add(third, times=1)
    tablet.page.wait_for_load_state("networkidle")
    assert saved(phone.page) == {one: 1, two: 1, three: 1}
    phone.go("/")
    expect_pieces(phone, {one: 1, two: 1, three: 1})

    # Signed out: nothing is left, for the next visitor and the back button neither.
    sign_out(laptop)
    expect_pieces(laptop, {})
    assert laptop.page.evaluate("localStorage.getItem('cart-copy')") is None
    laptop.go("/panier")
    expect(laptop.empty_cart).to_be_visible()
    laptop.page.go_back()
    laptop.page.go_back()
    assert laptop.kept_lines() == []
    assert saved(phone.page) == {one: 1, two: 1, three: 1}


@pytest.mark.parametrize("width", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_whose_session_ended_elsewhere_is_told_where_the_cart_is(
    new_page: Callable[..., Page], shop: Any, snap: Callable[[Page, str], None], width: int
) -> None:
    visitor = Visitor(new_page(width=width))
    page = visitor.page
    way_back = page.get_by_role("link", name="Connectez-vous pour retrouver le panier de votre compte.")
    visitor.go("/panier")
    expect(way_back).to_be_visible()
    sign_in(visitor, shop.password)
    visitor.go("/panier")
    expect(visitor.empty_cart).to_be_visible()
    expect(way_back).to_be_hidden()
    piece = visitor.products()[0]
    visitor.add(piece)
    page.wait_for_load_state("networkidle")
    visitor.open_cart()
    expect(way_back).to_be_hidden()
    page.context.clear_cookies(name="sessionid")
    for _view in ("the one in which it is noticed", "the next"):
        visitor.go("/panier")
        expect(visitor.empty_cart).to_be_visible()
        expect(way_back).to_be_visible()
        assert violations(page) == []
    snap(page, f"cart-left-with-the-session-{width}")
    way_back.click()
    page.locator("#id-email").fill(MEMBER)
    page.locator("#id-password").fill(shop.password)
    with page.expect_navigation():
        page.locator("main form button[type=submit]").click()
    page.wait_for_url("**/panier")
    expect_pieces(visitor, {piece["id"]: 1})
    expect(way_back).to_be_hidden()


def test_notice_of_the_cart_that_followed_fits_a_phone_and_is_accessible(
    new_page: Callable[..., Page], shop: Any, snap: Callable[[Page, str], None]
) -> None:
    page = new_page(width=PHONE, language="de")
    visitor = Visitor(page, "de")
    sign_in(visitor, shop.password)
    page.wait_for_load_state("networkidle")
    visitor.add(visitor.products()[0])
    page.wait_for_load_state("networkidle")
    # A browser that has never met the account.
    page.evaluate("() => localStorage.clear()")
    visitor.go("/")
    toast = page.locator(".toast", has=page.locator(".toast__action"))
    expect(toast).to_be_visible()
    box = toast.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE
    assert violations(page) == []
    snap(page, "cart-followed")
