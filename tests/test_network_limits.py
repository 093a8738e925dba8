"""Calls that ask the database, the provider or a mailbox for a stranger are bounded where they come in."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from accounts.tests.people import PASSWORD, make_member

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("limit", "method", "address", "sent"),
    [
        ("suggestion-network", "get", "/api/search/suggestions", {"q": "dr"}),
        ("verify-network", "get", "/api/checkout/verify", {"session_id": "cs_unknown"}),
        ("checkout-network", "post", "/api/checkout", {}),
        ("newsletter-network", "post", "/api/newsletter", {"email": "lea@example.com"}),
        ("newsletter-network", "post", "/newsletter/demander", {"email": "lea@example.com"}),
    ],
)
def test_one_call_more_than_a_network_has_is_refused_with_its_wait(
    settings: Any, client: Client, limit: str, method: str, address: str, sent: dict[str, Any]
) -> None:
    settings.LIMITS = {limit: 1}
    json = {"content_type": "application/json"} if method == "post" and address.startswith("/api/") else {}
    first, second = (getattr(client, method)(address, sent, **json) for _ in range(2))
    assert first.status_code != 429
    assert second.status_code == 429
    assert 0 < int(second["Retry-After"]) <= 600


def test_who_is_signed_in_guesses_a_password_five_times(client: Client) -> None:
    member = make_member()
    client.force_login(member)
    answers = [
        client.delete("/api/me", {"password": password}, content_type="application/json")
        for password in ("wrong",) * 5 + (PASSWORD,)
    ]
    assert [answer.status_code for answer in answers] == [400] * 5 + [429]
    member.refresh_from_db()
    assert member.is_active
