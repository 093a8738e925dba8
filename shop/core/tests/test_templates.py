"""Rules that hold for every template: what the content security policy would block is not written at all."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template.loader import get_template, render_to_string
from django.utils import translation

FOLDER = Path(settings.BASE_DIR) / "templates"
# Mails are no pages: their readers know no style sheets. Django's admin is not ours. The page of a person's archive is
# read from their disk, where nothing else stands.
PAGES = sorted(
    str(path.relative_to(FOLDER))
    for path in FOLDER.rglob("*.html")
    if path.relative_to(FOLDER).parts[0] not in ("mail", "admin") and path.name != "data_export.html"
)
STANDALONE = ["errors/400.html", "errors/413.html", "errors/500.html", "errors/503.html"]


def test_there_are_templates_to_look_at() -> None:
    assert {"base.html", "shop/home.html", "catalog/product.html", "orders/order.html"} <= set(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_every_template_compiles(name: str) -> None:
    assert get_template(name).template.name == name


@pytest.mark.parametrize("name", PAGES)
def test_no_inline_style_script_or_handler(name: str) -> None:
    source = (FOLDER / name).read_text(encoding="utf-8")
    assert re.findall(r"\sstyle=|<style|\son[a-z]+=\"|javascript:", source) == []
    assert [tag for tag in re.findall(r"<script[^>]*>", source) if " src=" not in tag] == []


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_marked_safe_in_a_template(name: str) -> None:
    source = (FOLDER / name).read_text(encoding="utf-8")
    assert re.findall(r"\|\s*safe\b|autoescape off", source) == []


@pytest.mark.parametrize("name", PAGES)
def test_french_marks_stand_after_a_no_break_space(name: str) -> None:
    source = (FOLDER / name).read_text(encoding="utf-8")
    texts = re.findall(r"{% translate \"([^\"]+)\"", source)
    texts += re.findall(r"{% blocktranslate[^%]*%}(.*?){% endblocktranslate %}", source, re.S)
    assert [text for text in texts if re.search(r"[\w)}] [:;!?»]|« ", text)] == []


# What the first page of the team says is no answer to anything.
@pytest.mark.parametrize("name", [name for name in PAGES if name != "staff/home.html"])
def test_what_a_refused_form_says_takes_the_focus(name: str) -> None:
    source = (FOLDER / name).read_text(encoding="utf-8")
    said = re.findall(r'<div class="(?:error-summary|alert alert--error)"[^>]*>', source)
    assert [tag for tag in said if not tag.endswith(' role="alert" tabindex="-1" autofocus>')] == []


def test_forms_of_the_team_say_first_what_they_lack() -> None:
    """Without it the focus of a refused form is at the top of the page, and nothing is read out."""
    silent = [
        name
        for name in PAGES
        if "staff/parts/field.html" in (source := (FOLDER / name).read_text(encoding="utf-8"))
        and "components/error_summary.html" not in source
    ]
    assert silent == []


@pytest.mark.parametrize("language", ["fr", "en", "es", "de"])
@pytest.mark.parametrize("name", STANDALONE)
def test_pages_of_a_failing_server_need_nothing(name: str, language: str) -> None:
    """No request, no database (this test may not touch it), no front-end build."""
    with translation.override(language):
        page = render_to_string(name)
    assert f'<html lang="{language}">' in page
    assert page.count("<h1>") == 1
    assert "/static/error.css" in page
    assert (Path(settings.BASE_DIR) / "static" / "error.css").is_file()


def test_every_icon_that_is_asked_for_exists() -> None:
    sprite = (Path(settings.BASE_DIR) / "static" / "icons.svg").read_text(encoding="utf-8")
    known = set(re.findall(r'<symbol id="([^"]+)"', sprite))
    asked = {
        icon
        for name in PAGES
        for icon in re.findall(r'{% icon "([^"]+)"', (FOLDER / name).read_text(encoding="utf-8"))
    }
    assert asked - known == set()
