#!/usr/bin/env python
"""Draw the pictures of the staff screens' help: each screen of the demonstration as a phone shows it.

    .venv/bin/python scripts/help_pictures.py [--url http://localhost:8000] [name …]

Writes `static/help/<name>.webp`, 390 px wide and 25 KB at most, for each entry of `shop/pages/staff_help.py`, or for
those named. Without an address it starts a shop with the demonstration's data. Run it when a screen looks different.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from shop_process import PASSWORD, ROOT, load_demonstration, start_shop, stop_shop

sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")
os.environ.setdefault("DEBUG", "true")

FOLDER = ROOT / "static" / "help"
ISLANDS_MS = 1500


def draw(url: str, names: list[str]) -> int:
    """Write the pictures; return how many screens could not be drawn."""
    import django

    django.setup()
    from django.urls import reverse
    from playwright.sync_api import sync_playwright
    from run_tests import chromium_here

    from shop.pages.staff_help import HELP, MOST_BYTES, PICTURE_SIZE

    FOLDER.mkdir(exist_ok=True)
    failed = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_here(), args=["--no-sandbox"])
        context = browser.new_context(
            viewport={"width": PICTURE_SIZE[0], "height": PICTURE_SIZE[1]},
            locale="fr-FR",
            reduced_motion="reduce",
        )
        page = context.new_page()
        page.goto(f"{url}/auth?next=/admin")
        page.fill("input[name=email]", "admin@example.com")
        page.fill("input[name=password]", PASSWORD)
        page.locator("form:has(input[name=password]) button[type=submit]").first.click()
        page.wait_for_url("**/admin")
        # The bar at the foot would cover what the picture is about.
        context.add_init_script(
            "addEventListener('DOMContentLoaded', () => document.querySelector('.staff-tabs')?.remove())"
        )
        for entry in HELP:
            if names and entry.name not in names:
                continue
            answer = page.goto(url + reverse(f"staff-{entry.name}"))
            page.wait_for_timeout(ISLANDS_MS)
            if answer is None or not answer.ok:
                failed += 1
                print(f"{entry.name}: {answer.status if answer else 'no answer'}", file=sys.stderr)
                continue
            content = compressed(page.screenshot(), MOST_BYTES)
            (FOLDER / f"{entry.name}.webp").write_bytes(content)
            print(f"{entry.name}.webp {len(content) / 1024:.1f} KB", flush=True)
        browser.close()
    return failed


def compressed(png: bytes, most: int) -> bytes:
    """Return the picture as WebP, as good as `most` bytes allow."""
    from PIL import Image

    picture: Any = Image.open(io.BytesIO(png)).convert("RGB")
    for quality in range(80, 10, -10):
        written = io.BytesIO()
        picture.save(written, "WEBP", quality=quality, method=6)
        if written.tell() <= most:
            break
    return written.getvalue()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", default="")
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args()
    if asked.url:
        return draw(asked.url, asked.names)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "shop"
        load_demonstration(folder)
        running = start_shop(folder)
        try:
            return draw(running.url, asked.names)
        finally:
            stop_shop(running)


if __name__ == "__main__":
    sys.exit(min(1, main()))
