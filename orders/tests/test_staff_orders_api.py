"""What the staff's screen of an order calls: its sheet, parcels, notes, address, previews, and what is printed."""

from __future__ import annotations

from datetime import timedelta
from io import BytesIO
from uuid import uuid4

import pytest
from django.db.models import F
from django.utils import timezone
from pypdf import PdfReader

from accounts.services import grant_role
from accounts.tests.people import make_member
from orders.models import Order, OrderNote, OrderStatus, RefundRequest, Shipment
from orders.selectors.refund_rules import ReturnedLine
from orders.services.fulfilment.archiving import remove_order
from orders.services.fulfilment.status_changes import change_status
from orders.services.refunds.decisions import request_refund
from orders.tests.factories import make_finished_product, make_order, make_product, pay_order
from shop.core.models import OutgoingMail

pytestmark = pytest.mark.django_db


@pytest.fixture
def order() -> Order:
    return pay_order(make_order((make_product("Golem"), 2), (make_product("Hibou"), 1)))


@pytest.fixture
def packer(client):
    """Somebody of the role staff: packs, without the money."""
    user = make_member("emballage@example.com")
    grant_role(user=user, role="staff")
    client.force_login(user)
    return client


def path(order: Order, *parts: object) -> str:
    return "/".join(["/api/admin/orders", str(order.pk), *map(str, parts)])


def post(client, where: str, **body):
    return client.post(where, body, content_type="application/json")


def parcel(order: Order, *units: int, **said) -> dict[str, object]:
    lines = [
        {"item_id": item.pk, "quantity": count}
        for item, count in zip(order.items.all(), units, strict=True)
        if count
    ]
    return {"lines": lines, **said}


def test_the_sheet_says_what_is_sent_and_what_may_be_done(staff_client, order):
    sheet = post(staff_client, path(order, "shipments"), **parcel(order, 1, 0, tracking_number="6A1")).json()
    assert sheet["flags"] == ["partly_sent"]
    assert [(row["product_name"], row["sent_quantity"], row["to_send"]) for row in sheet["lines"]] == [
        ("Golem", 1, 1), ("Hibou", 0, 1),
    ]  # fmt: skip
    [sent] = sheet["shipments"]
    assert (sent["tracking_number"], sent["actor"]) == ("6A1", "admin@example.com")
    assert sheet["may"] == {
        "correct_address": True,
        "ship": True,
        "refund": True,
        "remove": True,
        "cancel": True,
        "note": True,
        "restock": True,
    }
    assert sheet["refundable"] == sheet["total_amount"]
    assert [event["name"] for event in sheet["events"]][-1] == "shipment.sent"
    assert [step["status_label"] for step in sheet["tracking"]] == ["Expédition d'un colis", "Confirmée"]
    read = staff_client.get(path(order)).json()
    assert read == sheet


def test_the_sheet_says_in_words_why_somebody_must_look(staff_client, order):
    Order.objects.filter(pk=order.pk).update(review_reason="dispute: needs_response")
    assert staff_client.get(path(order)).json()["review_reason"] == "Litige bancaire\u00a0: réponse attendue"


def test_lines_are_told_apart_by_finish_and_format(staff_client):
    owl = make_finished_product()
    order = pay_order(make_order((owl, 1), finish="painted"))
    [line] = staff_client.get(path(order)).json()["lines"]
    assert (line["product_name"], line["finish"], line["detail"], line["paid"]) == (
        "Hibou", "painted", "Peint", "80.00",
    )  # fmt: skip


def test_who_packs_sees_no_money_and_refunds_nothing(packer, order):
    sheet = packer.get(path(order)).json()
    assert (sheet["money"], sheet["refundable"], sheet["refunds"], sheet["documents"], sheet["mails"]) == (
        None, "0.00", [], [], [],
    )  # fmt: skip
    [listed] = packer.get("/api/admin/orders").json()["results"]
    for shown in (sheet, listed):
        assert (shown["payments"], shown["payment_intent_id"]) == ([], None)
    assert sheet["may"] == {
        "correct_address": True,
        "ship": True,
        "refund": False,
        "remove": False,
        "cancel": False,
        "note": True,
        "restock": False,
    }
    assert not [event for event in sheet["events"] if event["name"].startswith(("payment.", "refund."))]


def test_a_sheet_says_what_its_status_has_against_archiving(staff_client, packer, order):
    unpaid = make_order((make_product(), 1))
    not_done = "elle n'est ni livrée, ni annulée, ni remboursée"

    def obstacles(client, of):
        return client.get(path(of)).json()["removal_obstacles"]

    assert (obstacles(staff_client, order), obstacles(packer, order)) == ([not_done], [])
    # Never paid: it would be deleted.
    assert obstacles(staff_client, unpaid) == []
    Order.objects.filter(pk=order.pk).update(status=OrderStatus.DELIVERED)
    assert obstacles(staff_client, order) == []


def test_a_sheet_costs_the_same_whatever_its_length(staff_client, django_assert_max_num_queries):
    long = pay_order(make_order(*((make_product(f"Pièce {number}"), 1) for number in range(6))))
    for item in long.items.all():
        post(staff_client, path(long, "shipments"), lines=[{"item_id": item.pk, "quantity": 1}])
        post(staff_client, path(long, "notes"), text="Vu.")
    # Session and user; the order and its parts, the sheet, and ten of the seven offers.
    with django_assert_max_num_queries(2 + 5 + 32 + 10):
        assert staff_client.get(path(long)).status_code == 200


def test_two_people_do_not_overwrite_each_other(staff_client, order):
    seen = staff_client.get(path(order)).json()["updated_at"]
    assert post(staff_client, path(order, "status"), status="processing").status_code == 200
    late = post(staff_client, path(order, "status"), status="shipped", expected_updated_at=seen)
    assert (late.status_code, late.json()["code"]) == (409, "conflict")
    assert late.json()["detail"] == (
        "Quelqu'un a modifié cette commande entre-temps. Vérifiez-la, puis recommencez."
    )
    assert late.json()["current"]["status"] == "processing"
    assert Order.objects.get(pk=order.pk).status == "processing"
    now = late.json()["current"]["updated_at"]
    assert (
        post(staff_client, path(order, "status"), status="shipped", expected_updated_at=now).status_code
        == 200
    )


def test_who_has_not_seen_a_refund_does_not_send_its_pieces(staff_client, order):
    seen = staff_client.get(path(order)).json()["updated_at"]
    item = order.items.last()
    request_refund(order_id=order.pk, key="one", lines=[ReturnedLine(item.pk, 1)])
    for call, demand in (
        ("status", {"status": "shipped"}),
        ("shipments", {"lines": [{"item_id": item.pk, "quantity": 1}]}),
    ):
        late = post(staff_client, path(order, call), expected_updated_at=seen, **demand)
        assert (late.status_code, late.json()["code"]) == (409, "conflict")
    assert not Shipment.objects.exists()


def test_a_preview_shows_the_mail_and_does_nothing(staff_client, order):
    before = staff_client.get(path(order)).json()
    mails = OutgoingMail.objects.count()
    answer = post(staff_client, f"{path(order, 'status')}?preview", status="shipped", tracking_number="6A1")
    [mail] = answer.json()["mails"]
    assert mail["subject"] == f"Votre commande {order.reference} est partie"
    assert (mail["to"], mail["language"]) == ("lea@example.com", "fr")
    assert "6A1" in mail["text"]
    assert "6A1" in mail["html"]
    assert staff_client.get(path(order)).json() == before
    assert OutgoingMail.objects.count() == mails


def test_a_preview_is_refused_as_the_step_itself(staff_client, order):
    answer = post(staff_client, f"{path(order, 'status')}?preview", status="cancelled")
    assert (answer.status_code, answer.json()["code"]) == (409, "refund_decision_needed")
    answer = post(staff_client, f"{path(order, 'status')}?preview", status="cancelled", refund=True)
    subjects = [mail["subject"] for mail in answer.json()["mails"]]
    assert f"Votre commande {order.reference} est annulée" in subjects
    assert not RefundRequest.objects.exists()


def test_what_is_written_to_who_never_paid_is_previewed_without_the_provider(staff_client, monkeypatch):
    """A message to one whose order is called off, or still waits, leaves: the preview said that none does."""
    order = make_order()
    calls = []
    monkeypatch.setattr("orders.services.fulfilment.status_changes.close_unpaid", calls.append)
    before = staff_client.get(path(order)).json()
    preview = f"{path(order, 'status')}?preview"
    for status, subject in (
        ("cancelled", f"Votre commande {order.reference} est annulée"),
        ("pending", f"Des nouvelles de votre commande {order.reference}"),
    ):
        answer = post(staff_client, preview, status=status, message="Le modèle est épuisé.")
        [mail] = answer.json()["mails"]
        assert (mail["to"], mail["subject"]) == ("lea@example.com", subject)
        assert "Le modèle est épuisé." in mail["text"]
    assert post(staff_client, preview, status="cancelled").json() == {"mails": []}
    assert (calls, staff_client.get(path(order)).json()) == ([], before)
    assert not OutgoingMail.objects.filter(kind="order_status").exists()
    address = f"{path(order, 'shipments')}?preview"
    assert post(staff_client, address, **parcel(order, 1)).status_code == 409


def test_a_day_that_is_refused_is_named_as_the_call_names_it(staff_client, order):
    later = (timezone.localdate() + timedelta(days=1)).isoformat()
    answer = post(staff_client, path(order, "shipments"), **parcel(order, 1, 0, sent_on=later))
    why = "L'expédition ne peut être ni à venir ni avant le paiement."
    assert (answer.status_code, answer.json()["errors"]) == (400, {"sent_on": [why]})
    assert not order.shipments.exists()


def test_a_parcel_is_taken_back_by_the_order_that_it_is_of(staff_client, order):
    sheet = post(staff_client, path(order, "shipments"), **parcel(order, 1, 0)).json()
    number = sheet["shipments"][0]["id"]
    other = pay_order(make_order())
    assert post(staff_client, path(other, "shipments", number, "undo"), reason="Non").status_code == 404
    assert post(staff_client, path(order, "shipments", number, "undo")).json()["code"] == "reason_needed"
    sheet = post(staff_client, path(order, "shipments", number, "undo"), reason="Oublié.").json()
    assert (sheet["shipments"][0]["undo_reason"], sheet["flags"]) == ("Oublié.", [])
    told = [(step["status_label"], step["undone"]) for step in sheet["tracking"]]
    assert told == [("Confirmée", False), ("Expédition d'un colis", True), ("Confirmée", False)]


def test_notes_are_corrected_by_notes(packer, order):
    assert post(packer, path(order, "notes"), text=" ").status_code == 400
    first = post(packer, path(order, "notes"), text="Cadeau : sans facture.").json()["staff_notes"][0]
    assert (first["text"], first["author"], first["corrects"]) == (
        "Cadeau : sans facture.", "emballage@example.com", None,
    )  # fmt: skip
    # The second answer of each is the first one's, which was lost on its way.
    assert len(post(packer, path(order, "notes"), text="Cadeau : sans facture. ").json()["staff_notes"]) == 1
    post(packer, path(order, "notes"), text="Sans facture ni bon.", corrects=first["id"])
    sheet = post(packer, path(order, "notes"), text="Sans facture ni bon.", corrects=first["id"]).json()
    assert [note["corrects"] for note in sheet["staff_notes"]] == [None, first["id"]]
    again = post(packer, path(order, "notes"), text="Encore.", corrects=first["id"])
    assert (again.status_code, again.json()["code"]) == (409, "note_corrected")
    foreign = post(packer, path(pay_order(make_order()), "notes"), text="Non.", corrects=first["id"])
    assert foreign.status_code == 404
    assert OrderNote.objects.count() == 2


def test_the_same_words_later_are_another_note(packer, order):
    for hours in (1, 0):
        post(packer, path(order, "notes"), text="Appelé, sans réponse.")
        OrderNote.objects.update(created_at=F("created_at") - timedelta(hours=hours))
    assert OrderNote.objects.count() == 2


ADDRESS = {
    "firstName": "Léa", "lastName": "Martin", "address": "1 quai Malaquais", "postalCode": "75006", "city": "Paris",
    "country": "FR",
}  # fmt: skip


def test_an_address_is_corrected_until_the_order_is_sent(packer, order):
    sheet = post(packer, path(order, "address"), **ADDRESS).json()
    assert sheet["shipping_address"]["city"] == "Paris"
    nameless = post(packer, path(order, "address"), **{**ADDRESS, "lastName": ""})
    assert nameless.json()["errors"] == {"lastName": ["Ce champ est obligatoire."]}
    change_status(order_id=order.pk, status="shipped", actor=None)
    late = post(packer, path(order, "address"), **{**ADDRESS, "city": "Lyon"})
    assert (late.status_code, late.json()["code"]) == (409, "address_final")
    assert Order.objects.get(pk=order.pk).city == "Paris"


@pytest.mark.parametrize("call", ["status", "shipments", "notes", "invoice"])
def test_a_misspelt_name_changes_nothing(staff_client, order, call):
    bodies = {
        "status": {"status": "shipped"},
        "shipments": parcel(order, 1, 0),
        "notes": {"text": "Fragile"},
        "invoice": {},
    }
    answer = post(staff_client, path(order, call), **bodies[call], trackingNumber="6A123")
    assert (answer.status_code, answer.json()["errors"]) == (
        400,
        {"trackingNumber": ["Ce champ n'existe pas."]},
    )
    assert (Order.objects.get(pk=order.pk).status, order.shipments.count()) == (order.status, 0)


def test_a_number_of_a_parcel_that_is_not_there_is_refused(staff_client, order):
    refused = post(
        staff_client, path(order, "status"), status="confirmed", tracking_number="6A1", shipment_id=7
    )
    assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
    assert not order.tracking.filter(tracking_number="6A1").exists()


def test_a_step_whose_number_was_corrected_leads_to_no_parcel(staff_client, order):
    post(staff_client, path(order, "shipments"), **parcel(order, 1, 0, carrier="ups", tracking_number="1Z1"))
    for number in ("1Z2", "1Z3"):
        change = {"status": "confirmed", "tracking_number": number}
        sheet = post(staff_client, path(order, "status"), **change).json()
    assert [(step["tracking_number"], bool(step["parcel_url"])) for step in sheet["tracking"][:3]] == [
        ("1Z3", True), ("1Z2", False), ("1Z1", False),
    ]  # fmt: skip


def test_a_refund_says_what_it_would_do_before_it_does(staff_client, order):
    item = order.items.first()
    demand = {"lines": [{"item_id": item.pk, "quantity": 1, "restock": True}]}
    proposal = post(staff_client, path(order, "refund/preview"), **demand).json()
    assert (proposal["amount"], proposal["money"], proposal["voided"], proposal["complete"]) == (
        "40.00", "40.00", "0.00", False,
    )  # fmt: skip
    assert proposal["lines"] == [
        {
            "item_id": item.pk, "quantity": 1, "amount": "40.00", "worth": "40.00", "restock": True,
            "explanation": "",
        }
    ]  # fmt: skip
    assert not RefundRequest.objects.exists()
    too_much = post(staff_client, path(order, "refund/preview"), amount="900.00").json()
    assert too_much["code"] == "refund_too_much"
    assert too_much["detail"].startswith("Impossible de traiter le remboursement")


def test_slips_and_labels_are_pdfs_in_the_customers_words(packer, order):
    Order.objects.filter(pk=order.pk).update(last_name="N" * 90)
    slip = packer.get(path(order, "slip.pdf"))
    assert (slip["Content-Type"], slip["Cache-Control"]) == ("application/pdf", "private, no-store")
    assert slip.content.startswith(b"%PDF-")
    label = packer.get(f"/api/admin/orders/labels.pdf?order={order.pk}")
    assert label["Content-Disposition"] == f'inline; filename="etiquettes-{order.reference}.pdf"'
    assert label.content.startswith(b"%PDF-")
    # A word that is wider than the sheet goes on below.
    for pdf, widest in ((slip, 50), (label, 24)):
        printed = PdfReader(BytesIO(pdf.content)).pages[0].extract_text().replace("\u200b", "").split()
        assert max(map(len, printed)) == widest
    assert packer.get("/api/admin/orders/labels.pdf").status_code == 400
    assert packer.get("/api/admin/orders/labels.pdf?order=x").status_code == 400
    assert packer.get(f"/api/admin/orders/labels.pdf?order={uuid4()}").status_code == 404
    # None is left out without a word.
    many = packer.get("/api/admin/orders/labels.pdf?" + "&".join(f"order={uuid4()}" for _ in range(101)))
    assert (many.status_code, many.json()["errors"]) == (
        400,
        {"order": ["Au plus 100 dans cette liste."]},
    )
    assert packer.get(f"{path(order, 'slip.pdf')}?shipment=7").status_code == 404


def test_a_name_with_hyphens_breaks_after_them_on_a_label(packer, order):
    Order.objects.filter(pk=order.pk).update(first_name="Maximiliane-Alexandra-Friederike", last_name="Roth")
    label = packer.get(f"/api/admin/orders/labels.pdf?order={order.pk}")
    printed = PdfReader(BytesIO(label.content)).pages[0].extract_text().replace("\u200b", "").split()
    assert printed[printed.index("Maximiliane-Alexandra-") + 1] == "Friederike"


def test_an_archived_order_comes_back(staff_client, order):
    for status in ("shipped", "delivered"):
        change_status(order_id=order.pk, status=status, actor=None)
    remove_order(order_id=order.pk, actor=None)
    assert staff_client.get(path(order)).status_code == 404
    assert post(staff_client, path(order, "restore")).json()["archived_at"] is None
    assert staff_client.get(path(order)).status_code == 200
    assert post(staff_client, path(order, "restore")).json()["code"] == "order_not_archived"
