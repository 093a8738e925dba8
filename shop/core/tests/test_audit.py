"""The audit trail: what is written, that it stays, and that it is found among very many."""

from __future__ import annotations

import ast
import html
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.auth import get_user_model
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from shop.core.audit import PAGE_SIZE, find_audit_entries, record_audit
from shop.core.audit_labels import ACTIONS, VERBS, action_label
from shop.core.keyset import write_cursor
from shop.core.models import AuditEntry, MailState, ScheduledJob, ShopSettings

pytestmark = pytest.mark.django_db
TRAIL = "/admin/journal"
SETTINGS = f"/gestion/core/shopsettings/{ShopSettings.PK}/"


@pytest.fixture
def chef(client):
    chef = get_user_model().objects.create_superuser("chef@example.com", password="x")
    client.force_login(chef)
    return chef


def entry(action="role.changed", **values):
    subject, _created = ScheduledJob.objects.get_or_create(name="an object")
    return record_audit(action, subject, actor=None, **values)


def refused(statement):
    with (
        pytest.raises(DatabaseError, match="never changed or deleted"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)
    assert AuditEntry.objects.get().action == "role.changed"


@pytest.mark.both_engines
def test_entries_are_not_changed_or_deleted_by_any_statement():
    entry()
    refused("UPDATE core_auditentry SET action = 'x'")
    refused("DELETE FROM core_auditentry")


@pytest.mark.postgres
def test_entries_are_not_truncated():
    entry()
    refused("TRUNCATE core_auditentry")


def change_settings(client, **values):
    page = "/admin/reglages/atelier"
    context = client.get(page).context
    data = {field.name: field.value() for field in context["form"]} | {"seen": context["seen"]} | values
    answer = client.post(page, {name: "" if value is None else value for name, value in data.items()})
    assert answer.status_code == 302, answer.context["form"].errors


def test_each_changed_setting_is_recorded_with_before_and_after(client, chef):
    ShopSettings.objects.update_or_create(
        pk=ShopSettings.PK, defaults={"default_weight_grams": 400, "weekly_capacity": 5}
    )

    change_settings(client, default_weight_grams=450, weekly_capacity=7)

    [found] = AuditEntry.objects.all()
    assert (found.action, found.subject_type) == ("shopsettings.changed", "core.shopsettings")
    assert found.actor_id == chef.pk
    assert found.before == {"default_weight_grams": 400, "weekly_capacity": 5}
    assert found.after == {"default_weight_grams": 450, "weekly_capacity": 7}
    assert not LogEntry.objects.exists()
    change_settings(client)
    assert AuditEntry.objects.count() == 1


def test_history_of_a_row_is_its_part_of_the_trail(client, chef):
    answer = client.get(f"{SETTINGS}history/")
    assert answer.status_code == 302
    assert (
        answer.headers["Location"] == f"{TRAIL}?subject_type=core.shopsettings&subject_id={ShopSettings.PK}"
    )


def test_page_tells_who_what_and_from_what_to_what(client, chef):
    get_user_model().objects.filter(pk=chef.pk).update(first_name="Ana", last_name="Petit")
    record_audit("role.changed", chef, actor=chef, before={"role": "user"}, after={"role": "admin"})
    entry("scheduledjob.changed", before={"name": "<b>"}, after={"name": ""})
    ghost = get_user_model().objects.create_user("gone@example.com")
    record_audit("user.blocked", chef, actor=ghost, after={"is_active": False})
    key = ghost.pk
    ghost.delete()

    page = client.get(TRAIL).content.decode()

    for words in ("Ana Petit (chef@example.com)", f"compte supprimé ({key})", "la boutique", "&lt;b&gt;"):
        assert words in page
    assert [row["what"] for row in client.get(TRAIL).context["rows"]] == [
        "Compte bloqué",
        "Tâche planifiée\u00a0: modification",
        "Rôle changé",
    ]
    for person, expected in (("petit ana", ["Rôle changé"]), (key, ["Compte bloqué"]), ("nobody", [])):
        rows = client.get(TRAIL, {"person": person}).context["rows"]
        assert [row["what"] for row in rows] == expected


def test_a_row_of_another_row_leads_to_its_part_of_the_trail(client, chef):
    """It is on no list of the operators', and so was no choice of the search."""
    for key in ("3", "4"):
        AuditEntry.objects.create(
            action="categoryfeature.changed", subject_type="catalog.categoryfeature", subject_id=key
        )
    page = client.get(TRAIL).content.decode()
    [link] = re.findall(r'href="([^"]*subject_id=3)"', page)
    answer = client.get(TRAIL + html.unescape(link))
    assert answer.status_code == 200
    assert [row["subject"] for row in answer.context["rows"]] == ["Caractéristique 3"]
    for unknown in ("catalog.nothing", "x", "catalog.category.x"):
        assert client.get(TRAIL, {"subject_type": unknown}).status_code == 400


def test_values_are_shown_as_people_read_them(client, chef):
    record_audit("role.changed", chef, actor=chef, before={"role": ""}, after={"role": "admin"})
    AuditEntry.objects.create(
        action="mail.resent", subject_type="core.outgoingmail", subject_id="7", before={"state": "failed"},
        after={"state": "queued", "attempts": 0, "positions": [2, 3], "gone": True},
    )  # fmt: skip
    rows = client.get(TRAIL).context["rows"]
    assert rows[0]["values"] == [
        ("État", str(MailState.FAILED.label), str(MailState.QUEUED.label)),
        ("Tentatives", "–", "0"),
        ("Échéances", "–", "2, 3"),
        ("Gone", "–", "oui"),
    ]
    assert rows[1]["values"] == [("Rôle", "–", "Admin")]
    record_audit("second_factor.added", chef, actor=chef, after={"type": "totp"})
    record_audit(
        "erasure.requested",
        chef,
        actor=chef,
        after={"by_inactivity": False, "due_by": "2026-12-26T23:42:15.411012+00:00"},
    )
    rows = client.get(TRAIL).context["rows"]
    assert rows[0]["values"] == [
        ("Compte inactif", "–", "non"),
        ("Au plus tard le", "–", "27 décembre 2026 à 00:42"),
    ]
    AuditEntry.objects.create(
        action="product.changed", subject_type="catalog.product", subject_id="7",
        before={"price": "49.90", "name_fr": "2.50"},
        after={
            "price": "1052.50", "name_fr": "3.50", "promotion_active": True, "promotion_type": "buy_2_get_1",
            "promotion_amount": "5.00", "Grand · Peint · price": "99.90", "gone": "1.50",
        },
    )  # fmt: skip
    assert client.get(TRAIL).context["rows"][0]["values"] == [
        ("Prix de base (€)", "49,90", "1052,50"),
        ("Nom (français)", "2.50", "3.50"),
        ("Promotion active", "–", "oui"),
        ("Type de promotion", "–", "2 achetés, 1 offert"),
        ("Réduction (€)", "–", "5,00"),
        ("Grand · Peint · prix propre (€)", "–", "99,90"),
        ("Gone", "–", "1,50"),
    ]
    assert rows[1]["values"] == [("Type", "–", "Application d'authentification")]
    AuditEntry.objects.create(
        action="order.deleted", subject_type="orders.order", subject_id="3dda4ade-ac76-526d-8a2b-a94eb8706e8b",
        before={"reference": "B8706E8B"},
    )  # fmt: skip
    assert client.get(TRAIL).context["rows"][0]["subject"] == "Commande B8706E8B"
    assert 'for="id_person">Personne' in client.get(TRAIL).content.decode()


def test_page_offers_what_people_change_and_not_what_the_shop_writes(client, chef):
    client.force_login(chef)
    kinds = {name for name, _noun in client.get(TRAIL).context["form"].fields["subject_type"].choices}
    assert {"orders.order", "catalog.product", "accounts.user"} < kinds
    assert kinds.isdisjoint({"orders.chainlink", "integrations.webhookevent", "core.discardedfile"})
    asked = {"subject_type": "integrations.webhookendpoint"}
    assert client.get(TRAIL, asked).status_code == 200


def test_search_by_action_object_and_dates():
    old = entry("user.blocked")
    new = entry()
    today = timezone.localdate()
    asked = {"subject_type": new.subject_type, "subject_id": new.subject_id, "since": today, "until": today}
    assert find_audit_entries(**asked)[0].rows == [new, old]
    assert find_audit_entries(action="user.blocked")[0].rows == [old]
    day = timedelta(days=1)
    for nothing in ({"subject_id": "x"}, {"since": today + day}, {"until": today - day}):
        assert find_audit_entries(**nothing)[0].rows == []


@pytest.mark.parametrize("query", ["cursor=abc", "action=x", "since=yesterday", "subject_type=a.b"])
def test_search_that_makes_no_sense_is_400(client, chef, query):
    assert client.get(f"{TRAIL}?{query}").status_code == 400


@pytest.mark.both_engines
def test_pages_follow_each_other_without_gap_or_repeat(django_assert_num_queries):
    moment = timezone.now()
    for number in range(PAGE_SIZE * 2 + 5):
        AuditEntry.objects.create(
            action="role.changed", subject_type="a.b", subject_id="1",
            created_at=moment + timedelta(seconds=number // 20),
        )  # fmt: skip
    found, cursor = [], ""
    for _page in range(3):
        # The entries; nobody did them, so no people are read.
        with django_assert_num_queries(1):
            page, _people = find_audit_entries(cursor=cursor)
        found += [row.pk for row in page.rows]
        cursor = page.next_cursor
    assert cursor == ""
    assert found == sorted(set(found), reverse=True)
    assert len(found) == PAGE_SIZE * 2 + 5


@pytest.mark.parametrize(
    ("asked", "index"),
    [
        ({}, "core_audit_moment"),
        ({"person": "1"}, "core_audit_actor"),
        ({"action": "role.changed"}, "core_audit_action"),
        ({"subject_type": "a.b", "subject_id": "1"}, "core_audit_subject"),
    ],
)
def test_every_search_walks_its_index_and_sorts_nothing(asked, index):
    """So a page costs the same among a million entries: what is read is the page."""
    with CaptureQueriesContext(connection) as queries:
        find_audit_entries(**asked, cursor=write_cursor(timezone.now(), 7))
    assert not any("COUNT(" in query["sql"] for query in queries)
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {queries[-1]['sql']}")
        plan = " ".join(row[3] for row in cursor.fetchall())
    assert index in plan, plan
    assert "TEMP B-TREE" not in plan, plan


def test_every_recorded_action_has_words():
    """Those that the code names; a row's own are made of its name and a verb."""
    named = set()
    for app in ("accounts", "catalog", "orders", "shop"):
        for path in Path(settings.BASE_DIR, app).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())) if "tests" not in path.parts else ():
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "record_audit":
                    named |= {
                        argument.value for argument in node.args[:1] if isinstance(argument, ast.Constant)
                    }
    assert named
    assert {name for name in named - set(ACTIONS) if name.rpartition(".")[2] not in VERBS} == set()
    assert action_label("product.deleted", "catalog.product") == "Produit\u00a0: suppression"
