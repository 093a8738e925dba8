"""Mails in the staff area: seen in every language, sent to oneself, and those that were sent."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from accounts.tests.people import make_admin
from catalog.tests.factories import make_product
from orders.tests.factories import make_order
from shop.core.mail_delivery import deliver
from shop.core.mail_families import mail_family
from shop.core.mail_samples import KINDS
from shop.core.models import AuditEntry, MailState, OutgoingMail
from shop.core.tests.reading import text
from shop.pages.staff import mails
from shop.pages.tests.staff import make_staff, signed_in

pytestmark = pytest.mark.django_db
LIST = "/admin/e-mails"


@pytest.fixture
def admin() -> User:
    return make_admin()


@pytest.fixture
def browser(admin: User) -> Client:
    return signed_in(admin)


@pytest.fixture
def dead() -> OutgoingMail:
    return OutgoingMail.objects.create(
        kind="order_status",
        to="client@example.com",
        state=MailState.FAILED,
        attempts=8,
        last_error="SMTPRecipientsRefused: 550",
    )


def test_old_address_leads_to_the_page(browser: Client) -> None:
    assert browser.get("/email-preview")["Location"] == LIST
    assert signed_in(make_staff()).get(LIST).status_code == 403


def test_every_mail_is_listed_and_drawn_in_every_language(
    browser: Client, django_assert_max_num_queries: Any
) -> None:
    nameless = [kind for kind in KINDS if mail_family(kind) == kind]
    assert nameless == [], "Say in shop/core/mail_families.py what they are about."
    page = text(browser.get(LIST))
    for kind in KINDS:
        assert f'href="{LIST}/{kind}"' in page
        assert f">{kind}<" not in page
    for language in ("fr", "en", "es", "de"):
        for kind in KINDS:
            html = browser.get(f"{LIST}/{kind}/contenu?langue={language}")
            assert html.status_code == 200, (kind, language)
    assert "frame-src 'self'" in browser.get(f"{LIST}/order_status")["Content-Security-Policy"]
    # Session and person 2; the settings are cached.
    with django_assert_max_num_queries(3):
        browser.get(f"{LIST}/order_confirmation?langue=de")
    assert browser.get(f"{LIST}/nothing").status_code == 404


@pytest.mark.parametrize(
    ("language", "subject", "sentence", "payment"),
    [
        (
            "fr",
            "Votre commande 7C9BE001 est partie",
            "a quitté l'atelier le 21 novembre 2026.",
            "En une fois",
        ),
        ("en", "Your order 7C9BE001 is on its way", "left the workshop on 21 November 2026.", "In full"),
        ("es", "Su pedido 7C9BE001 está en camino", "el 21 de noviembre de 2026.", "En un solo pago"),
        ("de", "Ihre Bestellung 7C9BE001 ist unterwegs", "am 21. November 2026 verlassen.", "Auf einmal"),
    ],
)
def test_samples_speak_the_language_of_the_preview(
    browser: Client, language: str, subject: str, sentence: str, payment: str
) -> None:
    status = text(browser.get(f"{LIST}/order_status/contenu?langue={language}"))
    assert (f"<h1>{subject}</h1>" in status, sentence in status) == (True, True)
    confirmation = text(browser.get(f"{LIST}/order_confirmation/contenu?langue={language}"))
    assert payment in confirmation


def test_mail_can_neither_run_scripts_nor_load_anything_from_elsewhere(browser: Client) -> None:
    answer = browser.get(f"{LIST}/order_status/contenu")
    policy = answer["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy
    assert "script-src" not in policy
    assert answer["X-Frame-Options"] == "SAMEORIGIN"
    assert "no-store" in answer["Cache-Control"]


def test_mail_is_shown_with_the_data_of_an_order(browser: Client) -> None:
    order = make_order((make_product("Golem de poche"), 2))
    page = browser.get(f"{LIST}/order_confirmation?commande={order.reference}&langue=en")
    assert "Golem de poche" in page.context["mail"].text
    assert f"Avec les données de la commande {order.reference}" in text(page)
    assert page.context["mail"].text != browser.get(f"{LIST}/order_confirmation").context["mail"].text
    unknown = browser.get(f"{LIST}/order_confirmation?commande=nobody")
    assert "Aucune commande ne correspond à « nobody »" in text(unknown)


def test_mail_is_sent_to_who_asks_and_to_nobody_else(browser: Client, admin: User) -> None:
    order = make_order((make_product("Golem de poche"), 1))
    body = {"langue": "de", "commande": order.reference}
    answer = browser.post(f"{LIST}/order_confirmation/essai", body, follow=True)
    assert "Email envoyé !" in text(answer)
    mail = OutgoingMail.objects.get()
    assert (mail.to, mail.kind, mail.language) == (admin.email, "mail_test", "de")
    assert mail.subject.startswith("[Essai] ")
    assert "Golem de poche" in mail.text
    assert deliver(mail.pk) == MailState.SENT


def test_mail_that_can_not_be_sent_says_why(browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_asked: Any) -> None:
        raise RuntimeError("plus de place")

    monkeypatch.setattr(mails, "send_test", fail)
    answer = browser.post(f"{LIST}/order_status/essai", {}, follow=True)
    assert "Erreur lors de l'envoi de l'email : plus de place" in text(answer)
    assert not OutgoingMail.objects.exists()


def test_calls_list_draw_and_send(browser: Client, admin: User) -> None:
    listed = browser.get("/api/admin/emails").json()["results"]
    assert {row["name"] for row in listed} == set(KINDS)
    assert all(set(row) == {"name", "subject"} for row in listed)
    (drawn,) = browser.get("/api/admin/emails?name=order_link&language=en").json()["results"]
    assert "Zoé" in drawn["text"]
    assert "<html" in drawn["html"]
    refused = browser.get("/api/admin/emails?name=x")
    assert refused.status_code == 400

    def send(name: str, body: dict[str, Any]) -> Any:
        return browser.post(f"/api/admin/emails/{name}/test", body, content_type="application/json")

    done = send("order_link", {"language": "es"})
    assert (done.status_code, done.json()["success"]) == (202, True)
    assert done.json()["message"].replace("\u00a0", " ") == "Email envoyé !"
    assert OutgoingMail.objects.get().to == admin.email
    assert send("nothing", {}).status_code == 404
    assert send("order_status", {"order": "nobody"}).status_code == 404
    assert send("order_status", {"language": "it"}).status_code == 400
    assert OutgoingMail.objects.count() == 1


def test_sent_mails_are_found_in_one_query(
    browser: Client, dead: OutgoingMail, django_assert_num_queries: Any
) -> None:
    OutgoingMail.objects.create(kind="invoice", to="other@example.com", reference="7C9BE001")
    failed = text(browser.get(f"{LIST}/envoyes?liste=echecs"))
    assert "client@example.com" in failed
    assert "other@example.com" not in failed
    # Session and person 2, the mails 1.
    with django_assert_num_queries(3):
        assert "other@example.com" in text(browser.get(f"{LIST}/envoyes?q=7C9BE001"))


def test_dead_letter_is_sent_again_and_recorded(
    browser: Client, dead: OutgoingMail, run_on_commit: Any, queued_tasks: Any
) -> None:
    page = f"{LIST}/envoyes/{dead.pk}"
    shown = text(browser.get(page))
    assert "corrigez d'abord la cause indiquée" in shown
    assert "SMTPRecipientsRefused: 550" in shown
    with run_on_commit():
        assert "E-mail remis en file d'attente." in text(browser.post(page, follow=True))
    dead.refresh_from_db()
    assert (dead.state, dead.attempts) == (MailState.QUEUED, 0)
    assert queued_tasks.names == ["shop.core.tasks.deliver_mail"]
    entry = AuditEntry.objects.get(action="mail.resent")
    assert (entry.subject_type, entry.subject_id) == ("core.outgoingmail", str(dead.pk))


def test_only_dead_letters_are_sent_again(browser: Client) -> None:
    sent = OutgoingMail.objects.create(kind="invoice", to="a@example.com", state=MailState.SENT)
    answer = browser.post(f"{LIST}/envoyes/{sent.pk}", follow=True)
    assert "Cet e-mail n'est pas en échec : rien à renvoyer." in text(answer)
    sent.refresh_from_db()
    assert sent.state == MailState.SENT
    assert not AuditEntry.objects.filter(action="mail.resent").exists()


def test_links_that_open_an_account_are_not_shown(browser: Client) -> None:
    shown = {}
    for kind in ("account_password_reset", "order_status"):
        mail = OutgoingMail.objects.create(kind=kind, to="a@example.com", text="the text", html="the html")
        shown[kind] = text(browser.get(f"{LIST}/envoyes/{mail.pk}"))
    assert "the text" in shown["order_status"]
    assert "the text" not in shown["account_password_reset"]
