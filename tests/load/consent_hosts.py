"""Which hosts every page of the shop calls, in four languages, before and after each choice about cookies.

    python tests/load/consent_hosts.py [--url http://localhost:8000]

Without an address it starts a shop with the demonstration's data. Other companies are answered here. A page that calls
anybody it may not call, or does not call whom it may, is listed and the exit code is 1.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

LANGUAGES = {"fr": "fr-FR", "en": "en-GB", "es": "es-ES", "de": "de-DE"}
CHOICES: dict[str, str | None] = {
    "no choice": None,
    "refused": "",
    "analytics": "analytics",
    "all": "analytics marketing",
}
# Pages that no other company may ever be told of.
PRIVATE = re.compile(
    r"^(accounts:|members|orders:(order|pay|withdrawal-|tracking$|payment)|return-mails|erasure)"
)
PIECES = 3


def routes() -> dict[str, str]:
    """Every route that needs no key, by name, as its French address."""
    from django.urls import URLPattern, URLResolver, get_resolver

    found: dict[str, str] = {}

    def walk(patterns: Any, space: str = "") -> None:
        from django.urls import NoReverseMatch, reverse

        for each in patterns:
            if isinstance(each, URLResolver):
                walk(each.url_patterns, f"{space}{each.namespace}:" if each.namespace else space)
            elif isinstance(each, URLPattern) and each.name:
                try:
                    found.setdefault(f"{space}{each.name}", reverse(f"{space}{each.name}"))
                except NoReverseMatch:
                    continue

    walk(get_resolver().url_patterns)
    closed = re.compile(r"^/(api|admin|functions|webhooks|gestion|media|_mails)|\.(xml|txt)$|^/email-preview")
    return {
        name: path
        for name, path in found.items()
        if not closed.search(path) and not name.startswith("admin:")
    }


def name_of(address: str) -> str:
    """The name of the route that answers this address, "" for none."""
    from django.urls import Resolver404, resolve

    try:
        return resolve(urlsplit(address).path).view_name
    except Resolver404:
        return ""


def pages(request: Any, url: str) -> Iterator[tuple[str, str]]:
    """Routes, and what the sitemap lists of products and collections."""
    yield from routes().items()
    known = set(routes().values())
    for sitemap in ("/sitemap-pages.xml", "/sitemap-products-1.xml"):
        listed = re.findall(r"<loc>https?://[^/<]+(/[^<]*)</loc>", request.get(url + sitemap).text())
        french = [path for path in listed if not re.match(r"/(en|es|de)(/|$)", path) and path not in known]
        pieces = [path for path in french if path.startswith("/produit/")]
        yield from (("catalog:collection", path) for path in french if path not in pieces)
        yield from (("catalog:product", path) for path in pieces[:PIECES])


def measure(url: str) -> int:
    """Open every page by every choice; return how many were wrong."""
    from django.urls import translate_url
    from playwright.sync_api import sync_playwright
    from run_tests import chromium_here

    from tests.browser.third_parties import CALLED, chosen, stand_in

    begin, loads, wrong, measured = monotonic(), 0, [], set()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_here(), args=["--no-sandbox"])
        with_pages = browser.new_context()
        # Some routes answer other methods, or with a file.
        everything = [
            (name, path)
            for name, path in dict.fromkeys(pages(with_pages.request, url))
            if "<html" in with_pages.request.get(url + path).text()
        ]
        for language, locale in LANGUAGES.items():
            for label, consent in CHOICES.items():
                context = browser.new_context(locale=locale, storage_state=chosen(url, consent))
                called = stand_in(context)
                page = context.new_page()
                allowed = set().union(*(CALLED[name] for name in (consent or "").split()))
                for name, path in everything:
                    called.clear()
                    answer = page.goto(url + translate_url(path, language), wait_until="load")
                    loads += 1
                    # A page that is somebody's leads whoever is not signed in to one that is everybody's.
                    shown = name_of(page.url) or name
                    is_measured = page.locator("template#consent[data-title]").count() > 0
                    if is_measured:
                        measured.add(shown)
                    expected = allowed if is_measured else set()
                    deadline = monotonic() + 5
                    while called != expected and called <= expected and monotonic() < deadline:
                        page.wait_for_timeout(50)
                    # What should not be there gets time to come.
                    page.wait_for_timeout(100)
                    if called != expected or (is_measured and PRIVATE.search(shown)):
                        status = answer.status if answer else "-"
                        wrong.append(
                            f"{language} {label} {path} ({status}, {shown}): {sorted(called)} ≠ {sorted(expected)}"
                        )
                context.close()
                print(f"{language}, {label}: {loads} pages, {len(wrong)} wrong", flush=True)
        browser.close()
    print(
        f"{len(everything)} routes, {len(measured)} names measured, {loads} pages, {monotonic() - begin:.0f} s"
    )
    print("\n".join(wrong) or "Every page called whom it may, and nobody else.")
    return len(wrong)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--url", default="")
    asked = parser.parse_args()
    import django

    django.setup()
    if asked.url:
        return min(1, measure(asked.url))
    from shop_process import load_demonstration, start_shop, stop_shop

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "shop"
        load_demonstration(folder)
        running = start_shop(folder)
        try:
            return min(1, measure(running.url))
        finally:
            stop_shop(running)


if __name__ == "__main__":
    sys.exit(main())
