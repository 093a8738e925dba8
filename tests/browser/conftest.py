"""A real Chromium before the whole shop: every page that a test opens must be free of complaints."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from run_tests import chromium_here
from shop_process import RunningShop, demonstration, start_shop, stop_shop

from tests.browser.accessibility import violations
from tests.browser.journal import Journal
from tests.browser.looks import overflow, settle
from tests.browser.third_parties import chosen, stored_names, unregistered

PHONE, DESKTOP = 390, 1440
# A desktop screen enlarged four times, which a page must still fit (WCAG 1.4.10).
NARROW = 320
HEIGHT = {NARROW: 640, PHONE: 844, DESKTOP: 900}
LOCALES = {"fr": "fr-FR", "en": "en-GB", "es": "es-ES", "de": "de-DE"}
# Three shops and three browsers share the processor.
WAIT_MS = 20_000
expect.set_options(timeout=WAIT_MS)


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningShop]:
    """The shop with its demonstration data, one for all tests of a process."""
    folder = tmp_path_factory.mktemp("shop")
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = Path(os.environ.get("DEMONSTRATION", tmp_path_factory.getbasetemp().parent))
        shutil.copytree(demonstration(shared), folder, dirs_exist_ok=True)
    running = start_shop(folder)
    yield running
    stop_shop(running)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        # Without a path Playwright takes the browser that it installed itself.
        launched = playwright.chromium.launch(
            executable_path=chromium_here(),
            # WebGL drawn by the processor: no graphics card is needed.
            args=["--no-sandbox", "--enable-unsafe-swiftshader"],
        )
        yield launched
        launched.close()


@pytest.fixture
def journal() -> Journal:
    """What went wrong in the test's pages; `journal.expect(pattern)` names what the test provokes."""
    return Journal()


@pytest.fixture
def new_context(
    browser: Browser, shop: RunningShop, journal: Journal
) -> Iterator[Callable[..., BrowserContext]]:
    """Opens visitors: ``new_context(width=390, language="de", javascript=False)``, each with its own storage.

    They have refused what needs consent, unless `consent` says what they allow: "analytics marketing", or None for
    somebody who is still asked.
    """
    opened: list[BrowserContext] = []

    def open_context(
        width: int = DESKTOP, language: str = "fr", javascript: bool = True, consent: str | None = ""
    ) -> BrowserContext:
        context = browser.new_context(
            base_url=shop.url,
            storage_state=chosen(shop.url, consent),
            viewport={"width": width, "height": HEIGHT[width]},
            locale=LOCALES[language],
            java_script_enabled=javascript,
            reduced_motion="reduce",
        )
        context.set_default_timeout(WAIT_MS)
        journal.follow(context)
        opened.append(context)
        return context

    yield open_context
    stored = {name for context in opened for name in stored_names(context)}
    for context in opened:
        # A request that a test answers may still be in its hands: cut off there, it would fail the test after this one.
        for page in context.pages:
            page.unroute_all(behavior="wait")
        context.close()
    assert journal.unexpected == []
    # `theme` is that of Django's admin, which only operators open.
    assert unregistered(stored - {"theme"}) == set()


@pytest.fixture
def new_page(new_context: Callable[..., BrowserContext]) -> Callable[..., Page]:
    """Opens a visitor with one page; takes what ``new_context`` takes."""

    def open_page(**options: object) -> Page:
        return new_context(**options).new_page()

    return open_page


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    """A French visitor with a wide screen."""
    return new_page()


@pytest.fixture
def snap() -> Callable[[Page, str], None]:
    """Takes a picture of the whole page for people to look at, where SCREENSHOTS names a folder; else none."""
    folder = os.environ.get("SCREENSHOTS")

    def take(page: Page, name: str) -> None:
        if folder:
            page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)

    return take


@pytest.fixture
def see(snap: Callable[[Page, str], None]) -> Callable[[Page, str], None]:
    """Looks at a state of a page: whole, and open to everybody."""

    def look(page: Page, name: str) -> None:
        settle(page)
        snap(page, f"state-{name}-{page.evaluate('innerWidth')}")
        assert overflow(page) == 0, name
        assert violations(page) == [], name

    return look
