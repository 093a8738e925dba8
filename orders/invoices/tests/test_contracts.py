"""The contract (L221-13): frozen with the payment, one PDF, with the confirmation and for ten years."""

import hashlib
from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from django.core import mail
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.utils import timezone
from pypdf import PdfReader

from orders.access import access_token
from orders.invoices.contracts import (
    contract_texts,
    ensure_contract_document,
    freeze_contract,
    make_missing_contracts,
)
from orders.models import Contract, ContractDocument, Invoice, Order
from orders.tests.factories import make_order, make_product, pay_order
from orders.tests.installments import offer_installments
from shop.core.mail_delivery import deliver
from shop.core.models import MailState, OutgoingMail, ShopSettings
from shop.core.shop_settings import save_shop_settings
from shop.terms.versions import publish_terms

pytestmark = pytest.mark.django_db


def paid(**values: Any) -> Order:
    return pay_order(make_order(**values))


def printed(document: ContractDocument) -> str:
    pages = PdfReader(BytesIO(bytes(document.pdf))).pages
    return " ".join(" ".join(page.extract_text() for page in pages).split())


def test_l221_13_the_contract_says_what_was_agreed() -> None:
    publish_terms(actor=None)
    order = paid()
    contract = Contract.objects.get(order=order)
    document = ensure_contract_document(contract)
    text = printed(document)
    for part in (
        "Contrat de vente",
        order.reference,
        "Golem de poche",
        "49,99",
        "3 rue des Carmes",
        f"Version {order.terms_version}, acceptée le",
        "Commande avec obligation de paiement",
        "vous notifie/notifions",
        "https://mediateur.example",
        "garantie légale de conformité",
    ):
        assert part in text.replace("\u00a0", " "), part
    assert document.sha256 == hashlib.sha256(bytes(document.pdf)).hexdigest()
    # Nothing was said of a debit.
    assert [section["title"] for section in contract_texts(contract)["sections"]] == [
        "Garanties", "Médiateur de la consommation", "Se rétracter", "Conditions générales de vente"
    ]  # fmt: skip


def test_the_form_of_withdrawal_leaves_room_to_write_in() -> None:
    document = ensure_contract_document(Contract.objects.get(order=paid()))
    heights: dict[str, float] = {}

    def note(text: str, placed: list[float], *_rest: Any) -> None:
        label = text.strip().partition(" ")[0]
        if "consommateur(s)" in text:
            heights[label] = placed[5]

    for page in PdfReader(BytesIO(bytes(document.pdf))).pages:
        page.extract_text(visitor_text=note)
    name, address, signature = (heights[label] for label in ("Nom", "Adresse", "Signature"))
    assert name - address > 28
    assert address - signature > 28


def test_a_contract_in_installments_has_the_mandate_and_the_calendar() -> None:
    offer_installments()
    order = pay_order(
        make_order((make_product(price="200.00"), 1), payment_mode="installments", language="de")
    )
    view = contract_texts(order.contract)
    assert len(view["calendar"]["rows"]) == 3
    [mandate, *_others] = view["sections"]
    assert mandate["blocks"][0]["runs"][0]["text"] == order.mandate_text
    assert view["language"] == "de"
    assert view["french_title"] == "Contrat de vente"
    assert view["sections"][-1]["title"] == "Allgemeine Verkaufsbedingungen"


def test_later_changes_of_shop_and_order_do_not_change_it() -> None:
    order = paid()
    contract = Contract.objects.get(order=order)
    before = contract_texts(contract)
    save_shop_settings(ShopSettings(shop_name="Autre boutique"))
    Order.objects.filter(pk=order.pk).update(address="99 rue Neuve", first_name="Zoé")
    assert contract_texts(Contract.objects.get()) == before
    assert freeze_contract(order=order, invoice=Invoice.objects.get()).pk == contract.pk


@pytest.mark.both_engines
def test_the_database_refuses_to_change_or_delete_it() -> None:
    contract = Contract.objects.get(order=paid())
    ensure_contract_document(contract)
    for table in ("orders_contract", "orders_contractdocument"):
        for statement in (f"UPDATE {table} SET created_at = created_at", f"DELETE FROM {table}"):
            with pytest.raises(DatabaseError, match="never changed or deleted"), transaction.atomic():
                connection.cursor().execute(statement)
    assert (Contract.objects.count(), ContractDocument.objects.count()) == (1, 1)


def test_the_confirmation_carries_the_contract_and_says_so() -> None:
    order = paid()
    row = OutgoingMail.objects.get(kind="order_confirmation")
    assert deliver(row.pk) == MailState.SENT
    [message] = mail.outbox
    names = [attachment[0] for attachment in message.attachments]
    assert names == [f"contrat-{order.reference}.pdf", f"facture-{Invoice.objects.get().number}.pdf"]
    assert "contrat joint à ce message" in message.body
    assert ContractDocument.objects.count() == 1


def test_the_confirmation_waits_for_a_contract_that_can_not_be_typeset_yet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    paid()
    row = OutgoingMail.objects.get(kind="order_confirmation")
    with monkeypatch.context() as broken:
        broken.setattr("orders.invoices.contracts.typeset_page", lambda texts: 1 / 0)
        assert deliver(row.pk) == MailState.QUEUED
    assert mail.outbox == []
    assert deliver(row.pk, now=timezone.now() + timedelta(hours=1)) == MailState.SENT
    assert len(mail.outbox) == 1


def test_the_job_makes_what_a_dead_worker_left() -> None:
    paid()
    assert not ContractDocument.objects.exists()
    assert make_missing_contracts(timezone.now()) == 0
    later = timezone.now() + timedelta(minutes=3)
    assert [make_missing_contracts(later), make_missing_contracts(later)] == [1, 0]
    assert ContractDocument.objects.count() == 1


@pytest.mark.parametrize(("ahead", "made"), [(timedelta(minutes=9), 0), (timedelta(days=365), 1)])
def test_one_of_a_clock_that_was_ahead_does_not_wait_for_its_date(ahead: timedelta, made: int) -> None:
    paid()
    assert make_missing_contracts(timezone.now() - ahead) == made


def test_who_holds_the_order_reads_it_and_nobody_else(client: Client) -> None:
    order = paid()
    path = f"/api/orders/{order.pk}/contract.pdf"
    link = f"{path}?acces={access_token(order)}"
    assert client.get(path).status_code == 404
    assert client.get(link).status_code == 503
    document = ensure_contract_document(order.contract)
    answer = client.get(link)
    assert (answer.status_code, answer.content) == (200, bytes(document.pdf))
    assert answer["Content-Disposition"] == f'inline; filename="contrat-{order.reference}.pdf"'
    page = client.get(f"/commande/{order.pk}?acces={access_token(order)}").content.decode()
    assert f"{path}?acces=" in page
