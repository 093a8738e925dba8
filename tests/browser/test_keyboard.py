"""Journeys with the keys alone: everything is reached, nothing holds the focus, nothing loses it."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import violations
from tests.browser.conftest import PHONE
from tests.browser.looks import piece, settle
from tests.browser.people import sign_in_as_admin
from tests.browser.visitor import Visitor

pytestmark = pytest.mark.browser


def focused(page):
    """The name of what has the focus, "" when nothing has."""
    return page.evaluate(
        "() => { const here = document.activeElement;"
        " return here === document.body ? '' : here.getAttribute('aria-label') || here.textContent.trim(); }"
    )


def tab_until(page, wanted, *, key="Tab", most=60):
    for _ in range(most):
        page.keyboard.press(key)
        if re.search(wanted, focused(page)):
            return
    raise AssertionError(f"{wanted} is not reached by {key}, the last was {focused(page)!r}")


def test_the_page_begins_with_a_way_past_its_menu(page):
    page.goto("/")
    page.keyboard.press("Tab")
    assert focused(page) == "Aller au contenu"
    page.keyboard.press("Enter")
    expect(page.locator("#contenu")).to_be_focused()


def test_slides_are_turned(page):
    page.goto("/")
    settle(page)
    counter = page.locator("[data-counter]")
    expect(counter).to_have_text(re.compile(r"^1 sur \d"))
    # Reduced motion is asked for: it does not play, and playing is the first thing to choose.
    tab_until(page, "^Lancer le défilement$")
    tab_until(page, "^Pièce suivante$", most=12)
    page.keyboard.press("Enter")
    expect(counter).to_have_text(re.compile("^2 sur"))
    assert focused(page) == "Pièce suivante"
    tab_until(page, "^Pièce précédente$", key="Shift+Tab", most=12)
    page.keyboard.press("Space")
    page.keyboard.press("Space")
    expect(counter).to_have_text(re.compile(r"^(\d) sur \1$"))


def test_a_menu_opens_closes_and_gives_the_focus_back(page):
    page.goto("/notre-histoire")
    tab_until(page, "^Produits")
    page.keyboard.press("Enter")
    expect(page.locator("#menu-produits")).to_be_visible()
    page.keyboard.press("Tab")
    assert focused(page) == "Nos Figurines Résine"
    page.keyboard.press("Escape")
    expect(page.locator("#menu-produits")).to_be_hidden()
    assert focused(page).startswith("Produits")

    # Pressed while the focus is inside, its button closes it, and does not open it again.
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.locator("[popovertarget=menu-produits]").click()
    expect(page.locator("#menu-produits")).to_be_hidden()


def test_a_menu_that_is_left_covers_nothing(new_page):
    page = new_page(width=PHONE)
    page.goto("/notre-histoire")
    settle(page)
    tab_until(page, "^Menu$")
    page.keyboard.press("Enter")
    expect(page.locator("#menu-lateral").get_by_role("button")).to_be_focused()
    tab_until(page, "^Deutsch$")
    expect(page.locator("#menu-lateral")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.locator("#menu-lateral")).to_be_hidden()
    expect(page.locator(":focus")).to_be_visible()


def test_the_bar_that_sells_hides_nothing_that_is_reached(new_page):
    page = new_page(width=PHONE)
    page.goto(piece(page, "golem"))
    settle(page)
    bar = page.locator(".buy-bar")
    page.get_by_role("link", name="Instagram").last.focus()
    expect(bar).to_be_visible()
    tab_until(page, "^FAQ$")
    # The first key has the island come, whose bar takes the place of the server's.
    expect(page.locator("x-island[name=product-buy]")).to_have_attribute("state", "ready")
    expect(bar).to_be_visible()
    below = "bar => bar.getBoundingClientRect().top - document.activeElement.getBoundingClientRect().bottom"
    assert bar.evaluate(below) >= 0


def test_suggestions_are_chosen_closed_and_read_out(page):
    page.goto("/notre-histoire")
    settle(page)
    field = page.get_by_role("combobox", name="Rechercher une figurine")
    field.or_(page.locator("#header-search")).focus()
    page.keyboard.type("gol")
    options = page.get_by_role("option")
    expect(options.first).to_contain_text("Golem de poche")
    expect(options.last).to_contain_text("Voir tous les résultats")
    expect(field).to_have_attribute("aria-expanded", "true")
    expect(page.locator("#live")).to_contain_text("1 figurine")
    page.keyboard.press("ArrowDown")
    expect(options.first).to_have_attribute("aria-selected", "true")
    assert field.get_attribute("aria-activedescendant") == options.first.get_attribute("id")
    assert violations(page) == []

    # Escape leaves what was typed, the arrow opens the list again.
    page.keyboard.press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()
    expect(field).to_have_value("gol")
    expect(field).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(options.last).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    expect(field).not_to_have_attribute("aria-activedescendant", re.compile("."))
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/produit/*-golem-de-poche")


def test_a_filter_keeps_the_focus_and_is_read_out(page):
    page.goto("/produits")
    settle(page)
    total = page.locator(".results__count").inner_text()
    tab_until(page, "^Mangas")
    page.keyboard.press("Enter")
    page.wait_for_url("**/produits?category=mangas")
    expect(page.locator(".results__count")).not_to_have_text(total)
    expect(page.locator("#live")).to_contain_text("figurines")
    assert focused(page).startswith("Mangas")
    # A link inside what is replaced is gone: the results take its place.
    tab_until(page, "^Voir toutes les figurines$")
    page.keyboard.press("Enter")
    expect(page.locator(".results__count")).to_have_text(total)
    expect(page.locator("#resultats")).to_be_focused()


def test_photos_are_turned_enlarged_moved_and_closed(page):
    page.goto(piece(page, "gardien aux andouillers"))
    settle(page)
    count = page.locator(".gallery__count")
    # The first key brings the gallery to life.
    page.keyboard.press("Tab")
    expect(count).to_have_text(re.compile("^1 / "))
    tab_until(page, "Agrandir la photo")
    page.keyboard.press("ArrowRight")
    expect(count).to_have_text(re.compile("^2 / "))
    page.keyboard.press("ArrowLeft")
    expect(count).to_have_text(re.compile("^1 / "))

    page.keyboard.press("Enter")
    viewer = page.get_by_role("dialog", name="Photos :")
    expect(viewer.locator("img.pswp__img").first).to_be_visible()
    photo = viewer.locator(
        ".pswp__item[aria-hidden=false] img.pswp__img, .pswp__item:not([aria-hidden=true]) img.pswp__img"
    )

    def box():
        return photo.first.bounding_box()

    def wait_until(measure, least, most):
        # Zoom and move glide: what is waited for is where they end.
        page.wait_for_function(
            "([img, measure, least, most]) => { const value = img.getBoundingClientRect()[measure];"
            " return least <= value && value <= most }",
            arg=[photo.first.element_handle(), measure, least, most],
        )

    whole = box()
    page.keyboard.press("+")
    expect(viewer.get_by_role("button", name="Agrandir ou réduire")).to_have_attribute("aria-pressed", "true")
    wait_until("width", 1.49 * whole["width"], 1.51 * whole["width"])
    page.keyboard.press("+")
    wait_until("width", 2.24 * whole["width"], 2.26 * whole["width"])
    enlarged = box()
    page.keyboard.press("ArrowDown")
    wait_until("y", -100_000, enlarged["y"] - 1)
    page.keyboard.press("0")
    wait_until("width", whole["width"] - 1, whole["width"] + 1)
    # The whole photo again: the arrows turn to the next one.
    page.keyboard.press("ArrowRight")
    expect(viewer).to_contain_text("2 / ")
    page.keyboard.press("Escape")
    expect(viewer).to_have_count(0)
    assert "Agrandir la photo" in focused(page)
    expect(count).to_have_text(re.compile("^2 / "))


def tab_stop(page, drawer):
    """The next control of the drawer, by its name."""
    page.keyboard.press("Tab")
    control = drawer.locator(":focus")
    return control.get_attribute("aria-label") or control.inner_text()


def test_finishes_are_compared_and_chosen(page):
    page.goto(piece(page, "golem"))
    settle(page)
    painted = page.locator("input[name=finition][value=painted]")
    price = page.locator(".buy__price")
    before = price.inner_text()
    painted.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("input[name=finition][value=unpainted]")).to_be_focused()
    expect(price).not_to_have_text(before)
    expect(page).to_have_url(re.compile("finition=unpainted"))
    tab_until(page, "^Ajouter au panier")
    page.keyboard.press("Enter")
    drawer = page.get_by_role("dialog", name="Produit ajouté au panier")
    expect(drawer.get_by_role("heading", level=2)).to_be_focused()
    expect(drawer.locator(".order-summary__row")).to_contain_text("€")
    assert [tab_stop(page, drawer) for _stop in range(4)] == [
        "Fermer",
        "Commander",
        "Voir le panier",
        "Continuer mes achats",
    ]
    page.keyboard.press("Escape")
    expect(drawer).to_have_count(0)
    assert focused(page).startswith("Ajouter au panier")

    tab_until(page, "^Part non peinte")
    split = "() => document.querySelector('.compare').style.getPropertyValue('--split')"
    # The focus has brought it into sight, where its script is fetched.
    page.wait_for_function(split)
    middle = page.evaluate(split)
    page.keyboard.press("ArrowRight")
    assert page.evaluate(split) != middle
    page.keyboard.press("End")
    assert page.evaluate(split) == "100%"


def test_questions_open_and_close(page):
    page.goto("/faq")
    question = page.locator("details").first
    question.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(question.locator(".prose")).to_be_visible()
    page.keyboard.press("Space")
    expect(question.locator(".prose")).to_be_hidden()
    expect(question.locator("summary")).to_be_focused()


def test_a_refused_form_leads_to_what_is_wrong(page):
    page.goto("/contact")
    page.get_by_label("Prénom").fill("Léa")
    page.get_by_role("button", name="Envoyer le message").press("Enter")
    summary = page.locator(".error-summary")
    expect(summary).to_be_visible()
    tab_until(page, "Message")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Message", exact=True)).to_be_focused()
    expect(page.get_by_label("Prénom")).to_have_value("Léa")


def test_a_dialog_of_the_staff_area_gives_the_focus_back(page, shop):
    sign_in_as_admin(page, shop)
    page.goto("/admin/expedition")
    # The first Tab brings the search to life, and the link that it was does not take the focus away.
    tab_until(page, "^Rechercher")
    search = page.locator("button.staff-search")
    expect(search).to_be_focused()
    for closing in ("Escape", "Shift+Tab"):
        page.keyboard.press("Enter")
        field = page.get_by_role("combobox", name="Écran, commande, produit ou client")
        expect(field).to_be_focused()
        page.keyboard.press(closing)
        if closing == "Shift+Tab":
            assert focused(page) == "Fermer"
            assert violations(page) == []
            page.keyboard.press("Enter")
        expect(field).to_have_count(0)
        expect(search).to_be_focused()


def test_emptying_the_cart_leads_to_the_heading_that_says_so(page):
    visitor = Visitor(page)
    visitor.add(visitor.products()[0])
    visitor.open_cart()
    tab_until(page, "^Vider le panier$")
    page.keyboard.press("Enter")
    tab_until(page, "^Vider le panier$", most=1)
    page.keyboard.press("Enter")
    expect(visitor.empty_cart).to_be_focused()
    assert visitor.kept_lines() == []
