"""The table of the ASVS names what exists, and leaves no section out."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "docs/security.md").read_text(encoding="utf-8")
SECTIONS = {
    1: 5,
    2: 4,
    3: 7,
    4: 4,
    5: 4,
    6: 8,
    7: 6,
    8: 4,
    9: 2,
    10: 7,
    11: 7,
    12: 3,
    13: 4,
    14: 3,
    15: 4,
    16: 5,
    17: 3,
}
ROWS = [row.split("|")[1:-1] for row in TEXT.splitlines() if re.match(r"\| \d", row)]


def test_every_section_of_every_chapter_has_its_row():
    named = set()
    for first, *_rest in ROWS:
        chapter, low, high = re.match(r" (\d+)\.(\d+)(?:–\d+\.(\d+))?", first).groups()
        named |= {(int(chapter), number) for number in range(int(low), int(high or low) + 1)}
    assert named == {(chapter, number) for chapter, last in SECTIONS.items() for number in range(1, last + 1)}


def test_every_row_says_its_state_and_names_what_shows_it():
    for section, _how, shown, state in ROWS:
        assert state.strip() in {"met", "in part", "operator", "none here"}, section
        assert (shown.strip() == "–") == (state.strip() == "none here"), section


def test_what_is_named_exists():
    for _section, _how, shown, _state in ROWS:
        for path in re.findall(r"`([^`]+)`", shown):
            assert (ROOT / path).exists(), path
