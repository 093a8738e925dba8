"""The sheet of a parcel on paper: long texts keep to their column, and what belongs together to one page."""

from __future__ import annotations

import io
import json
from typing import Any

from pypdf import PdfReader

from orders.packing.typeset import typeset

NAME = (
    "Gardien aux andouillers de la forêt d'Émeraude, veilleur des clairières, une lanterne à la main et un corbeau "
    "sur l'épaule, assis sur une souche couverte de mousse"
)
DETAIL = "Bemalt · 30 cm × 20 cm × 15 cm, mit Sockel aus Nussbaum und Namensschild aus Messing"


def pages(lines: int) -> list[str]:
    view: dict[str, Any] = {
        "language": "de",
        "shop_name": "L'Établi aux figurines",
        "mark": "Ne pas expédier\u00a0: le client s'est rétracté",
        "title": "Lieferschein",
        "reference": "7C9BE001",
        "order": "Bestellung 7C9BE001 vom 21. November 2026",
        "deliver_to": "Liefern an",
        "address": ["Zoé Petit", "Atelier Duval", "Aufgang B", "3. Stock", "3 rue des Carmes", "69003 Lyon"],
        "columns": ["Artikel", "Ausführung und Format", "Menge"],
        "lines": [{"name": NAME, "sku": "GARDIEN-30", "detail": DETAIL, "quantity": "1"}] * lines,
        "rest": "",
        "gift_title": "Eine Nachricht von Léa Martin",
        "gift_message": "Alles Gute!",
    }
    pdf = typeset("slip.typ", json.dumps(view, ensure_ascii=False))
    return [page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages]


def test_a_long_format_leaves_the_piece_its_room():
    [page] = pages(1)
    assert "Gardien aux andouillers de la forêt" in page
    assert page.startswith("Ne pas expédier")


def test_neither_a_line_nor_the_message_of_a_gift_is_torn_apart():
    found = pages(13)
    assert [page.count("Gardien aux") for page in found] == [page.count("GARDIEN-30") for page in found]
    assert ["Eine Nachricht von Léa Martin" in page for page in found] == [
        "Alles Gute!" in page for page in found
    ]
