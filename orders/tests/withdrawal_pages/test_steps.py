"""The withdrawal function as a customer meets it: two steps, four languages, no account, no script, no cookie."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.core import signing
from django.test import Client
from django.utils import timezone

from orders.access import statement_token
from orders.models import Withdrawal
from orders.selectors.mail_contexts import withdrawal_notice
from orders.tests.withdrawal_pages.steps import confirm, signed_in, typed
from orders.tests.withdrawing import LANGUAGES, LINK, address_in
from shop.core import limits
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail, ShopSettings
from shop.core.shop_settings import save_shop_settings
from shop.core.tests.reading import words

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("monday_noon")]

CONFIRM = {
    "fr": "Confirmer la rétractation",
    "en": "Confirm withdrawal",
    "es": "Confirmar desistimiento",
    "de": "Widerruf bestätigen",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_d221_5_the_whole_way_in_every_language_without_cookies(language, order):
    # A client that accepts no cookie, checks CSRF and runs no script.
    client = Client(enforce_csrf_checks=True)
    form = client.get(address_in(language, "/retractation"))
    assert form.status_code == 200
    assert LINK[language] in words(form)

    step = client.post(address_in(language, "/retractation"), typed(order))
    assert step.status_code == 200
    assert CONFIRM[language] in words(step)
    assert not Withdrawal.objects.exists()

    received = confirm(client, step, language)
    assert received.status_code == 303
    page = client.get(received["Location"])
    withdrawal = Withdrawal.objects.get()
    assert (withdrawal.language, withdrawal.order) == (language, order)
    assert withdrawal.reference in words(page)
    assert " ".join(withdrawal.statement.split()) in words(page)
    assert "12:00" in words(page)
    assert not client.cookies

    mail = render(OutgoingMail.objects.get(kind="withdrawal_received"))
    assert withdrawal.statement in mail.text
    assert "12:00" in mail.text
    assert withdrawal.reference in mail.subject


def test_the_acknowledgement_says_received_and_never_accepted(order):
    client = Client()
    confirm(client, client.post("/retractation", typed(order)))

    mail = render(OutgoingMail.objects.get(kind="withdrawal_received"))

    assert mail.subject.startswith("Rétractation reçue, référence R-")
    assert "Nous avons reçu votre déclaration le 23 novembre 2026 à 12:00 (heure de Paris)." in mail.text
    for word in ("accept", "valid", "confirmée"):
        assert word not in mail.text.lower()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "address", ["", "/panier", "/checkout", "/produits", "/cgv", "/retractation", "/contact"]
)
def test_l221_21_the_link_is_in_every_footer(language, address):
    page = Client().get(address_in(language, address)).content.decode()

    footer = page[page.index("<footer") :]
    assert f'<a href="{address_in(language, "/retractation")}">{LINK[language]}</a>' in footer


def test_the_empty_form_is_the_same_bytes_for_everybody(order):
    visitor, buyer = Client(), Client()
    first = visitor.get("/retractation")
    buyer.cookies["sessionid"] = "anything"
    second = buyer.get("/retractation")

    assert first.content == second.content
    assert first["Cache-Control"] == "public, no-cache"
    assert "csrfmiddlewaretoken" not in first.content.decode()


def test_nothing_typed_is_lost_when_something_is_missing(order):
    answer = Client().post(
        "/retractation", typed(order, email="lea@", order="", name="Léa <b>Martin</b>", reason="Trop\ngrand.")
    )
    page = answer.content.decode()

    assert answer.status_code == 200
    assert 'value="Léa &lt;b&gt;Martin&lt;/b&gt;"' in page
    assert 'value="lea@"' in page
    assert "Trop\ngrand.</textarea>" in page
    assert "Commande : Ce champ est obligatoire." in words(answer)
    assert answer["Cache-Control"].startswith("max-age=0")
    assert not Withdrawal.objects.exists()


def test_a_part_has_to_be_said(order):
    answer = Client().post("/retractation", typed(order, scope="part"))

    assert "Articles que vous rendez Dites quels articles vous rendez." in words(answer)
    answer = Client().post("/retractation", typed(order, scope="part", goods="Deux golems"))
    assert "Articles rendus : Deux golems" in words(answer)
    # What stands in a field that is not on screen was not meant.
    answer = Client().post("/retractation", typed(order, goods="Deux golems"))
    assert "Deux golems" not in words(answer)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": "x" * 201, "order": "y" * 101, "email": "z" * 300, "scope": "?", "reason": "r" * 2001},
        {
            "name": "\x00",
            "order": "\x00",
            "email": "\x00",
            "scope": "\x00",
            "reason": "\x00",
            "goods": "\x00",
        },
        {"commande": "not-a-uuid", "acces": "\x00"},
        {"declaration": "tampered"},
        {"declaration": signing.dumps({"n": "x"}, salt="another")},
    ],
)
def test_bad_input_is_answered_with_the_form_and_files_nothing(body):
    for address in ("/retractation", "/retractation/confirmation"):
        answer = Client().post(address, body)
        assert answer.status_code in (200, 400)
        assert "Relire ma déclaration" in words(answer)
    assert not Withdrawal.objects.exists()


def test_a_changed_declaration_is_not_filed(order):
    client = Client()
    signed = signed_in(client.post("/retractation", typed(order)))

    answer = client.post("/retractation/confirmation", {"declaration": signed[:-2] + "AA"})

    assert answer.status_code == 400
    assert "Remplissez le formulaire à nouveau." in words(answer)
    assert not Withdrawal.objects.exists()


def test_reload_back_and_double_click_file_once(order):
    client = Client()
    step = client.post("/retractation", typed(order))
    first, second = confirm(client, step), confirm(client, step)
    # Back to the form, sent again, confirmed again.
    third = confirm(client, client.post("/retractation", typed(order)))

    assert Withdrawal.objects.count() == 1
    assert {answer.status_code for answer in (first, second, third)} == {303}
    assert OutgoingMail.objects.filter(kind="withdrawal_received").count() == 1


def test_correcting_brings_everything_back(order):
    client = Client()
    step = client.post("/retractation", typed(order, scope="part", goods="Un golem", reason="Trop grand."))

    form = client.post("/retractation", {"declaration": signed_in(step)})

    page = form.content.decode()
    assert f'value="{order.reference}"' in page
    assert 'value="lea@example.com"' in page
    assert "Un golem</textarea>" in page
    assert "Trop grand.</textarea>" in page
    assert re.search(r'value="part" checked', page)


def test_a_limit_keeps_what_was_typed(order, settings):
    settings.LIMITS = {"withdrawal-network": 1}
    limits.consume(limits.WITHDRAWAL_NETWORK, "127.0.0.1")
    client = Client()
    answer = confirm(client, client.post("/retractation", typed(order, reason="Trop grand.")))

    assert answer.status_code == 429
    assert 0 < int(answer["Retry-After"]) <= 3600
    assert "Trop de déclarations." in words(answer)
    assert "Trop grand.</textarea>" in answer.content.decode()
    assert not Withdrawal.objects.exists()


def test_answers_are_the_same_for_an_order_that_does_not_exist(order):
    client = Client()

    def pages(reference):
        step = client.post("/retractation", typed(order, order=reference))
        received = client.get(confirm(client, step)["Location"])
        declared = Withdrawal.objects.get(order_text=reference).reference
        return [words(page).replace(reference, "#").replace(declared, "R") for page in (step, received)]

    assert pages(order.reference) == pages("ABCDEF12")


def test_the_last_page_is_forgotten_after_an_hour(order):
    client = Client()
    address = confirm(client, client.post("/retractation", typed(order)))["Location"]
    assert client.get(address).status_code == 200

    with time_machine.travel(datetime(2026, 11, 23, 12, 0, 1, tzinfo=UTC)):
        answer = client.get(address)

    assert answer.status_code == 404
    assert "Si vous avez confirmé votre rétractation, elle compte" in words(answer)
    assert client.get("/retractation/recue?d=x").status_code == 404


def test_the_link_to_a_declaration_that_a_restore_lost_says_so():
    lost = Client().get(f"/retractation/recue?a={statement_token(Withdrawal())}")
    assert (lost.status_code, "Ce lien ne montre plus de rétractation" in words(lost)) == (404, True)


def test_link_of_the_short_acknowledgement_shows_the_declaration_for_thirty_days(order):
    client = Client()
    confirm(client, client.post("/en/withdrawal", typed(order, email="other@example.com")), "en")
    withdrawal = Withdrawal.objects.get()
    mail = render(OutgoingMail.objects.get(kind="withdrawal_received"))
    link = re.search(r"https?://[^/]+(/en/withdrawal/received\?a=\S+)", mail.text)[1]

    page = client.get(link)

    assert " ".join(withdrawal.statement.split()) in words(page)
    assert "This number and this address do not belong to the same order" in mail.text
    assert client.get(f"{link}x").status_code == 404
    assert client.get(link.replace("?a=", "?d=")).status_code == 404
    with time_machine.travel(timezone.now() + timedelta(days=31)):
        assert client.get(link).status_code == 404


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_notice_in_mails_writes_the_sellers_address_inside_its_sentences(language):
    save_shop_settings(ShopSettings(address="1 rue de l'Exemple\n00000 Exempleville\nFrance"))

    notice = withdrawal_notice(language)
    assert notice.count("1 rue de l'Exemple, 00000 Exempleville, France") == 3
    assert "\n00000" not in notice
