"""What mails say: in four languages, whatever people typed, and without a trace of tracking."""

from __future__ import annotations

import re
from email import message_from_bytes
from email.policy import default

import pytest
from django.utils import timezone

from shop.core.mail_delivery import deliver, render
from shop.core.models import OutgoingMail
from shop.core.templatetags.markdown import markdown_text
from shop.core.tests import scripted_mail
from shop.core.tests.mail_samples import KINDS, sample_context

pytestmark = pytest.mark.django_db

LANGUAGES = ("fr", "en", "es", "de")


def write(kind, language="fr", **changes):
    return render(
        OutgoingMail(
            kind=kind, to="a@example.com", language=language, context=sample_context(kind, **changes)
        )
    )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_mail_in_every_language(kind, language):
    mail = write(kind, language)

    assert mail.subject
    assert "\n" not in mail.subject
    assert f'<html lang="{language}">' in mail.html
    assert f"<title>{mail.subject}".split("'")[0] in mail.html
    for part in (mail.subject, mail.text, mail.html):
        assert "{{" not in part
        assert "{%" not in part
        assert "None" not in part
    assert "&#x27;" not in mail.text
    assert "\n\n\n" not in mail.text


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_loaded_from_anywhere_and_nothing_is_counted(kind):
    html = write(kind).html

    # The customer's own pieces, from the shop's media, under the address that everybody's mail names.
    shown = re.findall(r"<img[^>]*>", html)
    assert all(re.match(r'<img src="http://localhost:8000/media/[\w/.-]+" alt=""', image) for image in shown)
    assert not re.search(r"<(script|link|iframe|object|embed|form|video|audio|svg)\b", html)
    assert "url(" not in html
    assert "@import" not in html
    # Links go where they say: to the shop, or to the mediator.
    for address in re.findall(r'href="([^"]+)"', html):
        assert address.startswith(("http://localhost:8000", "https://mediateur.example.com", "mailto:"))


def test_order_confirmation_is_the_contract_on_a_durable_medium_l221_13():
    text = write("order_confirmation").text

    for line in (
        "Nous avons bien reçu votre paiement. Voici la confirmation de votre commande 7C9BE001 du "
        "21 novembre 2026 à 14:05\u00a0: conservez ce message.",
        "- 3 × Gardien aux andouillers (Peint · 18 cm), 189,00\u00a0€ l'unité – 1 offert – 378,00\u00a0€",
        "- 1 × Renard d'hiver, 1\u202f249,50\u00a0€ l'unité – 1\u202f249,50\u00a0€",
        "Sous-total\u00a0: 1\u202f627,50\u00a0€",
        "dont remise des offres\u00a0: −189,00\u00a0€",
        "Livraison\u00a0: Offerte",
        "Total\u00a0: 1\u202f627,50\u00a0€",
        "TVA non applicable, art. 293 B du CGI",
        "Paiement\u00a0: En une fois",
        "Livraison au plus tard le 12 janvier 2027.",
        "3 rue des Lilas",
        "Sonnez deux fois.",
        "L'Établi aux figurines – Camille Exemple EI",
        "SIRET 000 000 000 00000",
        "Vous avez accepté nos conditions générales de vente, version 2026-11.",
        "Médiateur Exemple",
        "Vous avez 14 jours pour vous rétracter.",
        "Suivre ma commande\u00a0: http://localhost:8000/commande/6f1f8a52-1d2b-4c33-9a4e-0d5a7c9be001?acces=signed",
    ):
        assert line in text
    assert "garantie légale de conformité" in text
    assert "<strong>14 jours</strong>" in write("order_confirmation").html


def test_amounts_and_dates_follow_the_language():
    assert "€1,627.50" in write("order_confirmation", "en").text
    assert "1.627,50\u00a0€" in write("order_confirmation", "de").text
    assert "12. Januar 2027" in write("order_confirmation", "de").text
    assert "12 de enero de 2027" in write("order_confirmation", "es").text


@pytest.mark.parametrize(
    ("kind", "language", "subject"),
    [
        ("order_confirmation", "fr", "Commande 7C9BE001 confirmée"),
        ("order_confirmation", "en", "Order 7C9BE001 confirmed"),
        ("order_status", "fr", "Votre commande 7C9BE001 est partie"),
        ("account_confirm_email", "fr", "Confirmez votre adresse e-mail"),
        ("account_password_reset", "de", "Wählen Sie ein neues Passwort"),
    ],
)
def test_subjects(kind, language, subject):
    assert write(kind, language).subject == subject


HOSTILE = (
    "x\r\nBcc: victim@example.com",
    "Bcc: victim@example.com",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "{{ 7|add:7 }}",
    "{% bogus %}",
    '{% include "admin/base.html" %}',
    "a" * 5000,
)


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("kind", ["order_confirmation", "order_new_workshop", "order_status"])
def test_what_people_type_stays_what_they_typed(kind, hostile, settings, monkeypatch):
    settings.EMAIL_BACKEND = scripted_mail.BACKEND
    server = scripted_mail.Server()
    monkeypatch.setattr(scripted_mail, "SERVER", server)
    changes = {"customer_name": hostile, "notes": hostile, "address_lines": [hostile]}
    if kind == "order_status":
        changes["message"] = hostile
    mail = OutgoingMail.objects.create(
        kind=kind,
        to="client@example.com",
        context=sample_context(kind, **changes),
        next_attempt_at=timezone.now(),
    )

    assert deliver(mail.pk) == "sent"

    [message] = server.sent
    assert message.recipients() == ["client@example.com"]
    parsed = message_from_bytes(message.message().as_bytes(), policy=default)
    assert parsed["Bcc"] is None
    assert parsed["To"] == "client@example.com"
    html = parsed.get_body(("html",)).get_content()
    assert "<script" not in html
    assert "<img src=x" not in html
    text = parsed.get_body(("plain",)).get_content()
    typed = hostile.replace("\r\n", "\n")
    assert typed in text.replace("\r\n", "\n")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("## Effets\n\nVous avez **14 jours** \\(\\*\\).", "EFFETS\n\nVous avez 14 jours (*)."),
        (
            "Ici\u00a0: [renoncer](https://x.example/r). Puis",
            "Ici\u00a0: renoncer <https://x.example/r>. Puis",
        ),
        ("- un\n- deux", "- un\n\n- deux"),
    ],
)
def test_markdown_text_is_plain(written: str, read: str) -> None:
    assert markdown_text(written) == read
