"""Erasure for somebody who can't sign in, without an account or blocked: staff send a link, who opens it has proved the
address."""

from __future__ import annotations

import io
import json
import re
import zipfile
from datetime import timedelta
from html import unescape

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.services import set_blocked
from accounts.services.members import close_account
from accounts.tests.people import make_admin, make_member
from blog.tests.subscribers import make_subscriber
from catalog.models import Notice
from orders.books.audit import audit_books
from orders.models import Order
from orders.services.checkout.placement import join_orders
from orders.tests.factories import make_order, make_product, make_seller, pay_order
from shop.core.models import AuditEntry, OutgoingMail
from shop.core.personal_data import Person
from shop.pages.models import ContactRequest, DataExport, Erasure, ErasureState
from shop.pages.personal_data import _erase_requests
from shop.pages.services.data_exports import make_export
from shop.pages.services.erasures import request_erasure_by_link, run_erasure
from shop.pages.tests.personal_data import delivered_order, send_mails

pytestmark = pytest.mark.django_db

ADD = "/admin/donnees-personnelles/effacements"
GUEST = "zoe@example.com"


@pytest.fixture
def staff():
    client = Client()
    client.force_login(make_admin())
    return client


def link(staff, language="fr"):
    """The path of the link that the mail to the guest holds."""
    assert staff.post(ADD, {"email": "Zoe@Example.com", "language": language}).status_code == 302
    send_mails()
    mail = OutgoingMail.objects.get(kind="account_erasure_link")
    assert mail.to == GUEST
    found = re.search(r"http://[^/]+(/\S+)", mail.text)
    assert found is not None
    return found.group(1)


def finish():
    erasure = Erasure.objects.get()
    for _ in range(2):
        Erasure.objects.update(next_try_at=timezone.now())
        run_erasure(erasure.pk)
        send_mails()
    return Erasure.objects.get()


def guest_data():
    make_seller()
    order = delivered_order(None, email=GUEST, first_name="Zoé", last_name="Petit", phone="+33 6 11 22 33 44")
    ContactRequest.objects.create(
        reference="Z", fingerprint="f" * 64, kind="quote", first_name="Zoé", last_name="Petit", email=GUEST,
        subject="Devis", message="Bonjour", language="fr",
    )  # fmt: skip
    Notice.objects.create(email=GUEST, token="t" * 43, product=make_product(), confirmed_at=timezone.now())
    return order


@pytest.mark.both_engines
def test_from_the_staff_page_to_the_last_mail(staff, client, mailoutbox):
    order = guest_data()
    other = make_order(email="max@example.com")
    path = link(staff)
    page = client.get(path)
    assert (page.status_code, page["Referrer-Policy"]) == (200, "same-origin")
    assert "no-store" in page["Cache-Control"]
    assert GUEST in page.content.decode()
    assert not Erasure.objects.exists(), "a program that opens every link erases nothing"

    assert client.post(path).status_code == 303
    assert "Votre demande est enregistrée" in client.get(path).content.decode()
    erasure = finish()

    assert (erasure.state, erasure.user_key, erasure.emails) == (ErasureState.DONE, None, [])
    order.refresh_from_db()
    assert (order.email, order.phone, order.last_name) == ("", "", "Petit")
    assert not ContactRequest.objects.exists()
    assert not Notice.objects.exists()
    assert not OutgoingMail.objects.filter(to=GUEST).exists()
    assert Order.objects.get(pk=other.pk).email == "max@example.com"
    assert mailoutbox[-1].to == [GUEST]
    assert mailoutbox[-1].subject == "Vos données sont effacées"
    assert "votre compte" not in mailoutbox[-1].body
    assert audit_books(timezone.now(), with_provider=False).faults == []
    entries = AuditEntry.objects.filter(action__startswith="erasure").order_by("pk")
    assert list(entries.values_list("action", flat=True)) == [
        "erasure.link_sent",
        "erasure.requested",
        "erasure.done",
    ]
    assert not [
        entry for entry in AuditEntry.objects.all() if "zoe" in f"{entry.before}{entry.after}".lower()
    ]


def test_what_is_open_is_waited_for_and_named_without_a_page_of_members(staff, client):
    make_seller()
    order = pay_order(make_order(email=GUEST))
    subscriber = make_subscriber(GUEST)
    path = link(staff)
    client.post(path)
    waiting = finish()
    assert waiting.state == ErasureState.REGISTERED
    # An hour, not the minutes after which something that failed is tried again.
    assert waiting.next_try_at > timezone.now() + timedelta(minutes=50)
    ended = subscriber.consents.values_list("purpose", "action", "source")
    assert list(ended) == [("newsletter", "withdrawn", "mail")]
    # Who has no account is told of none.
    page = client.get(path).content.decode()
    assert "pour effacer vos données, 30 jours au plus. Passé ce délai, elles sont effacées et nous" in page
    mail = OutgoingMail.objects.get(kind="account_erasure_registered")
    assert f"- Commande {order.reference}\u00a0: elle n'est pas encore livrée." in mail.text
    assert "Mes données" not in mail.html
    assert Order.objects.get().email == GUEST


def test_pressing_twice_registers_once(staff, client):
    path = link(staff)
    client.post(path)
    client.post(path)
    assert Erasure.objects.count() == 1
    request_erasure_by_link(email="other@example.com", language="fr")
    assert Erasure.objects.count() == 2


def test_the_address_of_an_account_is_refused_to_staff_and_at_the_link(staff, client):
    path = link(staff)
    make_member(GUEST)
    page = client.post(path)
    assert page.status_code == 409
    assert "Cette adresse a un compte" in page.content.decode()
    page = staff.post(ADD, {"email": GUEST, "language": "fr"})
    assert "Cette adresse a un compte" in page.content.decode()
    assert not Erasure.objects.exists()
    assert OutgoingMail.objects.filter(kind__startswith="account_erasure_link").count() == 1


@pytest.mark.parametrize("key", ["", "x", "%00", "WyJhIl0:1abc:def"])
def test_a_key_that_the_shop_did_not_make_opens_nothing(client, key):
    page = client.get(f"/effacement?cle={key}")
    assert (page.status_code, page.templates[0].name) == (404, "errors/404-erasure.html")
    assert 'href="/contact">Nous écrire</a>' in page.content.decode()
    assert client.post(f"/effacement?cle={key}").status_code == 404


def test_a_link_lasts_a_week_and_speaks_its_language(staff, client):
    path = link(staff, "de")
    assert path.startswith("/de/")
    with time_machine.travel(timezone.now() + timedelta(days=6, hours=23)):
        assert client.get(path).status_code == 200
    with time_machine.travel(timezone.now() + timedelta(days=7, minutes=1)):
        assert client.get(path).status_code == 404


@pytest.mark.parametrize("typed", ["zoe", "clıent@example.com"])
def test_a_bad_address_is_shown_at_its_field(staff, typed):
    page = staff.post(ADD, {"email": typed, "language": "fr"})
    assert (page.status_code, OutgoingMail.objects.count()) == (200, 0)
    assert "email" in page.context["form"].errors


def test_it_is_taken_back_until_it_begins(staff, client):
    make_seller()
    order = pay_order(make_order(email=GUEST))
    path = link(staff)
    client.post(path)
    page = client.get(path).content.decode()
    assert "Annuler ma demande" in page
    assert 'sous <a href="/newsletter">Newsletter</a>' in page
    assert client.post(path, {"cancel": "1"}).status_code == 303
    assert not Erasure.objects.exists()
    assert AuditEntry.objects.filter(action="erasure.cancelled", actor_id=None).count() == 1
    order.refresh_from_db()
    assert order.email == GUEST

    client.post(path)
    Erasure.objects.update(state=ErasureState.RUNNING, closed_at=timezone.now())
    client.post(path, {"cancel": "1"})
    assert Erasure.objects.count() == 1


@pytest.mark.both_engines
def test_who_makes_an_account_before_it_begins_keeps_what_is_theirs(staff, client, mailoutbox):
    make_seller()
    order = pay_order(make_order(email=GUEST))
    client.post(link(staff))
    user = make_member(GUEST)
    join_orders(user, [order.pk])
    Notice.objects.create(email=GUEST, token="t" * 43, product=make_product(), confirmed_at=timezone.now())
    send_mails()
    told = len(mailoutbox)

    Erasure.objects.update(next_try_at=timezone.now(), due_by=timezone.now())
    assert run_erasure(Erasure.objects.get().pk) is False
    send_mails()

    assert not Erasure.objects.exists()
    assert AuditEntry.objects.filter(action="erasure.cancelled", actor_id=None).count() == 1
    assert Notice.objects.get().email == GUEST
    order.refresh_from_db()
    assert (order.user_id, order.email) == (user.pk, GUEST)
    (mail,) = mailoutbox[told:]
    assert (mail.to, mail.subject) == ([GUEST], "Vos données n'ont pas été effacées")
    assert "un compte a été créé avec cette adresse\u00a0: rien n'a été effacé" in mail.body


def test_who_is_blocked_before_it_begins_is_erased_with_the_account(staff, client):
    make_seller()
    pay_order(make_order(email=GUEST))
    client.post(link(staff))
    user = make_member(GUEST)
    User.objects.filter(pk=user.pk).update(is_active=False)

    waiting = finish()

    assert (waiting.state, waiting.user_key) == (ErasureState.REGISTERED, user.pk)
    assert not OutgoingMail.objects.filter(kind="account_erasure_ended").exists()


@pytest.mark.both_engines
def test_a_blocked_member_who_writes_is_erased_by_the_link(staff, client, mailoutbox):
    make_seller()
    user = make_member(GUEST, first_name="Zoé")
    order = pay_order(make_order(user=user, email=GUEST))
    subscriber = make_subscriber(GUEST)
    User.objects.filter(pk=user.pk).update(is_active=False)
    path = link(staff)
    page = client.get(path).content.decode()
    assert "Votre compte est effacé aussi." in page
    assert "elle n'est pas encore livrée." in unescape(page)

    assert client.post(path).status_code == 303
    waiting = finish()
    assert (waiting.state, waiting.user_key) == (ErasureState.REGISTERED, user.pk)
    assert list(subscriber.consents.values_list("purpose", "action", "source")) == [
        ("newsletter", "withdrawn", "mail")
    ]
    # The page of a member's data is shut to them.
    assert "Mes données" not in OutgoingMail.objects.get(kind="account_erasure_registered").html
    assert "Votre demande est enregistrée" in client.get(path).content.decode()

    assert client.post(path, {"cancel": "1"}).status_code == 303
    assert not Erasure.objects.exists()
    client.post(path)
    Erasure.objects.update(due_by=timezone.now())
    finish()
    user.refresh_from_db()
    assert (user.is_closed, user.email, user.first_name) == (True, f"{user.pk}@erased.invalid", "")
    assert Order.objects.get(pk=order.pk).user_id == user.pk
    assert "Votre compte est effacé" in [mail.subject for mail in mailoutbox if mail.to == [GUEST]]

    # The order is waited for: who opens the link again reads so, and registers nothing anew.
    assert "L'effacement est en cours." in unescape(client.get(path).content.decode())
    assert client.post(path).status_code == 303
    assert Erasure.objects.get().user_key == user.pk


@pytest.mark.both_engines
def test_a_blocked_member_who_writes_has_their_archive_by_the_link(staff, client, run_on_commit):
    user = make_member(GUEST, first_name="Zoraide")
    signed_in = Client()
    signed_in.force_login(user)
    set_blocked(user=user, blocked=True, changed_by=User.objects.get(email="admin@example.com"))
    path = link(staff)
    mail = OutgoingMail.objects.get(kind="account_erasure_link")
    assert (
        mail.subject,
        "il permet de recevoir une copie de vos données ou de les faire effacer" in mail.text,
    ) == ("Vos données", True)
    page = client.get(path).content.decode()
    assert ('<h1 class="page-title">Mes données</h1>' in page, "Préparer mon archive" in page) == (True, True)

    assert client.post(path, {"export": "1"})["Location"] == path
    waiting = client.get(path)
    assert (waiting["Refresh"], "Nous préparons votre archive." in waiting.content.decode()) == ("5", True)
    assert b"".join(client.get(f"{path}&archive")) != b"", "no archive yet is no error"
    with run_on_commit():
        make_export(DataExport.objects.get().pk)
    page = client.get(path).content.decode()
    [file] = re.findall(r'href="([^"]+archive)"', unescape(page))
    answer = client.get(file)

    assert answer["Content-Type"] == "application/zip"
    data = json.loads(zipfile.ZipFile(io.BytesIO(b"".join(answer))).read("data.json"))
    assert [row["email"] for row in data["account"]] == [GUEST] * 2
    # The page of the member area is shut to them, and nothing was erased.
    assert signed_in.get("/espace-membre/donnees").status_code == 302
    assert not OutgoingMail.objects.filter(kind="account_data_ready").exists()
    assert not Erasure.objects.exists()
    for _ in range(2):
        DataExport.objects.update(state="failed")
        client.post(path, {"export": "1"})
    DataExport.objects.update(state="failed")
    refused = client.post(path, {"export": "1"})
    assert (refused.status_code, refused.context["export_refusal"][:23]) == (429, "Trop de demandes aujour")


@pytest.mark.both_engines
def test_who_has_no_account_has_their_archive_by_the_link(staff, client, run_on_commit):
    order = make_order(user=None, email=GUEST)
    make_order(user=None, email="autre@example.com")
    other = DataExport.objects.create(user_key=0, email="autre@example.com", language="fr")
    path = link(staff)
    page = client.get(path).content.decode()
    assert ("Préparer mon archive" in page, "Effacer mes données</h2>" in page) == (True, True)

    for _ in range(2):
        assert client.post(path, {"export": "1"})["Location"] == path
    asked = DataExport.objects.get(email=GUEST)
    with run_on_commit():
        assert make_export(asked.pk)
    [file] = re.findall(r'href="([^"]+archive)"', unescape(client.get(path).content.decode()))
    archive = zipfile.ZipFile(io.BytesIO(b"".join(client.get(file))))

    data = json.loads(archive.read("data.json"))
    assert [row["reference"] for row in data["orders"] if "reference" in row] == [order.reference]
    assert (data["account"], data["cart"]) == ([], [])
    assert GUEST in archive.read("index.html").decode()
    assert not OutgoingMail.objects.filter(kind="account_data_ready").exists()
    # The erasure takes the archive, and nobody else's.
    assert _erase_requests(Person(0, (GUEST,)))
    assert list(DataExport.objects.all()) == [other]


def test_who_opened_an_account_since_has_their_archive_in_the_member_area(staff, client):
    path = link(staff)
    make_member(GUEST)
    refused = client.post(path, {"export": "1"})
    told = "Cette adresse a un compte\xa0: tout se demande dans l'espace membre, sous «\xa0Mes données\xa0»."
    assert (refused.status_code, refused.context["export_refusal"]) == (409, told)
    assert not DataExport.objects.exists()


def test_who_has_an_erased_account_is_offered_no_archive(staff, client):
    path = link(staff)
    user = make_member(GUEST)
    close_account(user=user)
    assert "Préparer mon archive" not in client.get(path).content.decode()
    client.post(path, {"export": "1"})
    assert not DataExport.objects.exists()
    assert not Erasure.objects.exists()


def test_a_member_who_is_unblocked_asks_in_the_member_area(staff, client):
    user = make_member(GUEST)
    User.objects.filter(pk=user.pk).update(is_active=False)
    path = link(staff)
    User.objects.filter(pk=user.pk).update(is_active=True)
    page = client.post(path)
    assert (page.status_code, Erasure.objects.exists()) == (409, False)
    assert "Cette adresse a un compte" in page.content.decode()
