"""The alerts of the member area: listed, and withdrawn by their owner alone."""

from __future__ import annotations

import pytest
from allauth.account.models import EmailAddress
from django.utils import timezone

from accounts.email_changes import Mailbox, email_change_key
from accounts.services.email_changes import confirm_email_change, request_email_change
from accounts.tests.people import make_member
from catalog.models import Favourite, Notice
from catalog.tests.factories import make_category, make_product

pytestmark = pytest.mark.django_db

TAB = "/espace-membre?tab=profile"


@pytest.fixture
def member(client):
    user = make_member()
    client.force_login(user)
    return user


def wish(email, token, **fields):
    if not fields.keys() & {"product", "category"}:
        fields["product"] = make_product(f"Golem {token}")
    return Notice.objects.create(email=email, token=token, **{"confirmed_at": timezone.now(), **fields})


def shown(client):
    return [notice.pk for notice, _subject in client.get(TAB).context["notices"]]


def test_the_profile_lists_the_alerts_of_every_proven_address(client, member):
    EmailAddress.objects.create(user=member, email="second@example.com", verified=True)
    EmailAddress.objects.create(user=member, email="unproven@example.com", verified=False)
    opening = wish(member.email, "a", category=make_category("dragons", name="Dragons"))
    waiting = wish("second@example.com", "b", confirmed_at=None)
    wish(member.email, "c", sent_at=timezone.now())
    wish("unproven@example.com", "d")
    wish("other@example.com", "e")
    assert shown(client) == [waiting.pk, opening.pk]
    page = client.get(TAB).content.decode()
    assert "Golem b" in page
    assert "Dragons" in page
    assert page.count("à confirmer par le lien reçu") == 1


def test_an_alert_is_withdrawn(client, member):
    own, kept, other = wish(member.email, "a"), wish(member.email, "c"), wish("other@example.com", "b")
    for key in (own.pk, other.pk, "x", "9" * 40, ""):
        response = client.post("/espace-membre/alertes/supprimer", {"remove": key})
        assert (response.status_code, response["Location"]) == (303, TAB)
    assert set(Notice.objects.all()) == {kept, other}
    assert "Alerte retirée" in client.get(TAB).content.decode()
    kept.delete()
    assert "Aucune alerte pour l'instant" in client.get(TAB).content.decode()


@pytest.mark.both_engines
def test_alerts_follow_their_member_to_another_address(client, member):
    old, new, now = member.email, "nouvelle@example.com", timezone.now()
    same, answered, typed = (make_product(name) for name in ("Golem", "Lutin", "Dragon"))
    wish(old, "a", product=same)
    wish(new, "b", product=same, sent_at=now)
    wish(old, "c", product=answered, sent_at=now)
    wish(new, "d", product=typed)
    wish(old, "e", product=typed, confirmed_at=None)
    category = wish(old, "f", category=make_category("dragons"))
    wish(old, "g", product=same, variant=same.variants.get())
    other = wish("other@example.com", "h", product=same)
    change = request_email_change(user=member, email=new, language="fr")

    for mailbox in Mailbox:
        confirm_email_change(key=email_change_key(change, mailbox))

    moved = Notice.objects.filter(email=new).order_by("token")
    assert "".join(moved.values_list("token", flat=True)) == "acdfg"
    assert list(Notice.objects.exclude(email=new)) == [other]
    assert shown(client)[0] == moved.get(token="g").pk
    assert category.pk in shown(client)


def test_ten_alerts_cost_no_more_than_one(client, member, django_assert_num_queries):
    wish(member.email, "a")
    client.get(TAB)
    for number in range(9):
        wish(member.email, f"b{number}")
    # Session, member, addresses, wish for another address, proven addresses, alerts, content version; the
    # newsletter's subscription, its topics, the reminders of carts.
    with django_assert_num_queries(11):
        client.get(TAB)


def test_alerts_and_favourites_are_written_about_in_the_language_of_the_profile(client, member):
    own, other = wish(member.email, "a"), wish("other@example.com", "b")
    saved = [
        Favourite.objects.create(user=user, product=own.product)
        for user in (member, make_member("b@example.com"))
    ]
    client.post("/espace-membre/profil", {"first_name": "", "last_name": "", "language": "de"})
    for row in (own, other, *saved):
        row.refresh_from_db()
    assert [row.language for row in (own, other, *saved)] == ["de", "fr", "de", "fr"]
