"""`POST /api/contact`: the same as the form, for programs of ours."""

import json
from typing import Any

import pytest
from django.test import Client

from shop.pages.models import ContactImage, ContactRequest
from shop.pages.tests.contact import BODY, nothing_was_kept, picture, send

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_storage")]


def test_without_a_token_nothing_is_taken() -> None:
    client = Client(enforce_csrf_checks=True)
    assert send(client).status_code == 403
    assert client.post("/api/contact", json.dumps(BODY), "application/json").status_code == 403
    assert nothing_was_kept()


def post(client: Client, body: Any, **headers: str) -> Any:
    return client.post("/api/contact", json.dumps(body), "application/json", headers=headers)


def test_the_api_answers_with_the_reference(client: Client) -> None:
    answer = post(client, BODY, **{"Accept-Language": "es"})
    request = ContactRequest.objects.get()
    assert (answer.status_code, answer.json()) == (201, {"reference": request.reference})
    assert request.language == "es"
    assert post(client, BODY).status_code == 201
    assert ContactRequest.objects.count() == 1


def test_the_api_takes_pictures(client: Client) -> None:
    answer = client.post("/api/contact", {**BODY, "kind": "quote", "images": [picture(), picture("b.png")]})
    assert answer.status_code == 201
    assert ContactImage.objects.count() == 2


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"email": "zoe"}, "email"),
        ({"firstName": ""}, "firstName"),
        ({"lastName": "x" * 81}, "lastName"),
        ({"subject": {"a": 1}}, "subject"),
        ({"kind": "order"}, "kind"),
        ({"message": "\u200b"}, "message"),
        ({"kind": "quote", "deadline": "2001-01-01"}, "deadline"),
        ({"product_id": "x"}, "product_id"),
    ],
)
def test_the_api_names_the_field(client: Client, changes: dict[str, Any], field: str) -> None:
    answer = post(client, {**BODY, **changes})
    assert answer.status_code == 400
    assert list(answer.json()["errors"]) == [field]
    assert nothing_was_kept()


@pytest.mark.parametrize("body", [[], "x", None, {}, {"images": [1]}, {**BODY, "product_id": 10**30}])
def test_odd_bodies_are_refused_or_taken_but_never_a_failure(client: Client, body: Any) -> None:
    assert post(client, body).status_code in (201, 400)


def test_the_api_is_limited(client: Client) -> None:
    for number in range(5):
        post(client, {**BODY, "message": str(number)})
    answer = post(client, {**BODY, "message": "5"})
    assert (answer.status_code, answer.json()["code"]) == (429, "throttled")
