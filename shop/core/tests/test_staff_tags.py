"""Template tags of the staff area."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.template import Context
from django.test import RequestFactory

from shop.core.templatetags.staff import same_list


@pytest.mark.parametrize("done", ["cree=12", "retire=12"])
def test_the_links_of_a_list_do_not_say_again_what_was_just_done(done: str) -> None:
    request = RequestFactory().get(f"/admin/blog?{done}&etat=brouillons&recherche=or&suite=abc")

    assert same_list(Context({"request": request}), etat="publies") == "?recherche=or&etat=publies"


def test_every_form_that_keeps_drafts_says_when_what_it_shows_is_not_saved() -> None:
    lines = [
        line
        for path in (settings.BASE_DIR / "templates" / "staff").rglob("*.html")
        for line in path.read_text().splitlines()
        if "data-staff-form" in line
    ]
    assert len(lines) > 4
    assert [line for line in lines if "data-unsaved" not in line and "data-no-draft" not in line] == []
