"""The help of the staff's screens, and the same words in the owner's manual."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from PIL import Image

from accounts.tests.people import make_admin
from shop.pages.staff_help import HELP, MOST_BYTES, PICTURE_SIZE, help_of
from shop.pages.staff_navigation import GROUPS
from shop.pages.tests.staff import signed_in


def test_manual_and_screens_say_the_same() -> None:
    manual = (Path(settings.BASE_DIR) / "docs" / "owner.md").read_text(encoding="utf-8")
    table = manual.partition("## What each screen says of itself")[2]
    rows = re.findall(r"^\| (.+?) \| (.+?) \|$", table, re.MULTILINE)[1:]
    assert rows == [(entry.title, " ".join(entry.sentences).replace("\u00a0", " ")) for entry in HELP]


def test_every_page_of_the_navigation_has_help() -> None:
    pages = [page.view_name for _title, group in GROUPS for page in group]
    assert [name for name in pages if name.startswith("staff-") and help_of(name) is None] == []


def test_page_has_the_help_of_the_one_above_it() -> None:
    found = help_of("staff-zones-edit")
    assert found is not None
    assert found.title == "Zones de livraison"
    assert help_of("staff-nothing") is None


def test_every_help_has_a_picture_of_its_screen_and_no_picture_is_left_over() -> None:
    folder = Path(settings.BASE_DIR) / "static" / "help"
    assert {path.name for path in folder.iterdir()} == {Path(entry.picture).name for entry in HELP}
    for path in folder.iterdir():
        with Image.open(path) as picture:
            assert (picture.size, picture.format) == (PICTURE_SIZE, "WEBP"), path
        assert path.stat().st_size <= MOST_BYTES, path


@pytest.mark.django_db
def test_help_stands_on_the_page() -> None:
    page = signed_in(make_admin()).get("/admin/avis").content.decode().replace("\u00a0", " ")
    assert "À quoi sert cet écran ?" in page
    assert "Une note basse n&#x27;est jamais un motif" in page
    # A browser fetches it when the panel opens.
    assert re.search(
        r'src="[^"]*help/reviews[^"]*" alt="L\'écran « Avis » sur un téléphone"[^>]* loading="lazy"', page
    )
