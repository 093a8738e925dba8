"""The second factor: an authenticator app without scripts, a passkey with the browser's own."""

import re

import pytest
from playwright.sync_api import expect

from accounts.tests.people import app_code
from tests.browser.accessibility import violations
from tests.browser.conftest import DESKTOP, NARROW
from tests.browser.people import PASSWORD, make_member

pytestmark = pytest.mark.browser

SECURITY = "/espace-membre/securite"
FORGET_PROOFS = """
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
for key in list(Session.objects.values_list("session_key", flat=True)):
    session = SessionStore(key)
    if session.pop("account_authentication_methods", None):
        session.save()
"""
AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


def check(page, name, snap, width):
    snap(page, f"{name}-{width}")
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    assert violations(page) == []


def _settled(page):
    """Wait for the page's own calls: the answer of one under way would set again the cookies that a test deletes."""
    page.wait_for_load_state("networkidle")


def test_a_member_adds_an_app_and_signs_in_with_its_code(new_context, shop, snap):
    email, width = "app@example.com", NARROW
    make_member(shop, email)
    auth, security = "/de/anmeldung", "/de/kundenkonto/sicherheit"
    context = new_context(width=width, language="de")
    page = context.new_page()
    page.goto(f"{auth}?next={security}")
    check(page, "auth-de", snap, width)
    page.locator("#id-email").fill(email)
    page.locator("#id-password").fill(PASSWORD)
    page.locator("main form button[type=submit]").click()
    page.wait_for_url(f"**{security}")
    check(page, "security-de", snap, width)

    page.get_by_role("link", name="App hinzufügen", exact=True).click()
    secret = page.locator(".secret").inner_text().replace(" ", "")
    assert page.locator(".qr-code").evaluate("image => image.complete && image.naturalWidth > 0")
    check(page, "app-de", snap, width)
    page.locator("#id-code").fill("000000")
    page.locator("main form button[type=submit]").last.click()
    expect(page.get_by_role("alert").first).to_be_visible()
    page.locator("#id-code").fill(app_code(secret))
    page.locator("main form button[type=submit]").last.click()
    expect(page.locator(".code-list li")).to_have_count(10)
    check(page, "codes-de", snap, width)
    with page.expect_download() as download:
        page.locator("a[download]").click()
    assert len(download.value.path().read_text().split()) >= 10
    page.locator("main a.button--primary").click()
    page.wait_for_url(f"**{security}")
    check(page, "security-app-de", snap, width)

    page.context.clear_cookies()
    page.goto(f"{auth}?next={security}")
    page.locator("#id-email").fill(email)
    page.locator("#id-password").fill(PASSWORD)
    page.locator("main form button[type=submit]").click()
    expect(page.locator("#id-code")).to_be_visible()
    check(page, "second-factor-de", snap, width)
    page.locator("#id-code").fill(app_code(secret, 1))
    page.get_by_role("button", name="Weiter", exact=True).click()
    page.wait_for_url(f"**{security}")


def test_a_passkey_is_made_signs_in_alone_confirms_and_goes(new_context, shop, snap):
    make_member(shop, "cle@example.com")
    context = new_context()
    page = context.new_page()
    base = shop.url.replace("127.0.0.1", "localhost")
    devtools = context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
    page.goto(f"{base}/auth?next={SECURITY}")
    page.locator("#id-email").fill("cle@example.com")
    page.locator("#id-password").fill(PASSWORD)
    page.locator("main form button[type=submit]").click()
    page.get_by_role("link", name="Ajouter une clé d'accès").click()
    page.locator("#id-name").fill("Téléphone de Léa")
    check(page, "new-passkey", snap, DESKTOP)
    page.get_by_role("button", name="Créer la clé d'accès").click()
    expect(page.locator(".code-list li")).to_have_count(10)
    page.goto(f"{base}{SECURITY}")
    expect(page.locator(".security__rename input[name=name]")).to_have_value("Téléphone de Léa")
    check(page, "security-passkey", snap, DESKTOP)

    # Alone, without address and password.
    context.clear_cookies()
    page.goto(f"{base}/auth?next={SECURITY}")
    page.get_by_role("button", name="Se connecter avec une clé d'accès").click()
    # The whole address: that of the form ends alike.
    expect(page).to_have_url(f"{base}{SECURITY}")
    _settled(page)

    # As the second step after the password.
    context.clear_cookies()
    page.goto(f"{base}/auth?next={SECURITY}")
    page.locator("#id-email").fill("cle@example.com")
    page.locator("#id-password").fill(PASSWORD)
    page.locator("main form button[type=submit]").click()
    expect(page).to_have_url(re.compile("/auth/seconde-etape"))
    check(page, "second-factor-passkey", snap, DESKTOP)
    page.get_by_role("button", name="Utiliser ma clé d'accès").click()
    expect(page).to_have_url(f"{base}{SECURITY}")
    _settled(page)

    # Asked again once the proof is old, in the middle of a change.
    shop.manage("shell", "--no-imports", "-c", FORGET_PROOFS)
    page.get_by_role("button", name=re.compile("^Retirer")).click()
    expect(page.get_by_role("heading", name="Confirmez que c'est bien vous")).to_be_visible()
    check(page, "confirm-passkey", snap, DESKTOP)
    page.get_by_role("button", name="Utiliser ma clé d'accès").click()
    expect(page.get_by_text("Clé d'accès retirée")).to_be_visible()
    assert shop.rows("SELECT count(*) FROM mfa_authenticator WHERE type = 'webauthn'") == [(0,)]
