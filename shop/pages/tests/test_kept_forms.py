"""Forms that come when their session is over: nothing typed is lost, and no proof of who asks is kept."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.contrib.sessions.models import Session
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import User
from accounts.tests.people import PASSWORD, make_admin, make_member
from shop.pages.models import ContactRequest
from shop.pages.tests.contact import WORDS

pytestmark = pytest.mark.django_db

HOST = "http://testserver"
KEPT = "Ce que vous avez saisi est conservé."
AGAIN = "Envoyer à nouveau\u00a0?"


@pytest.fixture
def member():
    return make_member()


def sign_in(client, target):
    answer = client.post(
        "/auth", {"mode": "signin", "email": "client@example.com", "password": PASSWORD, "next": target}
    )
    assert (answer.status_code, answer["Location"]) == (302, target)


def test_a_form_whose_session_had_ended_is_offered_again_after_signing_in(client, member):
    path = "/espace-membre/profil"
    answer = client.post(path, {"first_name": 'Zoé "L\'Ours"', "last_name": "", "language": "de"})
    assert (answer.status_code, answer["Location"]) == (302, f"/auth?next={path}")
    assert User.objects.get().first_name == ""

    sign_in(client, path)
    page = client.get(path)
    assert page.status_code == 200
    assert "no-store" in page["Cache-Control"]
    assert KEPT in page.content.decode()
    # A page in another language would have lost it, and this address takes forms alone there.
    assert "hreflang" not in page.content.decode()
    assert "Langue" not in page.content.decode()
    fields = page.context["fields"]
    assert fields == [("first_name", 'Zoé "L\'Ours"'), ("last_name", ""), ("language", "de")]
    assert client.post(path, dict(fields)).status_code == 303
    assert User.objects.get().first_name == 'Zoé "L\'Ours"'
    # Once.
    assert client.get(path).status_code == 405


@pytest.mark.parametrize("path", ["/espace-membre/profil", "/admin/reglages/boutique"])
def test_the_page_to_sign_in_says_that_what_was_typed_is_kept(client, path):
    said = "Votre session est terminée"
    answer = client.post(f"{path}?a=1", {"first_name": "Zoé"})
    page = client.get(answer["Location"]).content.decode()
    assert said in page
    assert KEPT in page
    wrong = {"mode": "signin", "email": "client@example.com", "password": "x", "next": f"{path}?a=1"}
    assert said in client.post("/auth", wrong).content.decode()
    assert said not in client.get("/auth").content.decode()
    assert said not in client.get("/auth?next=/espace-membre").content.decode()
    with time_machine.travel(datetime.now(UTC) + timedelta(seconds=901)):
        assert said not in client.get(answer["Location"]).content.decode()


def test_the_page_of_another_address_is_itself(client, member):
    client.post("/espace-membre/profil", {"first_name": "Zoé"})
    sign_in(client, "/espace-membre")
    assert AGAIN not in client.get("/espace-membre").content.decode()
    assert AGAIN in client.get("/espace-membre/profil").content.decode()


def test_no_proof_of_who_asks_is_kept(client, member):
    typed = {"email": "neuf@example.com", "password": PASSWORD, "old_password": "x", "code": "123456"}
    client.post("/espace-membre/adresse-e-mail", typed)
    path, fields, _when = Session.objects.get().get_decoded()["kept_form"]
    assert (path, fields) == ("/espace-membre/adresse-e-mail", "email=neuf%40example.com")


@pytest.mark.parametrize("path", ["/admin/newsletter/99", "/admin/textes/questions/99"])
def test_texts_of_staff_for_what_somebody_deleted_meanwhile_are_shown_to_be_copied(client, path):
    client.force_login(make_admin())
    typed = {"title": "Noël", "body_fr": "Bonjour à <tous>,\n\nc'est Noël.", "body_de": " "}
    page = client.post(
        path, {**typed, "version": "1", "action": "save", "is_shown": "on", "rows-TOTAL_FORMS": "1"}
    )
    assert (page.status_code, page.context["texts"]) == (404, ["Noël", "Bonjour à <tous>,\n\nc'est Noël."])
    assert "Bonjour à &lt;tous&gt;," in page.content.decode()
    assert "ce que vous modifiiez, ou ce que vous y aviez choisi, n'existe plus" in page.content.decode()
    for answer in (client.get(path), client.post(path, {"version": "1", "action": "save"})):
        assert answer.templates[0].name == "errors/404.html"


@pytest.mark.parametrize("more", [{"last_name": "x" * 20_000}, {"file": SimpleUploadedFile("a.png", b"x")}])
def test_what_cannot_be_kept_whole_stays_in_the_page(client, more):
    page = client.post("/espace-membre/profil", {"first_name": "Zoé", **more})
    assert (page.status_code, dict(page.context["fields"])["first_name"]) == (403, "Zoé")
    assert "Se connecter dans un autre onglet" in page.content.decode()
    assert not Session.objects.exists()


@pytest.mark.parametrize("path", ["/admin/reglages/boutique", "/admin/newsletter/1/etape"])
def test_what_staff_typed_while_their_session_ended_is_offered_again(client, path):
    fields = {"shop_name": "L'Établi d'été"}
    stranger = Client()
    for browser, person in ((stranger, make_member()), (client, make_admin())):
        assert browser.post(path, fields)["Location"] == f"/auth?next={path}"
        browser.force_login(person)
    refused = stranger.get(path)
    assert (refused.status_code, "L'Établi d'été" in refused.content.decode()) == (403, False)
    page = client.get(path)
    assert (page.status_code, page.context["fields"]) == (200, list(fields.items()))
    assert "no-store" in page["Cache-Control"]


def test_no_stranger_fills_the_table_of_sessions(settings):
    settings.LIMITS = {"kept-form-network": 2}
    answers = [Client().post("/espace-membre/profil", {"first_name": "Zoé"}) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [302, 302, 429]
    assert "Trop de tentatives" in answers[2].content.decode()
    assert int(answers[2]["Retry-After"]) > 0
    assert Session.objects.count() == 2


@pytest.mark.parametrize(("seconds", "is_offered"), [(899, True), (900, False)])
def test_who_uses_the_browser_later_does_not_see_what_was_typed(client, member, seconds, is_offered):
    with time_machine.travel(datetime(2026, 11, 26, 12, tzinfo=UTC), tick=False) as clock:
        client.post("/espace-membre/adresses/nouvelle", {"city": "Lyon"})
        clock.shift(seconds)
        sign_in(client, "/espace-membre/adresses/nouvelle")
        page = client.get("/espace-membre/adresses/nouvelle").content.decode()
    assert (KEPT in page) is is_offered
    assert ("Lyon" in page) is is_offered


@pytest.mark.parametrize(
    ("path", "german"),
    [("profil", "/de/kundenkonto?tab=profile"), ("donnees/effacement", "/de/kundenkonto/meine-daten")],
)
def test_a_refused_form_of_an_address_that_takes_forms_alone_leads_to_its_page_in_other_languages(
    client, member, path, german
):
    client.force_login(member)
    page = client.post(f"/espace-membre/{path}", {"language": "xx"}).content.decode()
    assert f'href="{german}" hreflang="de"' in page


def test_a_form_that_another_tab_outlived_by_signing_in_is_offered_again():
    client = Client(enforce_csrf_checks=True, headers={"Origin": HOST})
    client.get("/contact")
    stale = {**WORDS, "csrfmiddlewaretoken": "a" * 64}
    attached = {**stale, "images": SimpleUploadedFile("a.png", b"x", "image/png")}

    page = client.post("/contact", attached)
    assert page.status_code == 403
    assert "Les fichiers joints ne peuvent pas l'être." in page.content.decode()

    page = client.post("/contact?devis=1", stale)
    assert page.status_code == 403
    assert KEPT in page.content.decode()
    assert "fichiers joints" not in page.content.decode()
    assert 'action="/contact?devis=1"' in page.content.decode()
    assert dict(page.context["fields"]) == WORDS
    token = {"csrfmiddlewaretoken": str(page.context["csrf_token"])}
    assert client.post("/contact", {**dict(page.context["fields"]), **token}).status_code == 302
    assert ContactRequest.objects.get().message == "Bonjour,\n\nquel est le diamètre du socle\u00a0?"


@pytest.mark.parametrize("origin", [{}, {"Origin": "https://ailleurs.example"}, {"Origin": "null"}])
def test_no_form_of_another_site_is_offered(origin):
    client = Client(enforce_csrf_checks=True, headers=origin)
    client.get("/contact")
    page = client.post("/contact", WORDS)
    assert page.status_code == 403
    assert "Accès refusé" in page.content.decode()
    assert "Taille du socle" not in page.content.decode()


def test_a_call_with_a_stale_token_gets_a_problem():
    client = Client(enforce_csrf_checks=True, headers={"Origin": HOST})
    answer = client.post("/api/contact", {}, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (403, "csrf_failed")
