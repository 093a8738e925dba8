"""Roles: given by a service, logged, checked at every request, and never without an admin left."""

from __future__ import annotations

import threading

import pytest
from django.contrib.auth.models import AnonymousUser, Permission
from django.db import connection, connections
from django.db.models import QuerySet
from rest_framework.exceptions import NotAuthenticated

from accounts.models import Role, User, UserRole
from accounts.selectors import roles_of
from accounts.services import grant_role
from accounts.tests.people import link_in_last_mail, make_admin, make_member, post, signed_in, text
from shop.core.models import AuditEntry
from shop.core.problems import Problem
from shop.core.staff_actions import ROLE_ACTIONS, StaffAction, may
from shop.core.staff_calls import IsMember, allowed


@pytest.mark.django_db
def test_a_role_is_given_and_logged():
    admin = make_admin()
    user = make_member()

    grant_role(user=user, role="admin", changed_by=admin)

    user.refresh_from_db()
    assert (user.is_staff, user.is_superuser) == (True, True)
    assert roles_of(user) == ["admin"]
    recorded = AuditEntry.objects.filter(action="role.changed", subject_id=str(user.pk))
    [entry] = recorded
    assert (entry.subject_type, entry.actor_id) == ("accounts.user", admin.pk)
    assert (entry.before, entry.after) == ({"role": "user"}, {"role": "admin"})

    grant_role(user=user, role="admin", changed_by=admin)
    assert recorded.count() == 1


@pytest.mark.django_db
def test_a_demoted_admin_loses_everything_at_the_next_request(client):
    make_admin("other@example.com")
    admin = make_admin()
    client.force_login(admin)
    assert client.get("/api/me").json()["roles"] == ["admin"]
    assert client.get("/gestion/").status_code == 200

    grant_role(user=admin, role="user")

    assert client.get("/api/me").json()["authenticated"] is False
    assert client.get("/gestion/").status_code == 302
    admin.refresh_from_db()
    assert (admin.is_staff, admin.is_superuser) == (False, False)


@pytest.mark.django_db
@pytest.mark.parametrize("how", ["alone", "other blocked"])
def test_the_last_admin_stays(how):
    admin = make_admin()
    if how == "other blocked":
        other = make_admin("other@example.com")
        User.objects.filter(pk=other.pk).update(is_active=False)

    with pytest.raises(Problem) as refusal:
        grant_role(user=admin, role="user", changed_by=admin)

    assert (refusal.value.code, refusal.value.status) == ("last_admin", 409)
    assert refusal.value.detail == "Impossible de retirer le dernier administrateur de la boutique."
    admin.refresh_from_db()
    assert admin.is_staff is True
    assert roles_of(admin) == ["admin"]
    assert not AuditEntry.objects.filter(subject_id=str(admin.pk), after={"role": "user"}).exists()


@pytest.mark.django_db
def test_who_is_blocked_is_given_no_rights_and_may_lose_theirs():
    """An account with rights is not unblocked: who gave them had to take them back first."""
    boss, user = make_admin(), make_member("lea@example.com")
    User.objects.filter(pk=user.pk).update(is_active=False)
    for role in ("staff", "admin"):
        with pytest.raises(Problem) as refusal:
            grant_role(user=user, role=role, changed_by=boss)
        assert (refusal.value.code, refusal.value.status) == ("blocked_account", 409)
        assert refusal.value.detail == "Ce compte est bloqué\u00a0: débloquez-le d'abord."
    assert roles_of(User.objects.get(pk=user.pk)) == []
    assert not User.objects.get(pk=user.pk).is_staff
    colleague = make_admin("tom@example.com")
    User.objects.filter(pk=colleague.pk).update(is_active=False)
    assert grant_role(user=colleague, role="user", changed_by=boss).role == "user"


@pytest.mark.django_db
def test_a_member_s_short_password_opens_nothing_once_they_are_of_the_team(client):
    user = make_member()
    user.set_password("mauve-18")
    user.save()
    assert post(client, "signin", password="mauve-18").status_code == 302
    client.logout()
    grant_role(user=user, role="staff")

    refused = post(client, "signin", password="mauve-18")

    assert (refused.status_code, signed_in(client)) == (200, False)
    words = "Votre rôle demande un mot de passe d'au moins 12 caractères\u00a0: choisissez-en un par le lien"
    assert words in text(refused)
    key = link_in_last_mail()
    client.get(key)
    chosen = {"password": "mauve-18-citron", "password_confirmation": "mauve-18-citron"}
    client.post("/auth/nouveau-mot-de-passe", chosen)
    assert post(client, "signin", password="mauve-18-citron").status_code == 302
    assert signed_in(client)


@pytest.mark.django_db
def test_unknown_roles_are_refused():
    user = make_member()
    with pytest.raises(ValueError, match="owner"):
        grant_role(user=user, role="owner")
    assert roles_of(user) == ["user"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.postgres
def test_two_admins_who_demote_each_other_leave_one():
    """Without the row locks both would count two admins and both would go."""
    first, second = make_admin("a@example.com"), make_admin("b@example.com")
    barrier = threading.Barrier(2)
    refusals: list[str] = []

    def demote(user, by):
        barrier.wait()
        try:
            grant_role(user=user, role="user", changed_by=by)
        except Problem as problem:
            refusals.append(problem.code)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=demote, args=pair) for pair in ((second, first), (first, second))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert connection.vendor == "postgresql"
    assert refusals == ["last_admin"]
    assert UserRole.objects.filter(role="admin").count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.postgres
def test_control_without_the_locks_nobody_is_left(monkeypatch):
    """The test above proves something: when both have counted before either changes, both go."""
    first, second = make_admin("a@example.com"), make_admin("b@example.com")
    barrier = threading.Barrier(2, timeout=60)
    get_or_create = QuerySet.get_or_create

    def counted_by_both(rows, *args, **kwargs):
        barrier.wait()
        return get_or_create(rows, *args, **kwargs)

    monkeypatch.setattr(QuerySet, "select_for_update", lambda rows, **options: rows)
    monkeypatch.setattr(QuerySet, "get_or_create", counted_by_both)

    def demote(user, by):
        grant_role(user=user, role="user", changed_by=by)
        connections.close_all()

    threads = [threading.Thread(target=demote, args=pair) for pair in ((second, first), (first, second))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert UserRole.objects.filter(role="admin").count() == 0


@pytest.mark.django_db
def test_call_permission_by_method_and_role(rf):
    def may_call(permission, user, method="GET"):
        request = rf.generic(method, "/")
        request.user = user
        return permission().has_permission(request, None)

    member, staff, admin = make_member(), make_member("equipe@example.com"), make_admin()
    grant_role(user=staff, role="staff")
    blocked = make_admin("blocked@example.com")
    blocked.is_active = False
    call = allowed(get=StaffAction.SEE_ORDERS, delete=StaffAction.REMOVE_ORDER)
    methods = ("GET", "HEAD", "DELETE", "POST", "OPTIONS")

    assert may_call(IsMember, member)
    assert [may_call(call, member, method) for method in methods] == [False] * 5
    assert [may_call(call, blocked, method) for method in methods] == [False] * 5
    assert [may_call(call, staff, method) for method in methods] == [True, True, False, True, True]
    assert [may_call(call, admin, method) for method in methods] == [True] * 5
    for permission in (IsMember, call):
        with pytest.raises(NotAuthenticated):
            may_call(permission, AnonymousUser())


@pytest.mark.django_db
def test_every_action_is_a_permission_that_an_operator_can_give():
    known = {
        f"{label}.{codename}"
        for label, codename in Permission.objects.values_list("content_type__app_label", "codename")
    }
    assert set(StaffAction.values) <= known
    assert set(ROLE_ACTIONS) == set(Role.values) - {Role.USER}


@pytest.mark.both_engines
@pytest.mark.django_db
def test_staff_role_holds_what_the_table_says_and_no_more(django_assert_num_queries):
    user = make_member()
    grant_role(user=user, role="staff")
    user = User.objects.get(pk=user.pk)

    assert (user.is_staff, user.is_superuser) == (True, False)
    assert roles_of(user) == ["staff"]
    # Django's own two for permissions given singly or by a group, and the role.
    with django_assert_num_queries(3):
        held = {action for action in StaffAction if user.has_perm(action.value)}
    assert held == ROLE_ACTIONS["staff"]
    assert not any(may(user, action) for action in StaffAction if "refund" in action.value)


@pytest.mark.django_db
def test_permission_of_somebody_without_access_to_the_administration_counts_for_nothing():
    user = make_member()
    user.user_permissions.add(Permission.objects.get(codename="view_order"))
    assert user.has_perm("orders.view_order")
    assert may(user, StaffAction.SEE_ORDERS) is False


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("before", "after"),
    [("staff", "user"), ("staff", "admin"), ("admin", "staff"), ("user", "staff")],
)
def test_role_changed_ends_the_sessions_and_counts_at_the_next_request(client, before, after):
    make_admin("other@example.com")
    user = make_member()
    grant_role(user=user, role=before)
    client.force_login(User.objects.get(pk=user.pk))
    assert client.get("/api/me").json()["roles"] == [before]

    grant_role(user=user, role=after)

    assert client.get("/api/me").json()["authenticated"] is False
    client.force_login(User.objects.get(pk=user.pk))
    assert client.get("/api/admin/orders").status_code == (403 if after == "user" else 200)


@pytest.mark.django_db
def test_role_row_taken_away_counts_within_the_same_session(client):
    """A session that a change of role did not end, because only the row changed: rights are read from the row."""
    user = make_member()
    grant_role(user=user, role="staff")
    client.force_login(User.objects.get(pk=user.pk))
    assert client.get("/api/admin/orders").status_code == 200
    UserRole.objects.filter(user=user).update(role="user")
    assert client.get("/api/admin/orders").status_code == 403
