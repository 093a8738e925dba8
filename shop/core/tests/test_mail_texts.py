"""What mails say: in four languages, whatever people typed, and without a trace of tracking."""

from __future__ import annotations

import re
from email import message_from_bytes
from email.policy import default
from html import unescape

import pytest
from django.conf import settings
from django.utils import timezone

from shop.core.mail_delivery import deliver, render
from shop.core.mail_sample_data import CART
from shop.core.mail_samples import KINDS, ORDER, sample_context
from shop.core.models import OutgoingMail
from shop.core.templatetags.markdown import markdown_text
from shop.core.tests import scripted_mail

pytestmark = pytest.mark.django_db

LANGUAGES = ("fr", "en", "es", "de")


def write(kind, language="fr", **changes):
    return render(
        OutgoingMail(
            kind=kind, to="a@example.com", language=language, context=sample_context(kind, **changes)
        )
    )


def test_every_mail_has_its_row_in_the_table_of_what_it_gets():
    table = (settings.BASE_DIR / "templates" / "mail" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.+?`) \|", table, re.MULTILINE)
    assert sorted(re.findall(r"`(\w+)`", " ".join(rows))) == sorted(KINDS), (
        "One row a kind in templates/mail/README.md."
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


@pytest.mark.parametrize("kind", [*KINDS, "_installments"])
def test_both_parts_say_the_same_sentences(kind):
    folder = settings.BASE_DIR / "templates" / "mail"
    quoted = r"""{% translate "([^"]+\.)" |{% blocktranslate [^%]*%}([^{]+\.){% endblocktranslate %}"""
    text, html = (
        {one or other for one, other in re.findall(quoted, (folder / f"{kind}.{part}").read_text("utf-8"))}
        for part in ("txt", "html")
    )
    assert text == html


@pytest.mark.parametrize("kind", KINDS)
def test_who_writes_stands_apart_from_what_is_written(kind):
    assert "\n\nL'Établi aux figurines\n" in write(kind).text


def test_a_reminder_of_several_of_a_piece_says_that_the_price_is_of_one():
    context = {**CART, "items": [{**CART["items"][0], "quantity": 3}]}
    text = render(OutgoingMail(kind="cart_reminder", language="fr", context=context)).text

    assert "- 3 × Gardien aux andouillers (Peint · 18 cm), 189,00\u00a0€ l'unité\n" in text


@pytest.mark.parametrize("kind", KINDS)
def test_every_link_that_is_read_aloud_has_words(kind):
    links = re.findall(r"<a ([^>]*)>(.*?)</a>", write(kind).html, re.DOTALL)
    for attributes, inside in links:
        words = [re.sub(r"<[^>]*>", "", inside), *re.findall(r'alt="([^"]*)"', inside)]
        assert "".join(words).strip() or 'aria-hidden="true"' in attributes


def test_a_long_link_breaks_instead_of_making_the_mail_wider_than_a_phone():
    body = re.search(r'<body style="([^"]+)"', write("account_confirm_email").html)

    assert "overflow-wrap:break-word" in body[1].split(";")


def test_the_days_of_three_payments_have_no_sign_that_is_french_alone():
    part = {"due": "2026-12-21", "amount": "542.50"}
    text = write("order_confirmation", "de", order={**ORDER, "installments": [part]}).text

    assert "- 21. Dezember 2026 – 542,50\u00a0€\n" in text


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_loaded_from_anywhere_and_nothing_is_counted(kind):
    html = write(kind).html

    # The customer's own pieces, from the shop's media, under the address that everybody's mail names.
    shown = re.findall(r"<img[^>]*>", html)
    if kind == "piece_photo":  # private: the address is the customer's own
        assert [image for image in shown if 'src="http://localhost:8000/' in image] == shown
    else:
        assert all(
            re.match(r'<img src="http://localhost:8000/media/[\w/.-]+" alt=""', image) for image in shown
        )
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


def test_both_parts_of_the_confirmation_say_what_the_law_asks_l221_13():
    mail = write("order_confirmation")
    page = unescape(" ".join(re.sub(r"<[^>]+>", " ", mail.html).split()))
    text = " ".join(mail.text.split())
    for words in (
        "garantie légale de conformité pendant deux ans à compter de leur livraison (articles L217-3 et suivants",
        "garantie des vices cachés pendant deux ans à compter de leur découverte (articles 1641 et suivants",
        "nos conditions générales de vente, version 2026-11. Elles font partie du contrat joint à ce message",
        "vous pouvez saisir gratuitement le médiateur",
        "Médiateur Exemple",
        "https://mediateur.example.com",
        "Camille Exemple EI",
        "SIRET 000 000 000 00000",
        "TVA non applicable, art. 293 B du CGI",
        "Livraison au plus tard le 12 janvier 2027.",
        "renoncer au contrat ici",
    ):
        assert words in page, words
        assert words in text, words


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
        ("order_confirmation", "es", "Pedido 7C9BE001 confirmado"),
        ("order_confirmation", "de", "Bestellung 7C9BE001 bestätigt"),
        ("order_status", "fr", "Votre commande 7C9BE001 est partie"),
        ("refund_done", "fr", "Votre remboursement\u00a0: commande 7C9BE001"),
        ("refund_done", "de", "Ihre Erstattung: Bestellung 7C9BE001"),
        (
            "installment_reminder",
            "fr",
            "542,50\u00a0€ seront débités le 21 décembre 2026 (commande 7C9BE001)",
        ),
        ("installment_reminder", "en", "€542.50 will be charged on 21 December 2026 (order 7C9BE001)"),
        ("withdrawal_received", "fr", "Rétractation reçue, référence R-7C9BE001"),
        ("withdrawal_received", "de", "Widerruf eingegangen, Aktenzeichen R-7C9BE001"),
        ("account_confirm_email", "fr", "Confirmez votre adresse e-mail"),
        ("account_confirm_email", "es", "Confirme su correo electrónico"),
        ("account_password_reset", "de", "Wählen Sie ein neues Passwort"),
    ],
)
def test_subjects(kind, language, subject):
    assert write(kind, language).subject == subject


def test_a_text_mail_greets_below_its_title_and_in_the_letter_of_each_language():
    for language, title, greeting in (
        ("fr", "Merci, votre commande est confirmée", "Bonjour Zoé,"),
        ("en", "Thank you, your order is confirmed", "Hello Zoé,"),
        ("es", "Gracias, su pedido está confirmado", "Hola, Zoé:"),
        ("de", "Danke, Ihre Bestellung ist bestätigt", "Guten Tag Zoé!"),
    ):
        assert write("order_confirmation", language).text.startswith(f"{title}\n\n{greeting}\n\n")


def test_addresses_stand_on_lines_of_their_own_in_text_mails():
    text = write("order_confirmation").text
    for lines in (
        "Zoé O'Neil\n3 rue des Lilas\n75020 Paris\nFrance\n",
        "Ana Duval\n9 quai Sud\n69002 Lyon\nFrance\n",
        "Camille Exemple EI\n1 rue de l'Exemple\n00000 Exempleville\nSIRET",
        "Médiateur Exemple\n2 rue de l'Exemple\n00000 Exempleville\nhttps://",
    ):
        assert f"\n{lines}" in text or f"– {lines}" in text


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("fr", "Les échéances restantes de la commande 7C9BE001 (63,00\u00a0€) ne seront plus prélevées."),
        ("en", "of order 7C9BE001 (€63.00) will no longer be collected."),
        ("es", "Los plazos restantes del pedido 7C9BE001 (63,00\u00a0€) ya no se cobrarán."),
        ("de", "Die restlichen Raten der Bestellung 7C9BE001 (63,00\u00a0€) werden nicht mehr eingezogen."),
    ],
)
def test_a_refund_mail_says_which_installments_are_no_longer_collected(language, sentence):
    mail = write("refund_done", language, left="0.00", installments=[])
    assert sentence in mail.text
    assert sentence in mail.html


def test_a_refund_mail_of_an_order_that_still_owes_says_how_much_less_is_collected():
    text = write("refund_done").text
    assert (
        "Sur les échéances restantes de la commande 7C9BE001, 63,00\u00a0€ ne seront plus prélevés." in text
    )
    assert (
        "\nPROCHAINES ÉCHÉANCES\n- Échéance 3/3, 542,50\u00a0€\u00a0: sera débitée le 20 janvier 2027.\n"
        in text
    )


def test_the_workshop_reads_the_visitors_subject_in_both_parts():
    mail = write("contact_workshop")
    assert "Sujet\u00a0: Un renard pour Noël" in mail.text
    assert "<strong>Sujet\u00a0:</strong> Un renard pour Noël" in mail.html
    assert "<title>Demande de devis 7C9BE001 (Zoé O" in mail.html


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
