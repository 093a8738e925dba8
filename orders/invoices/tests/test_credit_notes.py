"""Credit notes stand in the series of invoices, credit what a refund decided, and go to the customer."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core import mail as django_mail
from django.utils import timezone

from orders.invoices import documents
from orders.invoices.issuing import issue_credit_note
from orders.invoices.tests.conftest import set_shop
from orders.models import (
    ContractDocument,
    Invoice,
    InvoiceDocument,
    InvoiceDraft,
    Order,
    Refund,
    RefundLine,
    RefundRequest,
)
from orders.selectors.invoices import documents_of
from orders.services.invoicing.correcting import DraftValues, edit_invoice
from orders.tasks import make_lost_documents
from orders.tests.books.entries import utc
from orders.tests.factories import make_order, make_product, new_key
from shop.core.mail_delivery import deliver
from shop.core.models import MailState, OutgoingMail
from shop.core.problems import Problem

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def decide(
    order: Order, amount: str, *, units: int = 0, shipping: str = "0.00", voided: str = "0.00"
) -> RefundRequest:
    """A decision whose money is back."""
    request = RefundRequest.objects.create(
        order=order,
        key=new_key(),
        amount=Decimal(amount),
        voided=Decimal(voided),
        shipping=Decimal(shipping),
        reason="Retour de la pièce",
        settled_at=timezone.now(),
    )
    if units:
        item = order.items.get()
        RefundLine.objects.create(
            request=request, item=item, quantity=units, amount=Decimal(amount) - Decimal(shipping)
        )
    return request


def test_a_whole_refund_credits_every_line_and_the_delivery(paid) -> None:
    order = paid((make_product("Golem de poche"), 1))
    invoice = Invoice.objects.get()
    note = issue_credit_note(request=decide(order, "49.99"))
    assert note is not None
    assert (note.sequence, note.previous_hash) == (2, invoice.hash)
    assert (note.kind, note.total, note.credits, note.version) == (
        "credit_note",
        Decimal("-49.99"),
        invoice,
        1,
    )
    assert note.data["lines"] == invoice.data["lines"]
    assert (note.data["shipping"], note.data["total"]) == ("9.99", "49.99")
    assert note.data["credits"] == {"number": invoice.number, "issued_on": invoice.data["issued_on"]}
    assert note.data["reason"] == "Retour de la pièce"
    assert note.data["refund"]["refunded"] == "49.99"


def test_some_units_are_credited_for_what_was_decided(paid) -> None:
    order = paid((make_product("Golem de poche", price="40.00"), 3))
    note = issue_credit_note(request=decide(order, "70.00", units=2))
    assert note is not None
    [line] = note.data["lines"]
    told = ("name", "quantity", "free_quantity", "unit_price", "discount", "total")
    assert [line[name] for name in told] == ["Golem de poche", 2, 0, "40.00", "10.00", "70.00"]
    assert note.data["total"] == "70.00"


def test_pieces_stand_in_the_order_of_the_invoice(paid) -> None:
    order = paid((make_product("Golem", price="40.00"), 1), (make_product("Hibou", price="40.00"), 1))
    request = decide(order, "80.00")
    for item in order.items.order_by("-position"):
        request.lines.create(item=item, quantity=1, amount=Decimal("40.00"))
    assert (note := issue_credit_note(request=request))
    assert [line["name"] for line in note.data["lines"]] == ["Golem", "Hibou"]


def test_a_part_of_the_delivery_is_no_line_beside_units(paid) -> None:
    order = paid((make_product("Golem de poche", price="40.00"), 2))
    note = issue_credit_note(request=decide(order, "45.00", units=1, shipping="5.00"))
    assert note is not None
    assert [(line["name"], line["total"]) for line in note.data["lines"]] == [("Golem de poche", "40.00")]
    assert [note.data[name] for name in ("subtotal", "shipping", "total")] == ["40.00", "5.00", "45.00"]


def test_what_is_granted_beyond_the_units_is_a_line_of_its_own(paid) -> None:
    order = paid((make_product("Golem de poche", price="40.00"), 2))
    request = decide(order, "40.50")
    RefundLine.objects.create(request=request, item=order.items.get(), quantity=1, amount=Decimal("40.00"))
    note = issue_credit_note(request=request)
    assert note is not None
    assert [(line["name"], line["quantity"], line["total"]) for line in note.data["lines"]] == [
        ("Golem de poche", 1, "40.00"),
        ("Geste commercial", 1, "0.50"),
    ]


def test_delivery_given_back_alone_is_a_line(paid) -> None:
    note = issue_credit_note(request=decide(paid(), "9.99", shipping="9.99"))
    assert note is not None
    assert [(line["name"], line["total"]) for line in note.data["lines"]] == [("Livraison", "9.99")]
    assert (note.data["shipping"], note.data["total"]) == ("0.00", "9.99")


def test_an_amount_alone_is_one_line(paid) -> None:
    note = issue_credit_note(request=decide(paid(), "5.00"))
    assert note is not None
    [line] = note.data["lines"]
    told = ("name", "quantity", "free_quantity", "total")
    assert [line[name] for name in told] == ["Remboursement partiel", 1, 0, "5.00"]


def test_voided_installments_are_credited_and_not_told_as_refunded(paid) -> None:
    order = paid()
    note = issue_credit_note(request=decide(order, "30.00", voided="20.00"))
    assert note is not None
    assert note.data["refund"] == {
        "refunded": "10.00",
        "refunded_on": note.data["issued_on"],
        "voided": "20.00",
        "taken_back": "0.00",
    }
    note = issue_credit_note(request=decide(order, "5.00", voided="5.00"))
    assert note is not None
    assert note.data["refund"] == {
        "refunded": "0.00", "refunded_on": None, "voided": "5.00", "taken_back": "0.00",
    }  # fmt: skip


def test_a_note_says_refunded_on_the_day_on_which_the_last_of_its_money_left(paid) -> None:
    order = paid()
    request, other = decide(order, "30.00"), decide(order, "1.00")
    sent = [("10.00", 24, request), ("15.00", 26, request), ("5.00", 25, request), ("1.00", 27, other)]
    for amount, day, of in sent:
        Refund.objects.create(
            order=order, attempt=order.payments.get().attempts.get(), request=of, amount=Decimal(amount),
            state="succeeded", settled_at=utc(2026, 11, day, 12), provider_id=f"re_{day}",
        )  # fmt: skip
    note = issue_credit_note(request=request)
    assert note is not None
    assert (note.data["refund"]["refunded"], note.data["refund"]["refunded_on"]) == ("30.00", "2026-11-26")


def test_asking_again_gives_the_first_one_back(paid) -> None:
    request = decide(paid(), "5.00")
    assert issue_credit_note(request=request) == issue_credit_note(request=request)
    assert Invoice.objects.count() == 2


def test_an_order_that_was_never_confirmed_has_none() -> None:
    request = decide(make_order(), "5.00")
    assert issue_credit_note(request=request) is None
    assert Invoice.objects.count() == 0
    # The mail about the refund does not wait for it.
    assert documents.credit_note_attachment(request.pk).required is False


def test_art_258_a_a_credit_note_gives_back_the_vat_that_was_charged(paid) -> None:
    set_shop(eu_sales_threshold=Decimal("0.00"))
    order = paid((make_product(price="119.00"), 1), country="DE")
    set_shop(eu_sales_threshold=Decimal("99999.00"))
    note = issue_credit_note(request=decide(order, "119.00"))
    assert note is not None
    assert (note.total, note.vat) == (Decimal("-119.00"), Decimal("-19.00"))
    assert [note.data[name] for name in ("subtotal", "shipping", "total")] == ["119.00", "0.00", "119.00"]
    assert "293 B" not in str(note.data)


# --- Corrections --------------------------------------------------------------------------------------

NEW_NAME = DraftValues(
    customer_name="SARL Martin", customer_address="9 quai Perrache\n69002 Lyon", notes="Bon 12"
)


def rows() -> list[Any]:
    return [
        list(model.objects.order_by("pk").values_list())
        for model in (Invoice, InvoiceDraft, OutgoingMail, InvoiceDocument)
    ]


def test_before_payment_values_are_kept_for_the_invoice_to_come() -> None:
    order = make_order()
    assert edit_invoice(order_id=order.pk, values=NEW_NAME) is None
    draft = InvoiceDraft.objects.get()
    assert (draft.order, draft.customer_name, draft.notes) == (order, "SARL Martin", "Bon 12")
    assert Invoice.objects.count() == 0


def test_an_issued_invoice_is_credited_whole_and_issued_anew(paid) -> None:
    order = paid()
    first = Invoice.objects.get()
    second = edit_invoice(order_id=order.pk, values=NEW_NAME, explanation="Nom de la société oublié")
    assert second is not None
    first.refresh_from_db()
    note = Invoice.objects.get(kind="credit_note")
    assert [first.sequence, note.sequence, second.sequence] == [1, 2, 3]
    assert (note.total, note.credits) == (-first.total, first)
    assert (second.version, second.total, second.vat) == (2, first.total, first.vat)
    assert second.data["customer"]["name"] == "SARL Martin"
    assert second.data["replaces"] == {
        "number": first.number,
        "issued_on": first.data["issued_on"],
        "credit_note": note.number,
        "reason": "Nom de la société oublié",
    }
    assert second.data["lines"] == first.data["lines"]
    mail = OutgoingMail.objects.get(kind="invoice")
    assert [reference["id"] for reference in mail.attachments] == [str(second.pk), str(note.pk)]
    assert deliver(mail.pk) == MailState.SENT
    sent = django_mail.outbox[-1]
    assert sent.subject == f"Votre facture rectifiée {second.number}"
    assert [part[0] for part in sent.attachments] == [
        f"facture-{second.number}.pdf",
        f"avoir-{note.number}.pdf",
    ]
    assert "Nom de la société oublié" in sent.body


def test_of_a_corrected_invoice_the_first_one_alone_is_called_replaced(paid) -> None:
    order = paid()
    edit_invoice(order_id=order.pk, values=NEW_NAME, explanation="Nom")
    listed = [entry for entry in documents_of(order) if not entry.is_contract]
    assert [(entry.is_credit_note, entry.is_replaced) for entry in listed] == [
        (False, True),
        (True, False),
        (False, False),
    ]


def test_the_same_form_twice_corrects_once(paid) -> None:
    order = paid()
    first = edit_invoice(order_id=order.pk, values=NEW_NAME, explanation="Nom")
    assert edit_invoice(order_id=order.pk, values=NEW_NAME, explanation="Nom") == first
    assert Invoice.objects.count() == 3


def test_a_form_of_an_invoice_that_was_corrected_meanwhile_undoes_nothing(paid) -> None:
    order = paid()
    seen = Invoice.objects.get().number
    second = edit_invoice(order_id=order.pk, values=NEW_NAME, explanation="Nom", seen=seen)
    assert second is not None
    before = rows()
    stale = DraftValues(notes="Bon 13")
    with pytest.raises(Problem) as refused:
        edit_invoice(order_id=order.pk, values=stale, explanation="Bon", seen=seen)
    assert (refused.value.status, refused.value.code) == (409, "conflict")
    assert rows() == before
    assert edit_invoice(order_id=order.pk, values=NEW_NAME, explanation="Nom", seen=seen) == second
    assert edit_invoice(order_id=order.pk, values=stale, explanation="Bon", seen=second.number) is not None


def test_a_correction_without_explanation_is_refused(paid) -> None:
    order = paid()
    before = rows()
    with pytest.raises(Problem) as refused:
        edit_invoice(order_id=order.pk, values=NEW_NAME)
    assert (refused.value.status, refused.value.code) == (400, "explanation_required")
    assert list(refused.value.errors) == ["explanation"]
    assert rows() == before


def test_an_invoice_that_was_credited_is_not_corrected(paid) -> None:
    order = paid()
    issue_credit_note(request=decide(order, "5.00"))
    before = rows()
    with pytest.raises(Problem) as refused:
        edit_invoice(order_id=order.pk, values=NEW_NAME, explanation="Nom")
    assert (refused.value.status, refused.value.code) == (409, "invoice_credited")
    assert rows() == before


# --- Mails and documents ------------------------------------------------------------------------------


def test_the_confirmation_carries_the_invoice(paid) -> None:
    paid()
    invoice = Invoice.objects.get()
    confirmation = OutgoingMail.objects.get(kind="order_confirmation")
    assert deliver(confirmation.pk) == MailState.SENT
    contract, (name, content, mime_type) = django_mail.outbox[0].attachments
    assert (name, mime_type) == (f"facture-{invoice.number}.pdf", "application/pdf")
    assert content == bytes(InvoiceDocument.objects.get().pdf)
    assert contract[0] == f"contrat-{invoice.order.reference}.pdf"
    assert contract[1] == bytes(ContractDocument.objects.get().pdf)
    assert not OutgoingMail.objects.filter(kind="invoice").exists()


def test_a_confirmation_that_left_without_is_followed_by_the_invoice(paid, monkeypatch) -> None:
    paid()

    def broken(data: dict[str, Any]) -> bytes:
        raise OSError("no typesetter")

    with monkeypatch.context() as patch:
        patch.setattr(documents, "typeset", broken)
        confirmation = OutgoingMail.objects.get(kind="order_confirmation")
        assert deliver(confirmation.pk) == MailState.SENT
        assert [part[0][:7] for part in django_mail.outbox[0].attachments] == ["contrat"]
        follower = OutgoingMail.objects.get(kind="invoice")
        assert deliver(follower.pk) == MailState.QUEUED
    follower.refresh_from_db()
    assert deliver(follower.pk, now=follower.next_attempt_at) == MailState.SENT
    invoice = Invoice.objects.get()
    assert django_mail.outbox[1].subject == f"Votre facture {invoice.number}"
    assert [part[0] for part in django_mail.outbox[1].attachments] == [f"facture-{invoice.number}.pdf"]


def test_the_documents_are_made_by_the_mail_that_carries_them_and_once(
    paid, queued_tasks, run_on_commit
) -> None:
    with run_on_commit():
        paid()
    assert not [name for name in queued_tasks.names if name.endswith("_document")]
    assert not InvoiceDocument.objects.exists()
    assert deliver(OutgoingMail.objects.get(kind="order_confirmation").pk) == MailState.SENT
    first = InvoiceDocument.objects.get()
    assert documents.ensure_document(Invoice.objects.get()) == first


def test_a_document_whose_worker_was_lost_is_found(paid, caplog) -> None:
    paid()
    now = timezone.now()
    assert documents.make_missing_documents(now) == 0
    assert documents.make_missing_documents(now + documents.SWEEP_AFTER * 2) == 1
    assert InvoiceDocument.objects.count() == 1


def test_a_document_that_ends_its_worker_is_tried_five_times_a_day(paid, monkeypatch) -> None:
    later = timezone.now() + documents.SWEEP_AFTER * 2
    killing, other = paid().invoices.get(), paid().invoices.get()
    ensure, begun = documents.ensure_document, []

    class Killed(BaseException):
        pass

    def typeset(invoice: Invoice) -> object:
        begun.append(invoice)
        if invoice == killing:
            raise Killed
        return ensure(invoice)

    monkeypatch.setattr(documents, "ensure_document", typeset)
    with monkeypatch.context() as patch:
        # What a process that is killed comes to no more.
        patch.setattr(documents.limits, "restore", lambda *_counted: None)
        for _turn in range(5):
            with pytest.raises(Killed):
                documents.make_missing_documents(later)
    assert begun == [killing] * 5
    with pytest.raises(RuntimeError, match="ended the worker 5 times today"):
        documents.make_missing_documents(later)
    assert begun == [*[killing] * 5, other]
    assert InvoiceDocument.objects.get().invoice == other


@pytest.mark.parametrize(("ahead", "made"), [(timedelta(minutes=9), 0), (timedelta(days=365), 1)])
def test_a_document_of_a_clock_that_was_ahead_does_not_wait_for_its_date(paid, ahead, made) -> None:
    paid()
    assert documents.make_missing_documents(timezone.now() - ahead) == made


def test_one_that_can_not_be_typeset_does_not_hold_the_others(paid, monkeypatch, caplog) -> None:
    paid()
    paid()
    original = documents.typeset

    def broken_first(data: dict[str, Any]) -> bytes:
        if data["number"].endswith("1"):
            raise OSError("no typesetter")
        return original(data)

    monkeypatch.setattr(documents, "typeset", broken_first)
    # Nor those that one run has no time for.
    monkeypatch.setattr(documents, "SWEEP_AT_ONCE", 1)
    for contracts in (1, 2):
        with pytest.raises(OSError, match="no typesetter"):
            make_lost_documents(timezone.now() + documents.SWEEP_AFTER * 2)
        assert InvoiceDocument.objects.get().invoice.sequence == 2
        assert ContractDocument.objects.count() == contracts
