"""Links in mails of accounts: a new password, a confirmed address; what breaks them and what they resist."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.selectors import is_email_confirmed
from accounts.tests.people import (
    PASSWORD,
    link_in_last_mail,
    mails,
    make_admin,
    make_member,
    post,
    sign_up,
    text,
)
from shop.core import limits
from shop.core.models import OutgoingMail

pytestmark = pytest.mark.django_db


# --- Forgotten password -----------------------------------------------------------------------------
def test_a_new_password_by_mail(client, django_user_model):
    user = make_member()
    other_device = type(client)()
    other_device.force_login(user)

    response = post(client, "forgot")
    assert (response.status_code, response["Location"]) == (302, "/auth")
    assert "E-mail envoyé" in text(client.get("/auth"))
    link = link_in_last_mail()

    followed = client.get(link)
    assert (followed.status_code, followed["Location"]) == (302, "/auth/nouveau-mot-de-passe")
    assert followed["Referrer-Policy"] == "no-referrer"
    page = text(client.get("/auth/nouveau-mot-de-passe"))
    assert link.rsplit("/", 1)[1] not in page

    new = "carmes-figurine-2027"
    done = client.post("/auth/nouveau-mot-de-passe", {"password": new, "password_confirmation": new})
    assert done["Location"] == "/auth"
    assert "Mot de passe mis à jour" in text(client.get("/auth"))
    user.refresh_from_db()
    assert user.check_password(new)
    assert mails() == [
        ("account_password_reset", "client@example.com"),
        ("account_password_changed", "client@example.com"),
    ]
    # Every session ends, and the link is used up.
    assert other_device.get("/api/me").json()["authenticated"] is False
    assert client.get(link)["Location"] == "/auth?mode=forgot"
    assert "Impossible de mettre à jour le mot de passe" in text(client.get("/auth?mode=forgot"))
    assert post(client, "signin", password=new).status_code == 302


def test_a_reset_link_confirms_the_address_too(client):
    user = make_member(confirmed=False)
    post(client, "forgot")
    client.get(link_in_last_mail())
    client.post(
        "/auth/nouveau-mot-de-passe",
        {"password": "carmes-figurine-2027", "password_confirmation": "carmes-figurine-2027"},
    )

    assert is_email_confirmed(user)


def test_the_page_names_the_length_that_the_account_needs(client):
    make_admin("patronne@example.com")
    make_member()
    lengths = []
    for email in ("client@example.com", "patronne@example.com"):
        post(client, "forgot", email=email)
        client.get(link_in_last_mail())
        page = client.get("/auth/nouveau-mot-de-passe").content.decode()
        lengths.append(re.findall(r'Minimum (\d+) caractères|minlength="(\d+)"', page))

    assert lengths == [[("8", ""), ("", "8")], [("12", ""), ("", "12")]]


@pytest.mark.parametrize(
    ("typed", "again", "messages"),
    [
        ("", "", ["Veuillez remplir tous les champs"]),
        ("court", "court", ["Mot de passe trop court. Minimum 8 caractères"]),
        (
            "carmes-figurine-2027",
            "carmes-figurine-2028",
            ["Les mots de passe ne correspondent pas", "Veuillez confirmer le même mot de passe"],
        ),
    ],
)
def test_new_passwords_that_are_refused(client, typed, again, messages):
    user = make_member()
    post(client, "forgot")
    client.get(link_in_last_mail())

    response = client.post("/auth/nouveau-mot-de-passe", {"password": typed, "password_confirmation": again})

    for message in messages:
        assert message in text(response)
    user.refresh_from_db()
    assert user.check_password(PASSWORD)


def break_link(link: str, how: str, user: User, time_machine) -> str:
    if how == "expired":
        time_machine.move_to(timezone.now().timestamp() + 3601)
    elif how == "address changed":
        user.email = "moved@example.com"
        user.save()
        EmailAddress.objects.filter(user=user).update(email=user.email)
    elif how == "signed in since":
        user.last_login = user.date_joined
        user.save()
    elif how == "blocked":
        User.objects.filter(pk=user.pk).update(is_active=False)
    elif how == "other person":
        other = make_member("other@example.com")
        uid, _token = link.rsplit("/", 1)[1].split("-", 1)
        assert int(uid, 36) == user.pk
        return link.replace(f"/{uid}-", f"/{other.pk}-")
    return link


@pytest.mark.parametrize("how", ["expired", "address changed", "signed in since", "blocked", "other person"])
def test_reset_links_die(client, how, time_machine):
    user = make_member()
    post(client, "forgot")
    link = break_link(link_in_last_mail(), how, user, time_machine)

    assert client.get(link)["Location"] == "/auth?mode=forgot"
    answer = client.post(
        "/auth/nouveau-mot-de-passe", {"password": "x" * 12, "password_confirmation": "x" * 12}
    )
    assert answer["Location"] == "/auth?mode=forgot"
    user.refresh_from_db()
    assert user.check_password(PASSWORD)


@pytest.mark.parametrize("key", ["x", "-", "1-", "1-abc-def", "zzzzzzzzzzzzzzzzzz-a-b", "é-a-b", "0-a-b"])
def test_forged_reset_links(client, key):
    make_member()
    assert client.get(f"/auth/nouveau-mot-de-passe/{key}")["Location"] == "/auth?mode=forgot"


def test_a_reset_link_that_is_over_is_told_to_who_is_signed_in(client):
    client.force_login(make_member())
    page = client.get("/auth/nouveau-mot-de-passe/x", follow=True)
    assert page.redirect_chain == [("/espace-membre/securite", 302)]
    assert "Ce lien n'est plus valable. Demandez-en un nouveau." in text(page)


# --- Two links in two tabs of one browser -----------------------------------------------------------
def open_tab(client, link):
    """Follow a link; what the form of its page sends along."""
    page = text(client.get(link, follow=True))
    assert link.rsplit("/", 1)[1] not in page
    return dict(re.findall(r'<input type="hidden" name="(link)" value="([^"]*)">', page))


def choose(client, tab, password):
    return client.post(
        f"/auth/{tab.pop('page')}", {**tab, "password": password, "password_confirmation": password}
    )


@pytest.mark.parametrize(("mode", "page"), [("forgot", "nouveau-mot-de-passe"), ("signup", "confirmation")])
def test_a_password_is_that_of_the_link_whose_page_it_was_typed_in(client, mode, page):
    links = []
    for name in ("a", "b"):
        if mode == "forgot":
            make_member(f"{name}@example.com")
        post(Client(), mode, email=f"{name}@example.com")
        links.append(link_in_last_mail())
    first, _second = (open_tab(client, link) for link in links)

    choose(client, {**first, "page": page}, "atelier-figurine-a")

    known = {user.email: user.check_password("atelier-figurine-a") for user in User.objects.all()}
    assert known == {"a@example.com": True} | ({"b@example.com": False} if mode == "forgot" else {})


def test_a_tab_with_another_link_outlives_the_confirmation_beside_it(client):
    tabs = []
    for name in ("a", "b"):
        post(Client(), "signup", email=f"{name}@example.com")
        tabs.append({**open_tab(client, link_in_last_mail()), "page": "confirmation"})
    client.get("/auth/confirmation/too-old")

    for name, tab in zip(("a", "b"), tabs, strict=True):
        assert choose(client, dict(tab), f"atelier-figurine-{name}")["Location"] == "/auth"
        assert User.objects.get(email=f"{name}@example.com").check_password(f"atelier-figurine-{name}")
        assert choose(client, tab, "atelier-figurine-c")["Location"] == "/auth"
        assert "Ce lien de confirmation n'est plus valable." in text(client.get("/auth"))
    assert not any(user.check_password("atelier-figurine-c") for user in User.objects.all())


@pytest.mark.parametrize("key", ["x", "Mg", "Mg:abc:def", "::"])
def test_forged_confirmation_links(client, key):
    sign_up()

    assert client.get(f"/auth/confirmation/{key}")["Location"] == "/auth"
    assert "Ce lien de confirmation n'est plus valable." in text(client.get("/auth"))
    assert User.objects.count() == 0


def test_a_confirmation_link_is_good_for_three_days(client, time_machine):
    post(client, "signup")
    link = link_in_last_mail()
    time_machine.move_to(timezone.now().timestamp() + timedelta(days=3, seconds=1).total_seconds())
    client.get(link)

    assert User.objects.count() == 0
    assert "Ce lien de confirmation n'est plus valable." in text(client.get("/auth"))


def test_links_in_mails_ignore_the_host_of_the_request(client, settings):
    settings.ALLOWED_HOSTS = ["*"]
    settings.LIMITS = {
        limit.name: 100 for limit in (limits.PASSWORD_RESET_MAIL, limits.PASSWORD_RESET_NETWORK)
    }
    hosts = [
        f"{before}evil.test{after}"
        for before in ("", "localhost:8000@", "localhost:8000, ", "www.", " ")
        for after in (":80", ":99999", ".", "/", "#localhost:8000")
    ]
    user = make_member()
    asked = [
        client.post("/auth", {"mode": "forgot", "email": user.email}, headers=headers).status_code
        for host in hosts
        for headers in ({"host": host}, {"x-forwarded-host": host, "forwarded": f"host={host}"})
    ]
    assert (len(asked), set(asked)) == (50, {302, 400})

    assert link_in_last_mail().startswith("/auth/nouveau-mot-de-passe/")
    sent = OutgoingMail.objects.all()
    assert len(sent) == asked.count(302) > 25
    assert not [mail for mail in sent if "evil.test" in f"{mail.text}{mail.html}{mail.context}"]
