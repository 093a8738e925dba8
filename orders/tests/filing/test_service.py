"""Withdrawals that came by letter, e-mail or otherwise, filed by staff: what they do and what is refused."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import UTC, date, datetime
from decimal import Decimal
from html import unescape

import pytest
import time_machine

from orders.models import (
    PaymentState,
    Refund,
    RefundState,
    Withdrawal,
    WithdrawalChannel,
    WithdrawalState,
)
from orders.selectors.refund_rules import ReturnedLine
from orders.services.refunds.decisions import request_refund
from orders.services.refunds.outcomes import record_refusal
from orders.services.refunds.sending import send_refund
from orders.services.withdrawals import cases
from orders.services.withdrawals.declarations import Declaration, Receipt
from orders.services.withdrawals.staff_filing import file_received
from orders.tests.factories import make_order, make_product, new_key
from orders.tests.filing.letters import NOON, filed, kinds, letter, paid_order
from orders.tests.installments import offer_installments
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail
from shop.core.problems import Problem

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

STATEMENT = """Rétractation de la commande {order}, reçue par courrier.

Envoyée le 20 novembre 2026, reçue le 23 novembre 2026.

Elle porte sur toute la commande.

Nom\u00a0: Léa Martin
Adresse e-mail\u00a0: lea@example.com

Texte reçu\u00a0:
Je renonce à tout.
Léa"""


def test_l221_21_a_letter_is_a_declaration_like_any_other(operator):
    order = paid_order()

    withdrawal = file_received(
        declaration=letter(order, operator, words="Je renonce à tout.\nLéa"), key=new_key()
    )

    row = Withdrawal.objects.get()
    assert row == withdrawal
    assert (row.order, row.name, row.email, row.channel, row.sent_on, row.filed_by, row.declared_at) == (
        order, "Léa Martin", "lea@example.com", "letter", date(2026, 11, 20), operator, NOON,
    )  # fmt: skip
    assert row.statement == STATEMENT.format(order=order.reference)
    case = row.case
    assert (case.in_time, case.state, case.taken_up_at, case.refund_by) == (
        True, WithdrawalState.DECLARED, NOON, date(2026, 12, 7),
    )  # fmt: skip
    assert list(order.events.filter(name__startswith="withdrawal").values_list("name", "actor")) == [
        ("withdrawal.declared", operator.pk),
        ("withdrawal.taken_up", operator.pk),
    ]
    assert kinds() == [
        ("withdrawal_received", "lea@example.com"),
        ("withdrawal_workshop", "atelier@example.com"),
    ]


@pytest.mark.parametrize(("refunded_on", "answers"), [(19, False), (20, True), (23, True)])
def test_a_letter_is_answered_by_what_was_refunded_for_it_before_it_was_filed(operator, refunded_on, answers):
    """Sent on the 20th: staff may refund on the phone's word, or from the order's page, and file the letter after."""
    order = paid_order((make_product(), 3))
    one = (ReturnedLine(order.items.get().pk, 1),)
    with time_machine.travel(datetime(2026, 11, refunded_on, 8, tzinfo=UTC), tick=False):
        request_refund(order_id=order.pk, key=new_key(), lines=one)
        send_refund(Refund.objects.get().pk)
    case = file_received(declaration=letter(order, operator, lines=one), key=new_key()).case

    with nullcontext() if answers else pytest.raises(Problem, match="Tout n'est pas encore rendu"):
        cases.close_answered(case_id=case.pk, actor=operator)

    case.refresh_from_db()
    assert case.state == (WithdrawalState.REFUNDED if answers else WithdrawalState.DECLARED)


def test_the_acknowledgement_names_both_days_and_says_received(operator):
    order = paid_order()
    withdrawal = file_received(declaration=letter(order, operator), key=new_key())

    told = render(OutgoingMail.objects.get(kind="withdrawal_received"))

    sentence = (
        "Nous avons reçu le 23 novembre 2026 votre rétractation envoyée le 20 novembre 2026. Elle porte la référence "
        f"{withdrawal.reference}."
    )
    assert sentence in told.text
    assert sentence in unescape(told.html)
    assert "Envoyée le 20 novembre 2026, reçue le 23 novembre 2026." in told.text
    assert "accept" not in told.text
    workshop = render(OutgoingMail.objects.get(kind="withdrawal_workshop")).text
    assert (
        "Léa Martin (lea@example.com) a déclaré sa rétractation hors du site le 20 novembre 2026, "
        "reçue le 23 novembre 2026, enregistrée par chef@example.com." in workshop
    )


def test_the_acknowledgement_speaks_the_order_s_language(operator):
    order = paid_order(language="de")
    file_received(declaration=letter(order, operator, words="Hiermit widerrufe ich."), key=new_key())

    told = render(OutgoingMail.objects.get(kind="withdrawal_received"))

    assert "23. November 2026" in told.text
    assert "20. November 2026" in told.text
    assert "Hiermit widerrufe ich." in told.text
    assert "envoyée" not in told.text


def test_without_acknowledgement_only_the_workshop_is_written_to(operator):
    file_received(declaration=letter(paid_order(), operator, acknowledged=False), key=new_key())

    assert kinds() == [("withdrawal_workshop", "atelier@example.com")]


@pytest.mark.parametrize(("sent", "in_time"), [(date(2026, 11, 20), True), (date(2026, 11, 21), False)])
def test_l221_18_the_day_of_sending_decides(operator, sent, in_time):
    order = paid_order(delivered=True)

    case = file_received(declaration=letter(order, operator, sent=sent), key=new_key()).case

    # Received three days after the last one: in time all the same.
    assert (case.in_time, case.taken_up_at is not None) == (in_time, in_time)
    assert case.state == (WithdrawalState.GOODS_AWAITED if in_time else WithdrawalState.DECLARED)


def test_l221_24_the_days_to_refund_run_from_the_receipt(operator):
    order = paid_order()
    declaration = letter(order, operator, sent=date(2026, 11, 4), received=date(2026, 11, 9))

    withdrawal = file_received(declaration=declaration, key=new_key())

    assert withdrawal.declared_at == datetime(2026, 11, 9, 11, 0, tzinfo=UTC)
    assert withdrawal.case.refund_by == date(2026, 11, 23)


def test_l221_23_nobody_is_told_to_send_goods_back_by_a_day_that_has_passed(operator):
    order = paid_order(delivered=True)
    declaration = letter(order, operator, sent=date(2026, 11, 7), received=date(2026, 11, 8))

    file_received(declaration=declaration, key=new_key())

    told = OutgoingMail.objects.get(kind="withdrawal_return")
    assert told.context["return_by"] == "2026-12-07"


def test_a_letter_whose_order_is_found_later_is_judged_by_its_sending_too(operator):
    order = paid_order(delivered=True)
    lost = Declaration(
        name="Léa Martin", email="autre@example.com", order_text="ma figurine", language="fr",
        receipt=Receipt(WithdrawalChannel.LETTER, date(2026, 11, 20), date(2026, 11, 23), operator),
    )  # fmt: skip
    case = file_received(declaration=lost, key=new_key()).case
    assert (case.order, case.in_time) == (None, None)

    cases.attach_order(case_id=case.pk, reference=order.reference, actor=operator)

    case.refresh_from_db()
    assert (case.order, case.in_time, case.taken_up_at) == (order, True, NOON)


def test_l221_27_a_letter_is_taken_back_in_words_written_since_it_was_sent(operator):
    """They may be quicker than the letter, as an e-mail is."""
    case = file_received(declaration=letter(paid_order(), operator), key=new_key()).case
    taken_back = {
        "case_id": case.pk, "reason": "Retirée.", "actor": operator, "revocation_text": "Je garde tout.",
    }  # fmt: skip
    before = filed()
    with pytest.raises(Problem) as refused:
        cases.refuse_case(**taken_back, revoked_on=date(2026, 11, 19))
    assert refused.value.errors == {
        "revoked_on": ["L'écrit du client ne peut être ni à venir ni avant sa rétractation."]
    }
    assert filed() == before

    cases.refuse_case(**taken_back, revoked_on=date(2026, 11, 20))

    case.refresh_from_db()
    assert (case.state, case.revoked_on) == ("refused", date(2026, 11, 20))


def test_a_letter_stops_the_installments(operator):
    offer_installments()
    order = paid_order((make_product("Golem", "300.00"), 1), payment_mode="installments")

    case = file_received(declaration=letter(order, operator), key=new_key()).case

    assert list(order.payments.order_by("position").values_list("state", "amount")) == [
        (PaymentState.PAID, Decimal("100.00")),
        (PaymentState.VOID, Decimal("100.00")),
        (PaymentState.VOID, Decimal("100.00")),
    ]
    assert case.voided == Decimal("200.00")


def test_a_part_of_an_order_is_filed_with_its_lines(operator):
    order = paid_order((make_product(), 3))
    item = order.items.get()

    withdrawal = file_received(
        declaration=letter(order, operator, lines=(ReturnedLine(item.pk, 2),)), key=new_key()
    )

    assert list(withdrawal.lines.values_list("item", "quantity")) == [(item.pk, 2)]
    assert "Articles rendus\u00a0:\n- 2 × Golem de poche" in withdrawal.statement


def test_what_a_refund_was_to_credit_that_failed_whole_can_still_be_withdrawn_from(operator):
    order = paid_order((make_product(), 3))
    decided = request_refund(order_id=order.pk, key=new_key()).refunds.get()
    Refund.objects.update(state=RefundState.SENT)
    record_refusal(decided.pk, "expired_or_canceled_card")
    item = order.items.get()

    withdrawal = file_received(
        declaration=letter(order, operator, lines=(ReturnedLine(item.pk, 1),)), key=new_key()
    )

    assert list(withdrawal.lines.values_list("item", "quantity")) == [(item.pk, 1)]


def test_all_that_is_left_is_the_whole_order(operator):
    order = paid_order((make_product(), 3))
    item = order.items.get()

    withdrawal = file_received(
        declaration=letter(order, operator, lines=(ReturnedLine(item.pk, 3),)), key=new_key()
    )

    assert not withdrawal.lines.exists()
    assert "Elle porte sur toute la commande." in withdrawal.statement


def test_twice_is_once_even_after_the_refund(operator):
    order, key = paid_order(), new_key()
    declaration = letter(order, operator)
    first = file_received(declaration=declaration, key=key)
    request_refund(order_id=order.pk, key=new_key())
    before = filed()

    assert file_received(declaration=declaration, key=key) == first
    assert filed() == before


def test_a_key_files_one_declaration_only(operator):
    order, key = paid_order(), new_key()
    file_received(declaration=letter(order, operator), key=key)
    before = filed()

    with pytest.raises(Problem) as refused:
        file_received(declaration=letter(order, operator, sent=date(2026, 11, 19)), key=key)

    assert (refused.value.code, refused.value.status) == ("idempotency_key_reused", 422)
    assert filed() == before


@pytest.mark.parametrize(
    ("changes", "errors"),
    [
        (
            {"sent": date(2026, 11, 24), "received": date(2026, 11, 24)},
            {"sent_on": ["Cette date est à venir."], "received_on": ["Cette date est à venir."]},
        ),
        (
            {"sent": date(2026, 11, 20), "received": date(2026, 11, 19)},
            {"received_on": ["Elle ne peut pas être reçue avant d'être envoyée."]},
        ),
        (
            {"sent": date(2026, 11, 1)},
            {"sent_on": ["La commande n'existait pas encore ce jour-là."]},
        ),
    ],
)
def test_impossible_days_are_refused(operator, changes, errors):
    order = paid_order()
    before = filed()

    with pytest.raises(Problem) as refused:
        file_received(declaration=letter(order, operator, **changes), key=new_key())

    assert (refused.value.code, refused.value.errors) == ("invalid_withdrawal", errors)
    assert filed() == before


def test_foreign_lines_and_too_many_units_are_refused(operator):
    order, other = paid_order((make_product(), 2)), paid_order()
    foreign, own = other.items.get().pk, order.items.get().pk
    before = filed()

    for line in (ReturnedLine(foreign, 1), ReturnedLine(own, 3), ReturnedLine(own, 0)):
        with pytest.raises(Problem) as refused:
            file_received(declaration=letter(order, operator, lines=(line,)), key=new_key())
        assert refused.value.errors == {
            "items": ["Choisissez au moins un article, dans la quantité commandée."]
        }
    assert filed() == before


def test_an_order_that_has_nothing_left_or_was_never_paid_is_refused(operator):
    empty, unpaid = paid_order(), make_order()
    request_refund(order_id=empty.pk, key=new_key())
    before = filed()

    for order, code in ((empty, "invalid_lines"), (unpaid, "order_not_paid")):
        with pytest.raises(Problem) as refused:
            file_received(declaration=letter(order, operator, sent=date(2026, 11, 23)), key=new_key())
        assert refused.value.code == code
    assert filed() == before
