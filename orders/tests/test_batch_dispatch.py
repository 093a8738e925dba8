"""Sending many orders at once: which are ready, what becomes of each, and the same again."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from orders.models import Attempt, Order, Shipment, WorkPiece
from orders.packing.documents import slip_view
from orders.selectors.refund_rules import ReturnedLine
from orders.services.fulfilment import dispatch as batch
from orders.services.fulfilment.status_changes import change_status
from orders.services.refunds.disputes import sync_disputes
from orders.tests.factories import make_order, make_product, pay_order
from orders.tests.withdrawing import declare
from shop.core.models import OutgoingMail

pytestmark = pytest.mark.django_db
PATH = "/api/admin/dispatch"


def ready(*lines: tuple[Any, int]) -> Order:
    order = pay_order(make_order(*lines))
    WorkPiece.objects.filter(item__order=order).update(stage="to_pack")
    return order


def dispatch(client, *orders: tuple[Any, str], path: str = PATH):
    said = [{"id": str(key), "carrier": "colissimo", "tracking_number": number} for key, number in orders]
    return client.post(path, {"orders": said}, content_type="application/json")


def outcomes(answer) -> list[tuple[str, str]]:
    return [(row["outcome"], row["code"]) for row in answer.json()["results"]]


def mails(order: Order) -> int:
    return OutgoingMail.objects.filter(reference=order.reference, kind="order_status").count()


def test_orders_are_ready_once_all_their_pieces_are(staff_client, django_assert_max_num_queries):
    order, waiting = ready((make_product("Golem"), 2)), pay_order(make_order((make_product("Hibou"), 2)))
    WorkPiece.objects.filter(item__order=waiting, number=1).update(stage="to_pack")
    ready((make_product("Renard"), 1))
    with django_assert_max_num_queries(8):
        rows = staff_client.get(PATH).json()["results"]
    assert sorted(row["pieces"] for row in rows) == [["1 × Renard"], ["2 × Golem"]]
    [row] = staff_client.get(PATH, {"reference": f" {order.reference.lower()} "}).json()["results"]
    assert (row["id"], row["to"], row["place"]) == (str(order.pk), "lea@example.com", "Lyon · FR")
    assert staff_client.get(PATH, {"reference": waiting.reference}).json()["results"] == []


def test_who_packs_reads_what_the_customer_wrote(staff_client):
    noted = ready()
    Order.objects.filter(pk=noted.pk).update(notes="3e étage\nAvant midi")
    ready()
    rows = staff_client.get(PATH).json()["results"]
    assert sorted(row["notes"] for row in rows) == ["", "3e étage\nAvant midi"]
    cards = staff_client.get("/api/admin/board").json()["cards"]
    assert {card["order_id"]: card["has_notes"] for card in cards}[str(noted.pk)] is True
    assert sorted({card["has_notes"] for card in cards}) == [False, True]


@pytest.mark.usefixtures("provider")
def test_who_packs_reads_what_is_not_to_be_sent(staff_client, provider, django_assert_max_num_queries):
    contested, reviewed, withdrawn, free = ready(), ready(), ready((make_product("Hibou"), 2)), ready()
    attempt = Attempt.objects.get(payment__order=contested)
    provider.open_dispute(attempt, None)
    sync_disputes(attempt.intent_id)
    Order.objects.filter(pk=reviewed.pk).update(review_reason="paid without a charge")
    declare(withdrawn, order=withdrawn, lines=(ReturnedLine(withdrawn.items.get().pk, 1),))
    with django_assert_max_num_queries(10):
        rows = staff_client.get(PATH).json()["results"]
    contested_mark = "Ne pas expédier\u00a0: la banque du client conteste ou a repris son paiement"
    marks = {
        contested.reference: contested_mark,
        reviewed.reference: "À vérifier avant d'expédier\u00a0: Stripe dit «\u00a0payé\u00a0» sans montrer de débit",
        withdrawn.reference: "Ne pas expédier\u00a0: le client s'est rétracté",
        free.reference: "",
    }
    assert {row["reference"]: row["warning"] for row in rows} == marks
    # So do the sheets that are printed for their parcels; in French, whatever its customer reads.
    Order.objects.filter(pk=contested.pk).update(language="de")
    assert [slip_view(Order.objects.get(pk=each.pk))["mark"] for each in (contested, free)] == [
        contested_mark,
        "",
    ]


def test_each_order_has_its_own_outcome(staff_client):
    first, second, begun = ready(), ready(), pay_order(make_order())
    answer = dispatch(
        staff_client, (first.pk, "6A1"), (begun.pk, "6A2"), (uuid.uuid4(), "6A3"), (second.pk, "")
    )
    assert outcomes(answer) == [
        ("shipped", ""), ("refused", "pieces_not_ready"), ("refused", "not_found"), ("shipped", ""),
    ]  # fmt: skip
    assert answer.json()["results"][1]["detail"] == "Toutes ses pièces ne sont pas prêtes à emballer."
    assert [Order.objects.get(pk=order.pk).status for order in (first, second, begun)] == [
        "shipped", "shipped", "confirmed",
    ]  # fmt: skip
    parcel = Shipment.objects.get(order=first)
    assert (parcel.carrier, parcel.tracking_number) == ("colissimo", "6A1")
    assert [mails(order) for order in (first, second, begun)] == [1, 1, 0]


def test_one_that_somebody_changed_since_its_mail_was_read_stays(staff_client):
    changed, same = ready((make_product("Golem"), 2)), ready()
    read = dispatch(staff_client, (changed.pk, "6A1"), (same.pk, "6A2"), path=f"{PATH}?preview").json()
    said = [
        {"id": row["id"], "tracking_number": number, "expected_updated_at": row["updated_at"]}
        for row, number in zip(read["results"], ("6A1", "6A2"), strict=True)
    ]
    Order.objects.get(pk=changed.pk).save()
    answer = staff_client.post(PATH, {"orders": said}, content_type="application/json")
    assert outcomes(answer) == [("refused", "conflict"), ("shipped", "")]
    assert Shipment.objects.get().order_id == same.pk
    again = staff_client.post(PATH, {"orders": said}, content_type="application/json")
    assert outcomes(again) == [("refused", "conflict"), ("already", "")]


def test_an_order_that_the_database_refuses_keeps_no_other_and_is_told(staff_client, monkeypatch):
    first, second = ready(), ready()
    send = batch._send

    def fail(one, actor):
        if one.order_id == first.pk:
            raise OperationalError("lock timeout")
        return send(one, actor)

    monkeypatch.setattr(batch, "_send", fail)
    answer = dispatch(staff_client, (first.pk, "6A1"), (second.pk, "6A2"))
    assert outcomes(answer) == [("refused", "unavailable"), ("shipped", "")]
    detail = "Cette commande n'a pas pu être expédiée. Réessayez."
    assert answer.json()["results"][0]["detail"] == detail
    assert list(Shipment.objects.values_list("order", flat=True)) == [second.pk]


def test_a_closed_order_is_not_sent(staff_client):
    order = ready()
    change_status(order_id=order.pk, status="cancelled", refund=False, reason="Retour.", actor=None)
    assert outcomes(dispatch(staff_client, (order.pk, "6A1"))) == [("refused", "transition_impossible")]
    assert not Shipment.objects.exists()


def test_the_same_again_sends_nothing_twice(staff_client):
    order = ready()
    dispatch(staff_client, (order.pk, "6A1"))
    again = dispatch(staff_client, (order.pk, "6A1"), (order.pk, "6 A 1"))
    assert outcomes(again) == [("already", "")] * 2
    answer = dispatch(staff_client, (order.pk, "6A9"))
    assert outcomes(answer) == [("refused", "already_shipped")]
    assert answer.json()["results"][0]["detail"] == (
        "Cette commande est déjà partie avec le numéro «\u00a06A1\u00a0»."
    )
    assert (mails(order), Shipment.objects.filter(order=order).count()) == (1, 1)


def test_a_preview_shows_each_mail_and_sends_nothing(staff_client):
    order, begun = ready(), pay_order(make_order())
    answer = dispatch(staff_client, (order.pk, "6A1"), (begun.pk, ""), path=f"{PATH}?preview")
    assert outcomes(answer) == [("shipped", ""), ("refused", "pieces_not_ready")]
    [mail] = answer.json()["results"][0]["mails"]
    assert mail["to"] == "lea@example.com"
    assert "6A1" in mail["text"]
    assert (Order.objects.get(pk=order.pk).status, mails(order), Shipment.objects.count()) == (
        "confirmed",
        0,
        0,
    )


def test_a_preview_names_the_other_orders_that_have_the_same_number(staff_client):
    first, second, other, sent, undone = ready(), ready(), ready(), ready(), ready()
    # As a scanner reads it, as a label prints it, as a page does.
    dispatch(staff_client, (sent.pk, "6 A1"), (undone.pk, "6A2"))
    Shipment.objects.filter(order=undone).update(undone_at=timezone.now())
    preview = [(first.pk, "6A1"), (second.pk, "6A\u00a01"), (other.pk, "6A2"), (uuid.uuid4(), "")]
    rows = dispatch(staff_client, *preview, path=f"{PATH}?preview").json()["results"]
    assert [row["same_number"] for row in rows] == [
        sorted([second.reference, sent.reference]),
        sorted([first.reference, sent.reference]),
        [],
        [],
    ]


@pytest.mark.parametrize("count", [0, 51])
def test_too_few_or_too_many_orders_are_refused(staff_client, count):
    assert dispatch(staff_client, *[(uuid.uuid4(), "")] * count).status_code == 400
