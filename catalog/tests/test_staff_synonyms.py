"""Synonyms in the staff area: what the search takes for the same, from the next search on."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from catalog.models import Synonym
from catalog.tests.factories import make_product
from catalog.tests.searching import found
from shop.core.content_version import content_version
from shop.core.models import AuditEntry

pytestmark = pytest.mark.django_db
LIST = "/admin/synonymes"


def post(client: Client, page: str, words: str) -> list[str]:
    """Send a group as the page does; what is said of its words, nothing when it is saved."""
    body = {"words": words, "language": "fr", "seen": client.get(page).context["seen"] or ""}
    answer = client.post(page, body)
    if answer.status_code == 302:
        return []
    errors: dict[str, list[str]] = answer.context["form"].errors
    assert set(errors) <= {"words", "__all__"}
    return [text for texts in errors.values() for text in texts]


def test_a_group_is_added_changed_and_deleted_and_the_next_search_knows(
    admin_client: Client, run_on_commit: Any
) -> None:
    make_product("Lutin vert")
    assert found("gnomide") == []
    before = content_version()
    with run_on_commit():
        assert post(admin_client, f"{LIST}/nouveau", " gnomide ,,  lutin   vert,") == []
    row = Synonym.objects.get(words="gnomide, lutin vert")
    assert found("gnomide") == ["Lutin vert"]
    added = content_version()
    assert added != before

    with run_on_commit():
        assert post(admin_client, f"{LIST}/{row.pk}", "farfadet, lutin vert") == []
    assert (found("gnomide"), found("farfadet")) == ([], ["Lutin vert"])
    changed = content_version()
    assert changed != added

    with run_on_commit():
        admin_client.post(f"{LIST}/{row.pk}/supprimer")
    assert found("farfadet") == []
    assert content_version() != changed
    actions = AuditEntry.objects.filter(action__startswith="synonym").order_by("pk")
    assert [entry.action for entry in actions] == ["synonym.added", "synonym.changed", "synonym.deleted"]


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        ("", "Ce champ est obligatoire."),
        (" , ,", "Écrivez au moins deux mots, séparés par une virgule."),
        ("lutin", "Écrivez au moins deux mots, séparés par une virgule."),
        ("lutin, petit être vert des forêts", "Une expression a quatre mots au plus."),
        ("gnomide, lutin", "Ce groupe existe déjà."),
    ],
)
def test_a_group_that_says_nothing_is_refused_with_one_reason(
    admin_client: Client, words: str, refusal: str
) -> None:
    Synonym.objects.create(language="fr", words="gnomide, lutin")
    held = list(Synonym.objects.values_list("words", flat=True))
    assert post(admin_client, f"{LIST}/nouveau", words) == [refusal]
    assert list(Synonym.objects.values_list("words", flat=True)) == held
    assert not AuditEntry.objects.exists()
