"""Keys and webhooks in the staff area: shown once, asked again who one is, everything logged."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.personal_data import _erase_account
from accounts.services import grant_role
from accounts.tests.people import make_admin, prove
from shop.core.personal_data import Person
from shop.integrations.delivery import deliver, dispatch
from shop.integrations.endpoints import create_endpoint, send_test
from shop.integrations.keys import READ_ONLY, create_api_key, find_api_key
from shop.integrations.models import ApiKey, WebhookDelivery, WebhookEndpoint, WebhookEvent

pytestmark = pytest.mark.django_db
KEYS, HOOKS = "/admin/cles-api", "/admin/webhooks"


@pytest.fixture
def boss() -> User:
    return make_admin()


@pytest.fixture
def browser(boss: User) -> Client:
    """Signed in, and proved a moment ago."""
    client = Client()
    client.force_login(boss)
    prove(client, boss)
    return client


@pytest.fixture
def endpoint(boss: User) -> WebhookEndpoint:
    kinds = ["order.confirmed", "stock.changed"]
    return create_endpoint(url="https://example.com/hook", description="ERP", kinds=kinds, actor=boss).row


def text(answer: Any) -> str:
    page = re.sub(r"<[^>]+>", " ", answer.content.decode())
    return " ".join(page.replace("\u00a0", " ").replace("&#x27;", "'").split())


def test_key_is_made_shown_once_and_revoked(browser: Client, boss: User):
    form = {"name": "Import ERP", "scopes": ["products:read", "stock:read"], "creation_key": "k"}
    answer = browser.post(KEYS, form)
    assert answer.status_code == 200
    again = browser.post(KEYS, form)
    assert (again.status_code, ApiKey.objects.count()) == (409, 1)
    assert "Cette clé est déjà créée, et ne peut plus être affichée." in text(again)
    found = re.search(r"atelier_[0-9a-f]{12}_[\w-]{43}", answer.content.decode())
    assert found is not None
    row = find_api_key(found[0])
    assert row is not None
    assert (row.name, row.scopes, row.created_by) == ("Import ERP", ["products:read", "stock:read"], boss)
    assert "no-store" in answer.headers["Cache-Control"]
    later = browser.get(KEYS)
    assert found[0] not in later.content.decode()
    assert f"atelier_{row.prefix}…" in text(later)
    assert "jamais utilisée" in text(later)
    assert "qui n'administre plus la boutique" not in text(later)
    maker = make_admin("partie@example.com")
    create_api_key(name="Compta", scopes=READ_ONLY, actor=maker)
    grant_role(user=maker, role="user")
    assert "par partie@example.com, qui n'administre plus la boutique" in text(browser.get(KEYS))
    _erase_account(Person(maker.pk, (maker.email,)))
    shown = text(browser.get(KEYS))
    assert "par une personne dont le compte est effacé · jamais utilisée" in shown
    assert "erased" not in shown
    answer = browser.post(f"{KEYS}/{row.pk}/revoquer", follow=True)
    assert "La clé « Import ERP » est révoquée : elle n'ouvre plus rien." in text(answer)
    assert find_api_key(found[0]) is None


def test_key_with_a_last_day_says_so_and_then_that_it_is_over(browser: Client, time_machine: Any):
    form = {"name": "Essai", "scopes": ["products:read"], "last_day": "2099-12-31"}
    for wrong, message in (("2020-01-01", "Cette date est passée."), ("x", "Saisissez une date valide.")):
        answer = browser.post(KEYS, {**form, "last_day": wrong})
        assert (answer.status_code, message in text(answer)) == (400, True)
        assert f'value="{wrong}"' in answer.content.decode()
    assert not ApiKey.objects.exists()
    assert browser.post(KEYS, form).status_code == 200
    assert "jamais utilisée · valable jusqu'au 31 décembre 2099" in text(browser.get(KEYS))
    ApiKey.objects.update(last_day="2020-01-01")
    assert "Valait jusqu'au 1er janvier 2020" in text(browser.get(KEYS))


def test_refused_key_keeps_what_was_typed(browser: Client):
    answer = browser.post(KEYS, {"name": "Import"})
    assert answer.status_code == 400
    assert "Choisissez au moins un droit." in text(answer)
    assert 'value="Import"' in answer.content.decode()
    assert not ApiKey.objects.exists()


@pytest.mark.parametrize("address", [KEYS, f"{HOOKS}/nouveau"])
def test_secrets_are_made_after_asking_again_who_it_is(boss: User, address: str):
    client = Client()
    client.force_login(boss)
    form = {
        "name": "Import",
        "scopes": ["products:read"],
        "url": "https://example.com/",
        "kinds": ["stock.changed"],
    }
    answer = client.post(address, form)
    assert answer.templates[0].name == "accounts/confirm_identity.html"
    assert not ApiKey.objects.exists()
    assert not WebhookEndpoint.objects.exists()


def test_looking_at_an_address_does_nothing(browser: Client, endpoint: WebhookEndpoint):
    key = create_api_key(name="A", scopes=READ_ONLY, actor=None).row
    send_test(endpoint_id=endpoint.pk)
    dispatch(WebhookEvent.objects.get().pk)
    before = list(WebhookEndpoint.objects.values())
    one = f"{HOOKS}/{endpoint.pk}"
    delivery = WebhookDelivery.objects.get().pk
    for address in (
        *(f"{KEYS}/{key.pk}/revoquer", f"{one}/modifier", f"{one}/secret", f"{one}/marche", f"{one}/essai"),
        *(f"{one}/supprimer", f"{one}/envois/{delivery}/renvoyer"),
    ):
        assert browser.get(address).status_code == 302
    key.refresh_from_db()
    assert key.revoked_at is None
    assert list(WebhookEndpoint.objects.values()) == before
    assert WebhookEvent.objects.count() == 1


def test_webhook_is_made_changed_tried_stopped_and_deleted(browser: Client):
    form = {"url": "https://example.com/hook", "description": "ERP", "kinds": ["order.confirmed"]}
    answer = browser.post(f"{HOOKS}/nouveau", {**form, "creation_key": "k"})
    again = browser.post(f"{HOOKS}/nouveau", {**form, "creation_key": "k"}, follow=True)
    assert "Ce webhook est déjà créé, et son secret n'est plus affiché." in text(again)
    secret = re.search(r"whsec_[\w-]{43}", answer.content.decode())
    assert secret is not None
    row = WebhookEndpoint.objects.get()
    one = f"{HOOKS}/{row.pk}"
    assert secret[0] not in browser.get(one).content.decode()
    answer = browser.post(f"{one}/modifier", {**form, "kinds": ["stock.changed"]}, follow=True)
    assert "Le webhook est enregistré." in text(answer)
    row.refresh_from_db()
    assert row.kinds == ["stock.changed"]
    refused = browser.post(f"{one}/modifier", {**form, "url": "https://127.0.0.1.nip.lan/x"})
    assert refused.status_code == 400
    assert "Cette adresse n'est pas sur l'internet public." in text(refused)
    assert 'value="https://127.0.0.1.nip.lan/x"' in refused.content.decode()
    assert "L'essai part dans un instant" in text(browser.post(f"{one}/essai", follow=True))
    key = {
        "creation_key": re.findall(r'name="creation_key" value="(\w+)"', browser.get(one).content.decode())[0]
    }
    replaced = browser.post(f"{one}/secret", key)
    found = re.search(r"whsec_[\w-]{43}", replaced.content.decode())
    assert found is not None
    assert found[0] != secret[0]
    # The page with the new secret is loaded again: the receiver's own would count no more.
    stored = WebhookEndpoint.objects.values_list("secret", "former_secret").get()
    assert "Le secret est déjà remplacé" in text(browser.post(f"{one}/secret", key, follow=True))
    assert WebhookEndpoint.objects.values_list("secret", "former_secret").get() == stored
    assert "Le webhook est arrêté." in text(browser.post(f"{one}/marche", {"on": "0"}, follow=True))
    assert "arrêté : remettez-le en marche d'abord" in text(browser.post(f"{one}/essai", follow=True))
    assert "ce qui attendait part maintenant" in text(browser.post(f"{one}/marche", {"on": "1"}, follow=True))
    assert browser.post(f"{one}/supprimer").headers["Location"] == HOOKS
    assert browser.get(one).status_code == 404


def test_log_shows_each_try_and_sends_again(browser: Client, endpoint: WebhookEndpoint, monkeypatch: Any):
    from shop.core.outbound import Answer

    monkeypatch.setattr(
        "shop.integrations.delivery.post", lambda *args, **kwargs: Answer(500, {}, b"<b>broken</b>")
    )
    send_test(endpoint_id=endpoint.pk)
    dispatch(WebhookEvent.objects.get().pk)
    row = WebhookDelivery.objects.get()
    deliver(row.pk)
    page = browser.get(f"{HOOKS}/{endpoint.pk}")
    assert "réponse 500" in text(page)
    assert "&lt;b&gt;broken&lt;/b&gt;" in page.content.decode()
    assert "Prochaine tentative" in text(page)
    again = browser.post(f"{HOOKS}/{endpoint.pk}/envois/{row.pk}/renvoyer", follow=True)
    assert "L'évènement part de nouveau, sous le même numéro." in text(again)
    row.refresh_from_db()
    assert row.attempts == 0
    # Nothing leaves while it is stopped.
    for stopped in ({"is_active": False}, {"paused_at": timezone.now(), "is_active": True}):
        WebhookEndpoint.objects.update(**stopped)
        WebhookDelivery.objects.update(state="succeeded", attempts=1)
        refused = browser.post(f"{HOOKS}/{endpoint.pk}/envois/{row.pk}/renvoyer", follow=True)
        assert "arrêté : remettez-le en marche d'abord" in text(refused)
        row.refresh_from_db()
        assert (row.state, row.attempts) == ("succeeded", 1)
    for other in (f"{endpoint.pk}/envois/999", f"{'9' * 400}/envois/{row.pk}"):
        assert browser.post(f"{HOOKS}/{other}/renvoyer").status_code == 404
    assert browser.get(f"{HOOKS}/{endpoint.pk}?cursor=x").status_code == 404


def test_pages_take_a_steady_number_of_queries(browser: Client, endpoint: WebhookEndpoint):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    def queries(address: str) -> int:
        with CaptureQueriesContext(connection) as found:
            assert browser.get(address).status_code == 200
        return len(found)

    addresses = (KEYS, HOOKS, f"{HOOKS}/{endpoint.pk}")
    create_api_key(name="A", scopes=READ_ONLY, actor=endpoint.created_by)
    send_test(endpoint_id=endpoint.pk)
    dispatch(WebhookEvent.objects.get().pk)
    queries(KEYS)
    before = [queries(address) for address in addresses]
    for number in range(5):
        create_api_key(name=f"Clé {number}", scopes=READ_ONLY, actor=endpoint.created_by)
        create_endpoint(
            url="https://example.com/", description="", kinds=["stock.changed"], actor=endpoint.created_by
        )
        event = send_test(endpoint_id=endpoint.pk)
        dispatch(event.pk)
    assert [queries(address) for address in addresses] == before


def test_card_names_the_address_and_its_three_calls(browser: Client):
    page = text(browser.get(KEYS))
    assert "http://localhost:8000/functions/v1/product-automation" in page
    for call in ("POST crée un produit", "PUT avec ?id= modifie", "GET liste tous les produits"):
        assert call in page
