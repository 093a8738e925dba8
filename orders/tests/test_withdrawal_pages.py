"""The withdrawal function as a customer meets it: two steps, four languages, no account, no script, no cookie."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
import time_machine
from django.core import signing
from django.test import Client
from django.utils import timezone

from orders.access import access_token, statement_token
from orders.models import Withdrawal
from orders.selectors.mail_contexts import withdrawal_notice
from orders.selectors.refund_rules import ReturnedLine
from orders.selectors.withdrawals import cases_of, find_declared_order, returnable_lines, withdrawal_path
from orders.services.refunds.decisions import request_refund
from orders.services.withdrawals.declarations import Declaration, declare_withdrawal
from orders.tests.factories import make_order, make_product, pay_order
from orders.tests.reading import words
from orders.tests.withdrawing import LANGUAGES, LINK, address_in
from shop.core import limits
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail, ShopSettings
from shop.core.shop_settings import save_shop_settings

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("monday_noon")]

CONFIRM = {
    "fr": "Confirmer la rétractation",
    "en": "Confirm withdrawal",
    "es": "Confirmar desistimiento",
    "de": "Widerruf bestätigen",
}


@pytest.fixture
def order():
    return pay_order(make_order((make_product(), 3)))


def typed(placed, **changes):
    return {
        "name": "Léa Martin", "order": placed.reference, "email": "lea@example.com", "scope": "all", "goods": "",
        "reason": "", **changes,
    }  # fmt: skip


def signed_in(response):
    return re.search(r'name="declaration" value="([^"]+)"', response.content.decode())[1]


def confirm(client, step, language="fr"):
    return client.post(address_in(language, "/retractation/confirmation"), {"declaration": signed_in(step)})


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

    assert "Dites quels articles vous rendez." in words(answer)
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


def test_from_the_order_page_the_form_is_filled_and_lines_can_be_chosen(order):
    client = Client()
    url = f"/commande/{order.pk}?acces={access_token(order)}"
    page = client.get(url).content.decode()
    link = unescape(re.search(r'href="(/retractation\?commande=[^"]+)"', page)[1])
    form = client.get(link)
    item = order.items.get()

    assert form["Cache-Control"].startswith("max-age=0")
    assert form["Referrer-Policy"] == "no-referrer"
    content = form.content.decode()
    assert 'value="Léa Martin"' in content
    assert 'value="lea@example.com"' in content
    assert re.search(rf'name="units_{item.pk}" value="3"', content)

    step = client.post(
        "/retractation",
        {
            "commande": str(order.pk), "acces": access_token(order), "name": "Léa Martin",
            "email": "lea@example.com", "reason": "", f"units_{item.pk}": "2",
        },
    )  # fmt: skip
    assert "- 2 × Golem de poche" in words(step)
    confirm(client, step)

    withdrawal = Withdrawal.objects.get()
    assert (withdrawal.order, withdrawal.order_text) == (order, order.reference)
    assert list(withdrawal.lines.values_list("item", "quantity")) == [(item.pk, 2)]
    panel = words(client.get(url))
    assert f"Rétractation {withdrawal.reference} reçue le 23 novembre 2026 à 12:00" in panel
    assert "en cours de traitement" in panel


@pytest.mark.parametrize(
    ("units", "message"), [("0", "Choisissez au moins un article"), ("4", "inférieure"), ("x", "nombre")]
)
def test_wrong_quantities_are_said_at_their_line(order, units, message):
    item = order.items.get()
    answer = Client().post(
        "/retractation",
        {
            "commande": str(order.pk), "acces": access_token(order), "name": "Léa", "email": "lea@example.com",
            f"units_{item.pk}": units,
        },
    )  # fmt: skip

    assert message in words(answer)
    assert f'value="{units}"' in answer.content.decode()
    assert not Withdrawal.objects.exists()


def test_a_foreign_order_is_not_shown(order):
    for query in (f"commande={order.pk}", f"commande={order.pk}&acces=wrong", "commande=x", "foo=1"):
        answer = Client().get(f"/retractation?{query}")
        # Its words: the links to the other languages hold the key that was asked for.
        assert order.reference not in words(answer)
        page = answer.content.decode()
        assert "lea@example.com" not in page
        assert 'name="order"' in page


def test_a_session_opens_nothing_that_the_link_does_not(order):
    client = Client()
    session = client.session
    session["orders"] = [str(order.pk)]
    session.save()

    assert order.reference not in words(client.get(f"/retractation?commande={order.pk}"))


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


@pytest.mark.both_engines
def test_the_selectors_keep_to_their_queries(order, django_assert_max_num_queries, django_assert_num_queries):
    item = order.items.get()
    declaration = Declaration(
        name="Léa", email="lea@example.com", order_text=order.reference, language="fr", order=order,
        lines=(ReturnedLine(item.pk, 1),),
    )  # fmt: skip
    for reason in ("a", "b", "c"):
        declare_withdrawal(declaration=replace(declaration, reason=reason), key=reason, caller="192.0.2.1")

    # The cases with their declarations, the lines of all of them, the items of all these.
    with django_assert_num_queries(3):
        assert [len(case.withdrawal.lines.all()) for case in cases_of(order)] == [1, 1, 1]
    # What was credited, and the order's lines.
    with django_assert_num_queries(2):
        assert [line.left for line in returnable_lines(order)] == [3]
    # By number, then by reference.
    with django_assert_max_num_queries(2):
        assert find_declared_order(text=f"{order.pk} {order.reference}" * 50, email=order.email) == order
    with django_assert_num_queries(0):
        assert find_declared_order(text="le golem", email=order.email) is None


@pytest.mark.both_engines
def test_eight_digits_beside_the_number_of_an_invoice_do_not_hide_it(order):
    number = order.invoices.get().number
    for text in (f"Facture {number} du 28112026", f"{number}, colis 12345678"):
        assert find_declared_order(text=text, email=order.email) == order
        assert find_declared_order(text=text, email="autre@example.com") is None


def test_the_form_says_what_was_declared_before(client, order):
    address = withdrawal_path(order, access_token(order))
    assert "Déjà reçue" not in words(client.get(address))
    declaration = Declaration(
        name="Léa Martin", email="lea@example.com", order_text=order.reference, language="fr", order=order
    )
    filed = declare_withdrawal(declaration=declaration, key="all", caller="192.0.2.1")

    shown = words(client.get(address))
    assert f"Déjà reçue le 23 novembre 2026 : votre rétractation {filed.reference}" in shown
    assert "Inutile de recommencer pour les mêmes articles." in shown


def test_after_a_part_was_declared_the_form_names_it_and_chooses_the_rest(client, order):
    item = order.items.get()
    address = withdrawal_path(order, access_token(order))
    declaration = Declaration(
        name="Léa Martin", email="lea@example.com", order_text=order.reference, language="fr", order=order,
        lines=(ReturnedLine(item.pk, 2),),
    )  # fmt: skip
    declare_withdrawal(declaration=declaration, key="part", caller="192.0.2.1")

    answer = client.get(address)
    assert "Inutile de recommencer pour les mêmes articles. 2 × Golem de poche" in words(answer)
    assert re.search(rf'name="units_{item.pk}" value="1" [^>]*max="3"', answer.content.decode())
    panel = words(client.get(f"/commande/{order.pk}?acces={access_token(order)}"))
    assert "en cours de traitement 2 × Golem de poche" in panel


@pytest.mark.usefixtures("provider")
def test_form_and_mail_of_an_order_given_back_whole_say_that_nothing_is_left(client, order):
    nothing = "Il ne reste rien à vous rembourser"
    address = withdrawal_path(order, access_token(order))
    assert nothing not in words(client.get(address))
    request_refund(order_id=order.pk, key="all")
    assert nothing in words(client.get(address))

    declaration = Declaration(
        name="Léa Martin", email="lea@example.com", order_text=order.reference, language="fr", order=order
    )
    declare_withdrawal(declaration=declaration, key="all", caller="192.0.2.1")

    told = render(OutgoingMail.objects.get(kind="withdrawal_workshop")).text
    assert "Il ne reste rien à rembourser de cette commande." in told
    assert "Remboursez-la sans attendre" not in told
    assert "À rembourser au plus tard" not in told


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
