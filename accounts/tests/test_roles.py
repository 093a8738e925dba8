"""Roles: given by a service, logged, checked at every request, and never without an admin left."""

from __future__ import annotations

import threading

import pytest
from django.db import connection, connections
from rest_framework.exceptions import NotAuthenticated

from accounts.models import RoleChange, User, UserRole
from accounts.permissions import IsAdminRole, IsMember
from accounts.selectors import has_role, roles_of
from accounts.services import grant_role
from accounts.tests.people import make_admin, make_member
from shop.core.problems import Problem


@pytest.mark.django_db
def test_a_role_is_given_and_logged():
    admin = make_admin()
    user = make_member()

    grant_role(user=user, role="admin", changed_by=admin)

    user.refresh_from_db()
    assert (user.is_staff, user.is_superuser) == (True, True)
    assert roles_of(user) == ["admin"]
    change = RoleChange.objects.first()
    assert (change.user, change.old_role, change.new_role, change.changed_by) == (
        user,
        "user",
        "admin",
        admin,
    )

    grant_role(user=user, role="admin", changed_by=admin)
    assert RoleChange.objects.filter(user=user).count() == 1


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
    assert has_role(admin, "admin")
    assert RoleChange.objects.filter(user=admin, new_role="user").count() == 0


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


@pytest.mark.django_db
def test_permissions(rf):
    def allowed(permission, user):
        request = rf.get("/")
        request.user = user
        return permission().has_permission(request, None)

    from django.contrib.auth.models import AnonymousUser

    member, admin = make_member(), make_admin()
    blocked = make_member("blocked@example.com")
    blocked.is_active = False
    assert (allowed(IsMember, member), allowed(IsAdminRole, member)) == (True, False)
    assert (allowed(IsMember, admin), allowed(IsAdminRole, admin)) == (True, True)
    assert allowed(IsAdminRole, blocked) is False
    for permission in (IsMember, IsAdminRole):
        with pytest.raises(NotAuthenticated):
            allowed(permission, AnonymousUser())
