"""`POST /api/consent`: dated, versioned, once each, and nothing of the person."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import DatabaseError, transaction
from django.test import Client
from django.utils import timezone

from shop.consent.models import ConsentProof, ConsentVersion
from shop.consent.selectors import configured_services, consent_version
from shop.consent.services import purge_proofs
from shop.core import limits
from shop.core.models import ShopSettings
from shop.core.shop_settings import save_shop_settings

pytestmark = pytest.mark.django_db

BROWSER = "0b7f0c8e-2b58-4d0a-8a11-0d5a7c9be001"


@pytest.fixture(autouse=True)
def version() -> str:
    return configure(analytics_id="G-AB12CD34EF", pixel_id="123456789012345")


def configure(**ids: str) -> str:
    save_shop_settings(ShopSettings(**ids))
    cache.clear()
    return consent_version(configured_services(ShopSettings.load()))


def post(asked: str, *, address: str = "203.0.113.9", **changes):
    body = {
        "id": BROWSER,
        "number": 1,
        "version": asked,
        "choices": {"analytics": True, "marketing": False},
        "language": "de",
    }
    return Client(REMOTE_ADDR=address).post("/api/consent", body | changes, "application/json")


def test_an_answer_is_stored_with_its_version_and_time(version):
    before = timezone.now()
    assert post(version).status_code == 204
    proof = ConsentProof.objects.get()
    assert (proof.browser_id, proof.number, proof.version_id, proof.language) == (
        uuid.UUID(BROWSER),
        1,
        version,
        "de",
    )
    assert proof.choices == {"analytics": True, "marketing": False}
    assert before <= proof.recorded_at <= timezone.now()
    named = proof.version.services
    assert [(each["code"], each["company"]) for each in named] == [
        ("google-analytics", "Google Ireland Limited"),
        ("meta-pixel", "Meta Platforms Ireland Limited"),
    ]
    assert named[0]["purpose"] == "Mesure de l'audience et de la vitesse des pages"


def test_the_same_answer_again_counts_once_and_changes_nothing(version):
    post(version)
    assert post(version, choices={"analytics": False, "marketing": False}).status_code == 204
    assert ConsentProof.objects.get().choices == {"analytics": True, "marketing": False}


def test_a_withdrawal_is_another_row_of_the_browser(version):
    post(version)
    post(version, number=2, choices={"analytics": False, "marketing": False})
    assert list(ConsentProof.objects.order_by("number").values_list("number", "choices")) == [
        (1, {"analytics": True, "marketing": False}),
        (2, {"analytics": False, "marketing": False}),
    ]


def test_nothing_of_the_person_is_stored(version):
    assert {field.name for field in ConsentProof._meta.get_fields()} == {
        *("id", "browser_id", "number", "version", "choices", "language", "recorded_at"),
    }
    answer = post(version)
    assert not answer.cookies


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": "1"},
        {"number": 0},
        {"number": 10**9},
        {"language": "it"},
        {"version": "<script>"},
        {"choices": {"analytics": True}},
        {"choices": {"analytics": True, "marketing": True, "functionality": True}},
        {"choices": {"analytics": "perhaps", "marketing": True}},
        {"choices": None},
    ],
    ids=str,
)
def test_what_is_no_answer_to_the_question_is_refused(version, wrong):
    answer = post(version, **wrong)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    assert not ConsentProof.objects.exists()


def test_an_unknown_version_is_refused_and_a_former_one_counts(version):
    answer = post("0123456789ab")
    assert (answer.status_code, answer.json()["code"]) == (409, "outdated")
    assert answer.json()["detail"] == "Cette demande n'est plus à jour. Rechargez la page."
    post(version)
    configure(analytics_id="G-AB12CD34EF")
    assert post(version, number=2).status_code == 204
    assert ConsentProof.objects.count() == 2
    assert ConsentVersion.objects.count() == 1


def test_a_network_s_answers_are_limited(version, settings):
    settings.LIMITS = {limits.CONSENT_NETWORK.name: 1}
    assert post(version).status_code == 204
    answer = post(version, number=2)
    assert (answer.status_code, answer.json()["code"]) == (429, "throttled")
    assert ConsentProof.objects.count() == 1


def test_answers_are_deleted_after_their_period_alone(version):
    post(version)
    post(version, number=2)
    old = ConsentProof.objects.get(number=1).recorded_at
    assert purge_proofs(old, 10) == 0
    assert purge_proofs(old + timedelta(days=1), 1) == 1
    assert purge_proofs(old + timedelta(days=1), 10) == 1
    assert not ConsentProof.objects.exists()


@pytest.mark.both_engines
def test_the_database_refuses_to_change_an_answer(version):
    post(version)
    with pytest.raises(DatabaseError), transaction.atomic():
        ConsentProof.objects.update(choices={"analytics": False, "marketing": False})
    assert ConsentProof.objects.get().choices == {"analytics": True, "marketing": False}
