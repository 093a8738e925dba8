"""Asking for an erasure, on the page or by a call: who proves what, who may not, and how it is taken back."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User, UserRole
from accounts.tests.people import PASSWORD, add_app, app_code, make_admin, make_member, prove
from orders.tests.factories import make_order, pay_order
from shop.core.models import AuditEntry
from shop.pages.models import Erasure, ErasureState
from shop.pages.services.erasures import cancel_erasure, request_erasure, run_erasure
from shop.pages.tests.personal_data import PAGE
from shop.pages.tests.staff import signed_in

pytestmark = pytest.mark.django_db


def test_the_last_admin_stays():
    admin = make_admin()
    client = signed_in(admin)
    answer = client.delete("/api/me", {"password": PASSWORD}, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (409, "last_admin")
    assert answer.json()["detail"] == "Impossible d'effacer le dernier administrateur de la boutique."
    assert not Erasure.objects.exists()
    assert User.objects.get().is_active
    assert "nommez-en un autre" in client.get(PAGE).content.decode()


def test_of_two_admins_who_go_at_once_one_stays(caplog):
    first, second = make_admin(), make_admin("second@example.com")
    both = [request_erasure(user=user, language="fr") for user in (first, second)]
    for erasure in both:
        run_erasure(erasure.pk)
    assert list(UserRole.objects.filter(role="admin").values_list("user_id", flat=True)) == [second.pk]
    waiting = Erasure.objects.get(user_key=second.pk)
    assert waiting.state == ErasureState.REGISTERED
    # It waits for another administrator, a month and more: no failure every five minutes, and the page says why.
    assert waiting.next_try_at > timezone.now() + timedelta(minutes=50)
    assert "did not end" not in caplog.text
    page = signed_in(second).get(PAGE).content.decode()
    assert ("nommez-en un autre" in page, "Votre demande est enregistrée" in page) == (True, True)
    make_admin("third@example.com")
    Erasure.objects.update(next_try_at=timezone.now())
    run_erasure(waiting.pk)
    assert User.objects.get(pk=second.pk).is_closed


def test_asked_for_on_the_page_with_the_password(queued_tasks, run_on_commit):
    zoe = make_member("zoe@example.com")
    client = signed_in(zoe)
    for typed, said in (("wrong", "Mot de passe incorrect"), ("", "Indiquez votre mot de passe.")):
        answer = client.post(f"{PAGE}/effacement", {"password": typed})
        assert answer.context["form"].errors == {"password": [said]}
        assert said in answer.content.decode()
    assert not Erasure.objects.exists()
    with run_on_commit():
        assert client.post(f"{PAGE}/effacement", {"password": PASSWORD}).status_code == 303
    assert queued_tasks.names == ["shop.pages.tasks.run_erasure"]
    assert "Votre demande est enregistrée" in client.get(PAGE).content.decode()


def test_a_second_factor_is_asked_for_beside_the_password():
    zoe = make_member("zoe@example.com")
    secret = add_app(zoe)
    client = signed_in(zoe)
    prove(client, zoe)
    confirm = f"/espace-membre/confirmer?next={PAGE}%23effacement"

    refused = client.post(f"{PAGE}/effacement", {"password": PASSWORD})
    answer = client.delete("/api/me", {"password": PASSWORD}, content_type="application/json")

    assert f'href="{confirm}"' in refused.content.decode()
    assert (answer.status_code, answer.json()["code"]) == (403, "reauthentication_required")
    assert not Erasure.objects.exists()
    proved = client.post(confirm, {"next": f"{PAGE}#effacement", "proof_code": app_code(secret)})
    assert (proved.status_code, proved["Location"]) == (302, f"{PAGE}#effacement")
    assert (
        "Mot de passe incorrect" in client.post(f"{PAGE}/effacement", {"password": "wrong"}).content.decode()
    )
    assert not Erasure.objects.exists()
    assert client.post(f"{PAGE}/effacement", {"password": PASSWORD}).status_code == 303
    assert Erasure.objects.get().user_key == zoe.pk


def test_a_registered_erasure_may_be_taken_back():
    zoe = make_member("zoe@example.com")
    pay_order(make_order(user=zoe, email="zoe@example.com"))
    client = signed_in(zoe)
    client.post(f"{PAGE}/effacement", {"password": PASSWORD})
    run_erasure(Erasure.objects.get().pk)
    page = client.get(PAGE).content.decode()
    assert "Annuler ma demande" in page
    # The letters that end with the request stay off when it is taken back.
    assert (
        "La newsletter, les rappels de panier et vos alertes se sont arrêtés avec votre demande. Si vous l'annulez, "
        "ils restent arrêtés, car votre accord est retiré\xa0: redonnez-le quand vous voulez, pour la newsletter et"
        ' les rappels sous <a href="/espace-membre?tab=profile#newsletter">Newsletter</a>.'
    ) in page
    client.post(f"{PAGE}/effacement", {"cancel": "1"})
    assert not Erasure.objects.exists()
    assert User.objects.get(pk=zoe.pk).is_active
    assert AuditEntry.objects.latest("pk").action == "erasure.cancelled"


def test_an_erasure_that_has_begun_is_not_taken_back():
    zoe = make_member("zoe@example.com")
    erasure = request_erasure(user=zoe, language="fr")
    run_erasure(erasure.pk)
    assert not cancel_erasure(user=zoe)
    assert Erasure.objects.exists()


def test_the_call_registers_the_erasure():
    zoe = make_member("zoe@example.com")
    client = signed_in(zoe)
    wrong = client.delete("/api/me", {"password": "wrong"}, content_type="application/json")
    assert (wrong.status_code, wrong.json()["code"]) == (400, "invalid_credentials")
    assert client.delete("/api/me", {}, content_type="application/json").status_code == 400
    assert not Erasure.objects.exists()
    answer = client.delete("/api/me", {"password": PASSWORD}, content_type="application/json")
    assert answer.status_code == 202
    assert (answer.json()["state"], answer.json()["open_matters"]) == ("registered", [])
    again = client.delete("/api/me", {"password": PASSWORD}, content_type="application/json")
    assert again.json()["due_by"] == answer.json()["due_by"]
    assert (
        Client().delete("/api/me", {"password": PASSWORD}, content_type="application/json").status_code == 401
    )
