"""Mails and settings in Django's admin."""

from __future__ import annotations

import pytest

from shop.core.models import MailState, OutgoingMail, ShopSettings

pytestmark = pytest.mark.django_db

LIST = "/gestion/core/outgoingmail/"


@pytest.fixture
def dead():
    return OutgoingMail.objects.create(
        kind="account_exists",
        to="client@example.com",
        state=MailState.FAILED,
        attempts=8,
        last_error="SMTPRecipientsRefused: 550",
    )


def test_dead_letters_are_found(admin_client, dead):
    OutgoingMail.objects.create(kind="account_exists", to="other@example.com", reference="7C9BE001")

    failed = admin_client.get(LIST, {"state": "failed"}).content.decode()
    assert "client@example.com" in failed
    assert "other@example.com" not in failed
    assert "other@example.com" in admin_client.get(LIST, {"q": "7C9BE001"}).content.decode()


@pytest.mark.both_engines
@pytest.mark.parametrize(
    "address",
    [
        f"{LIST}?created_at__year={2**63}",
        f"{LIST}?created_at__year=9999&created_at__month=12&created_at__day=31",
        f"/gestion/catalog/product/?category={2**63}",
    ],
)
def test_a_filter_that_no_row_can_have_is_answered_with_a_list(admin_client, dead, address):
    assert admin_client.get(address, follow=True).status_code == 200


def test_mails_are_read_only(admin_client, dead):
    for query in ("", "?_to_field="):
        assert admin_client.get(f"{LIST}{dead.pk}/change/{query}").status_code == 200
    assert admin_client.post(f"{LIST}{dead.pk}/change/", {"to": "x@example.com"}).status_code == 403
    assert admin_client.post(f"{LIST}{dead.pk}/delete/", {"post": "yes"}).status_code == 403
    assert admin_client.get(f"{LIST}add/").status_code == 403


def test_links_that_open_an_account_are_not_shown_to_operators(admin_client):
    texts = {}
    for kind in ("account_password_reset", "order_status"):
        mail = OutgoingMail.objects.create(kind=kind, to="a@example.com", text="the text", html="the html")
        texts[kind] = admin_client.get(f"{LIST}{mail.pk}/change/").content.decode()

    assert "the text" in texts["order_status"]
    assert "the text" not in texts["account_password_reset"]
    assert not any("the html" in text for text in texts.values())


def test_settings_are_looked_up_and_changed_nowhere_in_django_admin(admin_client):
    ShopSettings.objects.get_or_create(pk=ShopSettings.PK)
    page = admin_client.get("/gestion/core/shopsettings/1/change/").content.decode()
    assert 'href="/admin/reglages"' in page
    for action in ("1/change", "1/delete", "add"):
        assert admin_client.post(f"/gestion/core/shopsettings/{action}/", {}).status_code == 403


def test_scheduled_jobs_are_listed(admin_client):
    assert admin_client.get("/gestion/core/scheduledjob/").status_code == 200
