"""Tags in the staff area: translated, never lost."""

from __future__ import annotations

import pytest
from django.test import Client

from accounts.tests.people import make_admin
from blog.models import Tag
from blog.tests.articles import make_article
from shop.core.models import AuditEntry

pytestmark = pytest.mark.django_db


def test_a_tag_is_translated_and_keeps_its_address() -> None:
    make_article(tags=["Résine"])
    browser = Client()
    browser.force_login(make_admin())
    tag = Tag.objects.get()
    page = browser.get("/admin/blog/etiquettes").content.decode().replace("\u00a0", " ")
    assert "1 article · à traduire : en, es, de" in page
    address = f"/admin/blog/etiquettes/{tag.pk}"
    refused = browser.post(address, {"name_fr": "", "name_en": "Resin"})
    assert "Ce champ est obligatoire." in refused.content.decode()
    seen = browser.get(address).context["seen"]
    names = {"name_fr": "Résine", "name_en": "Resin", "name_es": "Resina", "name_de": "Harz", "seen": seen}
    assert browser.post(address, names)["Location"] == "/admin/blog/etiquettes"
    tag.refresh_from_db()
    assert (tag.slug, tag.name_en, tag.name_de) == ("resine", "Resin", "Harz")
    assert AuditEntry.objects.get(action="tag.changed").after == {
        "name_en": "Resin", "name_es": "Resina", "name_de": "Harz",
    }  # fmt: skip


def test_articles_keep_a_tag_that_was_given_another_name() -> None:
    article = make_article(tags=["Résine"])
    browser = Client()
    browser.force_login(make_admin())
    tag = Tag.objects.get()
    address = f"/admin/blog/etiquettes/{tag.pk}"
    seen = browser.get(address).context["seen"]
    browser.post(address, {"name_fr": "Résines et vernis", "seen": seen})
    call = {"tags": ["Résines et vernis", "Bois"]}
    answer = browser.patch(f"/api/admin/posts/{article.pk}", call, content_type="application/json")
    assert answer.json()["tags"] == ["Bois", "Résines et vernis"]
    assert [*article.tags.values_list("slug", flat=True)] == ["bois", "resine"]
    assert make_article("Vernir", tags=["résines et vernis"]).tags.get() == tag
    # A version from before it was renamed says its former name.
    call = {"expected_updated_at": answer.json()["updated_at"]}
    path = f"/api/admin/posts/{article.pk}/revisions/1/restore"
    assert browser.post(path, call, content_type="application/json").json()["tags"] == ["Résines et vernis"]
    assert Tag.objects.count() == 2
    # Of one name there is one tag: articles could not tell two apart.
    other = Tag.objects.get(slug="bois")
    seen = browser.get(f"/admin/blog/etiquettes/{other.pk}").context["seen"]
    call = {"name_fr": "Resines et vernis", "seen": seen}
    refused = browser.post(f"/admin/blog/etiquettes/{other.pk}", call).content.decode()
    assert "Une autre étiquette porte déjà ce nom." in refused
    other.refresh_from_db()
    assert other.name_fr == "Bois"
