"""Hearts of visitors whose connection is gone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESKTOP, PHONE
from tests.browser.looks import settle
from tests.browser.people import MEMBER, sign_in

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("width", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_the_first_heart_pressed_without_a_connection_is_not_kept_and_says_so(new_page, journal, width):
    journal.expect("ERR_INTERNET_DISCONNECTED|failed|fetch")
    page = new_page(width=width)
    page.goto("/produits")
    settle(page)
    heart = page.locator("favourite-button button").first
    page.context.set_offline(True)
    heart.click()
    lost = page.get_by_role("alert").filter(has_text="Favori non enregistré")
    expect(lost).to_contain_text("Réessayez dans un instant.")
    expect(lost).to_be_in_viewport()
    expect(heart).to_have_attribute("aria-pressed", "false")
    page.context.set_offline(False)
    page.keyboard.press("Escape")
    expect(lost).to_be_hidden()
    heart.click()
    expect(heart).to_have_attribute("aria-pressed", "true")


def test_a_members_heart_pressed_without_a_connection_is_taken_back_and_says_so(new_page, journal, shop):
    journal.expect("ERR_INTERNET_DISCONNECTED|failed|fetch")
    page = new_page(width=PHONE)
    sign_in(page, MEMBER, shop.password)
    page.wait_for_url("**/espace-membre")
    page.goto("/produits")
    settle(page)
    heart = page.locator("favourite-button button").first
    was = str(heart.get_attribute("aria-pressed"))
    page.context.set_offline(True)
    heart.click()
    expect(page.locator("#toasts").get_by_role("alert")).to_contain_text("Favori non enregistré")
    expect(heart).to_have_attribute("aria-pressed", was)
