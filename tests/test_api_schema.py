"""The description of the API is no public page of a production server."""

import pytest
from django.test import Client

from accounts.tests.people import make_admin, make_member

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("public", "who", "status"),
    [
        (True, None, 200),
        (False, None, 404),
        (False, make_member, 404),
        (False, make_admin, 200),
    ],
)
def test_the_schema_is_read_by_staff_alone_unless_a_setting_opens_it(settings, public, who, status):
    settings.API_SCHEMA_PUBLIC = public
    client = Client()
    if who:
        client.force_login(who())
    response = client.get("/api/schema")
    assert response.status_code == status
    assert (b'"openapi"' in response.content) is (status == 200)
