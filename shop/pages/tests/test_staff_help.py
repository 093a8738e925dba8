"""The help of the staff's screens, and the same words in the owner's manual."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings

from accounts.tests.people import make_admin
from shop.pages.staff_help import HELP, help_of
from shop.pages.staff_navigation import GROUPS
from shop.pages.tests.test_staff_home import signed_in


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


@pytest.mark.django_db
def test_help_stands_on_the_page() -> None:
    page = signed_in(make_admin()).get("/admin/avis").content.decode().replace("\u00a0", " ")
    assert "À quoi sert cet écran ?" in page
    assert "Une note basse n&#x27;est jamais un motif" in page
