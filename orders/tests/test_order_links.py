"""An order followed without an account: reference and address are typed, the link comes by mail."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.translation import override

from accounts.tests.people import deliver_mails, mails, make_member
from orders.access import access_token, order_url, payment_token, payment_token_is_valid
from orders.tests.factories import make_order, pay_order
from shop.core.models import OutgoingMail

pytestmark = pytest.mark.django_db

PAGE = "/suivi-commande"
SENT = "/suivi-commande/demande"


@pytest.fixture
def order():
    return pay_order(make_order())


@pytest.fixture(autouse=True)
def _only_what_is_asked_for(order):
    deliver_mails()
    OutgoingMail.objects.all().delete()


def ask(client, reference, email="lea@example.com", prefix=""):
    return client.post(tracking(prefix), {"reference": reference, "email": email})


def tracking(prefix):
    with override(prefix.removeprefix("/") or "fr"):
        return reverse("orders:tracking")


def written(order):
    reference = order.reference
    return [
        reference,
        reference.lower(),
        f" {reference[:4]} {reference[4:]} ",
        f"n° {reference}",
        f"#{reference[:4]}-{reference[4:]}",
        f"INV-{reference}",
    ]


@pytest.mark.parametrize("form", range(6))
def test_reference_and_address_of_an_order_bring_its_link_by_mail(client, order, form):
    answer = ask(client, written(order)[form], " Lea@Example.com ")

    assert (answer.status_code, answer["Location"]) == (303, SENT)
    assert mails() == [("order_link", "lea@example.com")]
    mail = OutgoingMail.objects.get()
    assert mail.subject == f"Votre commande {order.reference}"
    assert order_url(order) in mail.text
    assert "Bonjour Léa," in mail.text
    path = re.search(r"http://localhost:8000(/commande/\S+)", mail.text)[1]
    assert Client().get(path).status_code == 200


def test_the_page_of_the_order_is_in_the_language_of_who_asks(client, order):
    ask(client, order.reference, prefix="/de")
    deliver_mails()
    assert order_url(order, "de") in OutgoingMail.objects.get().text
    assert "/de/bestellung/" in order_url(order, "de")


def test_l221_21_this_mail_about_an_order_has_the_link_to_withdraw_too(client, order):
    ask(client, order.reference, prefix="/de")
    deliver_mails()
    mail = OutgoingMail.objects.get()
    link = f"http://localhost:8000/de/widerruf?commande={order.pk}&acces={access_token(order)}"
    assert f"Vertrag widerrufen\n{link}\n" in mail.text
    assert f'<a href="{link.replace("&", "&amp;")}" style="color:#0e5a4a">Vertrag widerrufen</a>' in mail.html


def test_a_wrong_pair_gets_the_same_answer_in_the_same_work_and_no_mail(client, order):
    other = pay_order(make_order(email="other@example.com"))
    deliver_mails()
    OutgoingMail.objects.all().delete()
    ask(client, "00000000", "first@example.com")
    seen = []
    for reference, email in (
        (order.reference, order.email),
        (other.reference, order.email),
        ("00000000", "nobody@example.com"),
    ):
        browser = Client()
        with CaptureQueriesContext(connection) as queries:
            answer = ask(browser, reference, email)
        page = browser.get(answer["Location"])
        seen.append(
            (
                answer.status_code,
                # The moment is the clock's, and each request has a number.
                sorted(
                    (name, value)
                    for name, value in answer.headers.items()
                    if name not in ("Expires", "X-Request-ID")
                ),
                list(answer.cookies),
                [re.sub(r"s\d+_x\d+", "", query["sql"])[:60] for query in queries],
                page.content,
            )
        )

    assert seen[0] == seen[1] == seen[2]
    assert "Si une commande correspond" in seen[0][-1].decode()
    assert mails() == [("order_link", order.email)]


def test_an_address_gets_three_links_an_hour(client, order):
    for _number in range(5):
        assert ask(client, order.reference).status_code == 303
    assert mails() == [("order_link", "lea@example.com")] * 3


def test_wrong_references_use_up_none_of_the_links_of_an_address(client, order):
    for number in range(8):
        ask(client, f"0000000{number}")
    ask(client, order.reference)
    assert mails() == [("order_link", "lea@example.com")]


def test_a_network_asks_twenty_times_in_ten_minutes(client, order):
    for _number in range(20):
        ask(client, "00000000", "x@example.com")
    refused = ask(client, order.reference)

    assert refused.status_code == 429
    assert int(refused["Retry-After"]) > 0
    page = refused.content.decode()
    assert "Trop de demandes. Réessayez dans quelques minutes." in page
    assert f'value="{order.reference}"' in page
    assert mails() == []


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"reference": "7C9BE00", "email": "a@b.fr"}, "Une référence a huit chiffres ou lettres de A à F"),
        ({"reference": "7C9BE00G", "email": "a@b.fr"}, "Une référence a huit chiffres ou lettres de A à F"),
        ({"reference": "\x00", "email": "a@b.fr"}, "Référence de la commande"),
        ({"reference": "7C9BE001", "email": "lea"}, 'value="7C9BE001"'),
        ({"reference": "7C9BE001" * 40, "email": "x" * 400}, "error-summary"),
        ({}, "error-summary"),
    ],
)
def test_what_is_no_reference_or_no_address_is_said_beside_its_field(client, fields, words):
    answer = client.post(PAGE, fields)
    assert answer.status_code == 200
    assert words in answer.content.decode()
    assert mails() == []


def test_members_are_led_to_their_orders_unless_they_ordered_without_signing_in(client):
    client.force_login(make_member())
    assert client.get(PAGE)["Location"] == "/espace-membre?tab=orders"
    assert client.get(f"{PAGE}?sans-compte=1").status_code == 200
    assert f'href="{PAGE}?sans-compte=1"' in client.get("/espace-membre?tab=orders").content.decode()


@pytest.mark.parametrize("language", ["fr", "en", "es", "de"])
def test_the_page_is_no_public_one_and_the_footer_leads_to_it(client, language):
    prefix = "" if language == "fr" else f"/{language}"
    page = client.get(tracking(prefix))
    assert "no-store" in page["Cache-Control"]
    assert '<meta name="robots" content="noindex">' in page.content.decode()
    assert f'href="{tracking(prefix)}"' in client.get(prefix or "/").content.decode()


def test_links_in_mails_outlive_a_change_of_the_secret(client, order, settings):
    page, payment = order_url(order).removeprefix(settings.SITE_URL), payment_token(order)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another-secret-of-this-test-that-is-long-enough"

    assert (client.get(page).status_code, payment_token_is_valid(order, payment)) == (200, True)
    settings.SECRET_KEY_FALLBACKS = []
    assert (client.get(page).status_code, payment_token_is_valid(order, payment)) == (404, False)
