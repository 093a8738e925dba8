"""Every public page, as visitors get it: it loads without a complaint, fits the screen, and can be used by all."""

import pytest
from django.urls import translate_url

from tests.browser.accessibility import violations
from tests.browser.conftest import DESKTOP, HEIGHT, NARROW, PHONE
from tests.browser.looks import overflow, settle, touched_heights
from tests.browser.people import MEMBER, sign_in
from tests.browser.visitor import Visitor

pytestmark = pytest.mark.browser

PAGES = {
    "home": "/",
    "list": "/produits",
    "search": "/produits?search=dragon",
    # One word, wider than a phone.
    "no-result": f"/produits?search={'introuvable' * 9}",
    "christmas": "/noel",
    "cart": "/panier",
    "checkout": "/checkout",
    "result": "/payment-success",
    "sign-in": "/auth",
    "story": "/notre-histoire",
    "faq": "/faq",
    "contact": "/contact",
    "quote": "/contact?devis=1",
    "terms": "/cgv",
    "privacy": "/politique-confidentialite",
    "legal": "/mentions-legales",
}
# Of one template with the Christmas one.
COLLECTIONS = ("/pokeball", "/crochet", "/figurines", "/goodies")
# Its German title has a word that is wider than an enlarged page.
ARTICLE = "/blog/8-un-petit-marche-de-noel-sur-une-etagere"


def address(path, language):
    return translate_url(path, language)


def first_product(page):
    [product] = page.request.get("/api/products?page_size=1").json()["results"]
    return product["url"]


def works_and_fits(page, path):
    """One load, on a phone first; the same page then on a wide screen."""
    assert page.goto(path).status == 200
    settle(page)
    assert page.locator("h1").count() == 1
    assert page.locator("html").get_attribute("lang") == "fr"
    for width in (PHONE, DESKTOP):
        page.set_viewport_size({"width": width, "height": HEIGHT[width]})
        assert overflow(page) == 0
        assert violations(page) == []


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_wcag_2_2_a_page_works_fits_and_is_accessible(new_page, path):
    works_and_fits(new_page(width=PHONE), path)


def test_the_mails_of_a_machine_that_sends_none_fit_a_phone(new_page):
    page = new_page(width=PHONE)
    page.goto("/_mails")
    assert overflow(page) == 0
    page.locator("td a").first.click()
    page.wait_for_url("**/_mails/*")
    assert overflow(page) == 0


def test_a_product_page_works_fits_and_is_accessible(new_page):
    page = new_page(width=PHONE)
    works_and_fits(page, first_product(page))
    # A screen enlarged to 400 % keeps its height for the page and the question about cookies.
    bar = page.locator(".buy-bar")
    page.set_viewport_size({"width": NARROW, "height": 640})
    page.mouse.wheel(0, 1500)
    bar.wait_for()
    page.set_viewport_size({"width": NARROW, "height": 256})
    bar.wait_for(state="hidden")


def test_a_text_begins_below_its_title_and_fits_an_enlarged_phone(page):
    """Whatever the length of the table of contents beside it; a phone at 200 % has half its width."""
    page.goto("/cgv")
    version, text = (
        page.locator(f".text-page {part}").bounding_box() for part in (".text-page__version", ".prose")
    )
    assert 0 < text["y"] - version["y"] < 120
    page.set_viewport_size({"width": PHONE // 2, "height": HEIGHT[PHONE] // 2})
    assert overflow(page) == 0


# A sheet that is made by a script is none that the page's policy refuses.
WIDENED = """() => { const sheet = new CSSStyleSheet();
  sheet.replaceSync(`* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important }
    p { margin-bottom: 2em !important }`);
  document.adoptedStyleSheets = [sheet];
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))); }"""
ADDRESS = """title => title.after(
  Object.assign(document.createElement("address"), { textContent: "A".repeat(250) }))"""
DEAR = """row => { row.className = "order-summary__row order-summary__row--total";
  const parts = { dt: "Gesamtbetrag", dd: "123.456,78\u00a0€" };
  row.replaceChildren(...Object.entries(parts).map(([name, text]) => Object.assign(document.createElement(name),
    { textContent: text }))); }"""


LARGE_TEXT = """() => { const sheet = new CSSStyleSheet(); sheet.replaceSync("html { font-size: 200% }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]; }"""
# Lines whose amount lies over the buttons of the quantity.
CROSSED = """lines => lines.filter((line) => {
  const [buttons, amount] = [".stepper", ".line__total"].map((part) => line.querySelector(part));
  if (!buttons || !amount) return false;
  const [one, other] = [buttons, amount].map((part) => part.getBoundingClientRect());
  return one.right > other.left && one.bottom > other.top && other.bottom > one.top;
}).length"""


@pytest.mark.parametrize("path", ["/de/datenschutz", "/checkout"])
def test_wcag_1_4_12_widened_letters_fit_a_page_that_is_enlarged(new_page, path):
    page = new_page(width=NARROW)
    page.goto(path)
    settle(page)
    page.evaluate(WIDENED)
    assert overflow(page) == 0


def test_wcag_1_4_4_names_and_amounts_find_their_place_beside_enlarged_text(new_page):
    visitor = Visitor(new_page(width=PHONE, language="de"), "de")
    page = visitor.page
    [piece] = page.request.get("/api/products?search=infusion&page_size=1").json()["results"]
    # Two that are paid, and the row of the free one.
    visitor.add(piece, times=3)
    for open_page in (visitor.open_cart, visitor.open_checkout):
        open_page()
        if open_page == visitor.open_cart:
            # What takes a piece out and what empties the cart look like links: fingers hit them as buttons.
            assert min(touched_heights(page.locator(".link-button"))) >= 44
        page.evaluate(LARGE_TEXT)
        widths = page.locator(".line__body:visible").evaluate_all("all => all.map(body => body.clientWidth)")
        assert (len(widths), min(widths) >= 100) == (2, True), widths
        assert page.locator(".line").evaluate_all(CROSSED) == 0
        assert overflow(page) == 0
    cut = "part => part.scrollWidth - part.clientWidth"
    assert visitor.pay_button.evaluate(cut) <= 0
    assert page.get_by_role("tablist").evaluate(cut) <= 0


def test_long_german_words_push_neither_counts_nor_fields(new_page):
    page = new_page(language="de")
    page.goto(address("/produits", "de"))
    page.locator(".filters__summary").click()
    counts = page.locator(".filters__count > [aria-hidden]")
    counts.first.wait_for()
    assert (
        counts.evaluate_all("all => all.map(count => count.getClientRects().length).filter(n => n > 1)") == []
    )
    page.goto(address("/suivi-commande", "de"))
    tops = "inputs => new Set(inputs.map(input => input.getBoundingClientRect().top)).size"
    assert page.locator("main .input").evaluate_all(tops) == 1


@pytest.mark.parametrize("width", [700, 960, 1024])
def test_names_of_a_cart_have_room_beside_its_summary(new_page, width):
    visitor = Visitor(new_page(width=DESKTOP), "fr")
    [piece] = visitor.page.request.get("/api/products?search=infusion&page_size=1").json()["results"]
    visitor.add(piece)
    visitor.page.set_viewport_size({"width": width, "height": HEIGHT[DESKTOP]})
    visitor.open_cart()
    assert visitor.page.locator(".line__body").evaluate("body => body.clientWidth") >= 150


def test_wcag_1_4_4_a_profile_has_room_beside_enlarged_labels(new_page, shop):
    page = new_page(width=PHONE, language="de")
    sign_in(page, MEMBER, shop.password)
    page.wait_for_url("**/espace-membre")
    page.goto("/de/kundenkonto?tab=profile")
    page.evaluate(LARGE_TEXT)
    assert page.locator(".spec dd").first.evaluate("part => part.clientWidth") >= 120
    assert overflow(page) == 0


def test_long_names_large_amounts_and_marks_find_their_place(new_page):
    page = new_page(width=NARROW, language="de")
    page.goto(first_product(page))
    page.locator(".breadcrumb [aria-current]").evaluate(
        "name => name.textContent = 'Figurensammlung'.repeat(8)"
    )
    assert overflow(page) == 0
    page.goto("/panier")
    settle(page)
    page.locator("main h1").evaluate(ADDRESS)
    assert overflow(page) == 0
    page.locator("main h1").evaluate(DEAR)
    assert overflow(page) == 0
    page.set_viewport_size({"width": PHONE, "height": HEIGHT[PHONE]})
    page.goto("/de/produkte")
    starred = page.locator(".card:has(.card__featured):has(.badge--stock)").first
    # The strip over the corner begins 3rem from it.
    assert starred.evaluate(
        "card => { const right = part => card.querySelector(part).getBoundingClientRect().right;"
        " return right('.card__photo') - right('.badge--stock') >= 48 }"
    )
    words = "image => { const { borderTopWidth, borderBottomWidth } = getComputedStyle(image, '::after');"
    words += " return [borderTopWidth, borderBottomWidth] }"
    assert starred.locator("img").first.evaluate(words) == ["56px", "56px"]


def test_what_leads_elsewhere_is_not_printed(page):
    page.emulate_media(media="print")
    for path in (first_product(page), ARTICLE):
        page.goto(path)
        assert (
            page.locator("main :is(.grid, .article-list, .article__neighbours, .gallery__thumbs)")
            .locator("visible=true")
            .count()
            == 0
        )


@pytest.mark.parametrize("language", ["en", "es", "de"])
def test_every_page_speaks_each_language_and_fits_when_it_is_enlarged(new_page, language):
    page = new_page(width=NARROW, language=language)
    for path in (*PAGES.values(), *COLLECTIONS, ARTICLE):
        assert page.goto(address(path, language)).status == 200
        settle(page)
        assert (path, page.locator("html").get_attribute("lang"), overflow(page)) == (path, language, 0)


@pytest.mark.parametrize("path", ["/nulle-part", "/produit/999999-rien", "/en/nowhere"])
def test_an_unknown_address_is_a_proper_page(page, journal, path):
    journal.expect("404")
    response = page.goto(path)
    assert response.status == 404
    assert page.locator("h1").count() == 1
    assert violations(page) == []


def test_every_page_can_be_read_without_scripts(new_page):
    page = new_page(javascript=False)
    for path in (*PAGES.values(), *COLLECTIONS):
        assert page.goto(path).status == 200
        assert (path, page.locator("h1").count()) == (path, 1)
        assert len(page.locator("main").inner_text()) > 40, path


def test_searching_works_without_scripts(new_page):
    page = new_page(javascript=False)
    page.goto("/produits")
    page.locator("main input[name=search]").fill("dragon")
    page.locator("main input[name=search]").press("Enter")
    page.wait_for_url("**/produits?*search=dragon*")
    assert "dragon" in page.locator("main").inner_text().lower()
