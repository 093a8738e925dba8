"""Waiting lists in the staff area: who waits for what, and rows deleted when their owner asks."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone

from catalog.models import Favourite, Notice
from catalog.tests.factories import make_product, make_user
from shop.core.models import AuditEntry

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser() -> Client:
    admin = make_user("admin@example.com")
    admin.is_staff = admin.is_superuser = True
    admin.save()
    client = Client()
    client.force_login(admin)
    return client


def shown(browser: Client, address: str) -> str:
    return browser.get(address).content.decode().replace("\u00a0", " ")


def ask(email: str, **changes: object) -> Notice:
    values = {"product": make_product("Golem de poche"), "token": email.ljust(43, "t")}
    return Notice.objects.create(email=email, **{**values, **changes})


def test_each_part_lists_its_notices(browser: Client) -> None:
    now = timezone.now()
    ask("doute@example.com")
    ask("attend@example.com", confirmed_at=now)
    ask("prevenu@example.com", confirmed_at=now, sent_at=now)
    for part, expected in (("en-attente", "attend@"), ("a-confirmer", "doute@"), ("prevenus", "prevenu@")):
        page = shown(browser, f"/admin/attentes?liste={part}")
        found = [name for name in ("attend@", "doute@", "prevenu@") if f"<strong>{name}example.com" in page]
        assert found == [expected]
    assert "attend@example.com" in shown(browser, "/admin/attentes?q=golem")
    assert "Rien ne correspond" in shown(browser, "/admin/attentes?q=dragon")


def test_deleting_a_notice_asks_first_and_leaves_no_address(browser: Client) -> None:
    notice = ask("attend@example.com", confirmed_at=timezone.now())
    address = f"/admin/attentes/{notice.pk}/supprimer"
    assert "L&#x27;alerte de attend@example.com" in shown(browser, address)
    assert Notice.objects.count() == 1
    assert browser.post(address)["Location"] == "/admin/attentes"
    assert not Notice.objects.exists()
    entry = AuditEntry.objects.get(action="notice.deleted")
    assert (entry.before, entry.after, entry.subject_id) == ({}, {}, str(notice.pk))


def test_favourites_are_counted_by_piece_and_deleted_singly(browser: Client) -> None:
    golem, bear = make_product("Golem de poche"), make_product("Ours boulanger")
    members = [make_user(f"m{number}@example.com") for number in range(2)]
    for member in members:
        Favourite.objects.create(user=member, product=golem, notify_when_back=member is members[0])
    Favourite.objects.create(user=members[0], product=bear)
    page = shown(browser, "/admin/favoris")
    assert page.index("Golem de poche") < page.index("Ours boulanger")
    assert "1 à prévenir du retour" in page
    row = Favourite.objects.get(user=members[1], product=golem)
    assert "m1@example.com" in shown(browser, f"/admin/favoris/piece/{golem.pk}")
    answer = browser.post(f"/admin/favoris/{row.pk}/supprimer")
    assert answer["Location"] == f"/admin/favoris/piece/{golem.pk}"
    assert "m1@example.com" not in shown(browser, f"/admin/favoris/piece/{golem.pk}")
    assert Favourite.objects.count() == 2
