"""Mails of a step: what happened, what comes next and when, the pieces, the parcel, the money, who writes."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from html import unescape
from typing import Any

import pytest
from django.utils import translation

from accounts.tests.people import make_admin
from orders.models import Carrier, Order, OrderTracking, StoredCard
from orders.models.carrier import parcel_url
from orders.selectors.refund_rules import ReturnedLine
from orders.services.fulfilment.status_changes import change_status
from orders.services.refunds.decisions import request_refund
from orders.services.status.mails import mail_status, money_sentences
from orders.tests.factories import make_finished_product, make_order, make_seller, new_key, pay_order
from orders.tests.memory_provider import MemoryProvider
from orders.tests.refunding import in_installments
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail

pytestmark = [pytest.mark.django_db, pytest.mark.time_machine(datetime(2026, 11, 23, 9, tzinfo=UTC))]

LANGUAGES = ("fr", "en", "es", "de")


@pytest.fixture(autouse=True)
def _provider(monkeypatch: pytest.MonkeyPatch) -> None:
    make_seller()
    MemoryProvider().install(monkeypatch)


@pytest.fixture
def order() -> Order:
    return pay_order(make_order((make_finished_product("Sorcière de minuit", stock_quantity=3), 2)))


def newest() -> Any:
    return render(OutgoingMail.objects.filter(kind="order_status").latest("pk"))


def test_dispatch_mail_names_the_parcel_the_date_the_pieces_and_who_writes(order):
    order.items.update(picture="products/sorciere-360.jpg")
    admin = make_admin()
    admin.first_name = "Camille"
    admin.save()
    change_status(
        order_id=order.pk, status="shipped", actor=admin, message="Bonne réception !",
        tracking_number="6A12345678901", carrier=Carrier.COLISSIMO,
    )  # fmt: skip
    mail = newest()
    assert mail.subject == f"Votre commande {order.reference} est partie"
    lines = [line for line in mail.text.splitlines() if line]
    assert lines[:3] == [
        f"Votre commande {order.reference} est partie",
        "Bonjour Léa,",
        "Votre colis a quitté l'atelier le 23 novembre 2026.",
    ]
    assert "Bonne réception !" in lines
    assert "Colissimo (La Poste)" in lines
    assert "Numéro de suivi\u00a0: 6A12345678901" in lines
    page = "https://www.laposte.fr/outils/suivre-vos-envois?code=6A12345678901"
    assert f"Suivre le colis chez le transporteur\u00a0: {page}" in lines
    assert lines[lines.index("VOS PIÈCES") + 1] == "- 2 × Sorcière de minuit (Peint)"
    assert "Camille, L'Établi aux figurines" in lines
    assert f'href="{page}"' in mail.html
    assert '<img src="http://localhost:8000/media/products/sorciere-360.jpg" alt=""' in mail.html


@pytest.mark.parametrize("status", ["processing", "shipped"])
def test_mail_before_delivery_says_until_when_it_arrives(order, status):
    Order.objects.filter(pk=order.pk).update(promised_by="2026-12-20")
    change_status(order_id=order.pk, status=status, actor=None)
    assert "Livraison au plus tard le 20 décembre 2026." in newest().text


def test_mail_of_an_undone_dispatch_says_that_it_has_not_left(order):
    change_status(order_id=order.pk, status="shipped", actor=None, tracking_number="6A1")
    OutgoingMail.objects.update(state="sent")
    change_status(order_id=order.pk, status="processing", actor=None, reason="Erreur de colis")
    mail = newest()
    assert mail.subject == f"Votre commande {order.reference} n'est pas encore partie"
    assert "elle est encore à l'atelier. Toutes nos excuses." in mail.text
    assert OutgoingMail.objects.filter(kind="order_status").count() == 2


@pytest.mark.parametrize(
    ("before", "message", "heading"),
    [
        ("confirmed", "", "Nous préparons votre commande %s"),
        ("processing", "", None),
        ("processing", "Il part lundi.", "Des nouvelles de votre commande %s"),
    ],
)
def test_who_has_not_heard_of_a_dispatch_reads_of_no_mistake(order, before, message, heading):
    change_status(order_id=order.pk, status=before, actor=None)
    OutgoingMail.objects.filter(kind="order_status").delete()
    change_status(order_id=order.pk, status="shipped", actor=None, tracking_number="6A1")
    change_status(order_id=order.pk, status="processing", actor=None, reason="Erreur", message=message)
    told = [render(mail) for mail in OutgoingMail.objects.filter(kind="order_status")]
    assert [mail.subject for mail in told] == ([heading % order.reference] if heading else [])
    assert not [mail for mail in told if "Toutes nos excuses" in mail.text or "6A1" in mail.text]
    assert [mail for mail in told if message not in mail.text] == []


def test_who_was_told_of_an_earlier_dispatch_reads_of_the_mistake_after_the_next(order):
    for state in ("sent", "queued"):
        change_status(order_id=order.pk, status="shipped", actor=None)
        OutgoingMail.objects.update(state=state)
        change_status(order_id=order.pk, status="processing", actor=None, reason="Erreur")
    assert newest().subject == f"Votre commande {order.reference} n'est pas encore partie"


def test_mail_of_an_addition_says_that_the_status_is_the_same(order):
    change_status(order_id=order.pk, status="processing", actor=None)
    change_status(order_id=order.pk, status="processing", actor=None, message="La peinture sèche.")
    mail = newest()
    assert mail.subject == f"Des nouvelles de votre commande {order.reference}"
    assert "Votre commande est toujours «\u00a0En préparation\u00a0»." in mail.text
    assert "La peinture sèche." in mail.text


def test_mail_of_an_addition_to_an_unpaid_order_says_that_it_waits():
    order = make_order()
    change_status(order_id=order.pk, status="pending", actor=None, message="Un mot.")
    mail = newest()
    assert mail.subject == f"Des nouvelles de votre commande {order.reference}"
    assert "Votre commande est toujours «\u00a0En attente\u00a0»." in mail.text
    assert "Un mot." in mail.text


def test_mail_of_a_cancellation_says_what_becomes_of_the_money(order):
    change_status(order_id=order.pk, status="cancelled", actor=None, refund=True, key=new_key())
    mail = newest()
    assert mail.subject == f"Votre commande {order.reference} est annulée"
    assert "Rien ne sera expédié." in mail.text
    assert (
        "\nVOTRE ARGENT\n160,00\u00a0€ vous sont rendus sur le moyen de paiement que vous aviez" in mail.text
    )


def test_mail_of_a_cancellation_that_keeps_money_gives_the_reason(order):
    change_status(
        order_id=order.pk, status="cancelled", actor=None, refund=False, reason="Pièce gravée à votre nom"
    )
    assert "160,00\u00a0€ ne sont pas rendus. Motif\u00a0: Pièce gravée à votre nom" in newest().text


def test_mail_of_installments_that_end_with_their_order_speaks_of_no_refund():
    order = in_installments()
    change_status(order_id=order.pk, status="cancelled", actor=None, refund=False, reason="Pièce gravée")
    mail = render(OutgoingMail.objects.get(kind="refund_done", reference=order.reference))
    assert mail.subject == f"Vos échéances\u00a0: commande {order.reference}"
    assert "<h1>Vos échéances ont changé</h1>" in mail.html
    assert "Motif\u00a0: Commande annulée" in mail.text


def test_mail_of_a_refund_says_how_what_is_still_owed_is_paid_now():
    """The second installment was due three days ago and its card is stolen; the third is planned."""
    order = in_installments()
    StoredCard.objects.create(order=order, brand="visa", last4="4242", refused_code="stolen_card")
    order.payments.filter(position=2).update(state="due", due_on="2026-11-20", stopped_code="stolen_card")
    order.payments.filter(position=3).update(due_on="2026-12-20")
    request_refund(order_id=order.pk, key=new_key(), amount=Decimal("10.00"))
    mail = render(OutgoingMail.objects.get(kind="refund_done", reference=order.reference))
    for part in (mail.text, unescape(mail.html)):
        for said in (
            "10,00\u00a0€ ne seront plus prélevés.",
            "Échéance 2/3, 60,00\u00a0€\u00a0: sa date est passée, réglez-la sur votre page de paiement.",
            "Échéance 3/3, 50,00\u00a0€\u00a0: à payer le 20 décembre 2026.",
            "Nous n'avons plus de carte à débiter\u00a0: réglez les échéances sur votre page de paiement.",
            "http://localhost:8000/paiement/",
        ):
            assert said in part


@pytest.mark.parametrize(("language", "reason"), [("fr", "Commande annulée"), ("de", "Bestellung storniert")])
def test_a_refund_of_a_cancellation_gives_the_cancellation_as_its_reason(order, language, reason):
    Order.objects.filter(pk=order.pk).update(language=language)
    change_status(order_id=order.pk, status="cancelled", actor=None, refund=True, key=new_key())
    assert order.refund_requests.get().reason == reason


def test_money_sentences_unpaid_order_says_that_nothing_is_asked():
    assert money_sentences(make_order()) == ["Vous n'avez rien payé\u00a0: rien ne vous sera demandé."]


def test_money_sentences_part_refunded_and_rest_kept_tells_both(order):
    request_refund(order_id=order.pk, key=new_key(), lines=[ReturnedLine(order.items.get().pk, 1)])
    change_status(order_id=order.pk, status="cancelled", actor=None, refund=False, reason="Commencée")
    order.refresh_from_db()
    told = money_sentences(order)
    assert told[0].startswith("80,00\u00a0€ vous sont rendus")
    assert told[1] == "80,00\u00a0€ ne sont pas rendus. Motif\u00a0: Commencée"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "status", ["confirmed", "processing", "shipped", "delivered", "cancelled", "refunded"]
)
def test_mail_of_every_status_is_whole_in_every_language(order, status, language):
    Order.objects.filter(pk=order.pk).update(status=status, language=language)
    order.refresh_from_db()
    order.tracking.all().delete()
    with translation.override("fr"):
        mail_status(order, OrderTracking.objects.create(order=order, status=status))
    mail = newest()
    assert order.reference in mail.subject
    assert f'<html lang="{language}">' in mail.html
    french = ("Votre", "Bonjour", "colis", "Livraison")
    assert language == "fr" or not any(word in mail.text.split("--")[0] for word in french)


@pytest.mark.parametrize(
    ("carrier", "number", "url"),
    [
        ("mondial-relay", "12345678", "https://www.mondialrelay.fr/suivi-de-colis/?numeroExpedition=12345678&codePostal=69003"),
        ("ups", "1Z 9&x", "https://www.ups.com/track?tracknum=1Z9%26x"),
        ("colissimo", " 6A 123 456\u00a078901 ", "https://www.laposte.fr/outils/suivre-vos-envois?code=6A12345678901"),
        ("", "12345678", ""),
        ("colissimo", "", ""),
        ("pigeon", "12345678", ""),
    ],
)  # fmt: skip
def test_parcel_url_is_the_carriers_page_or_nothing(carrier, number, url):
    assert parcel_url(carrier, number, "69003") == url
