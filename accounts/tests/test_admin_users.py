"""`/api/admin/users`: the list of accounts, and the role of one."""

import pytest
from django.utils import timezone

from accounts.models import User
from accounts.selectors import roles_of
from accounts.services import grant_role
from accounts.tests.people import make_admin, make_member, prove
from shop.core.models import AuditEntry

pytestmark = pytest.mark.django_db
USERS = "/api/admin/users"


@pytest.fixture
def admin(client):
    admin = make_admin()
    client.force_login(admin)
    return admin


def emails(answer):
    assert answer.status_code == 200, answer.json()
    return [row["email"] for row in answer.json()["results"]]


def give(client, user_id, role):
    return client.post(f"{USERS}/{user_id}/role", {"role": role}, content_type="application/json")


@pytest.mark.both_engines
def test_list_shows_real_address_proof_and_last_sign_in(client, admin, django_assert_num_queries):
    moment = timezone.now()
    lea = make_member("lea@example.com", first_name="Léa", last_name="Martin")
    User.objects.filter(pk=lea.pk).update(last_login=moment, date_joined=moment)
    make_member("tom@example.com", confirmed=False)

    # Session, user, the permission, the rows.
    with django_assert_num_queries(3):
        answer = client.get(USERS, {"search": "MARTIN"})

    assert "no-store" in answer.headers["Cache-Control"]
    assert answer.json() == {
        "next": None,
        "next_cursor": None,
        "results": [
            {
                "id": lea.pk,
                "email": "lea@example.com",
                "email_confirmed": True,
                "first_name": "Léa",
                "last_name": "Martin",
                "role": "user",
                "is_active": True,
                "created_at": timezone.localtime(moment).isoformat(),
                "last_sign_in": timezone.localtime(moment).isoformat(),
            }
        ],
    }
    [tom] = client.get(USERS, {"search": "tom@"}).json()["results"]
    assert (tom["email_confirmed"], tom["last_sign_in"]) == (False, None)


def test_list_is_filtered_by_role_and_read_page_by_page(client, admin):
    members = [make_member(f"n{number}@example.com") for number in range(5)]
    grant_role(user=members[0], role="staff")
    # One moment for all: the key decides.
    User.objects.update(date_joined=timezone.now())

    assert emails(client.get(USERS, {"role": "admin"})) == ["admin@example.com"]
    assert emails(client.get(USERS, {"role": "staff"})) == ["n0@example.com"]
    found, address = [], f"{USERS}?role=user&page_size=2"
    while address:
        answer = client.get(address)
        found += emails(answer)
        address = answer.json()["next"]
    assert found == [f"n{number}@example.com" for number in (4, 3, 2, 1)]


@pytest.mark.parametrize(
    "query",
    ["page_size=0", "page_size=101", "page_size=1000000000", "role=owner", "cursor=abc", "cursor=%00",
     "cursor=MjAyNi0xMS0yMVQwMDowMDowMCswMDowMHxhYmM=", "search=" + "a" * 101],
)  # fmt: skip
def test_what_makes_no_sense_is_400(client, admin, query):
    answer = client.get(f"{USERS}?{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")


def test_role_is_not_given_before_the_admin_proved_again_who_they_are(client, admin):
    user = make_member()

    answer = give(client, user.pk, "admin")

    assert (answer.status_code, answer.json()["code"]) == (403, "reauthentication_required")
    assert answer.json()["confirm_url"] == "/espace-membre/confirmer"
    assert roles_of(user) == ["user"]
    assert not AuditEntry.objects.filter(subject_id=str(user.pk)).exists()


def test_role_is_given_and_recorded(client, admin):
    prove(client, admin)
    user = make_member()

    answer = give(client, user.pk, "staff")

    assert (answer.status_code, answer.json()["role"]) == (200, "staff")
    assert roles_of(User.objects.get(pk=user.pk)) == ["staff"]
    entry = AuditEntry.objects.get(subject_id=str(user.pk))
    assert (entry.action, entry.actor_id) == ("role.changed", admin.pk)
    assert (entry.before, entry.after) == ({"role": "user"}, {"role": "staff"})


def test_admin_demotes_themselves_only_if_another_is_left(client, admin):
    prove(client, admin)
    refused = give(client, admin.pk, "user")
    assert (refused.status_code, refused.json()["code"]) == (409, "last_admin")
    assert roles_of(User.objects.get(pk=admin.pk)) == ["admin"]

    make_admin("other@example.com")
    assert give(client, admin.pk, "user").status_code == 200
    assert roles_of(User.objects.get(pk=admin.pk)) == ["user"]
    # The session went with the role.
    assert client.get(USERS).status_code == 401


def test_unknown_people_are_404_and_unknown_roles_400(client, admin):
    user = make_member()
    assert (give(client, 10**18, "user").status_code, give(client, user.pk, "owner").status_code) == (
        404,
        400,
    )
    assert give(client, user.pk, None).status_code == 400
    assert roles_of(user) == ["user"]


@pytest.mark.parametrize(("role", "status"), [("", 401), ("user", 403), ("staff", 403)])
def test_others_neither_see_nor_change(client, role, status):
    make_admin("other@example.com")
    user = make_member()
    if role:
        grant_role(user=user, role=role)
        client.force_login(User.objects.get(pk=user.pk))
    before = AuditEntry.objects.count()

    assert client.get(USERS).status_code == status
    assert give(client, user.pk, "admin").status_code == status
    assert "admin" not in roles_of(User.objects.get(pk=user.pk))
    assert AuditEntry.objects.count() == before


@pytest.mark.parametrize("role", ["user", "staff"])
def test_demoted_admin_is_refused_at_the_next_request_everywhere(client, role):
    make_admin("other@example.com")
    admin = make_admin()
    client.force_login(admin)
    grant_role(user=admin, role=role)

    assert client.get("/api/me").json()["authenticated"] is False
    assert client.get(USERS).status_code == 401
    assert give(client, admin.pk, "admin").status_code == 401
    assert client.get("/gestion/").status_code == 302
    assert roles_of(User.objects.get(pk=admin.pk)) == [role]
