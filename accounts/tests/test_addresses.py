"""The address book: its limits, its first choices, whose it is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from accounts.models import Address
from accounts.services.addresses import MAX_ADDRESSES, AddressDetails, delete_address, save_address
from accounts.tests.people import make_member
from shop.core.problems import Problem

pytestmark = pytest.mark.django_db

HOME = AddressDetails(
    first_name="Léa",
    last_name="Martin",
    address="3 rue des Carmes",
    postal_code="69003",
    city="Lyon",
    country="FR",
)
AWAY = replace(HOME, address="9 quai Sud")
BODY = {
    "first_name": "Léa", "last_name": "Martin", "address": "3 rue des Carmes", "postal_code": "69003",
    "city": "Lyon", "country": "FR",
}  # fmt: skip


@pytest.fixture
def member():
    return make_member()


def defaults(user):
    rows = Address.objects.filter(user=user)
    return [
        list(rows.filter(**{name: True}).values_list("address", flat=True))
        for name in ("is_delivery_default", "is_billing_default")
    ]


@pytest.mark.both_engines
def test_one_first_choice_of_each_kind(member):
    first = save_address(user=member, details=HOME)
    assert defaults(member) == [["3 rue des Carmes"], ["3 rue des Carmes"]]
    save_address(user=member, details=replace(AWAY, is_delivery_default=True))
    assert defaults(member) == [["9 quai Sud"], ["3 rue des Carmes"]]
    other = make_member("autre@example.com")
    save_address(user=other, details=AWAY)
    assert defaults(member) == [["9 quai Sud"], ["3 rue des Carmes"]]
    delete_address(user=member, address_id=first.pk)
    assert defaults(member) == [["9 quai Sud"], []]


def test_an_address_is_there_once_and_written_on_one_line(member):
    first = save_address(user=member, details=replace(HOME, label="Atelier"))
    away = save_address(user=member, details=AWAY)
    again = save_address(user=member, details=replace(HOME, address=" 3  rue\ndes Carmes ", phone="06"))
    assert again == first
    # What is not typed again stays, and another choice is made by typing it again.
    for details in (HOME, replace(AWAY, is_delivery_default=True)):
        save_address(user=member, details=details)
    again.refresh_from_db()
    assert (again.address, again.label, again.phone) == ("3 rue des Carmes", "Atelier", "06")
    assert defaults(member) == [["9 quai Sud"], ["3 rue des Carmes"]]
    save_address(user=member, details=replace(AWAY, city="Nice"), address_id=away.pk)
    assert list(Address.objects.order_by("pk").values_list("pk", "city")) == [
        (first.pk, "Lyon"), (away.pk, "Nice")
    ]  # fmt: skip


def test_twenty_at_most(member):
    for number in range(MAX_ADDRESSES):
        save_address(user=member, details=replace(HOME, address=f"{number} rue"))
    with pytest.raises(Problem) as refused:
        save_address(user=member, details=HOME)
    assert (refused.value.status, refused.value.code) == (409, "too_many_addresses")
    assert refused.value.detail == "Votre carnet contient déjà 20 adresses. Supprimez-en une d'abord."
    assert Address.objects.count() == MAX_ADDRESSES


def test_an_unusual_postcode_passes_where_the_rules_are_not_certain(member):
    assert save_address(user=member, details=replace(HOME, country="IN", postal_code="1")).postal_code == "1"
    with pytest.raises(Problem):
        save_address(user=member, details=replace(HOME, country="DE", postal_code="1"))
    with pytest.raises(Problem) as refused:
        save_address(user=member, details=replace(HOME, country="XX"))
    assert refused.value.errors == {"country": ["Choisissez un pays de la liste."]}
    assert not Address.objects.filter(country__in=("DE", "XX")).exists()


def test_what_is_missing_too_long_or_of_another_country_is_said_by_field(member):
    elsewhere = replace(HOME, country="ZZ", custom_country="")
    with pytest.raises(Problem) as refused:
        save_address(user=member, details=replace(elsewhere, first_name=" ", label="x" * 61))
    assert refused.value.errors == {
        "first_name": ["Ce champ est obligatoire."],
        "label": ["Au plus 60 caractères."],
        "custom_country": ["Indiquez votre pays."],
    }
    with pytest.raises(Problem) as refused:
        save_address(user=member, details=replace(HOME, postal_code=""))
    assert refused.value.errors == {"postal_code": ["Saisissez le code postal."]}
    assert not Address.objects.exists()
    save_address(user=member, details=replace(elsewhere, custom_country="Kosovo", label="x" * 60))
    save_address(user=member, details=replace(HOME, country="fr", custom_country="Kosovo"))
    assert list(Address.objects.order_by("pk").values_list("country", "custom_country")) == [
        ("ZZ", "Kosovo"), ("FR", "")
    ]  # fmt: skip


def test_an_address_of_somebody_else_does_not_exist(client, member):
    address = save_address(user=make_member("autre@example.com"), details=HOME)
    for act in (
        lambda: save_address(user=member, details=AWAY, address_id=address.pk),
        lambda: delete_address(user=member, address_id=address.pk),
    ):
        with pytest.raises(Problem) as refused:
            act()
        assert (refused.value.status, refused.value.code) == (404, "not_found")
    client.force_login(member)
    for path in (f"/espace-membre/adresses/{address.pk}", f"/espace-membre/adresses/{address.pk}/supprimer"):
        assert client.post(path, BODY).status_code == 404
    assert client.get(f"/espace-membre/adresses/{address.pk}").status_code == 404
    assert client.get("/api/me/addresses").json() == []
    assert Address.objects.get().address == "3 rue des Carmes"


def test_the_call_lists_and_adds(client, member, django_assert_num_queries):
    assert client.get("/api/me/addresses").status_code == 401
    client.force_login(member)
    added = client.post("/api/me/addresses", BODY, content_type="application/json")
    assert added.status_code == 201
    assert added.json() == {
        "id": Address.objects.get().pk, "label": "", **BODY, "custom_country": "", "phone": "",
        "is_delivery_default": True, "is_billing_default": True,
    }  # fmt: skip
    # The session, the member, the addresses.
    with django_assert_num_queries(3):
        answer = client.get("/api/me/addresses")
    assert answer.json() == [added.json()]
    assert "no-store" in answer["Cache-Control"]
    refused = client.post("/api/me/addresses", {**BODY, "city": ""}, content_type="application/json")
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["city"])
    for changes in ({"first_name": "\u200b"}, {"city": "\u3164"}, {"address": "3\nrue"}, {"isDefault": True}):
        refused = client.post("/api/me/addresses", {**BODY, **changes}, content_type="application/json")
        assert (refused.status_code, list(refused.json()["errors"])) == (400, list(changes))
    page = client.post("/espace-membre/adresses/nouvelle", {**BODY, "address": "9 quai", "city": "\u2800"})
    assert "Ce texte ne contient que des signes invisibles." in page.content.decode()
    assert Address.objects.count() == 1
