"""People in the staff area: looked up, given a role, blocked."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import DatabaseError
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.personal_data import _erase_account
from accounts.selectors import role_of, roles_of
from accounts.services import grant_role
from accounts.services.members import close_account
from accounts.tests.people import make_admin, make_member, prove
from orders.models import Order
from orders.tests.factories import make_order
from shop.core.models import AuditEntry, OutgoingMail
from shop.core.personal_data import Person
from shop.core.tests.reading import text
from shop.pages.staff import users
from shop.pages.tests.staff import make_staff, signed_in

pytestmark = pytest.mark.django_db
LIST = "/admin/utilisateurs"


@pytest.fixture
def admin() -> User:
    return make_admin()


@pytest.fixture
def browser(admin: User) -> Client:
    client = signed_in(admin)
    prove(client, admin)
    return client


def give(browser: Client, user: User, role: str, **fields: Any) -> Any:
    body = {"role": role, "seen": roles_of(user)[0], "confirmed": "1", **fields}
    return browser.post(f"{LIST}/{user.pk}/role", body, follow=True)


def test_list_shows_real_address_proof_last_sign_in_and_paid_orders(browser: Client) -> None:
    lea = make_member("lea@example.com", first_name="Léa", last_name="Martin")
    User.objects.filter(pk=lea.pk).update(last_login=timezone.now())
    make_member("tom@example.com", confirmed=False)
    for paid in (True, True, False):
        order = make_order(user=lea)
        if paid:
            Order.objects.filter(pk=order.pk).update(status="confirmed", paid_at=timezone.now())
    page = text(browser.get(f"{LIST}?recherche=martin+L%C3%A9a"))
    assert "lea@example.com" in page
    assert "Léa Martin · e-mail confirmé · 2 commandes" in page
    assert "Dernière connexion" in page
    assert "tom@example.com" not in page
    assert "e-mail non confirmé · 0 commande" in text(browser.get(f"{LIST}?recherche=tom"))
    detail = text(browser.get(f"{LIST}/{lea.pk}"))
    assert "lea%40example.com" in detail
    assert "2 payées" in detail
    assert "<dt>Langue</dt><dd>Français</dd>" in detail


def test_list_is_read_page_by_page_in_few_queries(browser: Client, django_assert_num_queries: Any) -> None:
    for number in range(34):
        make_member(f"n{number}@example.com")
    first = browser.get(LIST)
    assert len(first.context["rows"]) == 30
    # Session and person 2, the accounts with role and proof 1, their orders 1.
    with django_assert_num_queries(4):
        second = browser.get(f"{LIST}?suite={first.context['next_cursor']}")
    assert len(second.context["rows"]) == 5


def test_list_that_can_not_be_read_says_so(browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_asked: Any) -> None:
        raise DatabaseError("away")

    monkeypatch.setattr(users, "find_users", fail)
    answer = browser.get(LIST)
    assert answer.status_code == 503
    assert "Impossible de charger les utilisateurs" in text(answer)


def test_role_is_given_after_it_was_confirmed_and_recorded(browser: Client, admin: User) -> None:
    user = make_member()
    asked = browser.post(f"{LIST}/{user.pk}/role", {"role": "admin", "seen": "user"})
    assert "Donner le rôle Admin ?" in text(asked)
    assert "Ses sessions ouvertes se terminent" in text(asked)
    assert roles_of(user) == ["user"]

    assert "client@example.com a maintenant le rôle Admin." in text(give(browser, user, "admin"))
    assert roles_of(user) == ["admin"]
    entry = AuditEntry.objects.get(action="role.changed", subject_id=str(user.pk))
    assert (entry.actor_id, entry.before, entry.after) == (admin.pk, {"role": "user"}, {"role": "admin"})
    for role in ("staff", "user"):
        give(browser, user, role)
        assert roles_of(user) == [role]


def test_role_is_not_given_before_the_admin_proved_again_who_they_are(admin: User) -> None:
    user = make_member()
    client = signed_in(admin)
    assert "Confirmez que c'est bien vous" in text(give(client, user, "admin"))
    assert roles_of(user) == ["user"]


def test_last_admin_stays(browser: Client, admin: User) -> None:
    refused = give(browser, admin, "user")
    assert "Impossible de retirer le dernier administrateur de la boutique." in text(refused)
    assert roles_of(admin) == ["admin"]


def test_role_that_somebody_else_changed_meanwhile_stays(browser: Client) -> None:
    user = make_member()
    grant_role(user=user, role="staff")
    assert "Le rôle a changé entre-temps" in text(give(browser, user, "admin", seen="user"))
    assert roles_of(user) == ["staff"]


def test_failed_change_of_role_says_so(browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_asked: Any) -> None:
        raise DatabaseError("away")

    monkeypatch.setattr(users, "grant_role", fail)
    user = make_member()
    assert "Erreur lors de la modification du rôle" in text(give(browser, user, "admin"))
    assert "Erreur lors de la modification du rôle" in text(give(browser, user, "emperor"))
    assert roles_of(user) == ["user"]


def test_account_is_blocked_after_being_asked_and_opened_again(browser: Client, admin: User) -> None:
    user = make_member()
    theirs = signed_in(user)
    address = f"{LIST}/{user.pk}/acces"
    assert "Bloquer ce compte ?" in text(browser.post(address, {"bloquer": "oui"}))
    assert theirs.get("/espace-membre").status_code == 200
    for _click in range(2):
        browser.post(address, {"bloquer": "oui", "confirmed": "1"})
    user.refresh_from_db()
    assert not user.is_active
    assert theirs.get("/espace-membre").status_code == 302
    entry = AuditEntry.objects.get(action="user.blocked")
    assert (entry.actor_id, entry.subject_id) == (admin.pk, str(user.pk))
    assert (entry.before, entry.after) == ({"is_active": True}, {"is_active": False})
    browser.post(address, {"bloquer": "non"})
    user.refresh_from_db()
    assert user.is_active
    assert not OutgoingMail.objects.filter(kind="account_role_changed").exists()


def test_an_erased_account_is_not_offered_to_be_opened_again(browser: Client) -> None:
    blocked, erased = make_member("lea@example.com"), make_member("tom@example.com")
    User.objects.filter(pk=blocked.pk).update(is_active=False)
    _erase_account(Person(erased.pk, (erased.email,)))
    pages = [text(browser.get(f"{LIST}/{user.pk}")) for user in (blocked, erased)]
    assert ["Débloquer ce compte" in page for page in pages] == [True, False]
    assert ["<dd>bloqué</dd>" in page for page in pages] == [True, False]
    assert ["<dd>effacé</dd>" in page for page in pages] == [False, True]
    assert ["Changer le rôle…" in page for page in pages] == [True, False]
    page = browser.get(LIST).content.decode()
    assert sorted(re.findall(r'badge--sold-out">(\w+)<', page)) == ["Bloqué", "Effacé"]


@pytest.mark.parametrize("begun", [True, False], ids=["begun", "done"])
def test_an_account_that_an_erasure_closed_stays_closed(browser: Client, begun: bool) -> None:
    tom = make_member("tom@example.com")
    if begun:
        close_account(user=tom)
    else:
        _erase_account(Person(tom.pk, (tom.email,)))
    opened = browser.post(f"{LIST}/{tom.pk}/acces", {"bloquer": "non"}, follow=True)
    given = browser.post(
        f"{LIST}/{tom.pk}/role", {"role": "staff", "seen": "user", "confirmed": "1"}, follow=True
    )
    for answer in (opened, given):
        assert "Ce compte est effacé : rien n'a changé." in text(answer)
    tom.refresh_from_db()
    assert (tom.is_active, tom.is_staff, role_of(tom)) == (False, False, "user")
    changed = AuditEntry.objects.filter(action__in=("user.unblocked", "role.changed"))
    assert not changed.filter(subject_id=str(tom.pk)).exists()


def test_who_has_access_to_the_administration_is_not_blocked(browser: Client) -> None:
    staff = make_staff()
    answer = browser.post(f"{LIST}/{staff.pk}/acces", {"bloquer": "oui", "confirmed": "1"}, follow=True)
    assert "Ce compte a accès à l'administration : donnez-lui d'abord le rôle Membre." in text(answer)
    staff.refresh_from_db()
    assert staff.is_active
    assert not AuditEntry.objects.filter(action="user.blocked").exists()
