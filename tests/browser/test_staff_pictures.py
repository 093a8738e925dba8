"""From the photos of a phone to the pictures of a product's page, by a thumb and by keys."""

from __future__ import annotations

import random
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.accessibility import violations
from tests.browser.conftest import DESKTOP, PHONE
from tests.browser.people import sign_in_as_admin

pytestmark = pytest.mark.browser

# What the sensor of a phone writes: 12 megapixels on their side, and how the phone was held.
SENSOR = (4032, 3024)
HELD_UPRIGHT = 6


def phone_photo(path: Path, colour: tuple[int, int, int], seed: int) -> Path:
    """A photo of more than the server takes, whose left edge is the top of what was seen."""
    rows = Image.frombytes("L", (1344, 1008), random.Random(seed).randbytes(1344 * 1008))
    picture = Image.merge("RGB", [rows] * 3).resize(SENSOR, Image.Resampling.BICUBIC)
    picture.paste(colour, (0, 0, SENSOR[0] // 2, SENSOR[1]))
    picture.paste(rows.resize((SENSOR[0] // 2, SENSOR[1])).convert("RGB"), (SENSOR[0] // 2, 0))
    exif = Image.Exif()
    exif[0x0112] = HELD_UPRIGHT
    picture.save(path, "JPEG", quality=98, subsampling=0, exif=exif)
    assert path.stat().st_size > 5 * 1024 * 1024
    return path


def stored_photos(shop, product: int) -> list[tuple]:
    return shop.rows(
        "SELECT id, width, height, alt_fr, focus_x, focus_y FROM catalog_productimage"
        f" WHERE product_id = {product} ORDER BY position, id"
    )


LAID_BARS = (
    "[...document.querySelectorAll('main *, nav')]"
    ".filter((each) => ['sticky', 'fixed'].includes(getComputedStyle(each).position))"
)


def sharp(page: Page) -> None:
    """Nothing for axe to complain about, nothing beside the screen."""
    # Bars lie over a part of whatever row has been scrolled below them: they are judged in their own place.
    page.evaluate(f"{LAID_BARS}.forEach((bar) => bar.style.setProperty('position', 'static'))")
    assert violations(page) == []
    page.evaluate(
        "document.querySelectorAll('[style*=\"position: static\"]')"
        ".forEach((bar) => bar.style.removeProperty('position'))"
    )
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_photos_of_a_phone_become_the_pictures_of_a_product(new_page, shop, snap, tmp_path):
    red = phone_photo(tmp_path / "IMG_0001.jpg", (200, 30, 30), 1)
    blue = phone_photo(tmp_path / "IMG_0002.jpg", (30, 30, 200), 2)
    page = new_page(width=PHONE)
    sign_in_as_admin(page, shop)
    [(product,)] = shop.rows(
        "SELECT product_id FROM catalog_productvariation GROUP BY product_id ORDER BY product_id LIMIT 1"
    )
    before = [row[0] for row in stored_photos(shop, product)]
    page.goto(f"/admin/produits/{product}")
    photos = page.get_by_role("list", name="Photos du produit, dans l'ordre").get_by_role("listitem")
    expect(photos).to_have_count(len(before))

    page.locator(".photo-drop input[type=file]").set_input_files([red, blue])
    expect(photos).to_have_count(len(before) + 2, timeout=60_000)
    added = stored_photos(shop, product)[len(before) :]
    # Upright, at the size that the shop keeps.
    assert [(width, height) for _key, width, height, *_rest in added] == [(1800, 2400)] * 2
    content = page.request.get(photos.last.locator("img").get_attribute("src")).body()
    shown = Image.open(BytesIO(content)).convert("RGB")
    top = shown.getpixel((shown.width // 2, 5))
    assert (top[0] < 90, top[2] > 120) == (True, True)
    sharp(page)
    snap(page, "staff-pictures-390")

    # By keys alone: the last one to the front, the one before it one place up.
    total = len(before) + 2
    page.get_by_role("button", name=f"Monter : Photo {total}", exact=True).focus()
    page.keyboard.press("Home")
    expect(page.get_by_text(f"Photo en position 1 sur {total}")).to_be_attached()
    page.get_by_role("button", name=f"Monter : Photo {total}", exact=True).focus()
    page.keyboard.press("Enter")
    first, second = added[1][0], added[0][0]
    expected = [first, *before[:-1], second, before[-1]]
    save = page.get_by_role("button", name="Sauvegarder l'ordre")
    save.focus()
    page.keyboard.press("Enter")
    expect(save).to_have_count(0)
    assert [row[0] for row in stored_photos(shop, product)] == expected

    page.get_by_role("button", name="Modifier : Photo 1", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Français").fill("Le dos de la figurine")
    dialog.get_by_label("De haut en bas").press("Home")
    sharp(page)
    snap(page, "staff-picture-dialog-390")
    dialog.get_by_role("button", name="Enregistrer la photo").click()
    expect(dialog).to_have_count(0)
    assert stored_photos(shop, product)[0][3:] == ("Le dos de la figurine", 50, 0)

    # What was moved and not saved comes back.
    page.get_by_role("button", name="Descendre : Photo 1", exact=True).click()
    page.get_by_role("button", name="Annuler les modifications").click()
    expect(photos.first).to_contain_text("Le dos de la figurine")
    assert [row[0] for row in stored_photos(shop, product)] == expected

    visitor = new_page(width=DESKTOP)
    visitor.goto(f"/produit/{product}")
    main = visitor.locator(".gallery__photo img").first
    expect(main).to_have_attribute("alt", "Le dos de la figurine")
    expect(main).to_have_css("object-position", "50% 0%")
    sharp(visitor)


def test_variants_are_written_in_one_grid(new_page, shop, snap):
    page = new_page(width=PHONE)
    sign_in_as_admin(page, shop)
    [(product,)] = shop.rows(
        "SELECT product_id FROM catalog_productvariation GROUP BY product_id ORDER BY product_id DESC LIMIT 1"
    )
    page.goto(f"/admin/produits/{product}")
    rows = page.locator(".variant")
    expect(rows.first).to_be_visible()
    more = rows.first.get_by_role("button", name="Un de plus")
    more.click()
    more.click()
    rows.nth(1).get_by_label("Prix propre (€)").fill("77,5")
    expect(page.get_by_text("2 lignes modifiées")).to_be_visible()
    sharp(page)
    snap(page, "staff-variants-390")
    page.get_by_role("button", name="Enregistrer les déclinaisons").click()
    expect(page.get_by_text("2 lignes modifiées")).to_have_count(0)
    expect(rows.nth(1)).to_contain_text("77,50")
    stored = shop.rows(
        "SELECT v.stock_quantity, v.price FROM catalog_variant v"
        " JOIN catalog_productvariation f ON f.id = v.variation_id"
        f" WHERE v.product_id = {product} ORDER BY f.sort_order, f.id"
    )
    assert (stored[0][0], float(stored[1][1])) == (2, 77.5)
