"""What filing a declaration does: once, whole, and without telling anybody which orders exist."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
import time_machine
from django.utils import timezone

from orders.models import (
    Order,
    OrderEvent,
    OrderStatus,
    Payment,
    PaymentState,
    ShippingZone,
    Withdrawal,
    WithdrawalCase,
    WithdrawalLine,
    WithdrawalState,
)
from orders.selectors.refund_rules import ReturnedLine
from orders.services.fulfilment.status_changes import update_status
from orders.services.withdrawals import cases
from orders.services.withdrawals.declarations import (
    Declaration,
    choose_lines,
    compose_statement,
    declaration_from_json,
    declaration_to_json,
    declare_withdrawal,
)
from orders.tests.factories import make_order, make_product, make_seller, make_zones, pay_order
from orders.tests.installments import offer_installments
from shop.core.models import AttemptCounter, OutgoingMail
from shop.core.problems import Problem
from shop.core.tests.sent_mail import deliver_all, every_part

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

NOON = datetime(2026, 11, 23, 11, 0, tzinfo=UTC)
STATEMENT = """Je notifie par la présente ma rétractation du contrat portant sur la commande {order}.

Ma rétractation porte sur toute la commande.

Nom\u00a0: Léa Martin
Adresse e-mail\u00a0: lea@example.com"""


@pytest.fixture(autouse=True)
def _clock():
    with time_machine.travel(NOON, tick=False):
        yield


def paid_order(*lines, **fields):
    return pay_order(make_order(*lines, **fields))


def installments_order(price="300.00", *more):
    make_seller()
    offer_installments()
    lines = [(make_product("Golem", price), 1), *more]
    return pay_order(make_order(*lines, payment_mode="installments"))


def words(placed, **changes):
    values = {
        "name": "Léa Martin", "email": "lea@example.com", "order_text": placed.reference, "language": "fr", **changes,
    }  # fmt: skip
    return Declaration(**values)


def declare(declaration, caller="192.0.2.1"):
    key = declaration.submission_key(date(2026, 11, 23))
    return declare_withdrawal(declaration=declaration, key=key, caller=caller)


def mails():
    return sorted(OutgoingMail.objects.filter(kind__startswith="withdrawal").values_list("kind", "to"))


def states(order):
    return list(Payment.objects.filter(order=order).order_by("position").values_list("state", "amount"))


def test_l221_21_a_declaration_is_filed_with_its_text_and_moment():
    order = paid_order()

    withdrawal = declare(words(order))

    row = Withdrawal.objects.get()
    assert row == withdrawal
    assert (row.order, row.name, row.email, row.order_text, row.reason, row.language) == (
        order, "Léa Martin", "lea@example.com", order.reference, "", "fr",
    )  # fmt: skip
    assert row.declared_at == NOON
    assert row.statement == STATEMENT.format(order=order.reference)
    case = row.case
    assert (case.order, case.in_time, case.state) == (order, True, WithdrawalState.DECLARED)
    assert case.refund_by == date(2026, 12, 7)
    assert case.taken_up_at == NOON
    assert list(order.events.filter(name__startswith="withdrawal").values_list("name", flat=True)) == [
        "withdrawal.declared",
        "withdrawal.taken_up",
    ]
    assert mails() == [
        ("withdrawal_received", "lea@example.com"),
        ("withdrawal_workshop", "boutique@example.com"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "{reference}",
        "  {lower} ",
        "commande n° {reference}, merci",
        "INV-{reference}",
        "#{reference}",
        "{id}",
        "https://shop.example/commande/{id}?acces=x",
    ],
)
def test_an_order_is_found_however_it_is_named(text):
    order = paid_order()
    typed = text.format(reference=order.reference, lower=order.reference.lower(), id=order.pk)

    assert declare(words(order, order_text=typed[:100], email="LEA@example.com")).order == order


def test_an_order_is_found_by_its_invoice():
    order = paid_order()

    assert declare(words(order, order_text=order.invoices.get().number)).order == order


@pytest.mark.parametrize("email", ["other@example.com", "lea@example.com.evil.example"])
def test_a_foreign_address_or_unknown_order_is_filed_and_changes_no_order(email):
    order = paid_order()
    events = OrderEvent.objects.count()

    withdrawal = declare(words(order, email=email))
    unknown = declare(words(order, order_text="ABCDEF12"))

    for row in (withdrawal, unknown):
        assert row.order is None
        assert (row.case.order, row.case.in_time, row.case.taken_up_at) == (None, None, None)
        assert row.case.state == WithdrawalState.DECLARED
    assert OrderEvent.objects.count() == events


def acknowledged():
    """Recipient and whether the words were quoted, of every acknowledgement."""
    sent = OutgoingMail.objects.filter(kind="withdrawal_received").order_by("pk")
    return [(mail.to, "statement" in mail.context) for mail in sent]


def test_acknowledgement_quotes_to_the_address_of_the_order_alone():
    order = paid_order()
    declare(words(order))
    declare(words(order, email="LEA@example.com", reason="Trop grand."))
    declare(words(order, email="victim@example.com"))
    declare(words(order, order_text="ABCDEF12"))
    # Known by its signed link, another address typed: the order's own is told everything.
    declare(words(order, email="other@example.com", order=order))

    assert acknowledged() == [
        ("lea@example.com", True),
        ("lea@example.com", True),
        ("victim@example.com", False),
        ("lea@example.com", False),
        ("lea@example.com", True),
        ("other@example.com", False),
    ]


EVIL = "Gagnez 1000 € sur https://evil.example"


def test_withdrawal_form_used_to_write_to_a_stranger_sends_few_mails_without_a_word_of_it():
    order = paid_order()
    for number in range(20):
        declare(
            words(
                order, email=f"Victim+{number}@example.com", name=EVIL, order_text=f"{EVIL} {order.reference}",
                reason=f"{EVIL} {number}", goods=EVIL,
            ),
            caller=f"2001:db8:0:{number:x}::1",
        )  # fmt: skip

    assert Withdrawal.objects.count() == 20
    sent = deliver_all(to__icontains="victim")
    assert len(sent) == 3
    for message in sent:
        everything = every_part(message)
        assert not re.search("evil|Gagnez|1000 €", everything)
        assert order.reference in everything
        assert "/retractation/recue?a=" in everything


def test_acknowledgements_of_a_typed_order_are_six_a_day_and_of_its_page_are_never_refused():
    order = paid_order()
    for number in range(8):
        declare(words(order, reason=str(number)))
    assert acknowledged() == [("lea@example.com", True)] * 6
    assert Withdrawal.objects.count() == 8

    declare(words(order, order=order), caller="192.0.2.2")

    assert acknowledged() == [("lea@example.com", True)] * 7


def test_acknowledgement_of_the_customer_is_sent_after_strangers_used_up_the_address():
    order = paid_order()
    for number in range(10):
        declare(words(order, order_text="ABCDEF12", reason=str(number)), caller="198.51.100.1")
    assert acknowledged() == [("lea@example.com", False)] * 3

    declare(words(order))

    assert acknowledged() == [*[("lea@example.com", False)] * 3, ("lea@example.com", True)]


def test_an_unpaid_order_is_no_contract_to_withdraw_from():
    order = make_order()

    assert declare(words(order)).order is None


def test_the_same_declaration_of_a_day_is_filed_once():
    order = paid_order()
    declaration = words(order)

    first = declare(declaration)
    second = declare(declaration)
    third = declare(words(order, reason="Trop grand."))

    assert first == second
    assert third != first
    assert Withdrawal.objects.count() == 2
    assert OutgoingMail.objects.filter(kind="withdrawal_received").count() == 2


@pytest.mark.parametrize("proven", [False, True])
def test_l221_21_the_same_declaration_after_a_refusal_is_filed_anew_on_the_same_day(proven):
    order = paid_order()
    declaration = replace(words(order), order=order) if proven else words(order)
    first = declare(declaration)
    cases.refuse_case(
        case_id=first.case.pk, reason="Vous la gardez.", actor=None,
        revocation_text="Je la garde.", revoked_on=timezone.localdate(),
    )  # fmt: skip

    second = declare(declaration)

    assert (second == first, second.case.state) == (False, WithdrawalState.DECLARED)
    assert declare(replace(declaration, email="Lea@Example.com")) == second
    assert OutgoingMail.objects.filter(kind="withdrawal_received").count() == 2


def test_too_many_declarations_are_refused_and_nothing_is_filed():
    order = paid_order()
    for number in range(10):
        declare(words(order, reason=str(number)))
    before = (Withdrawal.objects.count(), OutgoingMail.objects.count(), OrderEvent.objects.count())

    with pytest.raises(Problem) as refusal:
        declare(words(order, reason="11"))

    assert (refusal.value.code, refusal.value.status) == ("throttled", 429)
    assert refusal.value.detail == (
        "Trop de déclarations. Réessayez dans une heure, ou écrivez-nous\u00a0: un e-mail suffit à vous rétracter."
    )
    assert (Withdrawal.objects.count(), OutgoingMail.objects.count(), OrderEvent.objects.count()) == before
    # What was filed before is given back all the same.
    assert declare(words(order, reason="0")).reason == "0"


def test_nobody_is_shut_out_by_what_others_write_under_their_address():
    order = paid_order()
    for number in range(10):
        declare(words(order, reason=str(number)), caller="198.51.100.1")
    with pytest.raises(Problem, match="Trop de déclarations"):
        declare(words(order, reason="11"), caller="198.51.100.1")

    assert declare(words(order)).order == order


def test_one_caller_may_not_write_to_many_addresses():
    order = paid_order()
    for number in range(10):
        declare(words(order, email=f"a{number}@example.com"))

    with pytest.raises(Problem) as refusal:
        declare(words(order, email="a10@example.com"))

    assert refusal.value.code == "throttled"
    assert declare(words(order, email="a10@example.com"), caller="192.0.2.2").email == "a10@example.com"
    assert AttemptCounter.objects.exists()


def test_l221_18_withdrawing_before_delivery_is_allowed_and_asks_for_nothing_back():
    order = paid_order()

    case = declare(words(order)).case

    assert (case.in_time, case.state) == (True, WithdrawalState.DECLARED)
    assert not OutgoingMail.objects.filter(kind="withdrawal_return").exists()


def test_l221_23_goods_that_have_left_are_asked_back():
    order = paid_order()
    update_status(order_id=order.pk, status="shipped", actor=None)

    case = declare(words(order)).case

    assert (case.state, case.in_time) == (WithdrawalState.GOODS_AWAITED, True)
    mail = OutgoingMail.objects.get(kind="withdrawal_return")
    assert (mail.to, mail.context["return_by"]) == ("lea@example.com", "2026-12-07")


def test_a_late_declaration_is_filed_and_flagged_and_stops_nothing():
    order = installments_order()
    Order.objects.filter(pk=order.pk).update(
        shipped_at=NOON - timedelta(days=30), delivered_at=NOON - timedelta(days=28), status="delivered"
    )
    before = states(order)

    case = declare(words(order)).case

    assert (case.order, case.in_time, case.taken_up_at) == (order, False, None)
    assert case.state == WithdrawalState.DECLARED
    assert states(order) == before
    assert not OutgoingMail.objects.filter(kind="withdrawal_return").exists()
    assert OutgoingMail.objects.filter(kind="withdrawal_received").count() == 1


def test_l312_4_withdrawing_from_everything_voids_every_installment_still_due():
    order = installments_order()
    assert states(order) == [
        ("paid", Decimal("100.00")), ("scheduled", Decimal("100.00")), ("scheduled", Decimal("100.00")),
    ]  # fmt: skip

    case = declare(words(order)).case

    assert [state for state, _amount in states(order)] == ["paid", "void", "void"]
    assert case.voided == Decimal("200.00")


def test_withdrawing_from_a_part_takes_its_worth_off_the_last_installments_and_no_more():
    # 300 + 60 = 360 in installments of 120; giving back the 60 leaves 300, of which 120 are paid: 180 are still owed.
    order = installments_order("300.00", (make_product("Lutin", "60.00"), 1))
    small = order.items.get(product_name="Lutin")

    case = declare(words(order, order=order, lines=(ReturnedLine(small.pk, 1),))).case

    assert states(order) == [
        ("paid", Decimal("120.00")), ("scheduled", Decimal("120.00")), ("scheduled", Decimal("60.00")),
    ]  # fmt: skip
    assert case.voided == Decimal("60.00")
    assert list(WithdrawalLine.objects.values_list("item", "quantity")) == [(small.pk, 1)]


def test_withdrawing_from_a_part_worth_more_than_is_due_voids_all_that_is_due():
    order = installments_order("300.00", (make_product("Lutin", "60.00"), 1))
    big = order.items.get(product_name="Golem")

    case = declare(words(order, order=order, lines=(ReturnedLine(big.pk, 1),))).case

    assert [state for state, _amount in states(order)] == ["paid", "void", "void"]
    assert case.voided == Decimal("240.00")


@pytest.mark.parametrize("delivery", ["130.00", "5.00"])
def test_l221_24_two_parts_that_are_all_of_it_stop_the_delivery_too(delivery):
    """Nothing is kept, so nothing is owed any more; of one part the delivery stays due."""
    make_zones()
    ShippingZone.objects.update(rate=Decimal(delivery), free_from=None)
    order = installments_order("100.00", (make_product("Hibou", "100.00"), 1))
    golem, owl = order.items.order_by("pk")
    due = Payment.objects.filter(order=order, state=PaymentState.SCHEDULED)

    first = declare(words(order, order=order, lines=(ReturnedLine(golem.pk, 1),)))
    assert (first.case.voided, due.exists()) == (Decimal("100.00"), True)
    second = declare(words(order, order=order, lines=(ReturnedLine(owl.pk, 1),)))

    whole = order.total - order.payments.get(position=1).amount
    assert (second.case.voided, due.exists()) == (whole - 100, False)


def test_a_part_described_in_words_stops_nothing_until_staff_read_it():
    order = installments_order()
    before = states(order)

    withdrawal = declare(words(order, goods="le petit golem"))

    assert states(order) == before
    assert (withdrawal.case.goods, withdrawal.case.voided) == ("le petit golem", Decimal("0.00"))
    assert "Articles rendus\u00a0:\nle petit golem" in withdrawal.statement


def test_an_order_not_yet_sent_is_stopped():
    order = paid_order()
    declare(words(order))

    for status in ("shipped", "delivered"):
        with pytest.raises(Problem) as refusal:
            update_status(order_id=order.pk, status=status, actor=None)
        assert (refusal.value.code, refusal.value.status) == ("withdrawal_open", 409)
    order.refresh_from_db()
    assert (order.status, order.shipped_at) == (OrderStatus.CONFIRMED, None)
    assert not OutgoingMail.objects.filter(kind="order_status").exists()
    # Its way through the workshop may still be written down.
    update_status(order_id=order.pk, status="processing", actor=None)


def test_l221_28_no_line_of_the_catalogue_is_excluded():
    order = paid_order()
    item = order.items.get()
    item.finish = "painted"
    item.variation_name = "18 cm"
    item.save()

    assert choose_lines(order, {item.pk: 1}) == ()
    assert declare(words(order, order=order)).case.in_time is True


@pytest.mark.parametrize("wanted", [{}, {0: 1}, {"own": 0}, {"own": 3}, {"own": -1}])
def test_lines_that_are_not_there_can_not_be_chosen(wanted):
    order = paid_order((make_product(), 2))
    own = order.items.get().pk

    with pytest.raises(Problem) as refusal:
        choose_lines(order, {own if item == "own" else item: units for item, units in wanted.items()})

    assert (refusal.value.code, refusal.value.status) == ("invalid_lines", 400)
    assert refusal.value.detail == "Choisissez au moins un article, dans la quantité commandée."


def test_foreign_lines_are_refused_when_they_are_filed_too():
    order = paid_order()
    other = paid_order((make_product("Hibou"), 1))

    with pytest.raises(Problem, match="Choisissez au moins un article"):
        declare(words(order, order=order, lines=(ReturnedLine(other.items.get().pk, 1),)))

    assert not Withdrawal.objects.exists()
    assert not WithdrawalCase.objects.exists()
    assert not OutgoingMail.objects.filter(kind__startswith="withdrawal").exists()


def test_a_part_is_listed_in_the_statement():
    order = paid_order((make_product(), 3))
    item = order.items.get()
    declaration = words(order, order=order, lines=(ReturnedLine(item.pk, 2),), reason="Trop grand.")

    assert compose_statement(declaration) == (
        f"Je notifie par la présente ma rétractation du contrat portant sur la commande {order.reference}.\n\n"
        "Articles rendus\u00a0:\n- 2 × Golem de poche\n\n"
        "Nom\u00a0: Léa Martin\nAdresse e-mail\u00a0: lea@example.com\n\n"
        "Motif\u00a0: Trop grand."
    )
    assert declaration_from_json(declaration_to_json(declaration)) == declaration


def test_a_void_payment_is_never_collected_again():
    order = installments_order()
    declare(words(order))

    assert not Payment.objects.filter(
        order=order, state__in=(PaymentState.SCHEDULED, PaymentState.DUE, PaymentState.OVERDUE)
    ).exists()
