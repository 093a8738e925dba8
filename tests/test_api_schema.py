"""The description of the API: who reads it, and what it says of choices."""

import json
from pathlib import Path

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


@pytest.mark.parametrize(
    ("schema", "field", "values"),
    [
        ("AutomationProduct", "safety_class", ["collector", "decoration", "clock", "toy", ""]),
        ("AutomationVariant", "finish", ["painted", "unpainted", None]),
    ],
)
def test_a_choice_that_may_be_empty_says_so(settings, schema, field, values):
    """Programs whose reader is made from the description would refuse our answers."""
    written = Path(settings.BASE_DIR, "frontend_islands/api/schema.json").read_text(encoding="utf-8")
    schemas = json.loads(written)["components"]["schemas"]
    described = schemas[schema]["properties"][field]
    names = [
        part["$ref"].split("/")[-1]
        for part in described.get("oneOf") or described.get("allOf") or [described]
    ]
    assert [value for name in names for value in schemas[name]["enum"]] == values
