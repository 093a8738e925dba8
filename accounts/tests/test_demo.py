"""People of the demonstration."""

import pytest

from accounts.demo import load_people
from accounts.models import User
from accounts.selectors import is_email_confirmed, roles_of


@pytest.mark.django_db
def test_an_admin_somebody_of_staff_and_a_member_once():
    load_people()
    User.objects.filter(email="client@example.com").update(first_name="Zoé")
    load_people()

    people = {user.email: user for user in User.objects.all()}
    assert sorted(people) == ["admin@example.com", "client@example.com", "equipe@example.com"]
    assert roles_of(people["admin@example.com"]) == ["admin"]
    assert roles_of(people["equipe@example.com"]) == ["staff"]
    assert roles_of(people["client@example.com"]) == ["user"]
    assert people["client@example.com"].first_name == "Zoé"
    for user in people.values():
        assert user.check_password("figurine-atelier-2026")
        assert is_email_confirmed(user)
