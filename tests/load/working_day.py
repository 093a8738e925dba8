"""Sixteen tasks of a working day in a real browser: by a thumb at 390 px, and by keys alone, with what each takes.

    python tests/load/working_day.py [--url http://localhost:8000 --data DATA_DIR] [--only WORD]

Without an address it starts a shop of its own. It prints taps and keys of each task, and fails when one can't be done.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PASSWORD = "figurine-atelier-2026"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", default="")
    parser.add_argument("--data", default="")
    parser.add_argument("--only", default="", help="tasks whose name holds this")
    parser.add_argument("--screenshots", default="", help="a folder for a picture of each task that failed")
    options = parser.parse_args()
    sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")
    os.environ.setdefault("DEBUG", "true")
    if options.url:
        return work(options.url, options.data, options)
    from shop_process import start_shop, stop_shop

    with tempfile.TemporaryDirectory(prefix="shop-day-") as folder:
        shop = start_shop(Path(folder))
        try:
            return work(shop.url, folder, options)
        finally:
            stop_shop(shop)


def work(url: str, data: str, options: argparse.Namespace) -> int:
    import django

    django.setup()
    from playwright.sync_api import sync_playwright
    from run_tests import chromium_here

    from tests.browser.hands import Keys, Thumb

    taken: dict[str, list[str]] = {}
    failed = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_here(), args=["--no-sandbox"])
        for kind in (Thumb, Keys):
            failed += one_day(browser, kind, url, data, options, taken)
        browser.close()
    print(f"\n{'task':48}{'taps':>16}{'keys':>16}   (typed letters apart)")
    for name, figures in taken.items():
        print(f"{name:48}{''.join(f'{figure:>16}' for figure in figures)}")
    return 1 if failed else 0


def one_day(browser: Any, kind: Any, url: str, data: str, options: argparse.Namespace, taken: Any) -> int:
    from playwright.sync_api import expect

    from tests.browser.working_day import TASKS, home, photo_file

    expect.set_options(timeout=15_000)
    folder = Path(tempfile.mkdtemp(prefix="shop-photos-"))
    way = f"{kind.__name__.lower()}{uuid.uuid4().hex[:4]}"
    morning = {**morning_of(way, data), "way": way, "photo": photo_file(folder), "password": PASSWORD}
    context = browser.new_context(
        base_url=url, viewport={"width": kind.width, "height": 844}, locale="fr-FR", reduced_motion="reduce"
    )
    context.set_default_timeout(15_000)
    page = context.new_page()
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto("/auth?next=/admin")
    page.locator("#id-email").fill("admin@example.com")
    page.locator("#id-password").fill(PASSWORD)
    page.locator("main form button[type=submit]").click()
    page.wait_for_url("**/admin")
    failed = 0
    for task in TASKS:
        if options.only not in task.name:
            continue
        hands = kind(page)
        home(hands)
        begun = time.monotonic()
        try:
            task.do(hands, morning)
            figure = f"{hands.steps} (+{hands.letters})"
        except Exception as error:  # the others are tried as well
            failed += 1
            figure = "–"
            print(f"{kind.__name__} {task.name}: {str(error)[:900]}", file=sys.stderr)
            if options.screenshots:
                page.screenshot(
                    path=Path(options.screenshots) / f"{kind.__name__}-{failed}.png", full_page=True
                )
        taken.setdefault(task.name, []).append(figure)
        print(f"… {kind.__name__}, {task.name}: {figure}, {time.monotonic() - begun:.1f} s", file=sys.stderr)
    context.close()
    return failed


def morning_of(way: str, data: str) -> dict[str, Any]:
    """Make the rows of the day inside the shop."""
    code = f"from tests.browser.day_data import print_morning; print_morning({way!r})"
    ended = subprocess.run(
        [sys.executable, "manage.py", "shell", "--no-imports", "-c", code],
        cwd=ROOT,
        env={**os.environ, "DATA_DIR": data, "LOG_LEVEL": "ERROR"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    sys.exit(main())
