"""A text before anybody else sees it: on its page, in each language, and nowhere in what visitors are given."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.tests.people import make_admin
from shop.pages.models import FaqEntry, PageText, SeasonalBanner

pytestmark = pytest.mark.django_db
SECRET = "Zirconium"
PUBLIC = ("/", "/faq", "/contact", "/notre-histoire", "/en", "/en/faq")


def passage(key: str) -> Callable[[], PageText]:
    return lambda: PageText.objects.create(
        key=key,
        title_fr=SECRET,
        body_fr=SECRET,
        title_en=f"{SECRET} EN",
        body_en=SECRET,
        starts_at=timezone.now() + timedelta(days=9),
    )


def question(**places: bool) -> Callable[[], FaqEntry]:
    return lambda: FaqEntry.objects.create(
        question_fr=f"{SECRET} ?",
        question_en=f"{SECRET} EN?",
        answer_fr="Oui.",
        category="prices",
        is_published=False,
        **places,
    )


def band() -> SeasonalBanner:
    return SeasonalBanner.objects.create(
        title_fr=SECRET,
        title_en=f"{SECRET} EN",
        link_label_fr="Voir",
        link="/noel",
        in_menu=True,
        starts_at=timezone.now() + timedelta(days=9),
    )


@pytest.mark.parametrize(
    ("screen", "make"),
    [
        ("bandeaux", band),
        ("questions", question(on_home=True, on_faq=False)),
        ("questions", question(on_home=False, on_faq=False, on_contact=True)),
        *(("passages", passage(f"{page}-intro")) for page in ("story", "faq", "contact")),
        ("passages", passage("home-hero")),
    ],
)
def test_a_preview_shows_what_no_visitor_is_given(
    admin_client: Client, client: Client, settings: Any, screen: str, make: Callable[[], Any]
) -> None:
    settings.PAGE_CACHE_SECONDS = settings.FRAGMENT_CACHE_SECONDS = 60
    row = make()
    assert {client.get(path).status_code for path in PUBLIC} == {200}
    address = f"/admin/textes/{screen}/{row.pk}/apercu"
    for language, words in (("fr", SECRET), ("en", f"{SECRET} EN")):
        answer = admin_client.get(f"{address}/{language}")
        assert answer.status_code == 200
        assert words in answer.content.decode()
        assert "no-store" in answer["Cache-Control"]
        assert answer["X-Robots-Tag"] == "noindex, nofollow"
    assert [path for path in PUBLIC if SECRET in client.get(path).content.decode()] == []
    assert client.get(f"{address}/fr").status_code == 302
    assert admin_client.get(f"{address}/xx").status_code == 404


def test_a_text_of_a_page_is_chosen_and_not_empty(client: Client) -> None:
    client.force_login(make_admin())
    path = "/admin/textes/passages/nouveau"
    drawn = client.get(path).content.decode()
    assert '<option value="" selected>Choisir…</option>' in drawn
    assert ">Notre histoire, nos valeurs – Passion</option>" in drawn
    for typed, errors in (
        ({"title_fr": "Fête"}, {"key": ["Ce champ est obligatoire."]}),
        ({"key": "home-meta"}, {"body_fr": ["Écrivez le titre ou le texte."]}),
        ({"key": "home-meta", "body_de": "Nur hier"}, {"body_fr": ["Écrivez le titre ou le texte."]}),
    ):
        assert client.post(path, typed).context["form"].errors == errors
    assert not PageText.objects.exists()
    assert client.post(path, {"key": "home-meta", "title_fr": "Fête"}).status_code == 302
    assert PageText.objects.get().title_fr == "Fête"
