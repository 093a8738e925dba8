"""What administrators do with an order, by API and in Django's admin: statuses, removal."""

from __future__ import annotations

import json
import uuid
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from accounts.tests.people import make_member
from catalog.models import Product
from orders.books.audit_checks import check_ledger
from orders.models import (
    Attempt,
    Dispute,
    LedgerEntry,
    Order,
    OrderEvent,
    OrderItem,
    OrderStatus,
    OrderTracking,
    Payment,
    RefundRequest,
    StockHold,
)
from orders.services.fulfilment import status_changes
from orders.services.fulfilment.archiving import restore_order
from orders.services.payments.settlement import settle
from orders.tests.factories import checkout_body, line, make_order, make_product, make_seller, pay_order
from orders.tests.installments import offer_installments
from shop.core.models import OutgoingMail
from shop.core.problems import Problem

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

SEVEN = ("pending", "confirmed", "processing", "shipped", "delivered", "cancelled", "refunded")


@pytest.fixture
def order():
    return pay_order(make_order())


def post(client: Client, order: Order, **body):
    return client.post(
        f"/api/admin/orders/{order.pk}/status", json.dumps(body), content_type="application/json"
    )


def snapshot(order: Order):
    order.refresh_from_db()
    return (
        order.status,
        list(order.tracking.values_list("status", "message")),
        list(order.payments.values_list("state", flat=True)),
        OrderEvent.objects.filter(order=order).count(),
        OutgoingMail.objects.count(),
        RefundRequest.objects.count(),
    )


# --- Who may -----------------------------------------------------------------------------------


def test_only_administrators(order):
    member = Client()
    member.force_login(make_member())
    for client, code in ((Client(), 401), (member, 403)):
        assert client.get("/api/admin/orders").status_code == code
        assert client.get(f"/api/admin/orders/{order.pk}").status_code == code
        assert client.delete(f"/api/admin/orders/{order.pk}").status_code == code
        before = snapshot(order)
        assert post(client, order, status="shipped").status_code == code
        assert snapshot(order) == before


# --- Statuses ----------------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["processing", "shipped", "delivered", "cancelled"])
def test_a_status_with_entry_actor_and_mail(staff_client, admin, order, status):
    answer = post(
        staff_client,
        order,
        status=status,
        message="Un mot.",
        tracking_number="6A1",
        refund=False,
        reason="Acompte.",
    )
    assert answer.status_code == 200, answer.content
    assert answer.json()["status"] == status
    order.refresh_from_db()
    assert order.status == status
    entry = order.tracking.first()
    assert (entry.status, entry.message, entry.tracking_number, entry.actor) == (
        status,
        "Un mot.",
        "6A1",
        admin,
    )
    mail = OutgoingMail.objects.filter(kind="order_status").get()
    assert (mail.to, mail.context["order"]["status"], mail.context["message"]) == (
        order.email,
        status,
        "Un mot.",
    )
    # `refund: false` moved no money.
    assert LedgerEntry.objects.count() == 1
    assert RefundRequest.objects.count() == 0


@pytest.mark.parametrize("status", ["cancelled", "refunded"])
def test_a_paid_order_asks_what_becomes_of_the_money(staff_client, order, status):
    before = snapshot(order)
    answer = post(staff_client, order, status=status)
    assert answer.status_code == 409
    problem = answer.json()
    assert problem["code"] == "refund_decision_needed"
    assert problem["refundable"] == "49.99"
    assert problem["detail"] == "Cette commande est payée\xa0: faut-il rembourser 49,99\xa0€ au client\xa0?"
    assert snapshot(order) == before


def test_the_longest_key_fits_where_the_decision_keeps_it(staff_client, order):
    key = "k" * 255
    for _ in range(2):
        answer = staff_client.post(
            f"/api/admin/orders/{order.pk}/status",
            json.dumps({"status": "refunded", "refund": True}),
            content_type="application/json",
            headers={"idempotency-key": key},
        )
        assert (answer.status_code, answer.json()["status"]) == (200, "refunded")
    kept = RefundRequest.objects.get()
    # SQLite keeps what is too long for its column; PostgreSQL refuses it.
    kept.clean_fields()
    assert kept.amount == Decimal("49.99")


@pytest.mark.parametrize("status", ["cancelled", "refunded"])
def test_with_a_refund_everything_left_is_credited_once(staff_client, order, status):
    for _ in range(2):
        answer = post(staff_client, order, status=status, refund=True, message="Pièce cassée.")
        assert (answer.status_code, answer.json()["status"]) == (200, status)
    request = RefundRequest.objects.get()
    assert (request.amount, request.reason) == (Decimal("49.99"), "Pièce cassée.")


def test_closing_an_order_in_installments_without_a_refund_credits_what_is_no_longer_due(staff_client):
    make_seller()
    offer_installments()
    order = pay_order(make_order((make_product("Hibou", "150.00"), 1), payment_mode="installments"))

    assert post(staff_client, order, status="cancelled", refund=False, reason="Acompte.").status_code == 200

    request = RefundRequest.objects.get()
    assert (request.amount, request.voided, request.refunds.count()) == (
        Decimal("100.00"),
        Decimal("100.00"),
        0,
    )
    assert [payment.state for payment in order.payments.order_by("position")] == ["paid", "void", "void"]
    assert [note.total for note in order.invoices.order_by("sequence")] == [
        Decimal("150.00"),
        Decimal("-100.00"),
    ]
    assert list(check_ledger()) == []


@pytest.mark.parametrize(
    ("shipped", "state", "notes"), [(False, "void", [Decimal("-100.00")]), (True, "written_off", [])]
)
def test_closed_while_a_bank_looks_the_goods_decide_what_the_unpaid_part_becomes(
    staff_client, shipped, state, notes
):
    make_seller()
    offer_installments()
    order = pay_order(make_order((make_product("Hibou", "150.00"), 1), payment_mode="installments"))
    if shipped:
        assert post(staff_client, order, status="shipped").status_code == 200
    paid = order.payments.get(position=1).attempts.get()
    Dispute.objects.create(order=order, attempt=paid, provider_id="du_1", amount=Decimal("50.00"))
    LedgerEntry.objects.create(
        order=order, payment=paid.payment, kind="dispute", amount=Decimal("-50.00"), provider_id="du_1"
    )

    assert post(staff_client, order, status="cancelled", refund=False, reason="Acompte.").status_code == 200

    order.refresh_from_db()
    assert order.status == OrderStatus.CANCELLED
    assert [payment.state for payment in order.payments.order_by("position")] == ["paid", state, state]
    credited = order.invoices.filter(kind="credit_note").values_list("total", flat=True)
    assert list(credited) == notes
    assert list(check_ledger()) == []
    # Said again, nothing more is written.
    assert post(staff_client, order, status="cancelled", refund=False, reason="Acompte.").status_code == 200
    assert order.invoices.count() == 1 + len(notes)


def test_coming_back_from_cancelled_while_the_money_is_there(staff_client, order):
    assert post(staff_client, order, status="cancelled", refund=False, reason="Acompte.").status_code == 200
    assert post(staff_client, order, status="confirmed").json()["status"] == "confirmed"
    assert post(staff_client, order, status="cancelled", refund=True).status_code == 200
    before = snapshot(order)
    answer = post(staff_client, order, status="processing")
    assert (answer.status_code, answer.json()["code"]) == (409, "order_not_paid")
    assert snapshot(order) == before


@pytest.mark.parametrize("status", [status for status in SEVEN if status not in ("pending", "cancelled")])
def test_an_unpaid_order_takes_no_status_of_a_paid_one(staff_client, status):
    order = make_order()
    before = snapshot(order)
    answer = post(staff_client, order, status=status, refund=False)
    assert (answer.status_code, answer.json()["code"]) == (409, "order_not_paid")
    assert snapshot(order) == before


@pytest.mark.parametrize(
    "body",
    [{}, {"status": "lost"}, {"status": "shipped", "message": "a" * 501}, {"status": ["shipped"]},
     {"status": "shipped", "tracking_number": 5}, {"status": "cancelled", "refund": "perhaps"}],
)  # fmt: skip
def test_a_bad_demand_changes_nothing(staff_client, order, body):
    before = snapshot(order)
    answer = post(staff_client, order, **body)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    assert snapshot(order) == before


def test_unknown_orders_are_404(staff_client):
    unknown = Order(pk=uuid.uuid4())
    assert post(staff_client, unknown, status="shipped").status_code == 404
    assert staff_client.delete(f"/api/admin/orders/{unknown.pk}").status_code == 404


# --- Removing ----------------------------------------------------------------------------------


def test_an_unpaid_order_is_deleted_with_all_it_has(staff_client):
    product = make_product(stock_quantity=2)
    order = make_order((product, 2))
    assert Product.objects.get().stock_quantity == 0
    answer = staff_client.delete(f"/api/admin/orders/{order.pk}")
    assert answer.status_code == 200
    assert answer.json() == {"result": "deleted", "detail": "La commande a été supprimée avec succès."}
    for model in (Order, OrderItem, OrderTracking, Payment, Attempt, StockHold, OrderEvent):
        assert not model.objects.exists()
    assert Product.objects.get().stock_quantity == 2


def test_an_order_that_is_paid_as_staff_cancel_it_stays_and_nobody_is_told(staff_client, monkeypatch):
    order, judge, paid = make_order(), status_changes.transition_problem, []

    def judge_as_it_is_paid(seen: Order, status: str):
        refused = judge(seen, status)
        paid.append(snapshot(pay_order(Order.objects.get(pk=order.pk))))
        return refused

    monkeypatch.setattr(status_changes, "transition_problem", judge_as_it_is_paid)
    answer = post(staff_client, order, status="cancelled", message="Nous n'avons plus d'argile.")
    assert (answer.status_code, answer.json()["code"]) == (409, "order_just_paid")
    assert [snapshot(order)] == paid
    assert order.status == OrderStatus.CONFIRMED


def test_a_paid_order_that_is_done_is_archived_and_can_be_restored(staff_client, admin, order):
    assert post(staff_client, order, status="delivered").status_code == 200
    answer = staff_client.delete(f"/api/admin/orders/{order.pk}")
    assert (answer.status_code, answer.json()["result"]) == (200, "archived")
    assert staff_client.get("/api/admin/orders?include=unpaid").json()["results"] == []
    assert LedgerEntry.objects.count() == 1
    assert staff_client.delete(f"/api/admin/orders/{order.pk}").status_code == 404
    restore_order(order_id=order.pk, actor=admin)
    [row] = staff_client.get("/api/admin/orders").json()["results"]
    assert row["id"] == str(order.pk)
    assert list(order.events.filter(name__in=["order.archived", "order.restored"]).values_list("name", "actor")) == [
        ("order.archived", admin.pk), ("order.restored", admin.pk)
    ]  # fmt: skip
    with pytest.raises(Problem) as refused:
        restore_order(order_id=order.pk, actor=admin)
    assert refused.value.code == "order_not_archived"


@pytest.mark.django_db(transaction=True)
class TestWithStripe:
    """The payment page of an unpaid order is closed before anything is decided."""

    @pytest.fixture
    def open_order(self, fake_stripe, shopper):
        assert (
            shopper.checkout(checkout_body([line(make_product(price="60.00"))], "60.00")).status_code == 201
        )
        return Order.objects.get()

    def test_deleting_closes_the_page_first(self, fake_stripe, shopper, staff_client, open_order):
        checkout_session_id = Attempt.objects.get().checkout_session_id
        assert staff_client.delete(f"/api/admin/orders/{open_order.pk}").json()["result"] == "deleted"
        [expired] = [event for event in fake_stripe.events() if event["type"] == "checkout.session.expired"]
        assert expired["data"]["object"]["id"] == checkout_session_id
        # The message about the page comes when the order is gone: nothing to do, and no need to send it again.
        assert shopper.webhook(expired) == 200
        assert not Order.objects.exists()

    def test_one_that_was_just_paid_stays(self, fake_stripe, staff_client, open_order):
        fake_stripe.pay(open_order)
        answer = staff_client.delete(f"/api/admin/orders/{open_order.pk}")
        assert (answer.status_code, answer.json()["code"]) == (409, "order_just_paid")
        open_order.refresh_from_db()
        assert (open_order.status, open_order.archived_at) == ("confirmed", None)

    @pytest.mark.parametrize("act", ["delete", "cancel"])
    def test_stripe_away_changes_nothing(self, fake_stripe, staff_client, open_order, act):
        fake_stripe.control("faults", kind="error", status=503, path="/v1/checkout", times=20)
        before = snapshot(open_order)
        if act == "delete":
            answer = staff_client.delete(f"/api/admin/orders/{open_order.pk}")
        else:
            answer = post(staff_client, open_order, status="cancelled")
        assert (answer.status_code, answer.json()["code"]) == (503, "payment_unavailable")
        assert snapshot(open_order) == before

    def test_cancelling_an_unpaid_order_tells_the_customer(
        self, fake_stripe, staff_client, admin, open_order
    ):
        answer = post(staff_client, open_order, status="cancelled", message="Plus de résine.")
        assert (answer.status_code, answer.json()["status"]) == (200, "cancelled")
        entry = OrderTracking.objects.get()
        assert (entry.status, entry.message, entry.actor) == ("cancelled", "Plus de résine.", admin)
        assert OutgoingMail.objects.filter(kind="order_status").count() == 1

    def test_a_refund_that_the_bank_rejects_brings_the_order_back(
        self, fake_stripe, shopper, staff_client, open_order, queued_tasks
    ):
        fake_stripe.pay(open_order)
        settle(Attempt.objects.get().pk)
        fake_stripe.control("refunds/next", begins="succeeded", ends="failed", seconds=0)
        assert post(staff_client, open_order, status="refunded", refund=True).json()["status"] == "refunded"
        queued_tasks.run()
        fake_stripe.control("clock", seconds=60)
        for event in fake_stripe.events():
            assert shopper.webhook(event) == 200
        open_order.refresh_from_db()
        assert open_order.status == "confirmed"


# --- Django's admin ----------------------------------------------------------------------------


def page(order: Order, name: str) -> str:
    return reverse(f"admin:orders_order_{name}", args=[order.pk])
