"""Lighthouse's marks (mobile) of six pages, from the npm package, which is no dependency of the shop."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from run_tests import chromium_here
from shipped_nginx import tls_proxy

# The last one that runs on the Node.js 20 that the shop is built with.
LIGHTHOUSE = "lighthouse@12.8.2"
FLAGS = (
    "--ignore-certificate-errors --headless=new --no-sandbox --disable-gpu --disable-background-networking "
    "--disable-component-update"
)
COLUMNS = ("performance", "accessibility", "best-practices", "seo")
TIMINGS = ("largest-contentful-paint", "total-blocking-time", "cumulative-layout-shift")
SECONDS = 300


def bench_lighthouse(web: int, data: Path, pages: dict[str, str]) -> None:
    """Print each page's marks and what keeps it from 100, as visitors have it: through the shipped nginx, with TLS and
    HTTP/2. Or why there are none (no browser, no package, no nginx).

    :param web: the port of a web process.
    :param data: its `DATA_DIR`.
    """
    chromium = chromium_here()
    if not chromium:
        print("\nLighthouse: left out, there is no Chromium here (CHROMIUM=/path/to/chromium names one).")
        return
    try:
        with tls_proxy(web, data) as port:
            _print_marks(f"https://localhost:{port}", pages, chromium)
    except FileNotFoundError as error:
        print(f"\nLighthouse: left out, {error} are not here.")


def _print_marks(origin: str, pages: dict[str, str], chromium: str) -> None:
    print(
        f"\n{'Lighthouse, mobile':20}{''.join(f'{name:>16}' for name in COLUMNS)}   largest paint, blocked, shift"
    )
    for name, path in pages.items():
        report = _report(f"{origin}{path}", chromium)
        if report is None:
            return
        marks = "".join(f"{_mark(report['categories'][column]):>16}" for column in COLUMNS)
        timings = ", ".join(_shown(report["audits"][audit]) for audit in TIMINGS)
        print(f"{name:20}{marks}   {timings}")
        for audit in _missed(report):
            print(f"{'':20}  {audit}")


def _report(url: str, chromium: str) -> dict[str, Any] | None:
    with tempfile.TemporaryDirectory(prefix="shop-lighthouse-") as folder:
        path = Path(folder) / "report.json"
        command = ["npx", "--yes", LIGHTHOUSE, url, "--quiet", "--output=json", f"--output-path={path}"]
        try:
            ended = subprocess.run(
                [*command, f"--chrome-flags={FLAGS}"],
                env={**os.environ, "CHROME_PATH": chromium},
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            print(f"Lighthouse: left out, {LIGHTHOUSE} does not run here ({type(error).__name__}).")
            return None
        if not path.is_file():
            print(f"Lighthouse: left out, {LIGHTHOUSE} could not be fetched or run:\n{ended.stderr[-500:]}")
            return None
        report: dict[str, Any] = json.loads(path.read_text())
        return report


def _shown(audit: dict[str, Any]) -> str:
    """Return its figure; why there is none where the browser gave it none, as on a machine without a graphics card."""
    return str(audit.get("displayValue") or audit.get("errorMessage", "–")).replace("\xa0", " ")


def _mark(category: dict[str, Any]) -> str:
    return "–" if category["score"] is None else str(round(category["score"] * 100))


def _missed(report: dict[str, Any]) -> list[str]:
    """Return the weighed audits below 90 of 100, with their figure."""
    weighed = {
        item["id"]
        for category in report["categories"].values()
        for item in category["auditRefs"]
        if item["weight"] > 0
    }
    return [
        f"{audit['title']}: {audit.get('displayValue', '')}".replace("\xa0", " ").rstrip(": ")
        for name, audit in report["audits"].items()
        if name in weighed and audit["score"] is not None and audit["score"] < 0.9
    ]
