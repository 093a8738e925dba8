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
