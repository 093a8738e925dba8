"""Pages whose scripts come late, or not at all."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESKTOP, PHONE
from tests.browser.looks import piece
from tests.browser.people import sign_in_as_admin
from tests.browser.visitor import Visitor

pytestmark = pytest.mark.browser

NOT_LOADED = "Cette page ne s'est pas chargée entièrement. Vérifiez votre connexion puis réessayez."


@pytest.mark.parametrize(
    ("path", "script"),
    [
        ("/panier", "runtime,consent"),
        ("/checkout", "islands/checkout"),
        ("/payment-success?session_id=cs_test_x", "islands/payment-result"),
        ("/favoris", "islands/favourites-list"),
    ],
)
def test_a_page_whose_script_was_lost_on_the_way_says_so(new_page, see, journal, path, script):
    journal.expect("ERR_FAILED|failed|caused by|404")
    visitor = Visitor(new_page(width=PHONE))
    page = visitor.page
    visitor.add(visitor.products()[0])
    page.route(f"**/build/{{{script}}}-*", lambda route: route.abort())
    page.goto(path)
    expect(page.get_by_role("alert").filter(has_text=NOT_LOADED)).to_be_visible()
    expect(page.locator("main .needs-script:visible")).to_have_count(0)
    see(page, f"lost-{path[1:8]}")
    page.unroute_all()
    page.get_by_role("link", name="Réessayer").click()
    expect(page.locator("x-island")).to_have_attribute("state", "ready")
    expect(page.get_by_text(NOT_LOADED)).to_be_hidden()


def test_a_page_whose_script_is_long_on_the_way_says_so(page):
    visitor = Visitor(page)
    visitor.add(visitor.products()[0])
    arriving = []
    page.route("**/build/islands/cart-*", lambda route: arriving.append(route))
    page.goto("/panier")
    expect(page.locator("x-island")).to_have_attribute("state", "loading")
    expect(page.get_by_text(NOT_LOADED)).to_be_hidden()
    late = "() => document.getAnimations().filter(({ animationName }) => animationName === 'come-late')"
    assert page.evaluate(f"({late})().map(({{ effect }}) => effect.getTiming().delay)") == [20_000]
    page.evaluate(f"({late})().forEach((animation) => animation.finish())")
    expect(page.get_by_text(NOT_LOADED)).to_be_in_viewport()
    for route in arriving:
        route.continue_()
    expect(page.locator("x-island")).to_have_attribute("state", "ready")
    expect(page.get_by_text(NOT_LOADED)).to_be_hidden()


@pytest.mark.parametrize("width", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_a_staff_page_whose_script_was_lost_on_the_way_says_so(new_page, see, journal, shop, width):
    journal.expect("ERR_FAILED|failed|caused by")
    page = new_page(width=width)
    sign_in_as_admin(page, shop)
    page.route("**/build/islands/staff-*", lambda route: route.abort())
    paths = [
        "commandes",
        "atelier",
        "expedition",
        "produits",
        "produits/nouveau",
        "produits/import",
        "blog/new",
    ]
    for path in paths:
        page.goto(f"/admin/{path}")
        expect(page.get_by_role("alert").filter(has_text=NOT_LOADED)).to_be_visible()
        expect(page.get_by_text("Chargement")).to_be_hidden()
        see(page, f"lost-staff-{path.replace('/', '-')}")
    page.unroute_all()
    page.get_by_role("link", name="Réessayer").click()
    expect(page.locator("main x-island")).to_have_attribute("state", "ready")
    expect(page.get_by_text(NOT_LOADED)).to_be_hidden()


def test_a_piece_whose_script_was_lost_on_the_way_keeps_its_choice(page, journal):
    journal.expect("ERR_FAILED|failed|caused by")
    page.route("**/build/islands/product-buy*", lambda route: route.abort())
    page.goto(piece(page, "rainette"))
    expect(page.get_by_text(NOT_LOADED)).to_be_hidden()
    page.locator("input[value=unpainted]").check()
    expect(page.get_by_role("alert").filter(has_text=NOT_LOADED)).to_be_visible()
    expect(page.get_by_role("button", name="Ajouter")).to_have_count(0)
    page.unroute_all()
    page.get_by_role("button", name="Réessayer").click()
    page.wait_for_url("**?finition=unpainted")
    page.get_by_role("button", name="Ajouter au panier").click()
    expect(page.get_by_role("dialog", name="Produit ajouté au panier")).to_contain_text("Non peint")


def test_a_finish_chosen_before_the_scripts_are_there_has_its_price(page):
    held = []
    page.route("**/build/consent-*", lambda route: held.append(route))
    with page.expect_request("**/build/consent-*"):
        page.goto(piece(page, "rainette"), wait_until="domcontentloaded")
    price = page.locator(".buy__price")
    expect(price).to_contain_text("85,00\N{NO-BREAK SPACE}€")
    page.locator("input[value=unpainted]").check()
    [script] = held
    script.continue_()
    expect(price).to_contain_text("40,00\N{NO-BREAK SPACE}€")
