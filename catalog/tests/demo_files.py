"""The files of the demonstration catalogue."""

import json
from pathlib import Path
from typing import Any

DEMO = Path(__file__).resolve().parents[1] / "demo"
LANGUAGES = ["fr", "en", "es", "de"]
NBSP = "\u00a0"


def load(name: str) -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads((DEMO / name).read_text(encoding="utf-8"))
    return loaded


CATEGORIES = load("categories.json")
PRODUCTS = load("products.json")
