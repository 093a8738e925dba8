"""Another address for an account: asked for with the password, agreed to from both mailboxes, told to both."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape

import pytest
from allauth.account.models import EmailAddress
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from accounts.email_changes import Mailbox, email_change_key
from accounts.models import EmailChange, User
from accounts.services.email_changes import (
    PRESSED_TWICE,
    Outcome,
    confirm_email_change,
    purge_email_changes,
    refuse_email_change,
    request_email_change,
)
from accounts.tests.people import PASSWORD, deliver_mails, mails, make_member, sign_up, signed_in, text
from shop.core.models import AuditEntry, OutgoingMail
from shop.core.problems import Problem

pytestmark = pytest.mark.django_db

PAGE = "/espace-membre/adresse-e-mail"
NEW = "nouvelle@example.com"


@pytest.fixture
def member(client):
    user = make_member()
    client.force_login(user)
    return user


def ask(client, email=NEW, password=PASSWORD):
    return client.post(PAGE, {"email": email, "password": password})


def link(to):
    """The path in the newest mail to this address."""
    deliver_mails()
    mail = OutgoingMail.objects.filter(to=to, kind__startswith="account_email_change_").latest("pk")
    [path] = re.findall(r"http://localhost:8000(/auth/adresse-e-mail/\S+)", mail.text)
    return path


def agree(client, to, **answer):
    """Opens the link in any browser and presses a button of its page."""
    opened = client.get(link(to))
    assert (opened.status_code, opened["Location"]) == (302, "/auth/adresse-e-mail")
    assert opened["Referrer-Policy"] == "no-referrer"
    return client.post("/auth/adresse-e-mail", answer)


def email_of(user):
    return User.objects.get(pk=user.pk).email


@pytest.mark.parametrize("order", [("client@example.com", NEW), (NEW, "client@example.com")])
def test_the_address_changes_once_both_links_were_followed(client, member, order):
    make_member("autre@example.com")
    sent = ask(client)
    assert (sent.status_code, sent["Location"]) == (303, "/espace-membre?tab=profile")
    assert mails() == [("account_email_change_old", "client@example.com"), ("account_email_change_new", NEW)]
    stranger = type(client)()

    assert "Encore un lien à ouvrir" in text(agree(stranger, order[0]))
    assert email_of(member) == "client@example.com"
    changed = agree(stranger, order[1])
    assert "Votre adresse est changée" in text(changed)
    leads_on = '<a class="button" href="/espace-membre?tab=profile">Espace membre</a>'
    assert leads_on in changed.content.decode()

    assert email_of(member) == NEW
    assert set(EmailAddress.objects.values_list("email", "verified", "primary")) == {
        (NEW, True, True),
        ("autre@example.com", True, True),
    }
    assert mails("account_email_changed") == [
        ("account_email_changed", "client@example.com"),
        ("account_email_changed", NEW),
    ]
    # Sessions stay, and the entry names nobody.
    assert signed_in(client)
    assert client.get("/espace-membre").status_code == 200
    entries = AuditEntry.objects.filter(action__startswith="email.").order_by("pk")
    assert [entry.action for entry in entries] == ["email.change_requested", "email.changed"]
    assert all((entry.subject_id, entry.before, entry.after) == (str(member.pk), {}, {}) for entry in entries)
    assert not EmailChange.objects.exists()


def test_both_links_are_agreed_to_in_two_tabs_of_one_browser(client, member):
    ask(client)
    tabs = []
    for to in ("client@example.com", NEW):
        page = text(client.get(link(to), follow=True))
        tabs.append(dict(re.findall(r'<input type="hidden" name="(link)" value="([^"]*)">', page)))

    client.post("/auth/adresse-e-mail", tabs[0])
    change = EmailChange.objects.get()
    assert (change.old_confirmed_at is None, change.new_confirmed_at is None) == (False, True)
    assert "Votre adresse est changée" in text(client.post("/auth/adresse-e-mail", tabs[1]))
    assert email_of(member) == NEW


def test_opening_a_link_changes_nothing_and_it_is_good_once(client, member):
    ask(client)
    path = link(NEW)
    client.get(path)
    assert EmailChange.objects.get().new_confirmed_at is None
    agree(client, NEW)
    agree(client, "client@example.com")
    assert client.get(path)["Location"] == "/espace-membre"
    said = "il a déjà servi, il a été remplacé ou il est trop ancien. Votre profil montre l'adresse"
    assert said in text(client.get("/espace-membre"))
    assert email_of(member) == NEW


def test_a_link_of_old_a_forged_one_and_one_after_a_new_password_are_void(client, member, time_machine):
    assert client.get("/auth/adresse-e-mail/forged")["Location"] == "/espace-membre"
    assert client.get("/auth/adresse-e-mail")["Location"] == "/espace-membre"
    assert type(client)().get("/auth/adresse-e-mail/forged")["Location"] == "/auth"
    ask(client)
    path = link(NEW)
    member.set_password("autre-mot-de-passe-27")
    member.save()
    assert client.get(path).status_code == 302
    assert "adresse-e-mail" not in client.get(path)["Location"]
    member.set_password(PASSWORD)
    member.save()
    client.force_login(member)
    ask(client)
    later = link(NEW)
    time_machine.move_to(timezone.now() + timedelta(days=1, minutes=1))
    assert "adresse-e-mail" not in client.get(later)["Location"]
    assert purge_email_changes(timezone.now() - timedelta(days=1), 10) == 1
    assert not EmailChange.objects.exists()
    assert email_of(member) == "client@example.com"


def test_an_operator_agrees_for_a_mailbox_that_is_lost(client, member, capsys):
    call_command("change_email", "Client@example.com", f" {NEW} ")
    assert (
        capsys.readouterr().out
        == f"client@example.com becomes {NEW} once the link in the mail to it is opened.\n"
    )
    assert AuditEntry.objects.get(action="email.change_requested").actor_id is None
    links = {to: link(to) for to in ("client@example.com", NEW)}
    told = "Le changement a lieu dès que le lien envoyé à la nouvelle adresse a été ouvert."
    written = OutgoingMail.objects.filter(kind__startswith="account_email_change_")
    assert [told in unescape(part) for mail in written for part in (mail.text, mail.html)] == [True] * 4
    # Who still reads the old mailbox can refuse it.
    stranger = type(client)()
    stranger.get(links["client@example.com"])
    page = text(stranger.get("/auth/adresse-e-mail"))
    assert ("Confirmer le changement" in page, "Refuser" in page) == (False, True)
    stranger.get(links[NEW])
    assert "Votre adresse est changée" in text(stranger.post("/auth/adresse-e-mail"))
    assert email_of(member) == NEW
    assert mails("account_email_changed") == [
        ("account_email_changed", "client@example.com"),
        ("account_email_changed", NEW),
    ]
    with pytest.raises(CommandError, match="No open account"):
        call_command("change_email", "client@example.com", "autre@example.com")
    with pytest.raises(CommandError, match="C'est déjà l'adresse"):
        call_command("change_email", NEW, NEW)


def test_the_old_mailbox_refuses_what_an_operator_asked_for(client, member):
    call_command("change_email", "client@example.com", NEW)
    client.get(link("client@example.com"))
    client.post("/auth/adresse-e-mail", {"refuse": "1"})
    assert (EmailChange.objects.exists(), email_of(member)) == (False, "client@example.com")


def test_another_request_takes_the_place_of_the_first(client, member):
    ask(client)
    first = link(NEW)
    ask(client, "troisieme@example.com")
    assert EmailChange.objects.get().new_email == "troisieme@example.com"
    assert "adresse-e-mail" not in client.get(first)["Location"]


def test_a_button_pressed_twice_is_one_request(client, member, time_machine):
    ask(client)
    change, first = EmailChange.objects.get(), link(NEW)
    time_machine.move_to(change.requested_at + PRESSED_TWICE - timedelta(seconds=1), tick=False)
    again = ask(client)
    assert (again.status_code, again["Location"]) == (303, "/espace-membre?tab=profile")
    assert EmailChange.objects.get() == change
    assert mails() == [("account_email_change_old", "client@example.com"), ("account_email_change_new", NEW)]
    assert client.get(first)["Location"] == "/auth/adresse-e-mail"
    assert AuditEntry.objects.filter(action="email.change_requested").count() == 1


def test_a_request_made_again_and_a_sign_up_each_get_their_mail_at_once(client, member, time_machine):
    ask(client)
    first = link(NEW)
    time_machine.move_to(EmailChange.objects.get().requested_at + PRESSED_TWICE, tick=False)
    ask(client)
    assert link(NEW) != first
    assert "adresse-e-mail" in client.get(link(NEW))["Location"]
    sign_up(NEW)
    assert mails("account_confirm_email") == [("account_confirm_email", NEW)]


def test_the_old_mailbox_refuses(client, member):
    ask(client)
    assert "La demande est annulée" in text(agree(client, "client@example.com", refuse="1"))
    assert not EmailChange.objects.exists()
    assert email_of(member) == "client@example.com"
    entry = AuditEntry.objects.get(action="email.change_refused")
    assert (entry.subject_id, entry.actor_id) == (str(member.pk), None)


def test_a_request_of_somebody_else_stays_and_old_ones_go_by_so_many(client, member):
    other = make_member("autre@example.com")
    theirs = request_email_change(user=other, email="leur@example.com", language="de")
    assert theirs.language == "de"
    ask(client)
    client.post(PAGE, {"annuler": "1"})
    assert EmailChange.objects.get() == theirs
    request_email_change(user=member, email=NEW, language="fr")
    assert purge_email_changes(theirs.requested_at, 10) == 0
    assert purge_email_changes(timezone.now() + timedelta(seconds=1), 1) == 1
    assert EmailChange.objects.count() == 1


def test_the_links_of_a_blocked_account_are_void(member):
    change = request_email_change(user=member, email=NEW, language="fr")
    User.objects.update(is_active=False)
    for act in (confirm_email_change, refuse_email_change):
        with pytest.raises(Problem) as refused:
            act(key=email_change_key(change, Mailbox.NEW))
        assert (refused.value.status, refused.value.code) == (400, "invalid_link")
    change.refresh_from_db()
    assert (change.old_confirmed_at, change.new_confirmed_at) == (None, None)


def test_the_member_takes_the_request_back(client, member):
    ask(client)
    assert "nouvelle@example.com" in text(client.get("/espace-membre?tab=profile"))
    client.post(PAGE, {"annuler": "1"})
    assert not EmailChange.objects.exists()


def test_a_request_that_came_true_meanwhile_is_not_said_to_be_taken_back(client, member):
    ask(client)
    agree(client, NEW)
    agree(client, "client@example.com")
    page = text(client.post(PAGE, {"annuler": "1"}, follow=True))
    assert "Votre adresse ne change pas." not in page
    assert "<dd>nouvelle@example.com</dd>" in page
    assert email_of(member) == NEW


@pytest.mark.parametrize(
    ("email", "password", "message"),
    [
        ("pas une adresse", PASSWORD, "Veuillez entrer une adresse e-mail valide"),
        ("CLIENT@Example.com ", PASSWORD, "C'est déjà l'adresse de votre compte."),
        (NEW, "faux", "Mot de passe incorrect"),
        ("", "", "obligatoire"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(client, member, email, password, message):
    page = ask(client, email, password)
    assert page.status_code == 400
    assert message in text(page)
    assert not email or email.strip() in text(page)
    assert (mails(), EmailChange.objects.count()) == ([], 0)


def test_what_is_wrong_with_address_and_password_is_said_at_once(client, member):
    page = ask(client, "pas une adresse", "faux")
    errors = page.context["email_form"].errors
    assert page.status_code == 400
    assert errors["email"] == ["Veuillez entrer une adresse e-mail valide"]
    assert errors["password"] == ["Mot de passe incorrect"]
    assert "Formulaire à corriger" in text(page)
    assert (mails(), EmailChange.objects.count()) == ([], 0)


def test_who_guesses_the_password_reads_when_to_try_again(client, member):
    for _ in range(5):
        assert ask(client, "pas une adresse", "faux").status_code == 400
    page = ask(client, "pas une adresse", "faux")
    assert page.status_code == 429
    assert 0 < int(page["Retry-After"]) <= 300
    errors = page.context["email_form"].errors
    assert errors["email"] == ["Veuillez entrer une adresse e-mail valide"]
    assert errors["password"] == ["Trop de tentatives de connexion. Réessayez dans quelques minutes."]


def test_a_known_address_gets_the_same_answer_and_its_owner_a_mail(client, member):
    make_member("autre@example.com", language="de")
    known, unknown = ask(client, "Autre@Example.com"), ask(client)
    assert (known.status_code, known["Location"]) == (unknown.status_code, unknown["Location"])
    EmailChange.objects.all().delete()
    OutgoingMail.objects.all().delete()
    ask(client, "autre@example.com")
    assert mails() == [
        ("account_email_change_old", "client@example.com"),
        ("account_exists", "autre@example.com"),
    ]
    assert OutgoingMail.objects.get(kind="account_exists").language == "de"
    agree(client, "client@example.com")
    assert email_of(member) == "client@example.com"


def test_somebody_else_took_the_address_meanwhile(client, member):
    ask(client)
    agree(client, "client@example.com")
    path = link(NEW)
    rival = make_member(NEW)
    client.get(path)
    assert "Un autre compte utilise désormais cette adresse" in text(client.post("/auth/adresse-e-mail"))
    assert (email_of(member), email_of(rival)) == ("client@example.com", NEW)
    assert not EmailChange.objects.exists()
    assert mails("account_email_changed") == []


@pytest.mark.both_engines
def test_the_database_itself_refuses_a_rival_of_the_same_moment(member, monkeypatch):
    change = request_email_change(user=member, email=NEW, language="fr")
    make_member(NEW)
    monkeypatch.setattr("accounts.services.email_changes.has_account", lambda _email: False)
    EmailChange.objects.update(old_confirmed_at=timezone.now())
    assert confirm_email_change(key=email_change_key(change, Mailbox.NEW)) is Outcome.TAKEN
    assert email_of(member) == "client@example.com"


def test_five_requests_a_day(member):
    with pytest.raises(Problem) as refused:
        request_email_change(user=member, email="client@example.com", language="fr")
    assert refused.value.code == "same_email"
    assert refused.value.errors == {"email": ["C'est déjà l'adresse de votre compte."]}
    for number in range(5):
        request_email_change(user=member, email=f"n{number}@example.com", language="fr")
    with pytest.raises(Problem) as refused:
        request_email_change(user=member, email=NEW, language="fr")
    assert (refused.value.status, refused.value.code) == (429, "throttled")
    assert refused.value.detail == "Trop de demandes aujourd'hui. Réessayez demain."
    assert EmailChange.objects.get().new_email == "n4@example.com"
