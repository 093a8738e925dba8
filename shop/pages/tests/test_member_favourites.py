"""The favourites of the member area: listed on the server, with a wish for a mail on a piece's return."""

from __future__ import annotations

import re

import pytest

from accounts.tests.people import make_member
from catalog.models import Favourite
from catalog.services.favourites import add_favourite
from catalog.tests.factories import change_product, make_product

pytestmark = pytest.mark.django_db

TAB = "/espace-membre?tab=favoris"


@pytest.fixture
def member(client):
    user = make_member()
    client.force_login(user)
    return user


def keep(user, name):
    piece = make_product(name)
    add_favourite(user_id=user.pk, product_id=piece.pk, language="fr")
    return piece


def wishes(user):
    return dict(Favourite.objects.filter(user=user).values_list("product__name_fr", "notify_when_back"))


def test_the_tab_lists_them(client, member):
    keep(member, "Golem")
    keep(member, "Lutin")
    response = client.get(TAB)
    assert [row.card.name for row in response.context["favourites"]] == ["Lutin", "Golem"]
    assert "csrfmiddlewaretoken" in response.content.decode()


def test_the_tab_without_any(client, member):
    assert "Aucun favori pour l'instant" in client.get(TAB).content.decode()


def test_wishes_are_kept_as_ticked(client, member):
    first, second = keep(member, "Golem"), keep(member, "Lutin")
    response = client.post("/espace-membre/favoris", {"notify": [first.pk]})
    assert (response.status_code, response["Location"]) == (303, TAB)
    assert response.cookies["notice"].value == "return_mails_saved"
    assert wishes(member) == {"Golem": True, "Lutin": False}
    sent = {"notify": [second.pk, "x", "9" * 40, "-1"], "seen": [first.pk, "x", "9" * 40]}
    client.post("/espace-membre/favoris", sent)
    assert wishes(member) == {"Golem": False, "Lutin": True}


def test_a_page_that_was_open_for_long_undoes_nothing_that_was_chosen_elsewhere(client, member):
    ended, added = keep(member, "Golem"), keep(member, "Lutin")
    client.post("/espace-membre/favoris", {"notify": [ended.pk]})
    page = client.get(TAB).content.decode()
    assert re.findall(r'name="seen" value="(\d+)"', page) == [str(ended.pk)]
    client.post("/espace-membre/favoris", {"notify": [added.pk], "seen": [ended.pk]})
    # What the page shows is sent again as it is.
    client.post("/espace-membre/favoris", {"notify": [ended.pk], "seen": [ended.pk]})
    assert wishes(member) == {"Golem": False, "Lutin": True}


def test_the_wish_for_a_piece_that_is_hidden_for_now_is_kept(client, member):
    hidden = keep(member, "Golem")
    shown = keep(member, "Lutin")
    client.post("/espace-membre/favoris", {"notify": [hidden.pk, shown.pk]})
    change_product(hidden, is_published=False)
    client.post("/espace-membre/favoris", {"notify": [], "seen": [shown.pk, hidden.pk]})
    assert wishes(member) == {"Golem": True, "Lutin": False}


def test_favourites_of_others_are_left_alone(client, member):
    other = make_member("autre@example.com")
    piece = keep(other, "Golem")
    client.post("/espace-membre/favoris", {"notify": [piece.pk]})
    assert wishes(other) == {"Golem": False}
    assert wishes(member) == {}


def test_members_only(client):
    response = client.post("/espace-membre/favoris", {"notify": ["1"]})
    assert (response.status_code, response["Location"]) == (302, "/auth?next=/espace-membre/favoris")
