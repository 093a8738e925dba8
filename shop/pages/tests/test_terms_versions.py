"""Versions of the terms: frozen when published, named by their day, shown on the page and to staff."""

from datetime import date, timedelta

import pytest
import time_machine
from django.core.cache import cache
from django.db import DatabaseError, transaction
from django.test import Client
from django.utils import timezone

from accounts.tests.people import make_admin
from shop.core.models import AuditEntry, ShopSettings
from shop.core.problems import Problem
from shop.core.shop_settings import save_shop_settings
from shop.terms.models import TermsVersion
from shop.terms.versions import current_number, digest_of, draft_terms, publish_terms

pytestmark = pytest.mark.django_db
TO_PUBLISH = "Conditions de vente à publier"


def rename(name: str) -> None:
    settings = ShopSettings.load()
    settings.shop_name = name
    save_shop_settings(settings)
    cache.clear()


@pytest.fixture
def settings_day(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr("shop.terms.versions.shop_day", lambda moment: date(2026, 11, 23))
    return "2026-11-23"


def test_a_version_holds_four_languages_and_what_the_settings_said(settings_day: str) -> None:
    rename("Atelier bleu")
    version = publish_terms(actor=None)
    rename("Atelier rouge")
    assert version.number == f"{settings_day}.1"
    assert set(version.texts) == {"fr", "en", "es", "de"}
    assert "La boutique Atelier bleu est exploitée" in version.text("fr")["body"]
    assert version.sha256 == digest_of(version.texts)
    assert Client().get("/cgv").content.decode().count("Atelier bleu est exploitée") == 1
    second = publish_terms(actor=None)
    assert (second.number, current_number()) == (f"{settings_day}.2", f"{settings_day}.2")


def test_terms_that_did_not_change_are_not_published_twice() -> None:
    publish_terms(actor=None)
    with pytest.raises(Problem, match="déjà publiées") as refused:
        publish_terms(actor=None)
    assert (refused.value.code, TermsVersion.objects.count()) == ("terms_unchanged", 1)


def test_what_a_clock_ahead_published_does_not_stay_in_force() -> None:
    with time_machine.travel(timezone.now() + timedelta(days=400), tick=False):
        early = publish_terms(actor=None)
    rename("Atelier rouge")
    late = publish_terms(actor=None)
    assert current_number() == late.number
    page = Client().get("/cgv").content.decode()
    assert "La boutique Atelier rouge est exploitée" in page
    assert f'href="/cgv/{early.number}"' in page


@pytest.mark.both_engines
def test_the_database_keeps_a_version_as_it_was() -> None:
    publish_terms(actor=None)
    for change in (
        lambda rows: super(type(rows), rows).update(sha256="x"),
        lambda rows: rows._raw_delete(rows.db),
    ):
        with pytest.raises(DatabaseError, match="never changed or deleted"), transaction.atomic():
            change(TermsVersion.objects.all())
    assert TermsVersion.objects.get().sha256 != "x"


def test_pages_show_the_version_in_force_and_lead_to_earlier_ones(client: Client) -> None:
    first = publish_terms(actor=None)
    rename("Atelier rouge")
    second = publish_terms(actor=None)
    page = client.get("/cgv").content.decode()
    assert f"Version {second.number}, publiée le" in page
    assert f'href="/cgv/{first.number}"' in page
    earlier = client.get(f"/en/terms-of-sale/{first.number}")
    assert "<strong>" in earlier.content.decode()
    assert earlier["X-Robots-Tag"] == "noindex"
    # An earlier one leads to the one in force by its number, too: search engines keep it once.
    assert client.get(f"/cgv/{second.number}")["X-Robots-Tag"] == "noindex"
    assert "X-Robots-Tag" not in client.get("/cgv")
    assert client.get("/cgv/2020-01-01.1").status_code == 404
    assert client.get("/conditions-generales-vente")["Location"] == "/cgv"


def test_staff_see_what_changes_and_publish_what_they_read(client: Client) -> None:
    admin = make_admin()
    client.force_login(admin)
    publish_terms(actor=None)
    assert not client.get("/admin/conditions").context["is_edited"]
    assert TO_PUBLISH not in client.get("/admin").content.decode()
    rename("M. Rouge")
    assert TO_PUBLISH in client.get("/admin").content.decode()
    page = client.get("/admin/conditions")
    [french, *_others] = page.context["languages"]
    # As it reads, without the signs of Markdown that keep it so.
    assert any("M. Rouge" in change.after for change in french.changes)
    read = page.context["digest"]
    rename("Atelier vert")
    assert client.post("/admin/conditions", {"digest": read}).status_code == 409
    assert TermsVersion.objects.count() == 1
    answer = client.post("/admin/conditions", {"digest": digest_of(draft_terms())})
    assert answer.status_code == 302
    assert TO_PUBLISH not in client.get("/admin").content.decode()
    version = TermsVersion.objects.all()[0]
    assert version.published_by == admin.pk
    entry = AuditEntry.objects.get(action="terms.published", actor_id=admin.pk)
    assert entry.after == {"number": version.number}
    page = client.get(f"/admin/conditions/{version.number}")
    assert "\\" not in page.content.decode()
