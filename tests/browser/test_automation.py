"""Keys and webhooks on a phone: made, tried, revoked, with nothing to complain about for axe."""

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import violations
from tests.browser.conftest import PHONE

pytestmark = pytest.mark.browser


def check(page):
    assert violations(page) == [], page.url
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, page.url


def test_admin_makes_a_key_and_a_webhook_on_a_phone(new_page, shop, snap):
    page = new_page(width=PHONE)
    page.goto("/auth?next=/admin/cles-api")
    page.locator("#id-email").fill("admin@example.com")
    page.locator("#id-password").fill(shop.password)
    page.locator("main form button[type=submit]").click()
    page.wait_for_url("**/admin/cles-api")
    page.get_by_text("Un exemple à copier").click()
    check(page)
    snap(page, "api-keys")
    page.get_by_label("Nom du programme").fill("Tableau de stock")
    page.get_by_role("button", name="Créer la clé").click()
    key = page.locator("#nouvelle-cle-texte").inner_text()
    check(page)

    assert page.request.get("/functions/v1/product-automation").status == 401
    headers = {"Authorization": f"Bearer {key}"}
    listed = page.request.get("/functions/v1/product-automation", headers=headers)
    assert listed.json()["count"] > 12

    page.goto("/admin/webhooks")
    check(page)
    page.get_by_role("link", name="Nouveau webhook").click()
    # Nobody answers there.
    page.get_by_label("Adresse à appeler").fill("http://localhost:9/hook")
    page.get_by_label("Description").fill("Tableau de stock")
    check(page)
    page.get_by_role("button", name="Créer le webhook").click()
    expect(page.locator("#secret")).to_contain_text("whsec_")
    check(page)
    page.get_by_role("link", name="Voir le webhook").click()
    page.get_by_role("button", name="Envoyer un essai").click()
    expect(page.get_by_text("L'essai part dans un instant")).to_be_visible()
    tried = page.get_by_text("1 tentative")
    for _ in range(30):
        page.reload()
        if tried.count():
            break
        page.wait_for_timeout(1000)
    tried.click()
    expect(page.get_by_text("pas de réponse, le serveur refuse la connexion")).to_be_visible()
    check(page)
    snap(page, "webhook")

    page.goto("/admin/cles-api")
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Révoquer la clé Tableau de stock").click()
    expect(page.get_by_text("n'ouvre plus rien")).to_be_visible()
    assert page.request.get("/functions/v1/product-automation", headers=headers).status == 401
