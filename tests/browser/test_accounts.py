"""Signing in, the member area and the orders in it, with and without scripts."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import violations
from tests.browser.conftest import DESKTOP, PHONE
from tests.browser.people import MEMBER, PASSWORD, make_member, sign_in

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("javascript", [True, False], ids=["scripts", "no-scripts"])
def test_a_member_signs_in_sees_the_orders_and_signs_out(new_page, shop, javascript):
    page = new_page(javascript=javascript)
    sign_in(page, MEMBER, shop.password)
    page.wait_for_url("**/espace-membre")
    [(orders,)] = shop.rows(
        "SELECT count(*) FROM orders_order JOIN accounts_user ON accounts_user.id = user_id "
        "WHERE accounts_user.email = ? AND status IN ('confirmed', 'processing', 'shipped', 'delivered')",
        MEMBER,
    )
    assert orders > 0
    expect(page.locator("main")).to_contain_text("Commande")
    # Not before the saved cart was read: the reading that comes after the end of the session is a 401.
    page.goto("/espace-membre?tab=profile", wait_until="networkidle")
    with page.expect_navigation():
        page.locator("form[action$='/auth/deconnexion'] button").first.click()
    page.goto("/espace-membre")
    expect(page).to_have_url(re.compile(r"/auth\?"))


def test_a_wrong_password_is_told_and_the_address_kept(new_page):
    page = new_page(javascript=False)
    sign_in(page, "nobody@example.com", "not-the-password")
    expect(page.get_by_role("alert").first).to_be_visible()
    expect(page.locator("#id-email")).to_have_value("nobody@example.com")
    expect(page.locator("#id-password")).to_have_value("")


@pytest.mark.parametrize(
    ("path", "field", "button"),
    [
        ("/espace-membre/securite", "Mot de passe actuel", "Changer mon mot de passe"),
        ("/espace-membre/donnees", "Votre mot de passe", "Effacer mon compte"),
    ],
    ids=["another-password", "erasure"],
)
def test_a_refused_password_has_the_focus(new_page, shop, path, field, button):
    page = new_page(width=PHONE)
    sign_in(page, MEMBER, shop.password)
    page.wait_for_url("**/espace-membre")
    page.goto(path)
    page.get_by_label(field).fill("not-the-password")
    for new in page.locator("main input[autocomplete=new-password]").all():
        new.fill("figurine-atelier-2027")
    with page.expect_navigation():
        page.get_by_role("button", name=button).click()
    expect(page.get_by_label(field)).to_be_focused()
    expect(page.get_by_label(field)).to_have_accessible_description("Mot de passe incorrect")
    expect(page.get_by_label(field)).to_be_in_viewport()


def test_a_double_click_changes_the_password_and_says_so(new_page, shop):
    """Sent again, the form would have the session that the change ended: the sign-in page was shown without a word."""
    make_member(shop, "deux-clics@example.com")
    page = new_page()
    sign_in(page, "deux-clics@example.com", PASSWORD)
    page.wait_for_url("**/espace-membre")
    page.goto("/espace-membre/securite")
    page.get_by_label("Mot de passe actuel").fill(PASSWORD)
    for new in page.locator("main input[autocomplete=new-password]").all():
        new.fill("agrafe-cheval-pile-2027")
    sent = []
    page.on("request", lambda request: request.method == "POST" and sent.append(request.url))
    # Slow enough for the first to leave.
    page.get_by_role("button", name="Changer mon mot de passe").dblclick(delay=50)
    expect(page.locator("main .alert")).to_contain_text("Mot de passe mis à jour")
    expect(page).to_have_url(re.compile(r"/espace-membre/securite$"))
    assert len([url for url in sent if url.endswith("/securite")]) == 1


@pytest.mark.parametrize("width", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_the_member_area_and_an_order_are_accessible_and_fit(new_page, shop, width):
    page = new_page(width=width)
    sign_in(page, MEMBER, shop.password)
    page.wait_for_url("**/espace-membre")
    page.wait_for_load_state("networkidle")
    pages = ["/espace-membre?tab=orders", "/espace-membre?tab=profile", "/espace-membre/donnees"]
    pages.append(page.locator("main a[href*='/commande/']").first.get_attribute("href"))
    for path in pages:
        page.goto(path)
        page.wait_for_load_state("networkidle")
        assert (
            page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
        )
        assert violations(page) == []
    # In high contrast the step that the order is at differs from those to come.
    page.emulate_media(forced_colors="active")
    # Without motion, too, a style gets to its new value by a transition, of a frame (utilities.css).
    ring = "getComputedStyle(document.querySelector('.progress-steps__step[aria-current]'), '::before').borderTopWidth"
    # A function: an expression that is not true at once is evaluated again, which the page's policy refuses.
    page.wait_for_function(f"() => {ring} === '4px'")
    page.emulate_media(forced_colors="none")
    # The same page for everybody: a member is not asked to sign in there.
    page.goto("/favoris")
    expect(page.locator("main")).to_contain_text("Ils sont gardés avec votre compte.")
    page.get_by_role("link", name="Choisissez les pièces").click()
    page.wait_for_url("**/espace-membre?tab=favoris")
    page.go_back()
    expect(page.get_by_role("link", name="Connectez-vous pour les retrouver partout")).to_be_hidden()


def test_nobody_elses_order_opens(new_page, shop, journal):
    journal.expect("404")
    [(order,)] = shop.rows("SELECT id FROM orders_order WHERE user_id IS NOT NULL LIMIT 1")
    identifier = f"{order[:8]}-{order[8:12]}-{order[12:16]}-{order[16:20]}-{order[20:]}"
    response = new_page().goto(f"/commande/{identifier}")
    assert response.status == 404 or "/auth" in response.url
