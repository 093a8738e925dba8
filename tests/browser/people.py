"""Members of the tests' own, and how members and staff sign in."""

from __future__ import annotations

MEMBER = "client@example.com"
PASSWORD = "figurine-atelier-2026"
"""Of a member that `make_member` made."""


def make_member(shop, email):
    shop.manage(
        "shell",
        "--no-imports",
        "-c",
        f"from accounts.services import create_member; create_member(email={email!r}, password={PASSWORD!r})",
    )


def sign_in(page, email, password):
    page.goto("/auth?next=/espace-membre")
    page.locator("#id-email").fill(email)
    page.locator("#id-password").fill(password)
    page.locator("main form button[type=submit]").click()


def sign_in_as_admin(page, shop):
    page.goto("/auth?next=/gestion/")
    page.locator("#id-email").fill("admin@example.com")
    page.locator("#id-password").fill(shop.password)
    page.locator("main form button[type=submit]").click()
    page.wait_for_url("**/gestion/")
