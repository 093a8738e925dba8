"""A person in the shop: does by hand what buying takes, in the words of one language."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from django.urls import translate_url
from playwright.sync_api import Locator, Page, expect

from tests.browser.styles import unstyled

LOCALES = Path(__file__).resolve().parent.parent.parent / "frontend_islands" / "locales"
# The law's own words on the button that orders (L221-14 in French; equivalents of directive 2011/83, art. 8).
PAY = {
    "fr": "Commande avec obligation de paiement",
    "en": "Order with obligation to pay",
    "es": "Pedido con obligación de pago",
    "de": "Zahlungspflichtig bestellen",
}
DELIVERY = {
    "firstName": "Léa",
    "lastName": "Martin",
    "address": "3 rue des Carmes",
    "postalCode": "69003",
    "city": "Lyon",
}
CART_KEY = "cart"
PIECES = "key => (JSON.parse(localStorage.getItem(key))?.lines ?? []).reduce((sum, line) => sum + line.quantity, 0)"


@cache
def words(language: str) -> dict[str, Any]:
    """The islands' own texts."""
    texts: dict[str, Any] = json.loads((LOCALES / f"{language}.json").read_text(encoding="utf-8"))
    return texts


class Visitor:
    """One person with one page, who reads one language."""

    def __init__(self, page: Page, language: str = "fr") -> None:
        self.page = page
        self.language = language
        self.words = words(language)

    def address(self, path: str) -> str:
        return translate_url(path, self.language)

    def go(self, path: str) -> None:
        self.page.goto(self.address(path))

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    # --- Choosing ------------------------------------------------------------------------------------

    def products(self) -> list[dict[str, Any]]:
        """What can be bought, as the API lists it, dearest last."""
        listed = self.page.request.get("/api/products?page_size=60").json()["results"]
        return sorted(
            (card for card in listed if card["in_stock"]), key=lambda card: float(card["price_from"])
        )

    def add(self, product: dict[str, Any], times: int = 1) -> None:
        """Open a product's page and put it in the cart as it is proposed."""
        self.go(f"/produit/{product['id']}-{product['url'].rsplit('-', 1)[-1]}")
        button = self.page.locator("x-island[name=product-buy] [data-replay=add]").first
        drawer = self.page.get_by_role("dialog", name=self.words["buy"]["added"])
        for already in range(1, times + 1):
            # As people do: the next one once the page has answered.
            button.click()
            self.page.wait_for_function(f"key => ({PIECES})(key) >= {already}", arg=CART_KEY)
            expect(drawer).to_be_visible()
            missing = unstyled(self.page)
            assert not missing, missing
            self.page.keyboard.press("Escape")
            expect(drawer).to_be_hidden()

    def kept_lines(self) -> list[dict[str, Any]]:
        """What the browser keeps."""
        kept = self.page.evaluate("key => localStorage.getItem(key)", CART_KEY)
        return json.loads(kept)["lines"] if kept else []

    # --- Ordering ------------------------------------------------------------------------------------

    def open_cart(self) -> None:
        self.go("/panier")
        expect(self.checkout_link).to_be_visible()

    @property
    def checkout_link(self) -> Locator:
        return self.page.get_by_role("link", name=self.words["cart"]["checkout"])

    @property
    def empty_cart(self) -> Locator:
        return self.page.get_by_role("heading", name=self.words["cart"]["emptyTitle"])

    def open_checkout(self) -> None:
        """From the cart to the form, once its total is there."""
        self.open_cart()
        self.checkout_link.click()
        self.page.wait_for_url(f"**{self.address('/checkout')}")
        expect(self.pay_button).to_be_visible()

    @property
    def pay_button(self) -> Locator:
        return self.button(PAY[self.language])

    def choose_access(self, access: str) -> None:
        """ "signup", "signin" or "guest"."""
        self.page.get_by_role("tab", name=self.words["checkout"][access], exact=True).click()

    def fill(self, **values: str) -> None:
        for name, value in values.items():
            self.page.locator(f"#checkout-{name}").fill(value)

    def accept_terms(self) -> None:
        self.page.locator("#checkout-terms").check()

    def fill_guest(self, email: str) -> None:
        """Everything that a guest has to fill in."""
        self.choose_access("guest")
        self.fill(email=email, **DELIVERY)
        self.accept_terms()

    def shown_total(self) -> str:
        """The total of the recap above the button: "94.99"."""
        row = self.page.locator(".checkout-recap .order-summary__row").last
        digits = re.sub(r"[^\d.,]", "", row.inner_text().splitlines()[-1])
        return re.sub(r"[.,](?=\d{3})", "", digits).replace(",", ".")

    def place(self) -> None:
        """Press the button that orders, and arrive at the payment page."""
        expect(self.pay_button).not_to_have_attribute("aria-disabled", "true")
        self.pay_button.click()
        self.page.wait_for_url("**/c/pay/**")

    # --- Paying --------------------------------------------------------------------------------------

    def choose_card(self, card: str) -> None:
        """By its last four digits."""
        self.page.locator(f"input[name=card][value='{card}']").check()

    def press(self, action: str) -> None:
        """A button of the payment page or of the bank's: pay, secure, refuse, accept."""
        self.page.locator(f"button[name=action][value={action}]").click()

    def expect_paid(self) -> None:
        """The shop's own page says that the payment is confirmed, and the cart is empty."""
        self.page.wait_for_url(f"**{self.address('/payment-success')}**")
        expect(self.page.locator("h1")).to_have_text(self.words["result"]["paidTitle"], timeout=30_000)
        # A member's is emptied by the server; the browser follows.
        self.page.wait_for_function(f"key => ({PIECES})(key) === 0", arg=CART_KEY)
