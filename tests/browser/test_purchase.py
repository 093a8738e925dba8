"""Buying, from the product to the confirmation, as every kind of visitor, and everything that goes wrong on the way."""

import re
from decimal import Decimal
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import violations
from tests.browser.conftest import DESKTOP, PHONE
from tests.browser.visitor import DELIVERY, PAY, Visitor

pytestmark = pytest.mark.browser

PASSWORD = "carmes-lyon-atelier-69"
ORDERS = "SELECT status, total, language, user_id IS NOT NULL FROM orders_order WHERE email = ?"
CONFIRMATION_MAIL = (
    "SELECT text FROM core_outgoingmail "
    "WHERE \"to\" = ? AND kind = 'account_confirm_email' AND state = 'sent'"
)
MAILS = "SELECT kind FROM core_outgoingmail WHERE \"to\" = ? AND state = 'sent' ORDER BY kind"


@pytest.fixture
def email():
    return f"lea-{uuid4().hex[:10]}@example.com"


@pytest.fixture
def visitor(new_page):
    return Visitor(new_page())


def cheapest(visitor):
    return visitor.products()[0]


def orders_of(shop, email):
    return [
        (status, Decimal(str(total)), language, bool(member))
        for status, total, language, member in shop.rows(ORDERS, email)
    ]


@pytest.mark.parametrize("width", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("language", ["fr", "de"])
def test_a_guest_buys(new_page, shop, email, snap, language, width):
    visitor = Visitor(new_page(width=width, language=language), language)
    visitor.add(cheapest(visitor))
    visitor.open_checkout()
    visitor.fill_guest(email)
    total = visitor.shown_total()
    snap(visitor.page, f"checkout-{language}-{width}")
    visitor.place()
    assert orders_of(shop, email) == [("pending", Decimal(total), language, False)]
    visitor.press("pay")
    visitor.expect_paid()
    snap(visitor.page, f"paid-{language}-{width}")
    assert orders_of(shop, email) == [("confirmed", Decimal(total), language, False)]
    assert shop.wait_for(MAILS, email) == [("order_confirmation",)]
    visitor.page.locator("main").get_by_role("link", name=visitor.words["result"]["track"]).click()
    visitor.page.wait_for_url(re.compile("/(commande|bestellung)/"))
    [(reference,)] = shop.rows("SELECT reference FROM orders_order WHERE email = ?", email)
    expect(visitor.page.locator("main")).to_contain_text(reference)
    assert violations(visitor.page) == []
    # A form of the order's own page, whose address may hold its key: browsers must say where it comes from.
    visitor.page.locator("main form[action*='/commande/'], main form[action*='/bestellung/']").get_by_role(
        "button"
    ).click()
    visitor.page.wait_for_url("**#compte")
    assert sorted(shop.wait_for(MAILS, email, rows=2)) == [
        ("account_confirm_email",),
        ("order_confirmation",),
    ]


def test_a_new_member_buys_confirms_the_address_and_finds_the_order(visitor, shop, email):
    visitor.add(cheapest(visitor))
    visitor.open_checkout()
    visitor.fill(email=email, password=PASSWORD, **DELIVERY)
    visitor.accept_terms()
    visitor.place()
    visitor.press("pay")
    visitor.expect_paid()
    assert [(status, member) for status, _, _, member in orders_of(shop, email)] == [("confirmed", False)]
    [(text,)] = shop.wait_for(CONFIRMATION_MAIL, email)
    visitor.page.goto(re.search(r"http://\S+/auth/confirmation/\S+", text)[0])
    assert [(status, member) for status, _, _, member in orders_of(shop, email)] == [("confirmed", True)]
    visitor.go("/auth?next=/espace-membre")
    visitor.page.locator("#id-email").fill(email)
    visitor.page.locator("#id-password").fill(PASSWORD)
    visitor.page.locator("main form button[type=submit]").click()
    visitor.page.wait_for_url(f"**{visitor.address('/espace-membre')}")
    [(reference,)] = shop.rows("SELECT reference FROM orders_order WHERE email = ?", email)
    expect(visitor.page.locator("main")).to_contain_text(reference)


def test_a_member_signs_in_at_checkout_and_buys(visitor, shop):
    keys = "SELECT id FROM orders_order WHERE email = ?"
    before = set(shop.rows(keys, "client@example.com"))
    visitor.add(cheapest(visitor))
    visitor.open_checkout()
    visitor.choose_access("signin")
    visitor.fill(email="client@example.com", password=shop.password, **DELIVERY)
    visitor.accept_terms()
    visitor.place()
    visitor.press("pay")
    visitor.expect_paid()
    # Not by their number: what the demonstration never paid has been there too long, and is removed meanwhile.
    assert len(set(shop.rows(keys, "client@example.com")) - before) == 1


def test_a_wrong_password_at_checkout_orders_nothing_and_keeps_what_was_typed(visitor, shop, journal, email):
    journal.expect("40[01]")
    visitor.add(cheapest(visitor))
    visitor.open_checkout()
    visitor.choose_access("signin")
    visitor.fill(email=email, password="not-the-password", **DELIVERY)
    visitor.accept_terms()
    visitor.pay_button.click()
    expect(visitor.page.get_by_role("alert").first).to_contain_text(visitor.words["checkout"]["signinError"])
    expect(visitor.page.locator("#checkout-city")).to_have_value(DELIVERY["city"])
    assert shop.rows(ORDERS, email) == []


def test_a_refused_card_then_another_makes_one_order(visitor, shop, email):
    visitor.add(cheapest(visitor))
    visitor.open_checkout()
    visitor.fill_guest(email)
    visitor.place()
    visitor.choose_card("0002")
    visitor.press("pay")
    expect(visitor.page.get_by_role("alert")).to_be_visible()
    assert [status for status, *_ in orders_of(shop, email)] == ["pending"]
    visitor.choose_card("4242")
    visitor.press("pay")
    visitor.expect_paid()
    assert [status for status, *_ in orders_of(shop, email)] == ["confirmed"]


@pytest.mark.parametrize("language", ["fr", "de"])
def test_the_bank_asks_and_the_customer_confirms(new_page, shop, email, language):
    visitor = Visitor(new_page(language=language), language)
    visitor.add(cheapest(visitor))
    visitor.open_checkout()
    visitor.fill_guest(email)
    visitor.place()
    visitor.press("secure")
    visitor.page.wait_for_url("**/banque")
    visitor.press("accept")
    visitor.expect_paid()
    assert [status for status, *_ in orders_of(shop, email)] == ["confirmed"]


def test_the_bank_asks_and_the_customer_refuses(visitor, shop, email):
    visitor.add(cheapest(visitor))
    visitor.open_checkout()
    visitor.fill_guest(email)
    visitor.place()
    visitor.press("secure")
    visitor.page.wait_for_url("**/banque")
    visitor.press("refuse")
    expect(visitor.page.get_by_role("alert")).to_be_visible()
    assert [status for status, *_ in orders_of(shop, email)] == ["pending"]


def test_who_leaves_the_payment_finds_the_cart_whole_and_can_pay_later(visitor, shop, email):
    visitor.add(cheapest(visitor), times=2)
    lines = visitor.kept_lines()
    visitor.open_checkout()
    visitor.fill_guest(email)
    visitor.place()
    visitor.page.locator("a.button").click()
    visitor.page.wait_for_url("**/panier**")
    assert visitor.kept_lines() == lines
    expect(visitor.checkout_link).to_be_visible()
    visitor.open_checkout()
    visitor.fill_guest(email)
    visitor.place()
    visitor.press("pay")
    visitor.expect_paid()
    assert sorted(status for status, *_ in orders_of(shop, email)).count("confirmed") == 1


def test_the_back_button_of_the_payment_page_leads_to_a_cart_as_it_was(visitor, email):
    visitor.add(cheapest(visitor))
    lines = visitor.kept_lines()
    visitor.open_checkout()
    visitor.fill_guest(email)
    visitor.place()
    visitor.page.go_back()
    expect(visitor.pay_button).to_be_visible()
    assert visitor.kept_lines() == lines


def test_a_double_click_orders_once(visitor, shop, email):
    visitor.add(cheapest(visitor))
    visitor.open_checkout()
    visitor.fill_guest(email)
    expect(visitor.pay_button).not_to_have_attribute("aria-disabled", "true")
    visitor.pay_button.dblclick()
    visitor.page.wait_for_url("**/c/pay/**")
    assert len(orders_of(shop, email)) == 1


def test_two_tabs_show_one_cart(new_context):
    context = new_context()
    first, second = Visitor(context.new_page()), Visitor(context.new_page())
    product = cheapest(first)
    first.go("/panier")
    expect(first.empty_cart).to_be_visible()
    second.add(product)
    expect(first.checkout_link).to_be_visible()
    second.open_cart()
    second.page.locator("[data-remove]").first.click()
    expect(first.empty_cart).to_be_visible()


def test_paying_in_one_tab_empties_the_cart_of_the_other(new_context, email):
    context = new_context()
    first, second = Visitor(context.new_page()), Visitor(context.new_page())
    first.add(cheapest(first))
    first.open_checkout()
    second.open_cart()
    first.fill_guest(email)
    first.place()
    first.press("pay")
    first.expect_paid()
    expect(second.empty_cart).to_be_visible()


def test_a_corrupted_cart_is_healed(visitor):
    for stored in (
        "not json",
        "[]",
        "null",
        '{"version":1,"lines":"none"}',
        '{"version":1,"lines":[{"product_id":"<img src=x onerror=alert(1)>","quantity":-3}]}',
        '{"version":99,"lines":[{"product_id":1,"quantity":1e400}]}',
        '{"version":1,"lines":['
        + ",".join(['{"product_id":1,"variation_id":null,"finish":null,"quantity":9}'] * 5000)
        + "]}",
    ):
        visitor.go("/")
        visitor.page.evaluate("stored => localStorage.setItem('cart', stored)", stored)
        visitor.go("/panier")
        expect(visitor.empty_cart.or_(visitor.checkout_link).first).to_be_visible()
    visitor.add(cheapest(visitor))
    visitor.open_cart()


def test_a_product_that_is_gone_can_be_removed(visitor):
    visitor.add(cheapest(visitor))
    visitor.page.evaluate(
        """() => {
          const cart = JSON.parse(localStorage.getItem("cart"));
          cart.lines.push({ product_id: 999999, variation_id: null, finish: null, quantity: 1 });
          localStorage.setItem("cart", JSON.stringify(cart));
        }"""
    )
    visitor.go("/panier")
    expect(visitor.page.locator(".line--unavailable")).to_be_visible()
    assert violations(visitor.page) == []
    visitor.page.locator(".line--unavailable [data-remove]").click()
    expect(visitor.checkout_link).to_be_visible()
    assert len(visitor.kept_lines()) == 1


def test_what_is_missing_is_named_and_can_be_reached(visitor, shop):
    before = shop.rows("SELECT count(*) FROM orders_order")
    visitor.add(cheapest(visitor))
    visitor.open_checkout()
    visitor.choose_access("guest")
    expect(visitor.pay_button).not_to_have_attribute("aria-disabled", "true")
    visitor.pay_button.click()
    summary = visitor.page.locator(".error-summary")
    expect(summary).to_be_focused()
    for name in ("email", "firstName", "lastName", "address", "postalCode", "city", "terms"):
        expect(summary).to_contain_text(visitor.words["checkout"]["missing"][name])
    assert violations(visitor.page) == []
    summary.get_by_role("link", name=visitor.words["checkout"]["missing"]["city"]).click()
    expect(visitor.page.locator("#checkout-city")).to_be_focused()
    assert shop.rows("SELECT count(*) FROM orders_order") == before


def test_everything_by_keyboard(visitor, shop, email):
    page = visitor.page
    visitor.go(f"/produit/{cheapest(visitor)['id']}")
    add = page.locator("x-island[name=product-buy] [data-replay=add]").first
    press_until(page, "Tab", add)
    page.keyboard.press("Enter")
    drawer = page.get_by_role("dialog", name=visitor.words["buy"]["added"])
    expect(drawer).to_be_visible()
    page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()
    visitor.go("/panier")
    expect(visitor.checkout_link).to_be_visible()
    press_until(page, "Tab", visitor.checkout_link)
    page.keyboard.press("Enter")
    expect(visitor.pay_button).to_be_visible()
    tab = page.get_by_role("tab", selected=True)
    press_until(page, "Tab", tab)
    page.keyboard.press("End")
    expect(page.get_by_role("tab", name=visitor.words["checkout"]["guest"])).to_have_attribute(
        "aria-selected", "true"
    )
    for name, value in {"email": email, **DELIVERY}.items():
        press_until(page, "Tab", page.locator(f"#checkout-{name}"))
        page.keyboard.type(value)
    press_until(page, "Tab", page.locator("#checkout-terms"))
    page.keyboard.press("Space")
    expect(visitor.pay_button).not_to_have_attribute("aria-disabled", "true")
    press_until(page, "Tab", visitor.pay_button)
    page.keyboard.press("Enter")
    page.wait_for_url("**/c/pay/**")
    assert len(orders_of(shop, email)) == 1


def press_until(page, key, target, most=120):
    """Press a key until the target has the focus, as somebody without a mouse does."""
    for _ in range(most):
        if target.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{target} is not reached by {most} × {key}")


@pytest.mark.parametrize("language", ["fr", "en", "es", "de"])
def test_the_button_that_orders_says_so_in_each_language(new_page, language):
    visitor = Visitor(new_page(language=language), language)
    visitor.add(cheapest(visitor))
    visitor.open_checkout()
    expect(visitor.pay_button).to_have_text(PAY[language])


def test_a_press_counts_while_the_island_takes_the_place_of_the_button(visitor):
    product = cheapest(visitor)
    visitor.go(f"/produit/{product['id']}-{product['url'].rsplit('-', 1)[-1]}")
    island = visitor.page.locator("x-island[name=product-buy]")
    box = island.locator("[data-replay=add]").first.bounding_box()
    # Before the page's script is there, nobody would see the pointer come.
    expect(island).to_have_attribute("state", "waiting")
    # The pointer's first move fetches the island, and the button is down when it comes.
    visitor.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    visitor.page.mouse.down()
    expect(island).to_have_attribute("state", "ready")
    visitor.page.mouse.up()
    expect(visitor.page.get_by_role("dialog", name=visitor.words["buy"]["added"])).to_be_visible()
    assert [line["quantity"] for line in visitor.kept_lines()] == [1]


def test_a_press_before_the_scripts_have_arrived_is_answered(visitor):
    page = visitor.page
    address = visitor.address(cheapest(visitor)["url"])
    script, arriving = re.compile(r"/build/(runtime|consent)-"), []
    page.route(script, lambda route: arriving.append(route))
    with page.expect_request(script):
        page.goto(address, wait_until="domcontentloaded")
    add = page.locator("x-island[name=product-buy] [data-replay=add]").first
    add.click()
    add.click()
    heart = page.get_by_role("button", name="Favori", exact=True)
    expect(heart).to_have_attribute("aria-pressed", "false")
    assert visitor.kept_lines() == []
    [route] = arriving
    route.continue_()
    expect(page.get_by_role("dialog", name=visitor.words["buy"]["added"])).to_be_visible()
    assert [line["quantity"] for line in visitor.kept_lines()] == [1]


@pytest.mark.parametrize("width", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_a_full_cart_and_checkout_are_accessible_and_fit(new_page, width):
    visitor = Visitor(new_page(width=width))
    for product in visitor.products()[:3]:
        visitor.add(product)
    for open_page in (visitor.open_cart, visitor.open_checkout):
        open_page()
        page = visitor.page
        assert (
            page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
        )
        assert violations(page) == []


@pytest.mark.parametrize("path", ["/payment-success", "/payment-success?session_id=cs_test_invented"])
def test_a_return_without_a_payment_confirms_nothing(visitor, journal, path):
    journal.expect("404")
    visitor.add(cheapest(visitor))
    lines = visitor.kept_lines()
    visitor.go(path)
    expect(visitor.page.locator("h1")).to_have_text(visitor.words["result"]["unknownTitle"])
    assert visitor.kept_lines() == lines
