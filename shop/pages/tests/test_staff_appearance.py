"""The staff area on a dark ground: for the browser that chose it, readable, and nowhere else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

DARK = 'data-appearance="dark"'
STYLES = Path(settings.BASE_DIR) / "frontend_islands" / "styles"


@pytest.mark.django_db
def test_a_browser_keeps_its_choice_until_it_makes_another(admin_client: Client) -> None:
    assert DARK not in admin_client.get("/admin/produits").content.decode()
    answer = admin_client.post(
        "/admin/apparence", {"apparence": "sombre", "next": "/admin/produits?etat=masques"}
    )
    assert answer["Location"] == "/admin/produits?etat=masques"
    cookie = answer.cookies["staff_appearance"]
    assert (cookie.value, cookie["max-age"], cookie["httponly"], cookie["samesite"]) == (
        "sombre",
        31536000,
        True,
        "Lax",
    )
    assert DARK in admin_client.get("/admin/produits").content.decode()
    # Public pages are the same bytes for all.
    assert admin_client.get("/produits").content == Client().get("/produits").content

    answer = admin_client.post("/admin/apparence", {"apparence": "claire", "next": "//other.example/"})
    assert answer["Location"] == "/admin"
    assert DARK not in admin_client.get("/admin/produits").content.decode()


def colours(text: str) -> dict[str, str]:
    """Names and values of a sheet, those that stand for another name included."""
    return dict(re.findall(r"^\s*(--[\w-]+): (#[0-9a-f]{6}|var\(--[\w-]+\));", text, re.MULTILINE))


def contrast(names: dict[str, str], first: str, second: str) -> float:
    """The ratio of WCAG 2.2 between two colours by name."""
    lighter, darker = sorted((luminance(names, first), luminance(names, second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(names: dict[str, str], name: str) -> float:
    while (value := names[name]).startswith("var("):
        name = value[4:-1]
    parts = (int(value[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


TEXTS = ("text", "text-muted", "brand", "accent-text", "promotion", "ok", "alert", "info")
PAIRS = [
    *((f"--{text}", f"--surface-{level}", 4.5) for text in TEXTS for level in range(3)),
    *((f"--{text}", f"--{text}-light", 4.5) for text in ("ok", "alert", "info")),
    *(("--text", f"--{ground}-light", 4.5) for ground in ("brand", "accent", "ok", "alert", "info")),
    *(
        ("--text-inverse", f"--{ground}", 4.5)
        for ground in ("brand", "promotion", "alert", "surface-inverse")
    ),
    ("--accent-text", "--accent-light", 4.5),
    ("--brand-dark", "--brand-light", 4.5),
    ("--text-on-accent", "--accent", 4.5),
    ("--text-on-accent", "--accent-hover", 4.5),
    ("--status-pending", "--status-pending-ground", 4.5),
    ("--status-refunded", "--status-refunded-ground", 4.5),
    # Borders of controls (WCAG 2.2, 1.4.11).
    *(("--border", f"--surface-{level}", 3.0) for level in range(3)),
]


@pytest.mark.parametrize("sheets", [("tokens.css",), ("tokens.css", "staff/dark.css")])
def test_texts_and_controls_stand_out_from_every_ground(sheets: tuple[str, ...]) -> None:
    names: dict[str, str] = {}
    for sheet in sheets:
        # What stands at the side has colours of its own.
        names |= colours((STYLES / sheet).read_text(encoding="utf-8").split(".staff-side")[0])
    ratios = {(first, second): contrast(names, first, second) for first, second, _least in PAIRS}
    assert [pair for *pair, least in PAIRS if ratios[pair[0], pair[1]] < least] == []
