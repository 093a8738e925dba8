"""A piece in 3D, drawn by a real browser under the shop's own content security policy."""

from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.browser.accessibility import violations
from tests.browser.conftest import PHONE

pytestmark = pytest.mark.browser
# What the software renderer says of its own speed.
DRIVER = "GL Driver Message"


def open_model(page, name):
    [found] = page.request.get(f"/api/products?search={name}&page_size=1").json()["results"]
    page.goto(found["url"])
    viewer = page.locator(".model-viewer")
    viewer.scroll_into_view_if_needed()
    assert page.locator("canvas").count() == 0
    page.get_by_role("button", name="Voir en 3D").click()
    expect(viewer).to_have_attribute("data-state", "ready", timeout=30_000)
    page.wait_for_timeout(500)
    return viewer


def drawn(page):
    return Image.open(BytesIO(page.locator(".model-viewer__stage").screenshot())).convert("RGB")


@pytest.mark.parametrize("name", ["golem de poche", "veilleuse des bois"])
def test_the_model_is_drawn_and_turned_by_keyboard(page, name, snap, journal):
    journal.expect(DRIVER)
    open_model(page, name)
    # Where it starts, with the ring that a key brings.
    page.keyboard.press("Home")
    page.wait_for_timeout(500)
    first = drawn(page)
    # A piece in light, not a flat ground: hundreds of shades.
    assert len(first.getcolors(maxcolors=1_000_000)) > 300
    expect(page.locator("canvas")).to_be_focused()
    snap(page, f"model-{name.replace(' ', '-')}")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(500)
    assert drawn(page).tobytes() != first.tobytes()
    page.keyboard.press("Home")
    page.wait_for_timeout(500)
    assert drawn(page).tobytes() == first.tobytes()
    assert violations(page) == []


def test_the_picture_comes_back(new_page, snap, journal):
    journal.expect(DRIVER)
    page = new_page(width=PHONE)
    open_model(page, "golem de poche")
    snap(page, "model-phone")
    canvas = page.locator("canvas").element_handle()
    page.get_by_role("button", name="Revenir à la photo").click()
    expect(page.locator("canvas")).to_have_count(0)
    expect(page.get_by_role("button", name="Voir en 3D")).to_be_focused()
    # Its memory is free at once: a phone has room for few of them.
    assert canvas.evaluate("canvas => canvas.getContext('webgl2').isContextLost()")
    expect(page.locator(".model-viewer")).to_have_attribute("data-state", "poster")


def test_a_model_that_does_not_arrive_leaves_the_picture(page, journal):
    journal.expect("glb|Failed to load")
    page.route("**/*.glb", lambda route: route.abort())
    [found] = page.request.get("/api/products?search=golem&page_size=1").json()["results"]
    page.goto(found["url"])
    page.get_by_role("button", name="Voir en 3D").click()
    expect(page.locator(".model-viewer")).to_have_attribute("data-state", "failed")
    expect(page.get_by_text("Le modèle n'a pas pu être chargé.")).to_be_visible()
    expect(page.locator(".model-viewer__stage img")).to_be_visible()
    page.emulate_media(media="print")
    expect(page.locator(".model-viewer")).to_be_hidden()
