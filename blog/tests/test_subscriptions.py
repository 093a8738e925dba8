"""Subscribing, confirming, choosing and ending, through the pages that visitors and mail programs use."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone

from accounts.tests.people import make_member
from blog.models import ConsentAction, ConsentRecord, ConsentSource, Purpose, Subscriber, Suspension
from blog.services.newsletter.consents import Origin, record_consent
from blog.services.newsletter.subscriptions import move_subscriber, purge_unconfirmed, purge_unsubscribed
from blog.tests.subscribers import make_subscriber
from catalog.tests.factories import make_category
from shop.core import personal_data
from shop.core.mail_delivery import deliver, render
from shop.core.models import OutgoingMail
from shop.core.personal_data import Person

pytestmark = pytest.mark.django_db


def subscribe(client, email="Lea@Example.com ", **data):
    return client.post("/newsletter/demander", {"email": email, **data})


def test_a_visitor_subscribes_by_the_link_of_a_mail_and_each_step_is_proved(client):
    answer = subscribe(client)
    assert (answer.status_code, answer["Location"]) == (303, "/newsletter/demande")
    subscriber = Subscriber.objects.get()
    assert (subscriber.email, subscriber.receives, subscriber.language) == ("lea@example.com", False, "fr")

    mail = OutgoingMail.objects.get()
    assert (mail.kind, mail.to) == ("newsletter_confirm", "lea@example.com")
    link = mail.context["confirm_url"].removeprefix("http://localhost:8000")
    # Programs that open the links of a mail confirm nothing.
    assert "Confirmer mon abonnement" in client.get(link).content.decode()
    assert Subscriber.objects.get().subscribed_at is None
    assert "Votre abonnement est confirmé" in client.post(link).content.decode()
    assert Subscriber.objects.get().receives

    asked, confirmed = ConsentRecord.objects.order_by("pk")
    assert (asked.action, asked.source, asked.text_version) == ("asked", "page", "2026-11")
    assert (confirmed.action, confirmed.source) == ("confirmed", "mail")
    assert asked.text.startswith("L'Établi aux figurines peut m'envoyer sa newsletter\u00a0: guides,")
    assert confirmed.text == asked.text
    assert re.fullmatch("[0-9a-f]{64}", asked.network)


def test_the_answer_is_the_same_for_a_known_address_which_gets_the_link_of_its_preferences(client):
    make_subscriber()
    known, unknown = subscribe(client), subscribe(client, "other@example.com")
    assert (known.status_code, known["Location"]) == (unknown.status_code, unknown["Location"])
    mail = OutgoingMail.objects.get(to="lea@example.com")
    assert mail.kind == "newsletter_preferences"
    assert ConsentRecord.objects.filter(subscriber__email="lea@example.com").count() == 0


def test_a_wrong_address_is_refused_on_the_page_and_nothing_is_written(client):
    answer = subscribe(client, "lea@")
    assert answer.status_code == 400
    assert "Veuillez entrer une adresse e-mail valide" in answer.content.decode()
    # The address takes forms alone: other languages are those of the newsletter's page.
    assert 'href="/de/newsletter" hreflang="de"' in answer.content.decode()
    assert (Subscriber.objects.count(), OutgoingMail.objects.count()) == (0, 0)


def test_spanish_readers_are_addressed_without_a_gender(client):
    for email in ("lea@", "lea@example.com"):
        answer = client.post("/es/boletin/pedir", {"email": email})
        assert ("Introduzca un correo electrónico válido</p>" in answer.content.decode()) == (email == "lea@")
    asked = client.get(answer["Location"]).content.decode()
    assert "Si ya recibía el boletín, el correo contiene" in asked
    link = OutgoingMail.objects.get().context["confirm_url"].removeprefix("http://localhost:8000")
    assert ">Su suscripción está confirmada</h1>" in client.post(link).content.decode()
    client.post("/es/boletin/pedir", {"email": "lea@example.com"})
    mail = render(OutgoingMail.objects.get(kind="newsletter_preferences"))
    assert mail.subject == "Ya recibe nuestro boletín"
    assert ">Ya recibe nuestro boletín</h1>" in mail.html


def test_an_address_is_written_to_three_times_an_hour(client):
    for _ in range(5):
        assert subscribe(client).status_code == 303
    assert OutgoingMail.objects.count() == 3


def test_the_api_answers_202_whoever_asks(client):
    make_subscriber()
    for email in ("lea@example.com", "other@example.com"):
        answer = client.post("/api/newsletter", {"email": email}, content_type="application/json")
        assert (answer.status_code, answer.content) == (202, b"")
    refused = client.post("/api/newsletter", {"email": "x"}, content_type="application/json")
    assert refused.status_code == 400
    assert refused.json()["errors"] == {"email": ["Veuillez entrer une adresse e-mail valide"]}


def test_a_mail_program_ends_it_by_a_post_without_cookie_rfc_8058():
    subscriber = make_subscriber(cart_reminders_at=timezone.now())
    url = f"/newsletter/desinscription?cle={subscriber.token}"
    program = Client(enforce_csrf_checks=True)
    assert "Me désinscrire" in program.get(url).content.decode()
    assert Subscriber.objects.get().receives
    for _ in range(2):
        answer = program.post(url, {"List-Unsubscribe": "One-Click"})
        assert answer.status_code == 200
        assert "Vous ne recevrez plus ni newsletter ni rappel de panier." in answer.content.decode()
    gone = Subscriber.objects.get()
    assert (gone.subscribed_at, gone.cart_reminders_at) == (None, None)
    assert sorted(ConsentRecord.objects.values_list("purpose", "action", "source")) == [
        ("cart_reminders", "withdrawn", "mail"),
        ("newsletter", "withdrawn", "mail"),
    ]


@pytest.mark.parametrize("damage", [str.swapcase, lambda key: key[:-1]], ids=["other case", "cut"])
def test_a_link_that_was_cut_does_not_say_that_it_ended_anything(client, damage):
    subscriber = make_subscriber()
    answer = client.post(f"/newsletter/desinscription?cle={damage(subscriber.token)}")
    assert answer.status_code == 200
    text = answer.content.decode()
    assert "Ce lien n'est plus valable" in text
    assert "Votre désinscription est enregistrée" not in text
    assert Subscriber.objects.get().receives


def test_the_link_of_a_reminder_ends_the_reminders_alone(client):
    subscriber = make_subscriber(cart_reminders_at=timezone.now())
    client.post(f"/newsletter/desinscription?cle={subscriber.token}&objet=panier")
    subscriber.refresh_from_db()
    assert (subscriber.receives, subscriber.gets_cart_reminders) == (True, False)


def test_who_was_never_confirmed_is_deleted_by_the_same_link(client):
    subscribe(client)
    client.post(f"/newsletter/desinscription?cle={Subscriber.objects.get().token}")
    assert not Subscriber.objects.exists()


def test_who_left_comes_back_by_one_button(client):
    subscriber = make_subscriber()
    page = client.post(f"/newsletter/desinscription?cle={subscriber.token}").content.decode()
    [back] = re.findall(r'action="(/newsletter/confirmer[^"]+)"', page)
    client.post(back)
    subscriber.refresh_from_db()
    assert (subscriber.receives, subscriber.unsubscribed_at) == (True, None)
    # The words that the proof says were shown.
    assert subscriber.consents.get(action="confirmed").text in unescape(page)


def test_preferences_are_saved_and_only_members_are_offered_reminders(client):
    subscriber = make_subscriber()
    url = f"/newsletter/preferences?cle={subscriber.token}"
    assert "cart_reminders" not in client.get(url).content.decode()
    client.post(url, {"newsletter": "1", "topics": ["articles"], "language": "de", "cart_reminders": "1"})
    subscriber.refresh_from_db()
    assert (subscriber.wants_articles, subscriber.wants_pieces, subscriber.wants_promotions) == (
        True,
        False,
        False,
    )
    assert (subscriber.language, subscriber.cart_reminders_at) == ("de", None)

    category = make_category("bustes")
    for data, shown, chosen in (
        ({"every_category": "1", "categories": [category.pk]}, " checked", []),
        ({"categories": [category.pk]}, "", [category]),
        ({}, "", []),
    ):
        client.post(url, {"newsletter": "1", **data})
        assert f'name="every_category" value="1"{shown}>' in client.get(url).content.decode()
        assert list(subscriber.categories.all()) == chosen
    # A choice that the version before wrote, which knows no `every_category`.
    Subscriber.objects.update(every_category=True)
    subscriber.categories.add(category)
    assert 'name="every_category" value="1">' in client.get(url).content.decode()

    make_member("lea@example.com")
    assert re.search(r'name="cart_reminders" value="1">', client.get(url).content.decode())
    client.post(url, {"newsletter": "1", "cart_reminders": "1"})
    subscriber.refresh_from_db()
    assert subscriber.gets_cart_reminders

    for _again in range(2):
        client.post(url, {"topics": ["articles"]})
        subscriber.refresh_from_db()
        assert (subscriber.receives, subscriber.gets_cart_reminders) == (False, False)
    ended = subscriber.consents.filter(action="withdrawn").values_list("purpose", flat=True)
    assert sorted(ended) == ["cart_reminders", "newsletter"]


@pytest.mark.parametrize("page", ["confirmer", "preferences"])
@pytest.mark.parametrize("key", ["", "x", "a" * 43, "' OR 1=1"])
def test_a_link_that_names_nobody_says_so(client, page, key):
    answer = client.post(f"/newsletter/{page}", query_params={"cle": key})
    assert answer.status_code == 404
    assert "Ce lien n'est plus valable" in answer.content.decode()


def test_the_number_of_subscribers_is_said_when_it_is_worth_it_and_then_the_true_one(client, settings):
    settings.PAGE_CACHE_SECONDS = 0
    Subscriber.objects.bulk_create(
        Subscriber(email=f"n{n}@example.com", token=f"{n:043}", subscribed_at=timezone.now())
        for n in range(499)
    )
    assert "passionnés la lisent" not in client.get("/newsletter").content.decode()
    for n in range(2):
        make_subscriber(f"more{n}@example.com")
    assert "Déjà 501 passionnés la lisent." in client.get("/newsletter").content.decode()


def ago(**period):
    return timezone.now() - timedelta(**period)


def test_unconfirmed_addresses_go_after_their_period_and_proofs_after_theirs(client):
    subscribe(client)
    Subscriber.objects.update(asked_at=ago(days=31))
    make_subscriber("reads@example.com", asked_at=ago(days=400))
    left = make_subscriber("left@example.com")
    client.post(f"/newsletter/desinscription?cle={left.token}")
    assert purge_unconfirmed(ago(days=30), 10) == 1
    assert purge_unsubscribed(ago(days=30), 10) == 0
    assert set(Subscriber.objects.values_list("email", flat=True)) == {
        "reads@example.com",
        "left@example.com",
    }

    ConsentRecord.objects.update(created_at=ago(days=1200))
    Subscriber.objects.filter(pk=left.pk).update(unsubscribed_at=ago(days=1200))
    assert purge_unsubscribed(ago(days=1096), 10) == 1
    assert Subscriber.objects.get().email == "reads@example.com"
    assert not ConsentRecord.objects.exists()


@pytest.mark.parametrize(("days", "gone"), [(29, 0), (31, 1)])
def test_a_stranger_who_asks_again_keeps_an_address_no_longer_than_their_link(client, days, gone):
    row = make_subscriber("left@example.com", subscribed_at=None, unsubscribed_at=ago(days=1200))
    record_consent(row, Purpose.NEWSLETTER, ConsentAction.WITHDRAWN, Origin(ConsentSource.MAIL, "fr"))
    ConsentRecord.objects.update(created_at=ago(days=1200))
    subscribe(client, "left@example.com")
    ConsentRecord.objects.filter(action=ConsentAction.ASKED).update(created_at=ago(days=days))
    Subscriber.objects.update(asked_at=ago(days=days))
    assert purge_unsubscribed(ago(days=1096), 10) == gone


def test_an_address_that_was_suspended_goes_as_one_that_left_does():
    for email, days in (("gone@example.com", 1200), ("lately@example.com", 30)):
        row = make_subscriber(email, suspended_at=ago(days=days), suspension=Suspension.NO_MAILBOX)
        record_consent(row, Purpose.NEWSLETTER, ConsentAction.CONFIRMED, Origin(ConsentSource.PAGE, "fr"))
    ConsentRecord.objects.update(created_at=ago(days=1300))
    assert purge_unsubscribed(ago(days=1096), 10) == 1
    assert Subscriber.objects.get().email == "lately@example.com"


@pytest.mark.parametrize(
    "received",
    [{}, {"subscribed_at": None, "unsubscribed_at": ago(days=1250), "cart_reminders_at": ago(days=1250)}],
)
def test_the_proof_of_what_ends_with_an_address_is_kept_for_its_period(received):
    old, new = make_subscriber("old@example.com", **received), make_subscriber("new@example.com")
    for row in (old, new):
        record_consent(row, Purpose.NEWSLETTER, ConsentAction.CONFIRMED, Origin(ConsentSource.PAGE, "fr"))
    ConsentRecord.objects.update(created_at=ago(days=1300))
    move_subscriber(old.email, new.email)
    assert purge_unsubscribed(ago(days=1096), 10) == 0
    Subscriber.objects.filter(pk=old.pk).update(unsubscribed_at=ago(days=1097))
    assert purge_unsubscribed(ago(days=1096), 10) == 1
    assert Subscriber.objects.get() == new


def test_a_guest_is_exported_and_erased_by_address(client):
    subscribe(client)
    [activity] = [row for row in personal_data.activities() if row.name == "newsletter"]
    person = Person(0, ("lea@example.com",))
    subscriber, consent = activity.export(person)
    assert [value.value for value in subscriber.values][:2] == ["lea@example.com", "Français"]
    assert "Demandé" in {str(value.value).capitalize() for value in consent.values}
    assert activity.erase(person) is True
    assert not Subscriber.objects.exists()


def test_the_confirmation_carries_the_headers_of_one_click(client, mailoutbox):
    subscribe(client)
    assert deliver(OutgoingMail.objects.get().pk) == "sent"
    [message] = mailoutbox
    url = f"http://localhost:8000/newsletter/desinscription?cle={Subscriber.objects.get().token}"
    assert message.extra_headers["List-Unsubscribe"] == f"<{url}>"
    assert message.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert "votre adresse est effacée après 30 jours" in message.body


def test_a_subscription_moves_with_the_address_of_its_account():
    row = make_subscriber("old@example.com", wants_promotions=False)
    move_subscriber("old@example.com", "new@example.com")
    row.refresh_from_db()
    assert (row.email, row.receives, row.wants_promotions) == ("new@example.com", True, False)
    move_subscriber("nobody@example.com", "else@example.com")
    assert Subscriber.objects.count() == 1


@pytest.mark.parametrize(
    ("suspension", "receives"),
    [(Suspension.NO_MAILBOX, True), (Suspension.COMPLAINT, False), (Suspension.STAFF, False)],
)
def test_only_what_a_mailbox_refused_another_takes(suspension, receives):
    row = make_subscriber("old@example.com", suspended_at=timezone.now(), suspension=suspension)
    move_subscriber("old@example.com", "new@example.com")
    row.refresh_from_db()
    assert (row.email, row.receives) == ("new@example.com", receives)


@pytest.mark.parametrize("receives", [True, False])
def test_the_answer_of_the_new_address_stays(receives):
    old = make_subscriber("old@example.com")
    new = make_subscriber("new@example.com", subscribed_at=timezone.now() if receives else None)
    record_consent(new, Purpose.NEWSLETTER, ConsentAction.CONFIRMED, Origin(ConsentSource.PAGE, "fr"))
    move_subscriber("old@example.com", "new@example.com")
    old.refresh_from_db()
    new.refresh_from_db()
    assert (old.email, old.receives, new.receives) == ("old@example.com", False, receives)


def test_an_address_that_was_only_typed_has_no_answer():
    old = make_subscriber("old@example.com")
    make_subscriber("new@example.com", subscribed_at=None)
    move_subscriber("old@example.com", "new@example.com")
    assert list(Subscriber.objects.values_list("pk", "email")) == [(old.pk, "new@example.com")]
