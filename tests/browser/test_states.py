"""Pages in their less usual states, seen by axe at the width of a phone and of a desktop, without sideways scroll."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESKTOP, NARROW, PHONE
from tests.browser.hands import finger
from tests.browser.looks import piece, settle
from tests.browser.visitor import Visitor

pytestmark = pytest.mark.browser

WIDTHS = {"phone": PHONE, "desktop": DESKTOP}

SOLD_OUT = "garde du bastion"


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_a_piece_with_formats_and_a_sold_out_one(new_page, see, journal, width):
    journal.expect("confirmer.* 404")
    page = new_page(width=width)
    formats = page.request.get("/figurines").text()
    page.goto(formats.split('class="card__name"><a href="')[1].split('"')[0])
    expect(page.locator("input[name=format]").first).to_be_attached()
    see(page, "formats")
    page.goto(piece(page, SOLD_OUT))
    expect(page.get_by_text("Rupture de stock").first).to_be_visible()
    see(page, "sold-out")
    page.locator("#notice-email").fill("lea@example.com")
    page.get_by_role("button", name="Me prévenir du retour").click()
    page.wait_for_url("**/avis/demande**")
    see(page, "notice-asked")
    page.goto("/avis/confirmer?jeton=perdu")
    see(page, "notice-expired")


def test_a_picture_that_does_not_arrive_says_what_it_shows(page, journal):
    journal.expect("ERR_FAILED")
    page.route("**/media/**", lambda route: route.abort())
    page.goto(piece(page, "golem"))
    settle(page)
    words = "image => [image.alt, getComputedStyle(image, '::after').content]"
    alt, shown = page.locator(".gallery__stage img").first.evaluate(words)
    assert alt
    assert shown == f'"{alt}" / ""'


def test_what_is_chosen_is_seen_in_forced_colours(new_page):
    page = new_page()
    page.emulate_media(forced_colors="active")
    line = "element => { const style = getComputedStyle(element); return [style.borderTopWidth, style.outlineStyle] }"
    page.goto("/contact")
    assert page.locator(".radio-card:has(:checked)").evaluate(line) == ["3px", "none"]
    assert page.locator(".radio-card:not(:has(:checked))").evaluate(line) == ["1px", "none"]
    colour = "element => getComputedStyle(element).color"
    send = page.get_by_role("button", name="Envoyer le message")
    at_work = send.evaluate(colour)
    send.evaluate("element => { element.ariaDisabled = 'true' }")
    assert send.evaluate(colour) != at_work
    page.goto("/produits")
    drop = "element => getComputedStyle(element, '::before').backgroundColor"
    assert page.locator(".card .category-label").first.evaluate(drop) == "rgb(0, 0, 0)"
    # The arrow that is drawn by a background is the browser's own.
    arrow = "element => { const style = getComputedStyle(element); return [style.appearance, style.backgroundImage] }"
    assert page.locator(".select").first.evaluate(arrow) == ["auto", "none"]
    page.goto(piece(page, "golem"))
    assert page.locator(".assurances .icon").first.evaluate(colour) == "rgb(0, 0, 0)"
    page.goto("/auth")
    assert page.locator(".tabs__tab[aria-current]").evaluate(line) == ["0px", "solid"]
    assert page.locator(".tabs__tab:not([aria-current])").evaluate(line) == ["0px", "none"]


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_favourites_without_and_with_a_piece(new_page, see, width):
    page = new_page(width=width)
    page.goto("/favoris")
    expect(page.get_by_text("Aucun favori pour l'instant")).to_be_visible()
    expect(page.get_by_role("link", name="Connectez-vous pour les retrouver partout")).to_be_visible()
    see(page, "favourites-empty")
    page.goto(piece(page, "golem"))
    page.get_by_role("button", name="Favori", exact=True).click()
    expect(page.locator("#toasts")).to_contain_text("Ajouté aux favoris")
    see(page, "toast")
    page.goto("/favoris")
    expect(page.get_by_text("1 favori")).to_be_visible()
    see(page, "favourites")


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_menus_filters_reviews_and_refused_forms(new_page, see, width):
    page = new_page(width=width)
    page.goto("/")
    page.get_by_role("button", name="Menu" if width == PHONE else "Produits", exact=True).click()
    see(page, "menu")
    page.goto("/produits?category=mangas&sort=price-desc")
    expect(page.get_by_text("Filtré").locator("visible=true").first).to_be_visible()
    see(page, "filtered")
    if width != PHONE:
        # The panel of the filters is as wide as the page; its button keeps to the row of the search. Both are measured
        # at once: after a look the page may still be scrolling.
        sort, button = page.evaluate(
            "() => ['#tri', '.filters__summary']"
            ".map(name => document.querySelector(name).getBoundingClientRect().y)"
        )
        assert button == pytest.approx(sort, abs=4)
    page.goto(f"{piece(page, 'ours boulanger')}/avis")
    see(page, "reviews")
    page.goto("/avis-clients")
    see(page, "review-rules")
    page.goto("/contact?devis=1")
    page.get_by_role("button", name="Envoyer le message").click()
    expect(page.locator(".error-summary")).to_be_focused()
    see(page, "contact-refused")


def test_filters_on_a_phone_are_opened_chosen_and_taken_back(new_page, see):
    page = new_page(width=PHONE)
    page.goto("/produits")
    settle(page)
    count = page.locator(".results__count")
    everything = count.inner_text()
    unpainted = page.get_by_role("checkbox", name="Non peint, à peindre")
    expect(unpainted).to_be_hidden()
    page.locator(".filters__summary").click()
    see(page, "filters-open")
    unpainted.check()
    page.wait_for_url("**/produits?*unpainted*")
    expect(count).not_to_have_text(everything)
    # Still open, for the next choice.
    expect(unpainted).to_be_checked()
    expect(page.locator("#filtres-nombre")).to_have_text("(1)")
    see(page, "filters-chosen")
    page.locator(".chips").get_by_role("link").first.click()
    expect(count).to_have_text(everything)
    expect(unpainted).not_to_be_checked()
    expect(page.locator("#filtres-nombre")).to_have_text("")


def test_suggestions_on_a_phone_stand_in_the_menu(new_page, see):
    page = new_page(width=PHONE)
    page.goto("/notre-histoire")
    page.get_by_role("button", name="Menu", exact=True).click()
    page.locator("#drawer-search").press_sequentially("gol")
    expect(page.get_by_role("option").first).to_contain_text("Golem de poche")
    see(page, "suggestions")
    page.get_by_role("option").last.click()
    page.wait_for_url("**/produits?search=gol")


SHIFTS = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => { for (const shift of list.getEntries()) sum += shift.value; })
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(sum), 500);
})"""


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_the_offer_of_another_language(new_context, see, width):
    page = new_context(width=width, language="de").new_page()
    page.goto("/faq")
    offer = page.get_by_role("region", name="Diese Seite gibt es auf Deutsch.")
    expect(offer).to_be_visible()
    # Above everything else, and there before the first paint: it covers nothing and moves nothing.
    assert offer.bounding_box()["y"] == 0
    assert page.locator("header").first.bounding_box()["y"] >= offer.bounding_box()["height"]
    settle(page)
    # A typeface that comes late moves letters by less; the offer would move the page by 0.05.
    assert page.evaluate(SHIFTS) < 0.01
    # Last: it enlarges the text, which moves everything.
    see(page, "language-offer")
    offer.get_by_role("button", name="Nein danke").click()
    page.goto("/contact")
    settle(page)
    expect(page.locator(".language-offer")).to_be_hidden()


def test_the_language_that_was_chosen_is_that_of_the_next_visit(new_context):
    context = new_context(width=PHONE, language="de")
    page = context.new_page()
    page.goto("/")
    page.get_by_role("link", name="Auf Deutsch lesen").click()
    page.wait_for_url("**/de")
    page = context.new_page()
    page.goto("/")
    page.wait_for_url("**/de")
    # French stays a choice like the others.
    page.locator("footer a[hreflang=fr]").click()
    page.wait_for_function("() => location.pathname === '/'")
    page = context.new_page()
    page.goto("/")
    settle(page)
    assert page.evaluate("document.documentElement.lang") == "fr"


def test_a_swipe_turns_to_the_next_photo_before_the_gallery_has_come_to_life(new_page):
    page = new_page(width=PHONE)
    page.goto(piece(page, "gardien aux andouillers"))
    settle(page)
    gallery = page.locator("x-island[name=gallery]")
    expect(gallery).to_have_attribute("state", "waiting")
    box = gallery.locator(".gallery__stage").bounding_box()
    x, y = box["x"] + 0.9 * box["width"], box["y"] + box["height"] / 2
    with finger(page) as touch:
        touch("touchStart", (x, y))
        for step in range(1, 11):
            touch("touchMove", (x - step * 0.07 * box["width"], y))
        touch("touchEnd")
    expect(gallery).to_have_attribute("state", "ready")
    expect(gallery.locator(".gallery__count")).to_have_text("2 / 2")


def test_the_photo_on_the_whole_screen_turns_without_a_swipe(new_page):
    page = new_page(width=PHONE)
    # By this the viewer knows a screen for fingers.
    page.add_init_script("window.ontouchstart = null")
    page.goto(piece(page, "gardien aux andouillers"))
    settle(page)
    page.locator(".gallery__stage a").first.click()
    viewer = page.get_by_role("dialog", name="Photos :")
    expect(viewer).to_have_class(re.compile("pswp--touch"))
    expect(viewer).to_contain_text("1 / 2")
    viewer.get_by_role("button", name="Photo suivante").click()
    expect(viewer).to_contain_text("2 / 2")


@pytest.mark.parametrize("width", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_the_photo_on_the_whole_screen(new_page, see, width):
    page = new_page(width=width)
    page.goto(piece(page, "gardien aux andouillers"))
    settle(page)
    page.locator(".gallery__stage a").first.click()
    viewer = page.get_by_role("dialog", name="Photos :")
    expect(viewer).to_contain_text("1 / 2")
    expect(viewer.locator("img.pswp__img").first).to_be_visible()
    see(page, "viewer")
    viewer.get_by_role("button", name="Agrandir ou réduire").click()
    expect(viewer.get_by_role("button", name="Agrandir ou réduire")).to_have_attribute("aria-pressed", "true")
    see(page, "viewer-zoomed")


@pytest.mark.parametrize("language", ["fr", "de"])
def test_what_changed_while_ordering_is_seen_whole_on_the_narrowest_phone(new_page, shop, journal, language):
    journal.expect("409")
    visitor = Visitor(new_page(width=NARROW, language=language), language)
    visitor.add(visitor.products()[0])

    def show_an_old_price(route):
        answer = route.fetch()
        quote = answer.json()
        quote["total"] = quote["lines"][0]["line_total"] = "1.00"
        route.fulfill(response=answer, json=quote)

    visitor.page.route("**/api/cart/quote", show_an_old_price)
    visitor.open_checkout()
    visitor.fill_guest("changed@example.com")
    visitor.pay_button.click()

    changes = visitor.page.locator(".changes")
    expect(changes.get_by_role("row")).to_have_count(3)
    assert changes.evaluate("table => table.scrollWidth - table.clientWidth") == 0
    assert shop.rows("SELECT id FROM orders_order WHERE email = ?", "changed@example.com") == []


# The words of an element that stand on more than one line.
BROKEN_WORDS = """element => [...element.textContent.matchAll(/\\S+/g)].map(({ 0: word, index }) => {
  const range = document.createRange();
  range.setStart(element.firstChild, index);
  range.setEnd(element.firstChild, index + word.length);
  return range.getClientRects().length > 1 ? word : "";
}).filter(Boolean)"""


def test_names_in_the_recap_keep_their_words_whole_on_the_narrowest_phone(new_page):
    visitor = Visitor(new_page(width=NARROW, language="de"), "de")
    names = ("Häschentee", "Laubfrosch")
    for product in visitor.page.request.get("/api/products?page_size=60&lang=de").json()["results"]:
        if product["id"] in (1, 9):
            visitor.add(product)
    visitor.open_checkout()
    recap = visitor.page.locator(".checkout-recap .line__name")
    expect(recap).to_have_count(len(names))
    for name in names:
        assert recap.filter(has_text=name).evaluate(BROKEN_WORDS) == []
